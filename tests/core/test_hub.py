"""Models published by a hubconf.py."""

from __future__ import annotations

import sys

import pytest

import core

SOURCE = '''
from helper_of_the_hub import WIDTH
import core

dependencies = ["numpy"]


def small(depth=1):
    """A small network."""
    return core.nn.Sequential(*[core.nn.Linear(WIDTH, WIDTH) for _ in range(depth)])


def _hidden():
    return 1
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hubconf.py").write_text(SOURCE)
    (tmp_path / "helper_of_the_hub.py").write_text("WIDTH = 3\n")
    yield tmp_path
    sys.modules.pop("helper_of_the_hub", None)


def test_models_are_listed_described_and_made(folder) -> None:
    before = list(sys.path)
    assert core.hub.list(str(folder), source="local") == ["small"]
    assert core.hub.help(str(folder), "small", "local") == "A small network."
    network = core.hub.load(str(folder), "small", source="local", depth=2)
    assert network(core.ones([1, 3])).shape == [1, 3] and len(network) == 2
    assert sys.path == before


def test_errors_name_the_mend(folder, tmp_path_factory) -> None:
    with pytest.raises(NotImplementedError, match="source='github' would run a program from the network: clone a/b"):
        core.hub.list("a/b")
    with pytest.raises(ValueError, match="there is no source 'ftp': use 'local'"):
        core.hub.list("a/b", source="ftp")
    with pytest.raises(ValueError, match="has no model 'large': it has small"):
        core.hub.load(str(folder), "large", source="local")
    with pytest.raises(FileNotFoundError, match="repo_dir must be a directory with a hubconf.py"):
        core.hub.list(str(tmp_path_factory.mktemp("empty")), source="local")
    (folder / "hubconf.py").write_text('dependencies = ["no_such_module_at_all"]\n')
    with pytest.raises(ModuleNotFoundError, match="needs no_such_module_at_all: install it"):
        core.hub.list(str(folder), source="local")
