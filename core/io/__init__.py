"""Datasets, samplers and the loader, under the names of ``paddle.io``.

Nothing here imports the engine until a loader hands its first batch to the parent process: data sets, samplers and
collation work on numpy arrays, so a worker process stays small.
"""

from __future__ import annotations

from core.io.batch import Batch, HostList, NamedBatch, SampleError
from core.io.batch_sampler import BatchSampler, DistributedBatches, DistributedBatchSampler
from core.io.bucket_sampler import GroupBatchSampler, SizeBucketSampler
from core.io.bucket_stream import BucketStream
from core.io.collate import default_collate_fn, default_convert_fn
from core.io.dataset import (
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StreamDataset,
    Subset,
    TensorDataset,
    random_split,
)
from core.io.files import is_url, list_files, open_path, read_bytes
from core.io.joined_batches import JoinedBatchSampler
from core.io.length_sampler import LengthBucketSampler
from core.io.loader import DataLoader
from core.io.ragged.collate import Collate, Concatenate, Keep, Pad, Stack
from core.io.sampler import (
    EpochRandomSampler,
    RandomSampler,
    Sampler,
    SequenceSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from core.io.streams import LineDataset, ShuffledStream, TarDataset
from core.io.workers.pool import WorkerError
from core.io.workers.worker_info import WorkerInfo, get_worker_info

__all__ = [
    "Batch",
    "BatchSampler",
    "BucketStream",
    "ChainDataset",
    "Collate",
    "ComposeDataset",
    "ConcatDataset",
    "Concatenate",
    "DataLoader",
    "Dataset",
    "DistributedBatchSampler",
    "DistributedBatches",
    "EpochRandomSampler",
    "GroupBatchSampler",
    "HostList",
    "IterableDataset",
    "JoinedBatchSampler",
    "Keep",
    "LengthBucketSampler",
    "LineDataset",
    "NamedBatch",
    "Pad",
    "RandomSampler",
    "SampleError",
    "Sampler",
    "SequenceSampler",
    "ShuffledStream",
    "SizeBucketSampler",
    "Stack",
    "StreamDataset",
    "Subset",
    "SubsetRandomSampler",
    "TarDataset",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerError",
    "WorkerInfo",
    "default_collate_fn",
    "default_convert_fn",
    "get_worker_info",
    "is_url",
    "list_files",
    "open_path",
    "random_split",
    "read_bytes",
]
