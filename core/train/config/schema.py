"""One flat YAML file says everything about an experiment; it is checked whole before anything is built."""

from __future__ import annotations

import os
import re
import sys
import typing
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Optional, TypeVar, Union

import pydantic
import yaml

from core.train.config.old_keys import OldKeys, move_old_keys
from core.train.config.table import Component, Named, Table, describe_type, nearest
from core.train.config.yaml_file import ConfigError, KeyPath, dotted, parse_value, read_yaml, shortened
from core.weights.atomic import atomic_write


class Section(pydantic.BaseModel):
    """A group of keys of a config; a key that it does not declare is a mistake.

    Attributes:
        old_keys: of a whole config: keys of earlier versions, and what became of them.
    """

    old_keys: ClassVar[OldKeys] = {}

    model_config = pydantic.ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True, allow_inf_nan=False)


Schema = TypeVar("Schema", bound=Section)


def load_config(
    schema: type[Schema], path: Union[str, os.PathLike[str]], overrides: Sequence[str] = (), quiet: bool = False
) -> Schema:
    """Read a config file, apply overrides, and check everything against a schema.

    Keys of earlier versions are moved to where they are now, which one warning on standard error says.

    Args:
        schema: the sections and keys that are valid, with their types.
        path: the YAML file.
        overrides: "a.b=c", as after ``-o``: sets the key a.b to the YAML value c; a number addresses a list's item.
        quiet: whether to say nothing of old keys.

    Returns:
        The checked config.

    Raises:
        FileNotFoundError: there is no such file.
        ConfigError: keys are unknown, missing or of the wrong type; one line for each, with key, file and line.
    """
    values, places = read_yaml(path)
    for override in overrides:
        _apply_override(values, places, override)
    changes = move_old_keys(values, places, schema.old_keys)
    if changes and not quiet:
        print(f"warning: {os.fspath(path)}: old keys: {'; '.join(changes)}", file=sys.stderr)
    try:
        return schema.model_validate(values)
    except pydantic.ValidationError as error:
        name = os.fspath(path)
        lines = [(problem, _describe(problem, schema, name, places)) for problem in error.errors()]
        unknown = {dotted(one["loc"]): line for one, line in lines if one["type"] == "unknown_name"}
        raise ConfigError("\n".join(dict.fromkeys(line for _, line in lines)), unknown) from None


def save_config(config: Section, path: Union[str, os.PathLike[str]]) -> None:
    """Write a resolved config, defaults included; :func:`load_config` reads it back to an equal one.

    Args:
        config: the config.
        path: the YAML file; it appears whole or not at all.
    """
    with atomic_write(path) as stream:
        stream.write(yaml.safe_dump(config.model_dump(), sort_keys=False, allow_unicode=True).encode("utf-8"))


def differences(first: Section, second: Section) -> list[str]:
    """List the keys in which two configs differ, as "key: this -> that".

    Args:
        first: a config.
        second: another of the same schema.

    Returns:
        One line per key.
    """
    one, two = dict(_flat(first.model_dump())), dict(_flat(second.model_dump()))
    keys = list(dict.fromkeys([*one, *two]))
    return [f"{key}: {one.get(key)!r} -> {two.get(key)!r}" for key in keys if one.get(key) != two.get(key)]


def describe_schema(schema: type[pydantic.BaseModel], prefix: str = "") -> list[str]:
    """List every key of a schema with its type, default and meaning, one line each.

    Args:
        schema: the sections and keys.
        prefix: what to put before each key.

    Returns:
        The lines.
    """
    lines = []
    for name, field in schema.model_fields.items():
        section = _section_of(field.annotation)
        inner = []
        if section is not None:
            origin = typing.get_origin(field.annotation)
            named = "NAME." if origin is dict else "NUMBER." if origin is list else ""
            inner = describe_schema(section, f"{prefix}{name}.{named}")
            if issubclass(section, Section) and origin is not list:
                lines.extend(inner)
                continue
            inner = [line for line in inner if not line.startswith(f"{prefix}{name}.name (")]  # said by the next line
        default = "required" if field.is_required() else f"default {field.get_default(call_default_factory=True)!r}"
        known = [f"of {', '.join(table.entries)}" for table in _tables_of(field)]
        meaning = "; ".join([*([field.description] if field.description else []), *known])
        lines.append(f"{prefix}{name} ({describe_type(field.annotation)}; {default}){': ' * bool(meaning)}{meaning}")
        lines.extend(inner)
    return lines


def tables_of(schema: type[pydantic.BaseModel], prefix: str = "") -> dict[str, Table]:
    """Return the tables of what a schema's keys may name, by key, with dots; each table once, by the shortest path.

    Args:
        schema: the sections and keys.
        prefix: what to put before each key.
    """
    keys: dict[int, str] = {}
    found = list(_keys_with_tables(schema, prefix))
    for key, table in found:
        if id(table) not in keys or key.count(".") < keys[id(table)].count("."):
            keys[id(table)] = key
    return {key: table for key, table in found if keys[id(table)] == key}


def _keys_with_tables(schema: type[pydantic.BaseModel], prefix: str) -> Iterator[tuple[str, Table]]:
    for name, field in schema.model_fields.items():
        yield from ((f"{prefix}{name}", table) for table in _tables_of(field))
        section = _section_of(field.annotation)
        if section is not None:
            yield from _keys_with_tables(section, f"{prefix}{name}.")


def _tables_of(field: Any) -> list[Table]:
    """Return the tables of a field's annotation, that of a list's items included."""
    marks, left = list(field.metadata), [field.annotation]
    while left:
        annotation = left.pop()
        marks += getattr(annotation, "__metadata__", ())
        left += typing.get_args(annotation)
    return [mark.table for mark in marks if isinstance(mark, Named)]


def _apply_override(values: dict[str, Any], places: dict[KeyPath, str], override: str) -> None:
    key, separator, text = override.partition("=")
    place = f"-o {override if len(override) <= 200 else override[:197] + '...'}"
    if not separator or not key.strip():
        raise ConfigError(f"{place}: an override is written key=value, as in -o train.epochs=5")
    path: KeyPath = tuple(int(part) if re.fullmatch("[0-9]{1,9}", part) else part for part in key.strip().split("."))
    target: Any = values
    part: Any
    for depth, part in enumerate(path):
        if isinstance(target, list) and not (isinstance(part, int) and part < len(target)):
            raise ConfigError(f"{place}: {dotted(path[:depth])!r} is a list with items 0 ... {len(target) - 1}")
        if not isinstance(target, (list, dict)):
            raise ConfigError(f"{place}: {dotted(path[:depth])!r} is {shortened(target)}, which has no keys")
        if depth == len(path) - 1:
            try:
                target[part] = parse_value(text)
            except ConfigError as error:
                raise ConfigError(f"-o {dotted(path)}: {error}") from None
        elif isinstance(target, dict) and target.get(part) is None:
            target[part] = {}
            places.setdefault(path[: depth + 1], place)
        target = target[part]
    for known in [known for known in places if known[: len(path)] == path]:
        del places[known]
    places[path] = place


def _describe(problem: Any, schema: type[Section], name: str, places: dict[KeyPath, str]) -> str:
    path: KeyPath = tuple(problem["loc"])
    context = problem.get("ctx", {})
    kind = problem["type"]
    if kind == "unknown_argument":
        path = (*path, context["key"])
        known = [dotted((*path[:-1], key)) for key in context["known"]]
        return f"{_place(path, name, places)}: unknown key {shortened(dotted(path))}; {_suggest(path, known, schema)}"
    if kind == "extra_forbidden":
        section = _descend(schema, path[:-1])
        known = [dotted((*path[:-1], key)) for key in (section.model_fields if section is not None else [])]
        return f"{_place(path, name, places)}: unknown key {shortened(dotted(path))}; {_suggest(path, known, schema)}"
    if kind == "missing":
        return f"{_place(path[:-1], name, places)}: the key {dotted(path)!r} is missing"
    if kind in ("unknown_name", "missing_argument", "wrong_argument"):
        inner = (*path, context["key"]) if kind == "wrong_argument" else (*path, "name")
        return f"{_place(inner, name, places)}: {dotted(path)}: {problem['msg']}"
    place = _place(path, name, places)
    if kind == "value_error":
        return f"{place}: {dotted(path)}: {problem['ctx']['error']}"
    return f"{place}: {dotted(path)} {_wanted(problem, _descend(schema, path))}, not {shortened(problem['input'])}"


def _wanted(problem: Any, section: Optional[type[pydantic.BaseModel]]) -> str:
    """Return what a value must be, in words that name no class."""
    if problem["type"] == "model_type" and section is not None and issubclass(section, Section):
        return f"must have the keys {', '.join(section.model_fields)}"
    if problem["type"] == "too_short":
        return f"must have at least {problem['ctx']['min_length']} item"
    component = f"{Component.in_words}, as in {{name: ...}}"
    text: str = problem["msg"].replace("a valid dictionary or instance of Component", component)
    return text.replace("Input should be", "must be").replace("a valid dictionary or instance of", "keys of")


def _place(path: KeyPath, name: str, places: dict[KeyPath, str]) -> str:
    while path and path not in places:
        path = path[:-1]
    return places.get(path, name)


def _suggest(path: KeyPath, known: list[str], schema: type[Section]) -> str:
    elsewhere = [key for key in _all_keys(schema) if key.rpartition(".")[2] == path[-1]]
    if not elsewhere and not known:
        return "no keys are valid here"
    best = elsewhere[0] if elsewhere else nearest(dotted(path), known)
    return f"the nearest valid key is {best!r} (valid here: {', '.join(key.rpartition('.')[2] for key in known)})"


def _section_of(annotation: Any) -> Optional[type[pydantic.BaseModel]]:
    """Return the section that an annotation has, or the component with keys beside its arguments."""
    for candidate in (annotation, *typing.get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, (Section, Component)) and candidate is not Component:
            return candidate
    return None


def _descend(schema: type[Section], path: KeyPath) -> Optional[type[pydantic.BaseModel]]:
    section: Optional[type[pydantic.BaseModel]] = schema
    named = False  # whether the next part is a name of the config's own, as in expect.near.NAME
    for part in path:
        if isinstance(part, int) or named:
            named = False
            continue
        if section is None or part not in section.model_fields:
            return None
        annotation = section.model_fields[part].annotation
        section, named = _section_of(annotation), typing.get_origin(annotation) is dict
    return None if named else section


def _all_keys(schema: type[pydantic.BaseModel], prefix: str = "") -> Iterator[str]:
    """Yield all keys that have one place; those of a list's items, and of sections with names, have many."""
    for name, field in schema.model_fields.items():
        yield prefix + name
        section = _section_of(field.annotation)
        if section is not None and typing.get_origin(field.annotation) not in (list, dict):
            yield from _all_keys(section, f"{prefix}{name}.")


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    children: Sequence[tuple[Any, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    if not children:
        yield path, value
    for key, child in children:
        yield from _flat(child, f"{path}.{key}" if path else str(key))
