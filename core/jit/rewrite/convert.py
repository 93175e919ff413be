"""A function with control flow on tensors, made from one with Python's; kept for each piece of code."""

from __future__ import annotations

import ast
import types
import weakref
from collections import OrderedDict
from typing import Any, Callable, Optional

from core.jit.rewrite import runtime
from core.jit.rewrite.calls import register_conversion
from core.jit.rewrite.source import compile_function, find_function, with_code
from core.jit.rewrite.statements import rewrite_function

MAXIMUM_FUNCTIONS = 4096


class _Rewritten:
    """What was made from one piece of code."""

    def __init__(self, code: types.CodeType, helpers: runtime.Helpers, text: str) -> None:
        self.code = code
        self.helpers = helpers
        self.text = text


_known: OrderedDict[tuple[str, types.CodeType], Optional[_Rewritten]] = OrderedDict()
_made: weakref.WeakSet[Any] = weakref.WeakSet()


def convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the same behaviour whose control flow on tensors can be traced.

    Args:
        function: A Python function or bound method. What has no Python source, or nothing to rewrite, is returned as it
            is.
    """
    if isinstance(function, types.MethodType):
        inner = convert(function.__func__)
        return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
    if not isinstance(function, types.FunctionType) or function.__code__ in _made:
        return function
    rewritten = _rewritten(function)
    return function if rewritten is None else with_code(function, rewritten.code, rewritten.helpers)


def rewritten_source(function: Callable[..., Any]) -> str:
    """Return the source that a function is rewritten to.

    Raises:
        ValueError: its source is not available, or it needs no rewriting.
    """
    plain = getattr(function, "__func__", function)
    rewritten = _rewritten(plain) if isinstance(plain, types.FunctionType) else None
    if rewritten is None:
        raise ValueError(f"{getattr(function, '__qualname__', function)!r} has no source that needs rewriting")
    return rewritten.text


def _rewritten(function: types.FunctionType) -> Optional[_Rewritten]:
    code = function.__code__
    key = (code.co_filename, code)
    if key not in _known:
        _known[key] = _rewrite(function)
        if len(_known) > MAXIMUM_FUNCTIONS:
            _known.popitem(last=False)
    return _known[key]


def _rewrite(function: types.FunctionType) -> Optional[_Rewritten]:
    code = function.__code__
    found = find_function(function)
    if found is None:
        return None
    node, owner = found
    if not rewrite_function(node, "__class__" in code.co_freevars):
        return None
    text = ast.unparse(node)
    made = compile_function(node, owner, code)
    if made is None or not set(made.co_freevars) <= {*code.co_freevars, "_jst"}:
        return None
    _remember(made)
    return _Rewritten(made, runtime.Helpers(code.co_filename), text)


def _remember(code: types.CodeType) -> None:
    _made.add(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _remember(constant)


register_conversion(convert)
