"""Tables: names, arguments and paths of what a config asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import pytest

from core.train.config import ConfigError, Section, load_config
from core.train.table import Component, Named, Table


class Shelf:
    """A data set of paths."""

    def __init__(self, root: str, list_path: Optional[str] = None, title: str = "shelf") -> None:
        self.paths = (root, list_path, title)


SHELVES = Table("data set", {"Shelf": Shelf}, paths=("root", "list_path"))


class Library(Section):
    """A config of one shelf, and of more."""

    shelf: Annotated[Component, Named(SHELVES)]
    more: list[Annotated[Component, Named(SHELVES)]] = []


def load(folder: Path, text: str) -> Library:
    path = folder / "library.yaml"
    path.write_text(text)
    return load_config(Library, path)


def test_a_named_component_is_checked_with_its_config(tmp_path: Path) -> None:
    config = load(tmp_path, "shelf: {name: Shelf, root: a}\nmore: [{name: Shelf, root: b}]\n")
    assert config.shelf.arguments == {"root": "a"}
    assert config.more[0].arguments == {"root": "b"}
    with pytest.raises(ConfigError, match=r"library.yaml:3: unknown key 'shelf.rot'; the nearest.*'shelf.root'"):
        load(tmp_path, "shelf:\n  name: Shelf\n  rot: a\n")
    with pytest.raises(ConfigError, match=r"library.yaml:2: more.0: unknown data set 'Shlf'; the nearest is 'Shelf'"):
        load(tmp_path, "shelf: {name: Shelf, root: a}\nmore: [{name: Shlf}]\n")


def test_the_table_of_a_named_component_is_in_the_schema() -> None:
    (named,) = Library.model_fields["shelf"].metadata
    assert named.table is SHELVES


@pytest.mark.parametrize(
    ("root", "path", "expected"),
    [
        ("/data", "images/a", "/data/images/a"),
        ("/data", "./images/../a", "/data/a"),
        ("/data", "/other/a", "/other/a"),
        ("/data", "s3://bucket/a", "s3://bucket/a"),
        ("s3://bucket/data", "images/a", "s3://bucket/data/images/a"),
        ("s3://bucket/data/", "./a", "s3://bucket/data/a"),
        ("s3://bucket/data", ".", "s3://bucket/data"),
        ("s3://bucket/data", "/other/a", "/other/a"),
        ("memory://", "a", "memory://a"),
        (None, "images/a", "images/a"),
    ],
)
def test_paths_below_a_root(root: Optional[str], path: str, expected: str) -> None:
    given = Component.model_validate({"name": "Shelf", "root": path, "list_path": None, "title": "a"})
    below = SHELVES.below(given, root)
    built: Any = SHELVES.build(below)
    assert built.paths == (expected, None, "a")  # a title is no path
    assert given.arguments["root"] == path
