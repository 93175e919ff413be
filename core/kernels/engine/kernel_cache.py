"""Compiled kernels on disk: numba's cache with one file for each kernel and signature, checked when it is read.

numba's own keeps an index of numbered files for each kernel. Two processes that compile the same kernel for different
types at once may then write one file under both numbers, and a third process runs the wrong code. It also looks at the
kernel's own source file alone, although a kernel holds the code of those that it calls.

Files are written where numba writes its own: to ``NUMBA_CACHE_DIR``, else to ``__pycache__`` beside the source, else to
the user's cache folder. Where an earlier one of these cannot be written, as in an image that was built with it, files
are read there too. Each belongs to one type of processor with its instructions.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import llvmlite
import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, NullCache

from core.kernels.engine import compile_lock
from core.kernels.engine.compilations import note_compilation
from core.kernels.engine.kernel_compiler import reduced, restored

_logger = logging.getLogger("core.kernels")
_ROOT = Path(__file__).resolve().parents[3]
_IMPORT = re.compile(r"^\s*from (core\.kernels[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_DIGEST = hashlib.sha256().digest_size
_LOCATORS = CompileResultCacheImpl._locator_classes
_IN_TREE: Any = next(locator for locator in _LOCATORS if locator.__name__.endswith("InTreeCacheLocator"))


def kept_on_disk(dispatcher: Any) -> Any:
    """Let a function's compiled forms be kept for other processes.

    Args:
        dispatcher: what ``numba.njit`` returned.

    Returns:
        The dispatcher.
    """
    try:
        dispatcher._cache = KernelCache(dispatcher.py_func)
    except RuntimeError:  # the function has no file
        dispatcher._cache = _NoCache()
    return dispatcher


class _Unwritable(_IN_TREE):
    """The folder beside the source, where no folder can be written."""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        return cls(py_func, py_file) if os.path.exists(py_file) else None


class _CompiledForms(CompileResultCacheImpl):
    _locator_classes = [*_LOCATORS, _Unwritable]

    def reduce(self, cres: Any) -> Any:
        return reduced(cres)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return restored(target_context, *payload)


class KernelCache(FunctionCache):
    """The compiled forms of one function.

    Args:
        function: the Python function.

    Raises:
        RuntimeError: the function has no file.
    """

    _impl_class = _CompiledForms

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        source = Path(function.__code__.co_filename)
        wanted = [source.parent / "__pycache__"]
        if numba.config.CACHE_DIR:
            wanted.insert(0, Path(numba.config.CACHE_DIR, self._impl.locator.get_suitable_cache_subpath(str(source))))
        chosen = Path(self._cache_path)
        refused = wanted[: wanted.index(chosen)] if chosen in wanted else wanted
        self._cache_file = _CheckedFiles([chosen, *refused], self._impl.filename_base, source_stamp(source))
        self._writes = True

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled form for a signature; None where there is none, or its file is damaged.

        Where there is none, no other process compiles it until this thread's :func:`compile_lock.outermost` ends.
        """
        note_compilation()
        found = self._loaded(sig, target_context)
        if found is None and self._writes:
            key = self._index_key(sig, target_context.codegen())
            if compile_lock.wait_for(Path(self._cache_path), self._cache_file.number(key)):
                found = self._loaded(sig, target_context)
        return found

    def _loaded(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # whatever a file from elsewhere leads to, the kernel can be compiled
            _logger.info("%s: its compiled form cannot be read (%s) and is made again", self._name, error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled form; without room or permission the process goes on without."""
        if not self._writes:
            return
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _logger.info("%s: its compiled forms are not kept: %s", self._name, error)
            self._writes = False


class _NoCache(NullCache):
    def load_overload(self, sig: Any, target_context: Any) -> None:
        note_compilation()


class _CheckedFiles(IndexDataCacheFile):
    """One file for each key: a digest of the stamp and of what follows, then the key and its data.

    Args:
        folders: where files are read; they are written to the first.
        name: what their names begin with.
        stamp: of what the data were made.
    """

    def __init__(self, folders: Sequence[Path], name: str, stamp: bytes) -> None:
        super().__init__(str(folders[0]), name, stamp)
        self._folders = folders
        self._name = name

    def load(self, key: Any) -> Any:
        """Return the data of a key; None where there are none, or they are damaged or of other sources."""
        for folder in self._folders:
            try:
                content = folder.joinpath(self._file(key)).read_bytes()
            except OSError:
                continue
            digest, body = content[:_DIGEST], content[_DIGEST:]
            if digest == self._digest(body):
                found, data = pickle.loads(body)
                if found == key:
                    return data
        return None

    def save(self, key: Any, data: Any) -> None:
        """Write the data of a key; who reads meanwhile finds what was there before, or all of it."""
        body = self._dump((key, data))
        with self._open_for_write(str(self._folders[0] / self._file(key))) as stream:
            stream.write(self._digest(body))
            stream.write(body)

    def flush(self) -> None:
        """Delete the function's files."""
        for path in self._folders[0].glob(f"{self._name}.*.nbc"):
            path.unlink()

    def _file(self, key: Any) -> str:
        return f"{self._name}.{_text_digest(repr(key))[:24]}.nbc"

    def number(self, key: Any) -> int:
        """Return the number of a key for which processes take turns."""
        return int(_text_digest(f"{self._name} {key!r}")[:15], 16)

    def _digest(self, body: bytes) -> bytes:
        return hashlib.sha256(self._source_stamp + body).digest()


def _text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


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
