"""Every public name of Paddle 2.6 is in core with its arguments and defaults, or the table says why not."""

from __future__ import annotations

import enum
import fnmatch
import importlib
import inspect
from pathlib import Path
from typing import Any

import core
from tests.parity.api.not_offered import DIFFERENT, NOT_OFFERED
from tests.parity.api.signatures import signature_text

TABLE = Path(__file__).with_name("signatures.tsv").read_text(encoding="utf-8").splitlines()[2:]
ROWS = {name: (kind, signature) for name, kind, signature in (line.split("\t") for line in TABLE)}
MISSING = object()


def found(path: str) -> Any:
    """Return what core has under a path, or MISSING."""
    value: Any = core
    for part in path.split(".")[1:]:
        if hasattr(value, part):
            value = getattr(value, part)
        elif inspect.ismodule(value):
            try:
                value = importlib.import_module(f"{value.__name__}.{part}")
            except ModuleNotFoundError:
                return MISSING
        else:
            return MISSING
    return value


def reason(name: str) -> bool:
    """Return whether the table says why a name is missing."""
    parts = name.split(".")
    patterns = [name, *[".".join([*parts[:i], "*"]) for i in range(1, len(parts))]]
    return any(pattern in NOT_OFFERED for pattern in patterns)


def split(signature: str) -> list[tuple[str, str]]:
    """Return the names and defaults of a signature's parameters; a required one has the default ""."""
    words, word, depth = [], "", 0
    for character in signature[1:-1] + ",":
        depth += (character in "[(<") - (character in "])>")
        if character == "," and depth == 0:
            words.append(word.strip())
            word = ""
        else:
            word += character
    pairs = [word.partition("=") for word in words if word]
    return [(name, default) for name, _, default in pairs if name != "*"]


def difference(name: str, value: Any, signature: str) -> str:
    """Return how a function's arguments differ from Paddle's; "" if each of Paddle's calls means the same."""
    owner = found(name.rpartition(".")[0])
    if inspect.isclass(owner):
        value = inspect.getattr_static(owner, name.rpartition(".")[2])
        value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
    ours = split(signature_text(value))
    theirs = split(signature)
    if inspect.isclass(owner):  # the object itself, by whatever name
        ours, theirs = ours[1:], theirs[1:]
    named = [pair for pair in theirs if not pair[0].startswith("*")]
    fixed = [pair for pair in ours if not pair[0].startswith("*")]
    for i, (argument, default) in enumerate(named):
        if i >= len(fixed) or fixed[i][0] != argument:
            return f"argument {i} is {argument}, here {fixed[i][0] if i < len(fixed) else 'missing'}"
        if default and fixed[i][1] != default:
            return f"the default of {argument} is {default}, here {fixed[i][1] or 'missing'}"
    required = [argument for argument, default in fixed[len(named) :] if not default]
    return f"{required[0]} is required here" if required else ""


def test_every_name_is_offered_or_explained() -> None:
    missing = [name for name in ROWS if found(name) is MISSING and not reason(name)]
    assert not missing


def test_every_signature_is_paddles_or_explained() -> None:
    differences = {}
    for name, (kind, signature) in ROWS.items():
        value = found(name)
        if isinstance(value, enum.EnumMeta):
            continue  # whose signature is Python's
        if signature and kind in ("class", "function") and value is not MISSING and callable(value):
            differences[name] = difference(name, value, signature)
    wrong = {name: text for name, text in differences.items() if text and name not in DIFFERENT}
    assert not wrong
    assert len(differences) > 1000
    assert not [name for name in DIFFERENT if not differences.get(name)], "no longer different"


def test_the_table_of_missing_names_is_up_to_date() -> None:
    here = [name for name in NOT_OFFERED if not name.endswith("*") and found(name) is not MISSING]
    assert not here, "offered by now"
    idle = [
        pattern
        for pattern in NOT_OFFERED
        if pattern.endswith("*") and all(found(name) is not MISSING for name in fnmatch.filter(ROWS, pattern))
    ]
    assert not idle, "nothing is missing there"
    assert not [name for name in NOT_OFFERED if not fnmatch.filter(ROWS, name)], "not in Paddle"
