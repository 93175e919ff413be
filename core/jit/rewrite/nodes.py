"""Pieces of new syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Optional


def declarations(own: Sequence[str], shared: Sequence[str]) -> list[ast.stmt]:
    """Return ``nonlocal`` and ``global`` statements."""
    head: list[ast.stmt] = []
    if own:
        head.append(ast.Nonlocal(list(own)))
    if shared:
        head.append(ast.Global(list(shared)))
    return head


def no_arguments() -> ast.arguments:
    """Return an empty list of arguments."""
    return ast.arguments([], [], None, [], [], None, [])


def function(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    """Return a function definition."""
    kind: Any = ast.FunctionDef  # its signature depends on the version of Python
    made = kind(name, arguments, body, [], None)
    made.type_params = []
    return made


def variable(name: str) -> ast.Name:
    """Return the expression that reads a variable."""
    return ast.Name(name, ast.Load())


def path(name: str, context: Optional[ast.expr_context] = None) -> Any:
    """Return the expression for a name or dotted path."""
    context = context or ast.Load()
    before, dot, last = name.rpartition(".")
    return ast.Attribute(path(before), last, context) if dot else ast.Name(name, context)


def lambda_of(body: ast.expr, *names: str) -> ast.Lambda:
    """Return a lambda expression."""
    return ast.Lambda(ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, []), body)


def helper(helper: str, arguments: Sequence[ast.expr]) -> ast.Call:
    """Return the call of a run-time helper."""
    call = ast.Call(ast.Attribute(variable("_jst"), helper, ast.Load()), list(arguments), [])
    call.made = True  # type: ignore[attr-defined]  # the rewriter's own mark
    return call


def placed(node: Any, near: ast.AST) -> Any:
    """Put new nodes on the line of the code that they stand for; nodes that have one keep it."""

    def place(item: ast.AST, source: ast.AST) -> None:
        if "lineno" in item._attributes and not hasattr(item, "lineno"):
            ast.copy_location(item, source)
        elif hasattr(item, "lineno"):
            source = item
        for child in ast.iter_child_nodes(item):
            place(child, source)

    place(node, near)
    return node
