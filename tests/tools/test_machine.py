"""How start.py finds the system libraries and the interpreter, without a network."""

from __future__ import annotations

import os
import sys

import pytest

from tools import machine


# ---------------------------------------------------------------------------------------------------- the system
@pytest.mark.parametrize("system, architecture", [("Darwin", "arm64"), ("Linux", "aarch64"), ("Windows", "AMD64")])
def test_other_platforms_are_refused_by_name(system, architecture):
    with pytest.raises(machine.SetupError, match=f"for Linux x86-64 only; this is {system} {architecture}"):
        machine.check_platform(system, architecture)


def test_linux_x86_64_is_accepted():
    machine.check_platform("Linux", "x86_64")


def test_missing_libraries_give_one_install_line_with_only_those():
    present = {"libgomp.so.1", "libgthread-2.0.so.0"}
    with pytest.raises(machine.SetupError) as caught:
        machine.check_libraries(lambda library: library in present)
    message = str(caught.value)
    assert "libquadmath.so.0 for mxnet, libGL.so.1 for opencv-python" in message
    assert message.endswith("apt-get install -y --no-install-recommends libquadmath0 libgl1")


def test_no_missing_library_passes():
    machine.check_libraries(lambda library: True)


def test_can_load_asks_the_dynamic_linker():
    assert machine.can_load("libc.so.6")
    assert not machine.can_load("libnothing-of-this-name.so.7")


@pytest.mark.parametrize(
    "root, line",
    [
        (True, "apt-get update && apt-get install -y --no-install-recommends a b"),
        (False, "sudo apt-get update && sudo apt-get install -y --no-install-recommends a b"),
    ],
)
def test_install_line_uses_sudo_unless_root(root, line):
    assert machine.install_line(["a", "b"], root=root) == line


# ----------------------------------------------------------------------------------------------- the interpreter
def test_supported_versions():
    assert [minor for minor in range(6, 16) if machine.supported((3, minor))] == [9, 10, 11, 12]
    assert not machine.supported((2, 7))


def interpreters(**table):
    """Return a probe that knows these Pythons: name -> ((major, minor), has venv)."""
    return lambda python: table.get(python)


def test_the_running_interpreter_is_taken_if_it_will_do():
    examine = interpreters(mine=((3, 9), True), other=((3, 12), True))
    assert machine.choose_interpreter("mine", (3, 9), ["other"], examine) == "mine"


def test_an_unsupported_interpreter_gives_way_to_the_first_other_one_that_runs():
    examine = interpreters(mine=((3, 13), True), old=((3, 8), True), good=((3, 11), True), later=((3, 10), True))
    assert machine.choose_interpreter("mine", (3, 13), ["broken", "old", "good", "later"], examine) == "good"


def test_an_interpreter_without_venv_gives_way_to_one_with_it():
    examine = interpreters(mine=((3, 11), False), other=((3, 10), True))
    assert machine.choose_interpreter("mine", (3, 11), ["other"], examine) == "other"


def test_a_missing_venv_module_gives_its_install_line():
    with pytest.raises(machine.SetupError, match=r"mine cannot make environments.*install -y .* python3\.11-venv$"):
        machine.choose_interpreter("mine", (3, 11), [], interpreters(mine=((3, 11), False)))


def test_no_interpreter_gives_none():
    assert machine.choose_interpreter("mine", (3, 13), [], interpreters(mine=((3, 13), True))) is None


def test_probe_of_this_python_and_of_none():
    version, can_make = machine.probe(sys.executable)
    assert version == sys.version_info[:2] and can_make
    assert machine.probe("/no/such/python") is None
    assert machine.probe("/bin/false") is None


def make_executable(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_other_interpreters_lists_path_pyenv_and_uv_newest_first(tmp_path, monkeypatch):
    on_path = make_executable(tmp_path / "bin" / "python3.10")
    make_executable(tmp_path / "bin" / "python3.13")
    pyenv = make_executable(tmp_path / "pyenv" / "versions" / "3.12.1" / "bin" / "python3")
    uv = make_executable(tmp_path / "uv" / "cpython-3.11.9-linux-x86_64-gnu" / "bin" / "python3")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "uv"))
    assert machine.other_interpreters() == [pyenv, uv, on_path]


def test_find_interpreter_says_so_in_one_line_when_there_is_none(monkeypatch):
    monkeypatch.setattr(machine.sys, "version_info", (3, 13, 0, "final", 0))
    monkeypatch.setattr(machine, "other_interpreters", list)
    monkeypatch.setattr(machine, "reachable", lambda url: False)
    with pytest.raises(machine.SetupError) as caught:
        machine.find_interpreter()
    assert "runs on Python 3.9 to 3.12; this is 3.13" in str(caught.value)
    assert "Install Python 3.12 with its venv module" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_uv_is_asked_only_where_its_host_answers(monkeypatch, tmp_path):
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\necho "$@" >> "$0.log"\n[ "$2" = find ] && echo /somewhere/python3.12\nexit 0\n')
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.delenv("UV_PYTHON_INSTALL_MIRROR", raising=False)
    asked = []
    monkeypatch.setattr(machine, "reachable", lambda url: asked.append(url) or len(asked) > 1)
    assert machine.interpreter_from_uv() is None
    assert not (tmp_path / "uv.log").exists()
    assert machine.interpreter_from_uv() == "/somewhere/python3.12"
    assert (tmp_path / "uv.log").read_text().splitlines()[0] == "python install 3.12"
    assert asked == [machine.UV_PYTHON_HOST] * 2


def test_reachable_is_false_where_nobody_listens():
    assert not machine.reachable("http://127.0.0.1:9/", timeout=2)
    assert not machine.reachable("not an address")
    assert machine.reachable("file:///anywhere")
