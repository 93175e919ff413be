"""From a function to its syntax tree, and from a rewritten tree back to a function.

Whole files are parsed, so that every line keeps its number and names know the class that they are in.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import types
from collections.abc import Iterator
from typing import Any, Optional, Union

Function = Union[ast.FunctionDef, ast.Lambda]

_ast: Any = ast  # definitions have type_params in Python 3.12


def find_function(function: types.FunctionType) -> Optional[tuple[Function, Optional[str]]]:
    """Return a copy of a function's syntax tree and the name of the class around it; None where its source is unknown.

    Args:
        function: Any Python function.
    """
    code = function.__code__
    try:
        lines, _ = inspect.findsource(code)
    except (OSError, TypeError):
        return None
    found = _functions("".join(lines)).get((code.co_name, code.co_firstlineno), [])
    fitting = [(node, owner) for node, owner in found if _takes(node, code)]
    if len(fitting) > 1:  # lambdas on one line
        fitting = [(node, owner) for node, owner in fitting if _computes(node, code)]
    if not fitting or any(ast.dump(node) != ast.dump(fitting[0][0]) for node, _ in fitting):
        return None  # the file has changed since, or two lambdas cannot be told apart
    node, owner = fitting[0]
    return copy.deepcopy(node), owner


@functools.lru_cache(maxsize=128)
def _functions(source: str) -> dict[tuple[str, int], list[tuple[Function, Optional[str]]]]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return {}
    table: dict[tuple[str, int], list[tuple[Function, Optional[str]]]] = {}
    for node, owner in _within(tree, None):
        lines = [node.lineno, *[decorator.lineno for decorator in getattr(node, "decorator_list", [])]]
        table.setdefault((getattr(node, "name", "<lambda>"), min(lines)), []).append((node, owner))
    return table


def _within(node: ast.AST, owner: Optional[str]) -> Iterator[tuple[Function, Optional[str]]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield child, owner
        yield from _within(child, child.name if isinstance(child, ast.ClassDef) else owner)


def _takes(node: Function, code: types.CodeType) -> bool:
    """Return whether a tree has the arguments of compiled code; there, names of a class may have its name in front."""
    arguments = node.args
    names = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]
    given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return len(names) == len(given) and all(one.endswith(name) for name, one in zip(names, given))


def _computes(node: Function, code: types.CodeType) -> bool:
    """Return whether a lambda's tree has the names and constants of compiled code."""
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    attributes = {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
    constants = {repr(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.Constant)}
    numbers = {repr(constant) for constant in code.co_consts if isinstance(constant, (int, float))}
    known = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    return set(code.co_names) <= names | attributes and names <= known | _inner_names(code) and numbers <= constants


def _inner_names(code: types.CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return {name for part in inner for name in {*part.co_names, *part.co_varnames, *_inner_names(part)}}


def compile_function(node: Function, owner: Optional[str], code: types.CodeType) -> Optional[types.CodeType]:
    """Return the code of a rewritten function, in the scopes that it was written in.

    Args:
        node: The rewritten tree.
        owner: The class around it.
        code: The code that it was made from: its file and the variables that it takes from around it.
    """
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        node.returns = None
    arguments = node.args
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if argument is not None:
            argument.annotation = None
    arguments.defaults = [ast.copy_location(ast.Constant(None), default) for default in arguments.defaults]
    arguments.kw_defaults = [
        None if default is None else ast.copy_location(ast.Constant(None), default) for default in arguments.kw_defaults
    ]
    inside: ast.stmt = node if isinstance(node, ast.FunctionDef) else ast.Expr(node)
    body: list[ast.stmt] = [inside]
    free = [name for name in code.co_freevars if name != "__class__"]
    if owner is not None:
        body = [_ast.ClassDef(owner, [], [], body, [])]
        if owner not in free:
            body.insert(0, ast.Global([owner]))
    names = [ast.Name(name, ast.Store()) for name in dict.fromkeys([*free, "_jst"])]
    body.insert(0, ast.Assign(list(names), ast.Constant(None)))
    if owner is None and "__class__" in code.co_freevars:
        body.insert(0, ast.Assign([ast.Name("__class__", ast.Store())], ast.Constant(None)))
    wrapper = _ast.FunctionDef("_core_scope", ast.arguments([], [], None, [], [], None, []), body, [], None)
    for made in ast.walk(wrapper):
        if isinstance(made, (_ast.FunctionDef, _ast.ClassDef)) and not hasattr(made, "type_params"):
            made.type_params = []
    module = ast.fix_missing_locations(ast.Module([wrapper], []))
    futures = code.co_flags & __future__.annotations.compiler_flag
    whole = compile(module, code.co_filename, "exec", dont_inherit=True, flags=futures)
    return _code_named(whole, code.co_name, owner)


def _code_named(code: types.CodeType, name: str, owner: Optional[str]) -> Optional[types.CodeType]:
    path = ["_core_scope", *([owner] if owner is not None else []), name]
    for step in path:
        inner = [c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == step]
        if not inner:
            return None
        code = inner[0]
    return code


def with_code(function: types.FunctionType, code: types.CodeType, helpers: Any) -> Any:
    """Return a function of new code with everything else of the old one: its variables from around it, live."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells["_jst"] = types.CellType(helpers)
    closure = tuple([cells[name] for name in code.co_freevars])
    made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__module__ = function.__module__
    made.__doc__ = function.__doc__
    made.__annotations__ = function.__annotations__
    made.__dict__.update(function.__dict__)
    return made
