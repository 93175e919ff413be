"""What is called from rewritten code is rewritten in its turn, unless it is a library's."""

from __future__ import annotations

import builtins
import functools
import os
import sysconfig
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Callable

import core
from core.jit.control_flow.conditionals import truth
from core.jit.control_flow.ranges import TensorRange
from core.jit.rewrite.printing import traced_print
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import user_line
from core.kernels.sizes.dimension import Dimension
from core.tensor import Tensor

_CORE = f"{Path(core.__file__).parent}{os.sep}"
_INSTALLED = tuple({f"{sysconfig.get_path(name)}{os.sep}" for name in ("purelib", "platlib")})
_STANDARD = tuple({f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "platstdlib")})
_ignored: set[str] = set()
_CONVERT: list[Callable[[types.FunctionType], Any]] = []


def register_conversion(convert: Callable[[types.FunctionType], Any]) -> None:
    """Register what rewrites a function; its helpers call the functions of this file."""
    _CONVERT[:] = [convert]


def ignore_module(modules: Iterable[Any]) -> None:
    """Leave the functions of these modules as they are, also where compiled code calls them.

    Args:
        modules: Python modules.
    """
    _ignored.update([module.__name__ for module in modules])


def call(function: Any) -> Any:
    """Return what to call in the place of a function while a program is being traced; otherwise the function."""
    if dispatcher.state.trace is None or dispatcher.state.trace.rewrite is None:
        return function
    if isinstance(function, (types.BuiltinFunctionType, type)):
        return _REPLACED.get(function, function) if function.__module__ == "builtins" else function
    if isinstance(function, types.MethodType):
        inner = call(function.__func__)
        return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
    if isinstance(function, functools.partial):
        inner = call(function.func)
        return function if inner is function.func else functools.partial(inner, *function.args, **function.keywords)
    if isinstance(function, types.FunctionType):
        return _called(function)
    method = type(function).__call__ if callable(function) else None
    if isinstance(method, types.FunctionType) and not _is_library(method):
        return types.MethodType(call(method), function)
    return function


def _called(function: types.FunctionType) -> Any:
    if getattr(function, "_core_not_to_static", False):
        return function
    if not _is_library(function):
        return _CONVERT[0](function)
    inner = getattr(function, "__wrapped__", None)
    if isinstance(inner, types.FunctionType) and not _is_library(inner):  # a library's decorator around user code
        return _around(function, inner, call(inner))
    return function


def _around(wrapper: types.FunctionType, inner: Any, replacement: Any) -> Any:
    """Return a decorator's wrapper with another function inside it."""
    cells = tuple(
        [types.CellType(replacement) if _content(cell) is inner else cell for cell in wrapper.__closure__ or ()]
    )
    made = types.FunctionType(wrapper.__code__, wrapper.__globals__, wrapper.__name__, wrapper.__defaults__, cells)
    made.__kwdefaults__ = wrapper.__kwdefaults__
    return made


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _is_library(function: types.FunctionType) -> bool:
    file = function.__code__.co_filename
    if file.startswith((_CORE, "<frozen")):
        return True
    if file.startswith(_INSTALLED):
        return not _uses_core(function.__globals__)
    if file.startswith(_STANDARD):
        return True
    module = function.__module__ or ""
    return any(module == name or module.startswith(f"{name}.") for name in _ignored)


def _uses_core(module: dict[str, Any]) -> bool:
    """Return whether an installed module works with core, as a package of models does."""
    names = [getattr(item, "__module__", None) or getattr(item, "__name__", None) for item in list(module.values())]
    return any(isinstance(name, str) and name.partition(".")[0] == "core" for name in names)


def _range(*arguments: Any) -> Any:
    if any(isinstance(argument, (Tensor, Dimension)) for argument in arguments):
        return TensorRange(*arguments)
    return range(*arguments)


def _print(*items: Any, **options: Any) -> None:
    traced_print(*items, **options)


def _bool(*arguments: Any) -> Any:
    if len(arguments) == 1 and isinstance(arguments[0], Tensor):
        return truth(arguments[0], user_line())
    return bool(*arguments)


def _map(function: Any, *iterables: Any) -> Any:
    return map(call(function), *iterables)


def _filter(function: Any, iterable: Any) -> Any:
    return filter(call(function), iterable)


_REPLACED: dict[Any, Any] = {
    builtins.print: _print,
    builtins.range: _range,
    builtins.bool: _bool,
    builtins.map: _map,
    builtins.filter: _filter,
}
