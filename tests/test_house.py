"""The house: what the README, the docs, the locks and start.py promise agrees."""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path

import pytest

from tools import machine

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PACKAGES = ("core", "PaddleClas", "PaddleDetection", "PaddleGAN", "PaddleNLP", "PaddleVideo", "PGL")
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


def entries(lock):
    """Return each entry of a lock, its hashes on the same line."""
    text = lock.read_text(encoding="utf-8").replace("\\\n", "")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_and_pictures_exist(page):
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_examples_print_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what an example saves
    text = page.read_text(encoding="utf-8").replace("```", "")
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "getting_started.md"], ids=lambda path: path.name)
def test_the_pages_name_the_libraries_that_start_checks(page):
    text = page.read_text(encoding="utf-8")
    (line,) = re.findall(r"apt-get install (.*)", text)
    assert [package for _, package, _ in machine.SYSTEM_LIBRARIES if package not in line.split()] == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_entry_is_one_version_with_its_hashes(lock):
    assert entries(lock)
    for entry in entries(lock):
        assert re.match(r"[a-z0-9.-]+==[^\s;]+ ", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_locks_name_no_index(lock):
    text = lock.read_text(encoding="utf-8")
    assert "://" not in text and "index" not in text


def test_every_dependency_is_locked():
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[(.*?)^\]", declared, re.DOTALL | re.MULTILINE)[1]
    names = {re.match(r"[A-Za-z0-9-]+", text)[0].lower() for text in re.findall(r'^    "([^"]+)"', block, re.MULTILINE)}
    assert {"mxnet", "numpy", "opencv-python"} <= names
    locked = {entry.split("==")[0] for entry in entries(ROOT / "requirements" / "runtime.txt")}
    assert names - locked == set()


def test_every_ignored_type_error_has_its_code_and_a_reason():
    unexplained = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if "# type: ignore" in line and not re.search(r"# type: ignore\[[a-z, -]+\]  # \S", line)
    ]
    assert not unexplained, "write '# type: ignore[code]  # reason', or correct the annotation"


NUMBA = {"compiled", "inlined", "intrinsic", "serial", "summing", "vectorized"}  # decorators


def _name(decorator):
    return getattr(decorator.func if isinstance(decorator, ast.Call) else decorator, "id", None)


def test_functions_without_annotations_are_compiled_by_numba():
    unannotated = []
    for path in sorted((ROOT / "core" / "kernels").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        compiled = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and NUMBA & {_name(part) for part in node.decorator_list}
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node not in compiled:
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                missing = [a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
                if node.returns is None or missing:
                    unannotated.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}")
    assert not unannotated, "annotate them: mypy lets functions of core/kernels pass that numba compiles"


def test_every_command_starts_alike():
    """The line is in each file: nothing of the repository can be imported before. A pathlib may import PGL's math."""
    commands = [
        path.relative_to(ROOT)
        for package in PACKAGES[1:]
        for path in sorted((ROOT / package).rglob("*.py"))
        if '\nif __name__ == "__main__":' in path.read_text(encoding="utf-8")
    ]
    assert len(commands) > 30
    for path in commands:
        before, start, _ = (ROOT / path).read_text(encoding="utf-8").partition(
            "\nif not __package__:  # started as a file: import from the repository, not from this folder\n"
            f'    sys.path[0] = os.path.realpath(__file__ + "{"/.." * len(path.parts)}")\n'
        )
        assert start, path
        assert path.parts[0] != "PGL" or "pathlib" not in before, path
