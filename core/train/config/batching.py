"""How samples of different sizes become batches of few shapes, as a config says, and how many programs these need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Optional, Union

import pydantic

from core.io.batch_sampler import BatchSampler, DistributedBatches, DistributedBatchSampler
from core.io.bucket_sampler import GroupBatchSampler
from core.io.bucket_stream import BucketStream
from core.io.dataset import StreamDataset
from core.io.length_sampler import LengthBucketSampler
from core.io.loader import DataLoader
from core.io.ragged.collate import Collate, Fields
from core.io.ragged.sizes import check_rule
from core.train.config.schema import Section

if TYPE_CHECKING:
    from typing_extensions import Self


def _rules(value: Any) -> Any:
    """Return what is at ``buckets``, checked; a list is that of the length."""
    rules = value if isinstance(value, dict) else {"length": value}
    for name, rule in rules.items():
        check_rule(f"size {name!r}", rule)
    return rules


def _choices(value: Any) -> Any:
    """Return what is at ``longest``, checked."""
    for choice in value.values() if isinstance(value, dict) else [value]:
        if choice not in ("error", "truncate", "drop"):
            raise ValueError(
                f"must be 'error', 'truncate' or 'drop', or one of these for each size by name, not {choice!r}"
            )
    return value


class Batching(Section):
    """How samples of different sizes become batches of few shapes."""

    tokens: Optional[pydantic.PositiveInt] = pydantic.Field(
        None, description="the most tokens of a batch, padding included: short samples make larger batches"
    )
    samples: Optional[pydantic.PositiveInt] = pydantic.Field(
        None, description="the most samples of a batch that tokens allows"
    )
    buckets: Annotated[dict[str, Union[int, list[int]]], pydantic.BeforeValidator(_rules)] = pydantic.Field(
        {},
        description="sizes to pad to, in ascending order: a list for the length, or for each size by name a list, or a "
        "number of which it is to be a multiple, as in {length: [32, 64, 128], height: 32}",
    )
    by: str = pydantic.Field("length", description="the size that tokens counts, and by which samples are gathered")
    longest: Annotated[Union[str, dict[str, str]], pydantic.BeforeValidator(_choices)] = pydantic.Field(
        "error",
        description="how to treat what is longer than the last bucket: error, truncate, or, for the size that by "
        "names, drop (the sample); for all sizes, or for each by name, as in {length: drop, boxes: truncate}",
    )

    @pydantic.model_validator(mode="after")
    def _fits(self) -> Self:
        last = self._buckets[-1] if self._buckets else None
        if self.samples is not None and self.tokens is None:
            raise ValueError("samples limits what tokens allows; without tokens, say batch_size")
        if self.tokens is not None and last is None:
            raise ValueError(f"tokens needs buckets of the size {self.by!r}, as in {{{self.by}: [32, 64, 128]}}")
        if self.tokens is not None and last is not None and self.tokens < last:
            raise ValueError(f"a sample of the last bucket, {last}, does not fit into tokens {self.tokens}; allow more")
        if self._longest == "drop" and last is None:
            raise ValueError(f"longest: drop needs buckets of the size {self.by!r}")
        for name, how in self.longest.items() if isinstance(self.longest, dict) else ():
            if not isinstance(self.buckets.get(name), list):
                raise ValueError(f"longest says how to treat size {name!r}, which has no buckets")
            if how == "drop" and name != self.by:
                raise ValueError(f"longest: samples are dropped by {self.by}, not by {name}; say truncate or error")
        return self

    @property
    def _longest(self) -> str:
        return self.longest.get(self.by, "error") if isinstance(self.longest, dict) else self.longest

    @property
    def _buckets(self) -> Optional[list[int]]:
        rule = self.buckets.get(self.by)
        return rule if isinstance(rule, list) else None

    def collate(self, fields: Fields, before: Any = None) -> Collate:
        """Return a collate function that pads to the config's sizes.

        Args:
            fields: how each field is batched; see :class:`core.io.Collate`.
            before: what is done to the samples of a batch first; see there.
        """
        longest = self.longest if isinstance(self.longest, dict) else dict.fromkeys(self.buckets, self.longest)
        cut = {name: "error" if how == "drop" else how for name, how in longest.items()}
        buckets = [name for name, rule in self.buckets.items() if isinstance(rule, list)]
        return Collate(fields, self.buckets, {name: cut.get(name, "error") for name in buckets}, before)

    def loader(
        self,
        dataset: Any,
        fields: Fields,
        batch_size: int,
        lengths: Any = None,
        shuffle: bool = False,
        drop_last: bool = False,
        seed: int = 0,
        before: Any = None,
        **options: Any,
    ) -> DataLoader:
        """Return a loader of a data set's batches.

        Args:
            dataset: a Dataset or a StreamDataset.
            fields: how each field is batched; see :class:`core.io.Collate`.
            batch_size: samples per batch, where ``tokens`` does not say it.
            lengths: of each sample the size that ``by`` names; of a stream the function that makes it of a record.
                None: the data set's attribute ``lengths``; without that, batches are of samples of all lengths.
            shuffle: visit samples in random order. A stream is shuffled by a ShuffledStream.
            drop_last: leave out batches that are not full.
            seed: of the order.
            before: what is done to the samples of a batch before they are batched; see :class:`core.io.Collate`.
            options: of the :class:`core.io.DataLoader`.

        Raises:
            ValueError: lengths are needed and not known, or do not go with buckets and tokens.
        """
        collate = self.collate(fields, before)
        lengths = getattr(dataset, "lengths", None) if lengths is None else lengths
        if lengths is None and (self.tokens is not None or self._longest == "drop"):
            key = "tokens" if self.tokens is not None else "longest: drop"
            raise ValueError(
                f"batching: {key} needs the length of each sample, and {type(dataset).__name__} has no lengths; leave "
                "it out, or give the data set an attribute lengths"
            )
        if lengths is None or self._buckets is None:
            options.update(batch_size=batch_size, shuffle=shuffle, drop_last=drop_last)
            return DataLoader(dataset, collate_fn=collate, seed=seed, **options)
        chosen: dict[str, Any] = {
            "buckets": self._buckets,
            "batch_size": batch_size if self.tokens is None else None,
            "max_tokens": self.tokens,
            "max_samples": self.samples,
            "longest": self._longest,
            "drop_last": drop_last,
            "size": self.by,
        }
        if isinstance(dataset, StreamDataset):
            if shuffle:
                raise ValueError("batching: a stream cannot be shuffled as a whole; make it a core.io.ShuffledStream")
            stream = BucketStream(dataset, lengths, **chosen)
            return DataLoader(stream, collate_fn=collate, batch_size=None, seed=seed, **options)
        if len(lengths) != len(dataset):
            raise ValueError(f"batching: {len(lengths)} lengths are given for {len(dataset)} samples; give each one")
        sampler = LengthBucketSampler(lengths, shuffle=shuffle, seed=seed, **chosen)
        return DataLoader(dataset, batch_sampler=sampler, collate_fn=collate, seed=seed, **options)


class Programs(NamedTuple):
    """How many programs are compiled for the batches of a loader.

    Attributes:
        most: at most so many; None: it is not known.
        line: a sentence that says so, and why.
    """

    most: Optional[int]
    line: str


def programs_of(loader: Any) -> Optional[Programs]:
    """Count the shapes of a loader's batches: each is compiled once.

    Args:
        loader: with a :class:`core.io.Collate`.

    Returns:
        What is known; None for a loader with another collate function, as that may make any shapes.
    """
    collate = getattr(loader, "collate_fn", None)
    if not isinstance(collate, Collate):
        return None
    given: Mapping[str, Any] = getattr(collate.before, "sizes", {})
    sizes = {**{name: collate.sizes.rules.get(name) for name in collate.names}, **given}
    count, parts = 1, []
    sampler = _whole(loader.batch_sampler)
    source = loader.dataset if sampler is None else sampler
    shapes = source.shapes() if isinstance(source, (LengthBucketSampler, BucketStream)) else None
    if shapes is not None and sizes.get(source.size) == list(source.boundaries):
        sizes.pop(source.size)
        count = len(shapes)
        parts.append(f"samples x {source.size} {', '.join(f'{samples} x {length}' for samples, length in shapes)}")
    else:
        counts = _sample_counts(loader, sampler)
        if counts is None:
            return _unknown("batches may have any number of samples; leave out what is not full with drop_last: true")
        count = len(counts)
        if count > 1:
            parts.append(f"samples {', '.join(map(str, counts))}")
    for name, rule in sizes.items():
        if not isinstance(rule, list):
            how = "what each batch needs" if rule is None else f"multiples of {rule}"
            return _unknown(f"{name} is padded to {how}; name its buckets to bound it")
        count *= len(rule)
        parts.append(f"{name} {', '.join(map(str, rule))}")
    from core.jit.static_function import MAXIMUM_PROGRAMS  # the engine: processes that read data do without it

    line = f"at most {count} compiled {'program' if count == 1 else 'programs'}"
    line += f": {' times '.join(parts)}" if parts else ""
    if count > MAXIMUM_PROGRAMS:
        line += f"; only {MAXIMUM_PROGRAMS} are kept, and others compiled again: use fewer buckets"
    return Programs(count, line)


def _unknown(reason: str) -> Programs:
    return Programs(None, f"an unknown number of compiled programs: {reason}")


def _whole(sampler: Any) -> Any:
    """Return the batch sampler whose batches processes share."""
    return _whole(sampler.batch_sampler) if isinstance(sampler, DistributedBatches) else sampler


def _sample_counts(loader: Any, sampler: Any) -> Optional[list[int]]:
    """Return how many samples a batch may have; None where that is not known."""
    if sampler is None:
        return [loader.batch_size] if loader.drop_last and loader.batch_size else None
    if isinstance(sampler, GroupBatchSampler):
        return sampler.sample_counts()
    if not isinstance(sampler, BatchSampler):
        return None
    own = sampler.num_samples if isinstance(sampler, DistributedBatchSampler) else len(sampler.sampler)  # type: ignore[arg-type]  # a sampler of known length, as BatchSampler's own length needs
    full, rest = [sampler.batch_size] if own >= sampler.batch_size else [], own % sampler.batch_size
    return full if sampler.drop_last or not rest else [*full, rest]
