"""Reading YAML with the line of every key, so that a message can say where a mistake stands."""

from __future__ import annotations

import os
import re
from typing import Any, Union

import yaml

KeyPath = tuple[Union[str, int], ...]


class ConfigError(ValueError):
    """A mistake in a config file or override; the message names the key, the file, the line and the mend."""


class _Loader(yaml.SafeLoader):
    """YAML 1.1 as PyYAML reads it, less its traps: 1e-3 is a number, and yes, no, on and off are words."""


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern) for tag, pattern in resolvers if tag not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:float")
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|false|False)$"), list("tTfF"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+|\.(?:inf|nan))$"),
    list("-+.0123456789"),
)


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
    with open(name, encoding="utf-8") as stream:
        loader = _Loader(stream)
        try:
            root = loader.get_single_node()
            if not isinstance(root, yaml.MappingNode):
                raise ConfigError(f"{name}: a config file is a mapping of keys to values")
            places: dict[KeyPath, str] = {}
            _note_places(name, root, (), places)
            return loader.construct_document(root), places
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
            raise ConfigError(f"{name}:{line}: not valid YAML: {error.problem}") from None
        finally:
            loader.dispose()


def parse_value(text: str) -> Any:
    """Return the value that a piece of YAML text stands for.

    Args:
        text: such as "3", "1e-3", "[1, 2]" or "cosine".

    Returns:
        A number, string, bool, None, list or dict.

    Raises:
        ConfigError: the text is not YAML.
    """
    loader = _Loader(text)
    try:
        return loader.get_single_data()
    except yaml.YAMLError:
        raise ConfigError(f"{text!r} is not valid YAML") from None
    finally:
        loader.dispose()


def _note_places(name: str, node: yaml.Node, path: KeyPath, places: dict[KeyPath, str]) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            place = f"{name}:{key.start_mark.line + 1}"
            here = (*path, key.value)
            if here in places:
                raise ConfigError(f"{place}: the key {dotted(here)!r} stands already at {places[here]}; remove one")
            places[here] = place
            _note_places(name, value, here, places)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            places[(*path, position)] = f"{name}:{value.start_mark.line + 1}"
            _note_places(name, value, (*path, position), places)


def dotted(path: KeyPath) -> str:
    """Return a path as it is written on a command line: ("a", 0, "b") as "a.0.b"."""
    return ".".join(map(str, path))
