"""Weight files: readers and writers that never run a file's code, the manifest record, and the download cache."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.weights.atomic import atomic_path, atomic_write
from core.weights.convert import convert
from core.weights.downloads.download import cache_path, fetch, weights_directory
from core.weights.formats.fluid import read_fluid
from core.weights.formats.mxnet_params import read_mxnet_params, write_mxnet_params
from core.weights.formats.pdparams import read_pdparams, read_pickle, write_pdparams, write_pickle
from core.weights.formats.safetensors_file import read_safetensors, read_safetensors_with_metadata, write_safetensors
from core.weights.loading import LoadReport, load_weights
from core.weights.manifest import Preprocessing, WeightRecord
from core.weights.read import file_format, read_weights

if TYPE_CHECKING:
    from core.weights.save_load import load, save

__all__ = [
    "LoadReport",
    "Preprocessing",
    "WeightRecord",
    "atomic_path",
    "atomic_write",
    "cache_path",
    "convert",
    "fetch",
    "file_format",
    "load",
    "load_weights",
    "read_fluid",
    "read_mxnet_params",
    "read_pdparams",
    "read_pickle",
    "read_safetensors",
    "read_safetensors_with_metadata",
    "read_weights",
    "save",
    "weights_directory",
    "write_mxnet_params",
    "write_pdparams",
    "write_pickle",
    "write_safetensors",
]


def __getattr__(name: str) -> Any:
    if name in ("load", "save"):  # the only two that need the engine
        from core.weights import save_load  # loads the engine, which not every process needs

        return getattr(save_load, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
