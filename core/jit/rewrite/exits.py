"""Early exits made explicit: break, continue and return inside branches become flags and guarded statements.

What follows an ``if`` whose one branch always leaves goes into the other branch; then most returns stand last in their
block and need no flag at all. The others set one, what follows is guarded by it, and loops stop when it is set.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Union

RETURN_VALUE = "_core_return"
RETURN_DONE = "_core_done"
FLAGS = ("_core_done", "_core_break", "_core_continue")

Function = Union[ast.FunctionDef, ast.Lambda]
LOOPS = (ast.For, ast.While)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class Unsupported(Exception):
    """Raised for a function whose statements are left as they are."""


def lower_exits(function: ast.FunctionDef) -> None:
    """Rewrite a function's early exits, in place.

    Raises:
        Unsupported: it leaves a ``finally`` block by return, break or continue.
    """
    exits = (ast.Return, ast.Break, ast.Continue)
    for node in walk(function.body):
        if isinstance(node, ast.Try) and any(isinstance(inner, exits) for inner in walk(node.finalbody)):
            raise Unsupported
    for node in walk(function.body):
        if isinstance(node, ast.While) and any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node.test)):
            _test_inside(node)
    function.body = _last(function.body)
    end = function.body[-1]
    returns = [node for node in walk(function.body) if isinstance(node, ast.Return)]
    inside = any(all(node is not statement for statement in function.body) for node in returns)
    falls_off = not _leaves(function.body)
    if inside and _stand_last(function.body):
        body, _ = _Lowering(returns=False).block(_assigned(function.body, function), None)
        function.body = [*body, _returned(end)]
        return
    body, _ = _Lowering(returns=inside).block(function.body, None)
    if inside:
        body.insert(0, _assign(RETURN_DONE, ast.Constant(False), body[0]))
        if falls_off:
            none = _assign(RETURN_VALUE, ast.Constant(None), end)
            body.append(ast.copy_location(ast.If(_clear([RETURN_DONE], end), [none], []), end))
        body.append(_returned(end))
    function.body = body


def _test_inside(loop: ast.While) -> None:
    """Move a test that binds a variable into the loop's body."""
    if any(isinstance(inner, (ast.Break, ast.Continue)) for inner in walk(loop.orelse)):
        raise Unsupported
    near = loop.test
    done = ast.copy_location(ast.UnaryOp(ast.Not(), loop.test), near)
    leave = ast.copy_location(ast.If(done, [*loop.orelse, ast.copy_location(ast.Break(), near)], []), near)
    loop.test = ast.copy_location(ast.Constant(True), near)
    loop.body, loop.orelse = [leave, *loop.body], []


def walk(statements: Sequence[ast.AST]) -> list[ast.AST]:
    """Return all nodes below statements that belong to the same function."""
    found: list[ast.AST] = []
    pending = list(reversed(statements))
    while pending:
        node = pending.pop()
        found.append(node)
        if not isinstance(node, SCOPES):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))
    return found


def blocks(node: ast.AST) -> list[tuple[ast.AST, str]]:
    """Return where a compound statement keeps its lists of statements."""
    found = [(node, name) for name in ("body", "orelse", "finalbody") if isinstance(getattr(node, name, None), list)]
    for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        found.append((part, "body"))
    return found


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    """Return whether a block never reaches its end."""
    if not statements:
        return False
    end = statements[-1]
    if isinstance(end, ast.If):
        return _leaves(end.body) and _leaves(end.orelse)
    if isinstance(end, ast.With):
        return _leaves(end.body)
    if isinstance(end, ast.While) and isinstance(end.test, ast.Constant) and end.test.value:
        return not any(isinstance(node, ast.Break) for node in walk(end.body))
    return isinstance(end, (ast.Return, ast.Raise, ast.Break, ast.Continue))


def _last(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Move what follows a branch that always leaves into the other branch."""
    result: list[ast.stmt] = []
    for i, statement in enumerate(statements):
        result.append(statement)
        if isinstance(statement, SCOPES):
            continue
        for owner, name in blocks(statement):
            setattr(owner, name, _last(getattr(owner, name)))
        rest = statements[i + 1 :]
        if isinstance(statement, ast.If) and rest:
            if _leaves(statement.body):
                statement.orelse = _last([*statement.orelse, *rest])
                return result
            if _leaves(statement.orelse):
                statement.body = _last([*statement.body, *rest])
                return result
        if isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            return result
    return result


def _stand_last(statements: Sequence[ast.stmt]) -> bool:
    """Return whether each return is the last thing that the function does, by its place in nested branches."""
    for statement in statements[:-1]:
        if any(isinstance(node, ast.Return) for node in walk([statement])):
            return False
    if not statements or isinstance(statements[-1], ast.Return):
        return True
    end = statements[-1]
    if isinstance(end, ast.If):
        return _stand_last(end.body) and _stand_last(end.orelse)
    return not any(isinstance(node, ast.Return) for node in walk([end]))


def _assigned(statements: Sequence[ast.stmt], near: ast.AST) -> list[ast.stmt]:
    """Turn returns that stand last into assignments; a block without one returns None."""
    if not statements:
        return [_assign(RETURN_VALUE, ast.Constant(None), near)]
    *before, end = statements
    if isinstance(end, ast.Return):
        return [*before, _assign(RETURN_VALUE, end.value or ast.Constant(None), end)]
    if isinstance(end, ast.If):
        end.body, end.orelse = _assigned(end.body, end), _assigned(end.orelse, end)
        return list(statements)
    if isinstance(end, ast.Raise):
        return list(statements)
    return [*statements, _assign(RETURN_VALUE, ast.Constant(None), end)]


class _Lowering:
    """Replaces exits by flags, block by block."""

    def __init__(self, returns: bool) -> None:
        self.returns = returns
        self.loops = 0

    def block(self, statements: Sequence[ast.stmt], loop: object) -> tuple[list[ast.stmt], set[str]]:
        """Return the rewritten block and the flags that it may set."""
        result: list[ast.stmt] = []
        flags: set[str] = set()
        for i, statement in enumerate(statements):
            rewritten, set_here = self.statement(statement, loop)
            result.extend(rewritten)
            flags |= set_here
            if set_here and i + 1 < len(statements):
                rest, more = self.block(statements[i + 1 :], loop)
                near = statements[i + 1]
                result.append(ast.copy_location(ast.If(_clear(sorted(set_here), near), rest, []), near))
                return result, flags | more
        return result, flags

    def statement(self, node: ast.stmt, loop: object) -> tuple[list[ast.stmt], set[str]]:
        """Return what one statement becomes, and the flags that it may set."""
        if isinstance(node, ast.Return) and self.returns:
            value = node.value or ast.copy_location(ast.Constant(None), node)
            done = _assign(RETURN_DONE, ast.Constant(True), node)
            return [_assign(RETURN_VALUE, value, node), done], {RETURN_DONE}
        if isinstance(node, (ast.Break, ast.Continue)):
            flag = f"_core_{'break' if isinstance(node, ast.Break) else 'continue'}_{loop}"
            return [_assign(flag, ast.Constant(True), node)], {flag}
        if isinstance(node, SCOPES):
            return [node], set()
        if isinstance(node, LOOPS):
            return self.loop(node, loop)
        flags: set[str] = set()
        for owner, name in blocks(node):
            block = getattr(owner, name)
            rewritten, set_here = self.block(block, loop)
            if isinstance(node, ast.Try) and name == "orelse" and block:
                left = self._flags_of(node.body)
                if left:  # leaving the try block skips its else block
                    rewritten = [ast.copy_location(ast.If(_clear(sorted(left), block[0]), rewritten, []), block[0])]
            setattr(owner, name, rewritten)
            flags |= set_here
        return [node], flags

    def loop(self, node: ast.stmt, around: object) -> tuple[list[ast.stmt], set[str]]:
        """Return a loop whose exits are flags, with the flags made and its else block guarded."""
        assert isinstance(node, LOOPS)
        self.loops += 1
        number = self.loops
        body, flags = self.block(node.body, number)
        stop, skip = f"_core_break_{number}", f"_core_continue_{number}"
        made: list[ast.stmt] = []
        if skip in flags:
            body = [_assign(skip, ast.Constant(False), node), *body]
            made.append(_assign(skip, ast.Constant(False), node))
        if stop in flags:
            made.append(_assign(stop, ast.Constant(False), node))
        node.body = body
        stops = sorted(flags & {stop, RETURN_DONE})
        node.stops = stops  # type: ignore[union-attr]  # the rewriter's own mark
        after: list[ast.stmt] = []
        outside = flags & {RETURN_DONE}
        if node.orelse:
            otherwise, more = self.block(node.orelse, around)
            outside |= more
            node.orelse = []
            near = otherwise[0]
            after = [ast.copy_location(ast.If(_clear(stops, near), otherwise, []), near)] if stops else otherwise
        return [*made, node, *after], outside

    def _flags_of(self, statements: Sequence[ast.stmt]) -> set[str]:
        names = {n.id for n in walk(statements) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own = {name for node in walk(statements) if isinstance(node, LOOPS) for name in getattr(node, "stops", ())}
        return {name for name in names if name.startswith(FLAGS)} - (own - {RETURN_DONE})


def _assign(name: str, value: ast.expr, near: ast.AST) -> ast.stmt:
    target = ast.Name(name, ast.Store())
    statement = ast.Assign([target], value)
    ast.copy_location(target, near)
    if not hasattr(value, "lineno"):
        ast.copy_location(value, near)
    return ast.copy_location(statement, near)


def _clear(flags: Sequence[str], near: ast.AST) -> ast.expr:
    function = ast.Attribute(ast.Name("_jst", ast.Load()), "clear", ast.Load())
    call = ast.Call(function, [ast.Name(flag, ast.Load()) for flag in flags], [])
    call.made = True  # type: ignore[attr-defined]  # the rewriter's own mark
    for node in ast.walk(call):
        ast.copy_location(node, near)
    return call


def _returned(near: ast.AST) -> ast.stmt:
    statement = ast.Return(ast.Name(RETURN_VALUE, ast.Load()))
    for node in ast.walk(statement):
        ast.copy_location(node, near)
    return statement
