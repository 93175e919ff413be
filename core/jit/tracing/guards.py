"""What a compiled function reads besides its arguments: is it still what it was when the program was traced?

A program holds Python numbers and strings as constants, and runs no Python code. So that it is not run on stale ones,
it remembers what its function could see: attributes of layers and of the object whose method it is, closures, and
globals of its module. Numbers, flags, strings, hooks and sublayers must be the same; a tensor that another one has
taken the place of is simply read again.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any, Callable, Optional

from core.tensor import Tensor

Key = tuple[int, Any]
MAXIMUM_ITEMS = 32  # of a list or dict that is compared in every call
_MISSING = object()
_BASES = {"builtins", *[f"core.nn.layer.{name}" for name in ("layers", "state", "attributes")]}
_PLAIN = (bool, int, float, str, bytes, type(None))


class Guards:
    """What one traced function could see.

    Args:
        function: The function, or a method.
        layers: Further layers that it ran.
    """

    def __init__(self, function: Callable[..., Any], layers: Iterable[Any]) -> None:
        self._constants: list[tuple[Any, Any, Any]] = []  # dict or closure cell, name, plain value
        self._objects: list[tuple[Any, Any, Any]] = []  # dict, name, sublayer
        self._tables: list[tuple[Any, Any]] = []  # dict of hooks or sublayers, what it held
        # id of a tensor's value -> where the tensor is: a function of a name, and the name
        self.places: dict[int, list[tuple[Callable[[Any], Any], Any]]] = {}
        self._seen: set[int] = set()
        self._names: set[str] = set()
        found: dict[int, Any] = {}
        self._function(function, found)
        for layer in layers:
            found.setdefault(id(layer), layer)
        for part in [part for item in found.values() for part in _with_sublayers(item)]:
            found.setdefault(id(part), part)
        self._names = _with_methods(self._names | {"forward"}, {type(item) for item in found.values()})
        for item in found.values():
            self._attributes(item)

    def _function(self, function: Any, found: dict[int, Any]) -> None:
        owner = getattr(function, "__self__", None)
        if owner is not None and hasattr(owner, "__dict__") and not isinstance(owner, (type, types.ModuleType)):
            found.setdefault(id(owner), owner)
        function = getattr(function, "__func__", function)
        inner = getattr(function, "function", None)  # a StaticFunction that is called by this one
        function = inner if isinstance(inner, (types.FunctionType, types.MethodType)) else function
        if isinstance(function, types.MethodType):
            self._function(function, found)
            return
        if not isinstance(function, types.FunctionType) or id(function) in self._seen:
            return
        self._seen.add(id(function))
        for cell in function.__closure__ or ():
            self._variable(cell, "cell_contents", _content(cell), function, found)
        for name in _names_in(function.__code__):
            if name in function.__globals__:
                self._variable(function.__globals__, name, function.__globals__[name], function, found)
        self._names |= _names_in(function.__code__)

    def _variable(self, table: Any, name: str, value: Any, function: Any, found: dict[int, Any]) -> None:
        if isinstance(value, Tensor):
            self._place(table, name, value)
        elif _is_plain(value):
            self._constants.append((table, name, _copied(value)))
        elif _is_layer(value):
            found.setdefault(id(value), value)
            self._objects.append((table, name, value))
        elif getattr(value, "__globals__", None) is function.__globals__ or isinstance(table, types.CellType):
            self._function(value, found)

    def _attributes(self, item: Any) -> None:
        attributes = item.__dict__
        for name, value in attributes.items():
            if isinstance(value, Tensor):
                self._place(attributes, name, value)
            elif name == "training" or (name in self._names and _is_plain(value)):
                self._constants.append((attributes, name, _copied(value)))
        if not _is_layer(item):
            return
        for store in ("_parameters", "_buffers"):
            for name, tensor in attributes[store].items():
                if tensor is not None:
                    self._place(attributes[store], name, tensor)
        for name, layer in attributes["_sub_layers"].items():
            self._objects.append((attributes["_sub_layers"], name, layer))
        for name in ("_sub_layers", "_forward_pre_hooks", "_forward_post_hooks"):
            self._tables.append((attributes[name], list(attributes[name])))

    def _place(self, table: Any, name: str, tensor: Tensor) -> None:
        read = (lambda _: _content(table)) if isinstance(table, types.CellType) else table.get
        self.places.setdefault(id(tensor._value), []).append((read, name))

    def changed(self) -> Optional[str]:
        """Return the name of something that is not what it was, or None."""
        for table, name, value in self._constants:
            current = table.get(name, _MISSING) if type(table) is dict else _read(table, name)
            if current is not value and (type(current) is not type(value) or current != value):
                return str(name)
        for table, name, layer in self._objects:
            if _read(table, name) is not layer:
                return str(name)
        for table, keys in self._tables:
            if len(table) != len(keys) or (keys and list(table) != keys):
                return "a hook or sublayer"
        return None

    def constants(self) -> Iterator[tuple[Key, Any]]:
        """Go over the plain values as they are now, with a key for each."""
        for table, name, _ in self._constants:
            yield (id(table), name), _copied(_read(table, name))

    def forget(self, keys: set[Key]) -> None:
        """Do not look at some values any more: the function itself changes them."""
        self._constants = [entry for entry in self._constants if (id(entry[0]), entry[1]) not in keys]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return _MISSING


def _read(table: Any, name: Any) -> Any:
    return _content(table) if isinstance(table, types.CellType) else table.get(name, _MISSING)


def _is_layer(item: Any) -> bool:
    return hasattr(item, "sublayers") and "_sub_layers" in getattr(item, "__dict__", ())


def _with_sublayers(item: Any) -> list[Any]:
    return list(item.sublayers(include_self=True)) if _is_layer(item) else [item]


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) <= MAXIMUM_ITEMS and all(_is_plain(item) for item in value)
    if isinstance(value, dict):
        return len(value) <= MAXIMUM_ITEMS and all(isinstance(k, _PLAIN) and _is_plain(v) for k, v in value.items())
    return isinstance(value, _PLAIN)


def _copied(value: Any) -> Any:
    if type(value) is list:
        return [_copied(item) for item in value]
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    return value


def _names_in(code: types.CodeType) -> set[str]:
    """Return every name that a piece of code and the functions inside it look up in globals or as an attribute."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_in(constant)
    return names


def _with_methods(names: set[str], kinds: set[type]) -> set[str]:
    """Return names and those that methods of these names look up, in turn; of a library's methods, the public ones."""
    pending = list(names)
    methods: dict[str, list[tuple[types.FunctionType, bool]]] = {}
    for base in {base for kind in kinds for base in kind.__mro__ if base.__module__ not in _BASES}:
        for name, value in vars(base).items():
            function = getattr(value, "function", getattr(value, "fget", value))  # a compiled method, or a property
            if isinstance(function, types.FunctionType):
                methods.setdefault(name, []).append((function, base.__module__.startswith("core.nn.")))
    names = set(names)
    while pending:
        for function, in_library in methods.get(pending.pop(), ()):
            found = {name for name in _names_in(function.__code__) if not (in_library and name.startswith("_"))}
            pending += found - names
            names |= found
    return names
