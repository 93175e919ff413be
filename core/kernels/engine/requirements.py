"""The installed packages against the versions that this code needs: one line, instead of an error from deep inside one.

The versions are those of pyproject.toml: of the file itself in a clone, of the metadata made from it elsewhere.
"""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import importlib.util
import re
import shlex
import sys
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = "paddle-on-mxnet"
_PROJECT_FILE = Path(__file__).resolve().parents[3] / "pyproject.toml"


class PackageError(ImportError):
    """A package is missing, or of a version that does not work."""


@functools.cache
def check(extra: str = "", needed: tuple[str, ...] = ()) -> None:
    """Refuse packages of versions that do not work, and the absence of some.

    Args:
        extra: the name of an extra of pyproject.toml, for its packages; by default those that everything needs.
        needed: packages of these that must be there; others may have been replaced by a variant of another name.

    Raises:
        PackageError: one line that says what is wrong and what to run.
    """
    problems, wanted = [], []
    for requirement in required(extra):
        problem = _problem(requirement, requirement.name in needed)
        if problem:
            problems.append(problem)
            wanted.append(f"{requirement.name}{requirement.specifier}")
    if problems:
        raise PackageError(f"{'; '.join(problems)}; run: {install_command(*wanted)}")


def required(extra: str = "") -> list[Requirement]:
    """Return what pyproject.toml asks for, as far as it concerns this Python.

    Args:
        extra: the name of an extra; by default what everything needs.
    """
    requirements = [Requirement(text) for text in _declared(extra)]
    return [
        requirement
        for requirement in requirements
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra})
    ]


def install_command(*requirements: str) -> str:
    """Return the command that installs packages into this Python's environment.

    Args:
        *requirements: as for pip: "numpy<2".
    """
    return shlex.join([sys.executable or "python", "-m", "pip", "install", *requirements])


def _declared(extra: str) -> list[str]:
    if _PROJECT_FILE.is_file():  # no Python before 3.11 reads TOML, but a list of texts is Python, too
        text = _PROJECT_FILE.read_text(encoding="utf-8")
        found = re.search(rf"^{extra or 'dependencies'} = (\[.*?\]) *(#.*)?$", text, re.DOTALL | re.MULTILINE)
        if found and f'name = "{PROJECT}"' in text:
            return list(ast.literal_eval(found[1]))
    try:
        return [text for text in importlib.metadata.requires(PROJECT) or [] if bool(extra) == ("extra ==" in text)]
    except importlib.metadata.PackageNotFoundError:
        return []


def _problem(requirement: Requirement, needed: bool) -> str:
    """Say what is wrong with an installed package; nothing where it is right, or absent and not needed."""
    if needed and importlib.util.find_spec(requirement.name) is None:
        return f"the package {requirement.name} is not installed"
    if not requirement.specifier:
        return ""
    try:
        version = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return ""
    if version is None or requirement.specifier.contains(version, prereleases=True):
        return ""
    return f"{requirement.name} {version} is installed, but {requirement.name}{requirement.specifier} is needed"
