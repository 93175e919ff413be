"""Tables: names, arguments and paths of what a config asks for."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Callable, Optional

import pydantic
import pytest
import yaml

from core.train.config.schema import ConfigError, Section, load_config
from core.train.config.signatures import Share
from core.train.config.table import Component, Named, Table


class Shelf:
    """A data set of paths."""

    def __init__(self, root: str, list_path: Optional[str] = None, title: str = "shelf") -> None:
        self.paths = (root, list_path, title)


Weights = Annotated[float, pydantic.Field(gt=0)]


class Book:
    """Something with arguments of many kinds."""

    def __init__(
        self,
        pages: Annotated[int, pydantic.Field(ge=1, le=1000)],
        sort: Callable[[int], int] = abs,
        sizes: Sequence[int] = (1, 2),
        weights: Optional[Weights] = None,
        spine_prob: float = 0.5,
        overlaps: Sequence[Share] = (),
    ) -> None:
        if len(sizes) > 2:
            raise ValueError(f"Book: at most 2 sizes, not {len(sizes)}")
        self.pages, self.sort, self.sizes, self.weights = pages, sort, sizes, weights
        self.spine_prob, self.overlaps = spine_prob, overlaps


PAMPHLET = functools.partial(Book, sizes=(1,))
BOOKS = Table("book", {"Novel": Book, "Pamphlet": PAMPHLET, "Poem": Book}, aliases={"Roman": "Novel"})
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


def book(**arguments: Any) -> Component:
    return Component.model_validate({"pages": 3, **arguments})


def test_names_by_pattern() -> None:
    assert BOOKS.list() == ["Novel", "Pamphlet", "Poem"]
    assert BOOKS.list("p*M*") == ["Pamphlet", "Poem"]


def test_arguments_that_an_entry_does_not_take_are_told_the_nearest() -> None:
    table = Table("network", {"Linear": "core.nn:Linear"}, provided=("name",))
    assert table.call("Linear", in_features=3, out_features=2, name="own").weight.shape == [3, 2]
    with pytest.raises(TypeError, match="^Linear takes no argument 'in_feature'; the nearest is 'in_features'$"):
        table.call("Linear", in_feature=3, out_features=2)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'out_features'"):
        table.call("Linear", in_features=3)
    with pytest.raises(TypeError, match=r"a pattern of names is a text, as in 'ResNet\*', not 3"):
        table.list(3)  # type: ignore[arg-type]  # refused


def test_an_alias_stands_for_its_entry() -> None:
    assert BOOKS.find("Roman") == "Novel"
    assert BOOKS.resolve("Roman") is Book
    assert BOOKS.check(book(name="Roman")).name == "Roman"
    assert BOOKS.build(book(name="Roman")).pages == 3


@pytest.mark.parametrize("name", ["Nowel", "Romann", "NOVEL"])
def test_a_misspelt_name_is_told_the_nearest(name: str) -> None:
    with pytest.raises(ValueError, match=f"^unknown book '{name}'; the nearest is 'Novel', of: Novel, Pamphlet, Poem$"):
        BOOKS.resolve(name)


def test_a_name_may_be_anything() -> None:
    with pytest.raises(ValueError, match="unknown book 'ppppp") as caught:
        BOOKS.find("p" * 1_000_000)
    assert len(str(caught.value)) < 300
    with pytest.raises(ValueError, match=r"unknown book \['Poem'\]; the nearest is 'Poem'"):
        BOOKS.find(["Poem"])  # type: ignore[arg-type]


def test_a_long_table_is_listed_elsewhere() -> None:
    table = Table("book", {f"Book{number}": Book for number in range(100)}, listing="list_books()")
    five = r"the nearest are 'Book[0-9]+'(, 'Book[0-9]+'){4}; list_books\(\) has all of them$"
    with pytest.raises(ValueError, match=f"^unknown book 'Bok77'; {five}"):
        table.find("Bok77")
    with pytest.raises(ValueError, match=r"^unknown book '!!'; list_books\(\) has all of them$"):
        table.find("!!")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pages": 0}, "Novel: pages must be greater than or equal to 1, not 0"),
        ({"pages": 10**30}, "Novel: pages must be less than or equal to 1000, not 1000"),
        ({"pages": "3"}, "Novel: pages must be integer, not '3'"),
        ({"weights": -1.0}, "Novel: weights must be greater than 0, not -1.0"),
        ({"weights": float("nan")}, "Novel: weights must be a finite number, not nan"),
        ({"spine_prob": 2}, "Novel: spine_prob must be less than or equal to 1, not 2"),
        ({"spine_prob": -0.1}, "Novel: spine_prob must be greater than or equal to 0, not -0.1"),
        ({"overlaps": [0.5, 2.0]}, "Novel: overlaps must be list of number, each less than or equal to 1, not "),
        ({"sizes": ["a"]}, "Novel: sizes must be list of integer, not "),
    ],
)
def test_types_and_ranges_of_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BOOKS.check(book(name="Novel", **arguments))


def test_a_function_and_what_an_entry_fixes_are_no_arguments() -> None:
    rest = "weights: null, spine_prob: 0.5, overlaps: []}"
    assert BOOKS.describe("Novel") == f"{{name: Novel, pages: integer, sizes: [1, 2], {rest}"
    assert BOOKS.describe("Pamphlet") == f"{{name: Pamphlet, pages: integer, {rest}"


def test_a_small_default_is_a_number_in_yaml() -> None:
    def ink(thickness: float = 1e-6, width: float = 2.5e-7, length: float = 3.0) -> None:
        """Draw nothing."""

    described = Table("pen", {"Ink": ink}).describe("Ink")
    assert described == "{name: Ink, thickness: 1.0e-06, width: 2.5e-07, length: 3.0}"
    assert yaml.safe_load(described) == {"name": "Ink", "thickness": 1e-6, "width": 2.5e-7, "length": 3.0}
    for name, argument in (("Novel", "sort"), ("Pamphlet", "sizes")):
        with pytest.raises(ValueError, match=argument):
            BOOKS.check(book(name=name, **{argument: "abs"}))


def test_a_light_thing_is_built_to_be_checked(tmp_path: Path) -> None:
    BOOKS.check(book(name="Novel", sizes=[1, 2, 3]))
    table = Table("book", {"Novel": Book}, build_to_check=True)
    assert table.check(book(name="Novel")).arguments == {"pages": 3}

    class Reading(Section):
        book: Annotated[Component, Named(table)]

    path = tmp_path / "reading.yaml"
    path.write_text("book: {name: Novel, pages: 2,\n  sizes: [1, 2, 3]}\n")
    with pytest.raises(ConfigError, match=r"reading.yaml:1: book: Book: at most 2 sizes, not 3"):
        load_config(Reading, path)
