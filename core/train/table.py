"""Tables of named things that a config may ask for: one explicit table per kind, nothing registers itself."""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import json
import math
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import pydantic
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from core.io.files import join_path
from core.train.yaml_file import shortened


class Component(pydantic.BaseModel):
    """One named thing with its arguments, as a config writes it: ``{name: Resize, size: 32}``."""

    model_config = pydantic.ConfigDict(extra="allow", strict=True)

    name: str

    @property
    def arguments(self) -> dict[str, Any]:
        """Everything but the name."""
        return dict(self.model_extra or {})


class Table:
    """Names and the classes or functions that they stand for.

    Args:
        kind: what they are, for messages: "transform".
        entries: name to a class or function, or to "module:name", imported when it is first needed.
        provided: arguments that the program gives; a config may not.
        paths: arguments that are paths, relative to the folder of the data.
    """

    def __init__(
        self,
        kind: str,
        entries: Mapping[str, Union[str, Callable[..., Any]]],
        provided: Sequence[str] = (),
        paths: Sequence[str] = (),
    ) -> None:
        self.kind = kind
        self.entries = dict(entries)
        self.provided = frozenset(provided)
        self.paths = frozenset(paths)

    def resolve(self, name: str) -> Callable[..., Any]:
        """Return the class or function of a name.

        Args:
            name: an entry of this table.

        Raises:
            PydanticCustomError: there is no such entry; a ValueError that lists those there are.
        """
        if name not in self.entries:
            raise PydanticCustomError(
                "unknown_name",
                "unknown {kind} {name}; the nearest is '{nearest}', of: {known}",
                {
                    "kind": self.kind,
                    "name": shortened(name),
                    "nearest": nearest(name, self.entries),
                    "known": ", ".join(self.entries),
                },
            )
        entry = self.entries[name]
        if isinstance(entry, str):
            module, _, attribute = entry.partition(":")
            entry = getattr(importlib.import_module(module), attribute)
            self.entries[name] = entry
        return entry

    def check(self, component: Component) -> Component:
        """Check a component's name, and the names and types of its arguments, without building it.

        Args:
            component: what a config asks for.

        Returns:
            The same component.

        Raises:
            PydanticCustomError: the name is unknown, or an argument is unknown, missing or of the wrong type.
        """
        factory = self.resolve(component.name)
        parameters = self._parameters(factory)
        for name, value in component.arguments.items():
            if name not in parameters:
                raise PydanticCustomError(
                    "unknown_argument", "{key}", {"key": name, "known": ["name", *parameters], "owner": component.name}
                )
            _check_type(component.name, name, value, _annotation(factory, name))
        for name, parameter in parameters.items():
            if parameter.default is parameter.empty and name not in component.arguments:
                raise PydanticCustomError(
                    "missing_argument", "{owner} needs the argument '{key}'", {"key": name, "owner": component.name}
                )
        return component

    def describe(self, name: str) -> str:
        """Return an entry as a config writes it, with its arguments' defaults, or their types where there are none.

        Args:
            name: an entry of this table.
        """
        factory, parts = self.resolve(name), [f"name: {name}"]
        for key, parameter in self._parameters(factory).items():
            default = parameter.default
            known = default is not parameter.empty
            parts.append(f"{key}: {json.dumps(default) if known else describe_type(_annotation(factory, key))}")
        return f"{{{', '.join(parts)}}}"

    def _parameters(self, factory: Callable[..., Any]) -> dict[str, inspect.Parameter]:
        """Return the arguments that a config may give."""
        return {
            name: parameter
            for name, parameter in inspect.signature(factory).parameters.items()
            if name not in self.provided and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        }

    def build(self, component: Component, **provided: Any) -> Any:
        """Build what a config asks for.

        Args:
            component: name and arguments, checked before.
            **provided: the arguments that the program gives.

        Returns:
            What the class or function returns.
        """
        return self.resolve(component.name)(**component.arguments, **provided)

    def below(self, component: Component, root: Optional[str]) -> Component:
        """Return a component whose relative paths are joined to a folder.

        Args:
            component: name and arguments; those of this table's ``paths`` may be absolute paths or URLs, which stay.
            root: the folder, a path or a URL; None: relative paths stay, and start from the working directory.

        Returns:
            A new component; the one given keeps its paths.
        """
        if root is None:
            return component
        paths = {name: value for name, value in component.arguments.items() if name in self.paths and value is not None}
        return component.model_copy(update={name: join_path(root, path) for name, path in paths.items()})


@dataclass(frozen=True)
class Named:
    """Says of a component in a config of which table it is: ``network: Annotated[Component, Named(NETWORKS)]``.

    Its name and arguments are checked with the config, and ``--keys`` lists what the table has.
    """

    table: Table

    def __get_pydantic_core_schema__(self, source: Any, handler: pydantic.GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of a component that the table has checked."""
        return core_schema.no_info_after_validator_function(self.table.check, handler(source))


def nearest(name: str, known: Union[Mapping[str, Any], Sequence[str]]) -> str:
    """Return the known name that looks most like ``name``."""
    lowered = {candidate.lower(): candidate for candidate in known}
    return lowered[difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.0)[0]]


@functools.cache
def _annotation(factory: Callable[..., Any], argument: str) -> Any:
    constructor = factory.__init__ if inspect.isclass(factory) else factory
    try:
        return typing.get_type_hints(constructor).get(argument, Any)
    except (NameError, TypeError):  # a type known to the checker alone, or written for a later Python
        return Any


def _check_type(owner: str, argument: str, value: Any, annotation: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise _wrong(owner, argument, value, "a finite number")
    try:
        adapter = pydantic.TypeAdapter(annotation)
    except pydantic.errors.PydanticSchemaGenerationError:
        return  # a class of ours: its constructor judges the value
    try:
        adapter.validate_python(value, strict=True)
    except pydantic.ValidationError:
        raise _wrong(owner, argument, value, describe_type(annotation)) from None


def _wrong(owner: str, argument: str, value: Any, expected: str) -> PydanticCustomError:
    return PydanticCustomError(
        "wrong_argument",
        "{owner}: {argument} must be {expected}, not {value}",
        {"owner": owner, "argument": argument, "expected": expected, "value": shortened(value), "key": argument},
    )


def describe_type(annotation: Any) -> str:
    """Return a type in words for people: "integer", "list of numbers", "integer or null"."""
    words = {int: "integer", float: "number", str: "text", bool: "true or false", type(None): "null", Any: "anything"}
    words[Component] = "a name with its arguments"
    if annotation in words:
        return words[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Union:
        return " or ".join(describe_type(argument) for argument in arguments)
    if origin is typing.Literal:
        return " or ".join(map(repr, arguments))
    if origin is typing.Annotated:
        return describe_type(arguments[0])
    if origin is dict:
        return "mapping"
    if origin is not None and arguments:
        return f"list of {describe_type(arguments[0])}"
    return getattr(annotation, "__name__", str(annotation))
