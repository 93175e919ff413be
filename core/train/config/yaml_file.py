"""Reading YAML with the line of every key, so that a message can say where a mistake is."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Optional, Union

import yaml

KeyPath = tuple[Union[str, int], ...]


class ConfigError(ValueError):
    """A mistake in a config file or override; the message names the key, the file, the line and the fix.

    Args:
        message: a line for each mistake.
        unknown: of names that their tables do not have, the line, by key.
    """

    def __init__(self, message: str, unknown: Optional[Mapping[str, str]] = None) -> None:
        super().__init__(message)
        self.unknown = dict(unknown or {})


class _Loader(yaml.SafeLoader):
    """YAML 1.1 as PyYAML reads it, less its traps: 1e-3 is a number; yes, no, dates and 1:30 are words."""


_TRAPS = {f"tag:yaml.org,2002:{kind}" for kind in ("bool", "float", "int", "timestamp")}
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _TRAPS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|false|False)$"), list("tTfF"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9_]*|0x[0-9a-fA-F]+)$"), list("-+0123456789")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+|\.(?:inf|nan))$"),
    list("-+.0123456789"),
)
LONGEST_NUMBER = 1000
"""Characters of a whole number; Python refuses some thousands of digits, and takes ever longer without that limit."""


def _whole_number(loader: _Loader, node: yaml.ScalarNode) -> int:
    if len(node.value) > LONGEST_NUMBER:
        problem = f"a whole number of {len(node.value):,} characters; {LONGEST_NUMBER:,} are the most"
        raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
    return int(loader.construct_yaml_int(node))


def _text(loader: _Loader, node: yaml.ScalarNode) -> str:
    """Refuse half of a character, as in "\\ud800": it can neither be printed nor saved."""
    try:
        node.value.encode("utf-8")
    except UnicodeEncodeError:
        problem = f"the text {ascii(node.value)[:80]} holds half of a surrogate pair, which is no character"
        raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None
    return str(loader.construct_yaml_str(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _whole_number)
_Loader.add_constructor("tag:yaml.org,2002:str", _text)
MOST_CHARACTERS = 1_000_000
"""Of a config file; a larger one is something else, and takes minutes to read."""

MOST_ENTRIES = 20_000
"""Of a config; aliases of aliases can stand for more than a memory holds."""

_UNFIT = (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError)
"""What PyYAML raises for a value that does not fit an explicit tag, such as !!int x."""


def read_yaml(path: Union[str, os.PathLike[str]]) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    """Read a YAML file that holds one mapping.

    Args:
        path: the file.

    Returns:
        The mapping, and for the path of every key and list item in it the place "file:line".

    Raises:
        FileNotFoundError: there is no such file.
        ConfigError: it is not YAML, not a mapping, or gives a key twice.
    """
    name = os.fspath(path)
    if not os.path.isfile(name):
        raise FileNotFoundError(f"no config file {name!r}")
    try:
        with open(name, encoding="utf-8") as stream:
            text = stream.read(MOST_CHARACTERS + 1)
    except UnicodeDecodeError:
        raise ConfigError(f"{name}: a config file is UTF-8 text, and this is not") from None
    if len(text) > MOST_CHARACTERS:
        raise ConfigError(f"{name}: a config file has at most {MOST_CHARACTERS:,} characters, and this has more")
    root, places = _composed(text, name)
    return root, places


def parse_value(text: str) -> Any:
    """Return the value that a piece of YAML text stands for.

    Args:
        text: such as "3", "1e-3", "[1, 2]" or "cosine".

    Returns:
        A number, string, bool, None, list or dict.

    Raises:
        ConfigError: the text is not YAML.
    """
    try:
        loader = _Loader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        reason = " ".join(str(error.problem).split())[:200]
        raise ConfigError(f"{shortened(text)} is not valid YAML: {reason}") from None
    except (yaml.YAMLError, RecursionError, *_UNFIT):
        raise ConfigError(f"{shortened(text)} is not valid YAML") from None


def shortened(value: Any) -> str:
    """Return a value as it is in a message: a long one is cut."""
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:80]} ... ({len(text)} characters)"


def _composed(text: str, name: str) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    places: dict[KeyPath, str] = {}
    try:
        loader = _Loader(text)
        try:
            root = loader.get_single_node()
            if not isinstance(root, yaml.MappingNode):
                raise ConfigError(f"{name}: a config file is a mapping of keys to values")
            _note_places(name, root, (), places, [])
            return _unshared(loader.construct_document(root)), places
        finally:
            loader.dispose()
    except ConfigError:
        raise
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise ConfigError(f"{name}:{line}: not valid YAML: {' '.join(str(error.problem).split())[:200]}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{name}: not valid YAML: {' '.join(str(error).split())[:200]}") from None
    except RecursionError:
        raise ConfigError(f"{name}: not valid YAML: nested too deeply") from None
    except _UNFIT as error:
        raise ConfigError(f"{name}: a value does not fit its type: {shortened(str(error))}") from None


def _note_places(
    name: str, node: yaml.Node, path: KeyPath, places: dict[KeyPath, str], around: list[yaml.Node]
) -> None:
    """Note the line of everything within a node; what an alias stands for has its places once more."""
    children: list[tuple[Union[str, int], yaml.Node, int]] = []
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise ConfigError(f"{name}:{line}: a key must be a word")
            children.append((key.value, value, line))
    elif isinstance(node, yaml.SequenceNode):
        children = [(number, value, value.start_mark.line + 1) for number, value in enumerate(node.value)]
    if any(node is outer for outer in around):
        raise ConfigError(f"{name}:{node.start_mark.line + 1}: {shortened(dotted(path))} holds an alias of itself")
    for key, value, line in children:
        place, here = f"{name}:{line}", (*path, key)
        if here in places:
            key_text = shortened(dotted(here))
            raise ConfigError(f"{place}: the key {key_text} is already set at {places[here]}; remove one")
        if len(places) >= MOST_ENTRIES:
            raise ConfigError(f"{place}: a config has at most {MOST_ENTRIES:,} entries, those of aliases included")
        places[here] = place
        _note_places(name, value, here, places, [*around, node])


def _unshared(value: Any) -> Any:
    """Return a copy in which no two places share a list or dict, as aliases make them."""
    if isinstance(value, dict):
        return {key: _unshared(child) for key, child in value.items()}
    return [_unshared(child) for child in value] if isinstance(value, list) else value


def dotted(path: KeyPath) -> str:
    """Return a path as it is written on a command line: ("a", 0, "b") as "a.0.b"."""
    return ".".join(map(str, path))
