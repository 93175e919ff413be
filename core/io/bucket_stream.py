"""Batches of records of similar length from a stream, which has no lengths to look at beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.io.batch_sampler import check_positive
from core.io.dataset import StreamDataset
from core.io.ragged.sizes import check_buckets


class BucketStream(StreamDataset):
    """The records of a stream, gathered by length: each item is a list of samples, all of one bucket.

    A list is given when it is full; what is left at the end follows. It is read with ``batch_size=None``, and the
    loader's ``collate_fn`` makes a batch of each list. Workers read all records and transform only those of their own
    batches.

    Args:
        dataset: the stream.
        length: makes a record's length of it, such as the number of its tokens. A function at the top level of a
            module, where workers read.
        buckets: the greatest length of each bucket, in ascending order.
        batch_size: samples per batch; give either this or ``max_tokens``.
        max_tokens: the most tokens of a batch: samples times the length of their bucket.
        max_samples: the most samples of a batch that ``max_tokens`` allows.
        longest: how to treat records that are longer than the last bucket: "truncate" (they are in the last bucket,
            and a :class:`Collate` cuts them), "drop" or "error".
        drop_last: leave out the batches that are not full when the stream ends.
        size: the name that the length has in a :class:`Collate`.

    Raises:
        TypeError: ``dataset`` is not a StreamDataset.
        ValueError: an argument is out of range. While iterating: a length is not one, or too long.
    """

    def __init__(
        self,
        dataset: StreamDataset,
        length: Callable[[Any], int],
        buckets: Sequence[int],
        batch_size: Optional[int] = None,
        max_tokens: Optional[int] = None,
        max_samples: Optional[int] = None,
        longest: str = "error",
        drop_last: bool = False,
        size: str = "length",
    ) -> None:
        if not isinstance(dataset, StreamDataset):
            raise TypeError(f"BucketStream: dataset must be a StreamDataset, not {type(dataset).__name__}")
        if (batch_size is None) == (max_tokens is None):
            raise ValueError("BucketStream needs either batch_size or max_tokens, not both")
        for name, value in (("batch_size", batch_size), ("max_tokens", max_tokens), ("max_samples", max_samples)):
            if value is not None:
                check_positive("BucketStream", name, value)
        if longest not in ("truncate", "drop", "error"):
            raise ValueError(f"BucketStream: longest must be 'truncate', 'drop' or 'error', not {longest!r}")
        super().__init__(self._transformed if dataset.transform is not None else None)
        self.dataset = dataset
        self.length = length
        self.boundaries = check_buckets("BucketStream", buckets)
        self.max_tokens = max_tokens
        self.longest = longest
        self.drop_last = drop_last
        self.size = size
        self.batch_sizes = [batch_size or (max_tokens or 0) // bucket for bucket in self.boundaries]
        if self.batch_sizes[-1] == 0:
            raise ValueError(
                f"BucketStream: a record of the last bucket, {self.boundaries[-1]}, does not fit into max_tokens "
                f"{max_tokens}; allow more, or leave the bucket out"
            )
        if max_samples is not None:
            self.batch_sizes = [min(count, max_samples) for count in self.batch_sizes]

    def shapes(self) -> Optional[list[tuple[int, int]]]:
        """Return every shape of a padded batch, as (samples, length); None where the last ones are not left out."""
        return list(zip(self.batch_sizes, self.boundaries)) if self.drop_last else None

    def records(self) -> Iterator[list[Any]]:
        """Iterate over the batches, as lists of records."""
        begun: dict[int, list[Any]] = {}
        for number, record in enumerate(self.dataset.records()):
            length = self.length(record)
            if isinstance(length, bool) or not hasattr(length, "__index__") or length < 0:
                raise ValueError(f"BucketStream: record {number} has the length {length!r}, no number of tokens")
            bucket = int(np.searchsorted(self.boundaries, length))
            if bucket == len(self.boundaries):
                if self.longest == "error":
                    raise ValueError(
                        f"BucketStream: record {number} has the length {length}, and the last bucket is "
                        f"{self.boundaries[-1]}; add a bucket, or pass longest='truncate' or 'drop'"
                    )
                if self.longest == "drop":
                    continue
                bucket -= 1
            batch = begun.setdefault(bucket, [])
            batch.append(record)
            if len(batch) == self.batch_sizes[bucket]:
                yield begun.pop(bucket)
        if not self.drop_last:
            yield from begun.values()

    def _transformed(self, records: Sequence[Any]) -> list[Any]:
        assert self.dataset.transform is not None
        return [self.dataset.transform(record) for record in records]
