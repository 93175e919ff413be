"""Which instances of distant supervision are trusted: those whose words between the entities are a trusted pattern.

Jia et al. 2019, ARNOR, https://aclanthology.org/P19-1135, section 3: the most frequent patterns of each relation are
trusted first; positive instances with other ones count as negative; and a pattern is added where the network, which has
learned to attend to patterns, attends to it.
"""

from __future__ import annotations

import collections
from collections.abc import Collection, Mapping, Sequence

import numpy as np

Patterns = Mapping[str, Collection[str]]
"""Of each relation its trusted patterns."""


def frequent_patterns(
    patterns: Sequence[str], labels: Sequence[str], none: str, share: float = 0.1, most: int = 20
) -> dict[str, list[str]]:
    """Return of each relation the patterns that occur most often.

    Args:
        patterns: of each instance.
        labels: of each instance its relation.
        none: the name of no relation, which has no patterns.
        share: so many of a relation's different patterns, rounded up.
        most: and so many at most.
    """
    counts: dict[str, collections.Counter[str]] = {}
    for pattern, label in zip(patterns, labels):
        if label != none:
            counts.setdefault(label, collections.Counter())[pattern] += 1
    found = {}
    for label, own in sorted(counts.items()):
        order = sorted(own, key=lambda pattern: (-own[pattern], pattern))
        found[label] = order[: min(most, int(np.ceil(share * len(order))))]
    return found


def redistributed(
    patterns: Sequence[str], labels: Sequence[str], none: str, trusted: Patterns
) -> tuple[list[str], np.ndarray]:
    """Return the labels to learn, that of no relation where the pattern is not trusted; and where it is, bool (N,).

    Args:
        patterns: of each instance.
        labels: of each instance, as distant supervision has them.
        none: the name of no relation.
        trusted: the patterns.
    """
    known = {label: frozenset(own) for label, own in trusted.items()}
    matched = np.array([pattern in known.get(label, ()) for pattern, label in zip(patterns, labels)], bool)
    return [label if kept else none for label, kept in zip(labels, matched.tolist())], matched


def confidence(attention: np.ndarray, guide: np.ndarray) -> float:
    """Return 1 / (1 + KL(m || a)) of a sentence: 1 where the network attends to the pattern and the entities alone.

    Args:
        attention: a, float (L,).
        guide: 1 at the words of both entities and of the pattern, (L,).
    """
    wanted = guide[guide > 0] / guide.sum()
    divergence = float((wanted * np.log(wanted / np.maximum(attention[guide > 0], 1e-20))).sum())
    return 1.0 / (1.0 + max(divergence, 0.0))


def grown(
    trusted: Patterns,
    patterns: Sequence[str],
    labels: Sequence[str],
    confidences: np.ndarray,
    none: str,
    least: float = 0.5,
    added: int = 5,
) -> dict[str, list[str]]:
    """Return the trusted patterns, and of each relation those whose instances are explained best.

    A pattern's confidence is the mean of its instances', our own choice: the paper counts instances above the
    threshold.

    Args:
        trusted: the patterns so far.
        patterns: of each instance.
        labels: of each instance, as distant supervision has them.
        confidences: of each instance, float (N,).
        none: the name of no relation.
        least: a new pattern's confidence is more than this.
        added: so many new patterns of a relation at most.
    """
    sums: dict[str, dict[str, list[float]]] = {}
    for pattern, label, value in zip(patterns, labels, confidences.tolist()):
        if label != none and pattern not in trusted.get(label, ()):
            sums.setdefault(label, {}).setdefault(pattern, []).append(value)
    found = {label: list(own) for label, own in trusted.items()}
    for label, own in sums.items():
        means = {pattern: float(np.mean(values)) for pattern, values in own.items()}
        good = [pattern for pattern, value in means.items() if value > least]
        found.setdefault(label, []).extend(sorted(good, key=lambda pattern: (-means[pattern], pattern))[:added])
    return found
