"""Compiled kernels are kept on disk: a second process compiles nothing, and nothing on disk makes it go wrong."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from core.kernels.engine import compile_lock, compiled, kernel_cache
from core.kernels.engine.compilations import compilations
from tools.compile_kernels import PROGRAMS

PROGRAM = Path(__file__).with_name("cached_program.py")
KERNELS = Path(kernel_cache.__file__).parent.parent
RULE = "def rule(x):\n    return 2 * x + 1\n"


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start a program of ``cached_program.py`` that keeps compiled kernels in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, str(PROGRAM), *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=1200)
    assert process.returncode == 0, err
    return dict(json.loads(out.splitlines()[-1]))


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    first, second = (finished(started(tmp_path, "kernels", "float32")) for _ in range(2))
    names = {name.split()[0].removeprefix("core.kernels.") for name in first["compiled"]}
    assert {"layers.cross_entropy._mean", "numeric.matrix_rows._sum_blocks", "numeric.matrix_rows._sum_block"} <= names
    assert second["compiled"] == []
    assert second["answer"] == first["answer"] == pytest.approx(np.log(4) + 10000)


@pytest.mark.exhaustive
@pytest.mark.parametrize("program", [*PROGRAMS, "gcn", "dcgan"])
def test_a_second_process_compiles_nothing_of_a_network(program: str, tmp_path: Path) -> None:
    first = finished(started(tmp_path, program))["compiled"]
    assert first and not [name for name in first if "unicode" in name]  # no messages: they are thirty functions
    assert finished(started(tmp_path, program))["compiled"] == []


@pytest.mark.exhaustive
def test_processes_that_compile_at_once_keep_all_that_they_compiled(tmp_path: Path) -> None:
    types = ["float32", "float64", "int32", "int64", "int16", "uint8"]
    for process in [started(tmp_path, "kernels", name) for name in types]:
        assert finished(process)["answer"] == pytest.approx(np.log(4) + 10000)
    after = finished(started(tmp_path, "kernels", " ".join(types)))
    assert after["compiled"] == [] and after["answer"] == pytest.approx(np.log(4) + 60000)


@pytest.mark.exhaustive
def test_processes_that_need_the_same_compile_it_once(tmp_path: Path) -> None:
    one, two = [finished(process)["compiled"] for process in [started(tmp_path, "kernels") for _ in range(2)]]
    assert set(one).isdisjoint(two) and (one or two)


class Rules:
    """A module with one kernel, which is imported anew as often as a test expects."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = folder / "rules.py"
        self.path.write_text(RULE)
        self.monkeypatch = monkeypatch

    def kernel(self) -> Any:
        spec = importlib.util.spec_from_file_location("rules", self.path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        self.monkeypatch.setitem(sys.modules, "rules", module)
        spec.loader.exec_module(module)
        return compiled.serial(module.rule)

    def files(self) -> list[Path]:
        return sorted(self.path.parent.glob("__pycache__/rules.rule-*.nbc"))


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rules:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    kernel_cache._text.cache_clear()
    kernel_cache._imported.cache_clear()
    return Rules(tmp_path, monkeypatch)


def was_read(kernel: Any) -> bool:
    """Return whether the compiled form for integers comes from disk."""
    assert kernel(20) == 41
    return sum(kernel.stats.cache_hits.values()) == 1


def test_a_file_belongs_to_one_signature(rules: Rules) -> None:
    before = compilations()
    assert not was_read(rules.kernel()) and was_read(rules.kernel())
    assert compilations() == before + 2
    assert rules.kernel()(0.25) == 1.5
    assert len(rules.files()) == 2 and was_read(rules.kernel())


def test_what_another_process_compiled_meanwhile_is_read(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(folder: Path, place: int) -> bool:
        monkeypatch.setattr(compile_lock, "wait_for", lambda folder, place: False)
        assert rules.kernel()(20) == 41
        return True

    kernel = rules.kernel()
    monkeypatch.setattr(compile_lock, "wait_for", meanwhile)
    assert was_read(kernel)


def test_processes_that_save_at_once_keep_both(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (rules.kernel()._cache._cache_file for _ in range(2))
    open_for_write = one._open_for_write

    def meanwhile(path: str) -> Any:
        other.save("second", [2])
        return open_for_write(path)

    monkeypatch.setattr(one, "_open_for_write", meanwhile)
    one.save("first", [1])
    assert one.load("first") == other.load("first") == [1] and one.load("second") == [2]


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "other data", "no pickle"])
def test_a_damaged_file_is_written_again(rules: Rules, damage: str) -> None:
    was_read(rules.kernel())
    (path,) = rules.files()
    whole = path.read_bytes()
    cache = rules.kernel()._cache._cache_file
    contents = {
        "empty": b"",
        "cut": whole[:-1],
        "changed": whole[:-1] + bytes([whole[-1] ^ 1]),
        "other data": cache._digest(pickle.dumps(("key", "data"))) + pickle.dumps(("key", "data")),
        "no pickle": cache._digest(b"no pickle") + b"no pickle",
    }
    path.write_bytes(contents[damage])
    assert not was_read(rules.kernel()) and was_read(rules.kernel())


def test_data_that_are_no_compiled_form_are_written_again(rules: Rules) -> None:
    kernel = rules.kernel()
    was_read(kernel)
    (path,) = rules.files()
    key, _ = pickle.loads(path.read_bytes()[32:])
    kernel._cache._cache_file.save(key, ("no", "compiled form"))
    assert not was_read(rules.kernel()) and was_read(rules.kernel())


def test_a_changed_source_is_compiled_anew(rules: Rules) -> None:
    was_read(rules.kernel())
    rules.path.write_text(RULE.replace("2 * x", "30 * x"))  # of another length: Python keeps code by time and length
    kernel_cache._text.cache_clear()
    assert rules.kernel()(20) == 601


def test_so_is_one_that_imports_a_changed_source(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    package = rules.path.parent / "core" / "kernels"
    package.mkdir(parents=True)
    (package / "first.py").write_text("from core.kernels.second import (\n    number,\n)\n")
    (package / "second.py").write_text("number = 1\n")
    monkeypatch.setattr(kernel_cache, "_ROOT", rules.path.parent)
    rules.path.write_text("from core.kernels import first as other\n")
    before = kernel_cache.source_stamp(rules.path)
    assert kernel_cache.sources(rules.path) == {rules.path, package / "first.py", package / "second.py"}
    (package / "second.py").write_text("number = 2\n")
    kernel_cache._text.cache_clear()
    assert kernel_cache.source_stamp(rules.path) != before


def test_sources_of_our_kernels() -> None:
    found = {path.stem for path in kernel_cache.sources(KERNELS / "graphs" / "alias.py")}
    assert {"alias", "draws", "compiled"} <= found
    found = {path.stem for path in kernel_cache.sources(KERNELS / "channels_last" / "run.py")}
    assert {"run", "steps", "tiles", "vectors", "sharing", "activation"} <= found and "dispatcher" not in found


def test_another_processor_has_files_of_its_own(rules: Rules) -> None:
    kernel = rules.kernel()
    was_read(kernel)
    (path,) = rules.files()
    cache = kernel._cache._cache_file
    signature, (triple, processor, features), code = pickle.loads(path.read_bytes()[32:])[0]
    assert cache.load((signature, (triple, processor, features), code)) is not None
    for other in [(triple, "other", features), (triple, processor, "-avx512f")]:
        assert cache.load((signature, other, code)) is None


def test_recompiling_deletes_what_was_kept(rules: Rules) -> None:
    kernel = rules.kernel()
    was_read(kernel)
    (path,) = rules.files()
    kernel._cache.flush()
    assert not path.exists()


@pytest.fixture
def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file can be written, as in a container without a writable file system."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)


def test_kernels_compile_where_nothing_can_be_written(rules: Rules, unwritable: None) -> None:
    kernel = rules.kernel()
    assert not was_read(kernel) and kernel(0.25) == 1.5 and rules.files() == []


@pytest.mark.parametrize("given", [False, True])
def test_what_was_kept_is_read_where_nothing_can_be_written(
    rules: Rules, given: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if given:
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    was_read(rules.kernel())
    assert len(rules.files()) == (0 if given else 1)
    request.getfixturevalue("unwritable")
    assert was_read(rules.kernel())


def test_a_folder_that_can_be_written_is_the_only_one(
    rules: Rules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    was_read(rules.kernel())
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    assert not was_read(rules.kernel()) and was_read(rules.kernel())


def test_a_full_disk_ends_nothing(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = rules.kernel()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(kernel._cache._cache_file, "_open_for_write", full)
    assert not was_read(kernel) and kernel(0.25) == 1.5 and rules.files() == []


def test_a_function_without_a_file_is_compiled() -> None:
    names: dict[str, Any] = {}
    exec(RULE, names)  # noqa: S102
    before = compilations()
    assert compiled.serial(names["rule"])(20) == 41
    assert compilations() == before + 1
