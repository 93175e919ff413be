"""The house: what the README, the docs, the locks and start.py promise agrees."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from tools import machine

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
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
