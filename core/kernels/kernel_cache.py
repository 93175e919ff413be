"""Compiled kernels on disk: numba's cache with one file for each kernel and signature, checked when it is read.

numba's own keeps an index of numbered files for each kernel. Two processes that compile the same kernel for different
types at once may then write one file under both numbers, and a third process runs the wrong code. It also looks at the
kernel's own source file alone, although a kernel holds the code of those that it calls.

Files are stored where numba stores its own: in ``NUMBA_CACHE_DIR``, else in ``__pycache__`` beside the source, else in
the user's cache folder. The name of each tells the processor's type and its instructions apart.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import pickle
import re
from pathlib import Path
from typing import Any, Callable

import llvmlite
import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

from core.kernels.compilations import note_compilation

_logger = logging.getLogger("core.kernels")
_ROOT = Path(__file__).resolve().parents[2]
_IMPORT = re.compile(r"^\s*from (core\.kernels[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_DIGEST = hashlib.sha256().digest_size


def kept_on_disk(dispatcher: Any) -> Any:
    """Let a function's compiled forms be kept for other processes, where a folder for them can be written.

    Args:
        dispatcher: what ``numba.njit`` returned.

    Returns:
        The dispatcher.
    """
    try:
        dispatcher._cache = KernelCache(dispatcher.py_func)
    except RuntimeError:  # neither this folder nor the user's cache folder can be written
        dispatcher._cache = _NoCache()
    return dispatcher


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The compiled forms of one function.

    Args:
        function: the Python function.

    Raises:
        RuntimeError: no folder can be written.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = source_stamp(Path(function.__code__.co_filename))
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled form for a signature; None where there is none, or its file is damaged."""
        note_compilation()
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # whatever a file from elsewhere leads to, the kernel can be compiled
            _logger.info("%s: its compiled form cannot be read (%s) and is made again", self._name, error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled form; without room or permission the process goes on without."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _logger.info("compiled kernels are not kept: %s", error)
            self.disable()


class _NoCache(NullCache):  # type: ignore[misc]
    def load_overload(self, sig: Any, target_context: Any) -> None:
        note_compilation()


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """One file for each key: a digest of the stamp and of what follows, then the key and its data."""

    def load(self, key: Any) -> Any:
        """Return the data of a key; None where there are none, or they are damaged or of other sources."""
        try:
            content = Path(self._path_of(key)).read_bytes()
        except OSError:
            return None
        digest, body = content[:_DIGEST], content[_DIGEST:]
        if digest != self._digest(body):
            return None
        found, data = pickle.loads(body)
        return data if found == key else None

    def save(self, key: Any, data: Any) -> None:
        """Write the data of a key, at once for everybody who reads them."""
        body = self._dump((key, data))
        with self._open_for_write(self._path_of(key)) as stream:
            stream.write(self._digest(body))
            stream.write(body)

    def flush(self) -> None:
        """Delete the function's files."""
        for path in Path(self._cache_path).glob(self._index_name.replace(".nbi", ".*.nbc")):
            path.unlink()

    def _path_of(self, key: Any) -> str:
        name = hashlib.sha256(repr(key).encode()).hexdigest()[:24]
        return os.path.join(self._cache_path, self._index_name.replace(".nbi", f".{name}.nbc"))

    def _digest(self, body: bytes) -> bytes:
        return hashlib.sha256(self._source_stamp + body).digest()


def source_stamp(path: Path) -> bytes:
    """Return what changes whenever compiled code of a file may: a digest of its sources and of the compiler's version.

    Args:
        path: the file of a kernel.
    """
    stamp = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__}".encode())
    for source in sorted(sources(path)):
        stamp.update(hashlib.sha256(_text(source).encode()).digest())
    return stamp.digest()


def sources(path: Path) -> set[Path]:
    """Return a file of kernels and those that it imports from ``core.kernels``, directly or not.

    Args:
        path: the file.
    """
    found, left = {path}, [path]
    while left:
        new = _imported(left.pop()) - found
        found |= new
        left += new
    return found


@functools.cache
def _imported(path: Path) -> frozenset[Path]:
    """Return the files of ``core.kernels`` that a file names in its imports."""
    files = []
    for package, names in _IMPORT.findall(_text(path)):
        modules = [package, *[f"{package}.{name.split(' as ')[0].strip()}" for name in names.strip("()").split(",")]]
        files += [_ROOT.joinpath(*module.split(".")).with_suffix(".py") for module in modules]
    return frozenset(file for file in files if file.is_file())


@functools.cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
