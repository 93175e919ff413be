"""Tables of named things that a config may ask for: one explicit table per kind, nothing registers itself."""

from __future__ import annotations

import collections.abc
import difflib
import fnmatch
import importlib
import inspect
import json
import os
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Optional, Union

import pydantic
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from core.io.files import is_url, join_path
from core.train.config.signatures import check_argument, ranged, signature_of
from core.train.config.signatures import describe_type as describe_type
from core.weights.messages import shown


class Component(pydantic.BaseModel):
    """One named thing with its arguments, as a config writes it: ``{name: Resize, size: 32}``."""

    model_config = pydantic.ConfigDict(extra="allow", strict=True)
    in_words: ClassVar[str] = "a name with its arguments"

    name: str

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{key}: {value}' for key, value in self.model_dump().items())}}}"

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
        aliases: other names of entries, such as those of older releases, to their names here.
        signature: returns the signature of an entry, given its name, where that of the class or function does not say
            what a config may write; a function or "module:name". :func:`signature_of` that of the entry by default.
        listing: for messages of a table too long to be listed in them: what lists the names.
        build_to_check: whether :meth:`check` also builds the thing, which says what is out of range; for light ones.
    """

    def __init__(
        self,
        kind: str,
        entries: Mapping[str, Union[str, Callable[..., Any]]],
        provided: Sequence[str] = (),
        paths: Sequence[str] = (),
        aliases: Optional[Mapping[str, str]] = None,
        signature: Union[str, Callable[[str], inspect.Signature], None] = None,
        listing: Optional[str] = None,
        build_to_check: bool = False,
    ) -> None:
        self.kind = kind
        self.entries = dict(entries)
        self.provided = frozenset(provided)
        self.paths = frozenset(paths)
        self.aliases = dict(aliases or {})
        self.signature = signature
        self.listing = listing
        self.build_to_check = build_to_check

    def list(self, pattern: str = "*") -> list[str]:
        """Return the names of the entries, in the table's order.

        Args:
            pattern: a shell pattern such as ``"ResNet*_vd"``; upper and lower case are the same.
        """
        if not isinstance(pattern, str):
            raise TypeError(f"a pattern of names is a text, as in 'ResNet*', not {pattern!r}")
        return [name for name in self.entries if fnmatch.fnmatchcase(name.lower(), pattern.lower())]

    def find(self, name: str) -> str:
        """Return the name under which an entry is in this table.

        Args:
            name: that name, or an alias.

        Raises:
            ValueError: there is no such entry; the message has the nearest names.
        """
        if isinstance(name, str) and name in self.entries:
            return name
        if isinstance(name, str) and name in self.aliases:
            return self.aliases[name]
        known = {**{entry: entry for entry in self.entries}, **self.aliases}
        near = list(dict.fromkeys(known[key] for key in nearest_names(str(name), known, 5, 0.5)))
        message = f"unknown {self.kind} {shown(name)}"
        if self.listing is None:
            best = near[0] if near else known[nearest(str(name), known)]
            raise ValueError(f"{message}; the nearest is {best!r}, of: {', '.join(self.entries)}")
        if near:
            message += f"; the nearest {'are' if near[1:] else 'is'} {', '.join(map(repr, near))}"
        raise ValueError(f"{message}; {self.listing} has all of them")

    def resolve(self, name: str) -> Callable[..., Any]:
        """Return the class or function of a name.

        Args:
            name: an entry of this table, or an alias.

        Raises:
            ValueError: there is no such entry; the message has the nearest names.
        """
        name = self.find(name)
        entry = self.entries[name]
        if isinstance(entry, str):
            entry = self.entries[name] = _imported(entry)
        return entry

    def check(self, component: Component) -> Component:
        """Check a component's name, and the names and types of its arguments, without building it.

        Args:
            component: what a config asks for.

        Returns:
            The same component.

        Raises:
            PydanticCustomError: the name is unknown, or an argument is unknown, missing or of the wrong type.
            ValueError: with ``build_to_check``, whatever the class or function refuses.
        """
        try:
            name = self.find(component.name)
        except ValueError as error:
            raise PydanticCustomError("unknown_name", "{problem}", {"problem": str(error)}) from None
        parameters = self._parameters(name)
        for key, value in component.arguments.items():
            if key not in parameters:
                known = [*type(component).model_fields, *parameters]
                raise PydanticCustomError(
                    "unknown_argument", "{key}", {"key": key, "known": known, "owner": component.name}
                )
            check_argument(component.name, key, value, parameters[key].annotation)
        for key, parameter in parameters.items():
            if parameter.default is parameter.empty and key not in component.arguments:
                raise PydanticCustomError(
                    "missing_argument", "{owner} needs the argument '{key}'", {"key": key, "owner": component.name}
                )
        if self.build_to_check:
            self.build(component)
        return component

    def describe(self, name: str) -> str:
        """Return an entry as a config writes it, with its arguments' defaults, or their types where there are none.

        Args:
            name: an entry of this table.
        """
        parts = [f"name: {name}"]
        for key, parameter in self._parameters(self.find(name)).items():
            default = parameter.default
            known = default is not parameter.empty
            parts.append(f"{key}: {_written(default) if known else describe_type(parameter.annotation)}")
        return f"{{{', '.join(parts)}}}"

    def _parameters(self, name: str) -> dict[str, inspect.Parameter]:
        """Return the arguments that a config may give; no YAML can be a function."""
        ask = _imported(self.signature) if isinstance(self.signature, str) else self.signature
        signature = ask(name) if ask else signature_of(self.resolve(name))
        return {
            key: parameter.replace(annotation=ranged(key, parameter.annotation))
            for key, parameter in signature.parameters.items()
            if key not in self.provided
            and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            and typing.get_origin(parameter.annotation) is not collections.abc.Callable
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

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Return what an entry makes of arguments that a program gives.

        Args:
            name: an entry of this table.
            **arguments: of its class or function.

        Raises:
            ValueError: there is no such entry.
            TypeError: it takes no such argument; the message has the nearest one.
        """
        try:
            return self.resolve(name)(**arguments)
        except TypeError:
            known = [*self._parameters(self.find(name)), *self.provided]
            for key in arguments:
                if key not in known:
                    message = f"{name} takes no argument {key!r}; the nearest is {nearest(key, known)!r}"
                    raise TypeError(message) from None
            raise

    def below(self, component: Component, root: Optional[str]) -> Component:
        """Return a component whose relative paths are joined to a folder.

        Args:
            component: name and arguments; texts of this table's ``paths`` may be absolute paths or URLs, which stay.
            root: the folder, a path or a URL; None: relative paths stay, and start from the working directory.

        Returns:
            A new component; the one given keeps its paths.
        """
        if root is None:
            return component
        given = component.arguments
        paths = {name: given[name] for name in self.paths if isinstance(given.get(name), str)}
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


def _written(default: Any) -> str:
    """Return a default as YAML reads it: 1e-06 would be text to it, 1.0e-06 is a number."""
    text = json.dumps(default)
    return text.replace("e", ".0e", 1) if isinstance(default, float) and "." not in text and "e" in text else text


def _imported(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)


def nearest_names(name: str, known: Iterable[str], count: int, cutoff: float) -> list[str]:
    """Return the known names that look most like ``name`` in any case, the best first.

    Args:
        name: what was written.
        known: the names to choose from.
        count: the most of them.
        cutoff: how alike they have to be, from 0 (not at all) to 1 (equal).
    """
    lowered = {candidate.lower(): candidate for candidate in known}
    return [lowered[key] for key in difflib.get_close_matches(name[:100].lower(), lowered, n=count, cutoff=cutoff)]


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that looks most like ``name``."""
    return nearest_names(name, known, 1, 0.0)[0]


def check_weights(source: str, known: Iterable[str]) -> None:
    """Refuse weights that are neither a path nor a known name, but look like one.

    Args:
        source: what a config names: a path, a URL or a name.
        known: the names that there are.

    Raises:
        FileNotFoundError: there is no such file; the message has the nearest names.
    """
    near = [] if is_url(source) or os.path.exists(source) else nearest_names(source, known, 3, 0.6)
    if near:
        names = f"the nearest {'are' if near[1:] else 'is'} {', '.join(map(repr, near))}"
        raise FileNotFoundError(f"pretrained: there are no weights {shown(source)}, and no such file; {names}")
