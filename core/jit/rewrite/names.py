"""Which variables a piece of code assigns, changes in place, or still needs afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Optional

from core.jit.rewrite.exits import LOOPS, SCOPES, walk

CHANGING_METHODS = frozenset(
    "append extend insert pop remove clear update setdefault popitem add discard sort reverse".split()
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def assigned(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that code binds in its function: by assignment, loop, with, import, def, del or except."""
    names: set[str] = set()
    for node in _outside_comprehensions(nodes):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update([(alias.asname or alias.name).partition(".")[0] for alias in node.names])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif type(node).__name__ in ("MatchAs", "MatchStar", "MatchMapping"):
            name = getattr(node, "name", None) or getattr(node, "rest", None)
            if name:
                names.add(name)
    return names


def declared(nodes: Sequence[ast.AST], kind: type) -> set[str]:
    """Return the names that ``global`` or ``nonlocal`` statements declare."""
    return {name for node in walk(nodes) if isinstance(node, kind) for name in node.names}  # type: ignore[attr-defined]  # only kinds that have it are asked for


def changed_in_place(nodes: Sequence[ast.AST]) -> set[str]:
    """Return what code changes without binding a name: lists and dicts by their methods or items, and attributes.

    Each is a name or a dotted path such as ``self.state``.
    """
    found = set()
    for node in walk(nodes):
        target: Optional[ast.AST] = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING_METHODS:
            target = node.func.value
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
            target = node.value
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            target = node
        path = dotted(target)
        if path is not None and not path.startswith("_jst"):
            found.add(path)
    return found


def dotted(node: Optional[ast.AST]) -> Optional[str]:
    """Return ``a.b.c`` for a chain of attributes on a name, None for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return None if before is None else f"{before}.{node.attr}"
    return None


class Liveness:
    """Finds, for each branch and loop, the variables whose values may be read afterwards.

    It walks a function's statements backwards. The answers are on the nodes: ``live_after`` on branches and loops,
    ``live_before`` on loops (what an iteration may read of the one before it).

    Args:
        function: A function whose exits are lowered.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.always = declared(function.body, ast.Global) | declared(function.body, ast.Nonlocal)
        for node in walk(function.body):
            if isinstance(node, SCOPES):
                self.always |= _read_by_inner(node)
        self.caught: set[str] = set()  # what is read where an exception may lead to from here
        self.block(function.body, set())

    def block(self, statements: Iterable[ast.stmt], after: set[str]) -> set[str]:
        """Return what is live before a block, given what is live after it."""
        for statement in reversed(list(statements)):
            after = self.statement(statement, after | self.caught) | self.caught
        return after

    def statement(self, node: ast.stmt, after: set[str]) -> set[str]:
        """Return what is live before a statement."""
        if isinstance(node, ast.If):
            _note(node, "live_after", after | self.always)
            return self.block(node.body, after) | self.block(node.orelse, after) | _reads([node.test])
        if isinstance(node, LOOPS):
            return self._loop(node, after)
        if isinstance(node, ast.With):
            before = self.block(node.body, after)
            for item in reversed(node.items):
                before = (before - assigned([item])) | _reads([item])
            return before
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self._try(node, after)  # type: ignore[arg-type]  # TryStar has the fields of Try
        if type(node).__name__ == "Match":
            before = set(after)
            for part in node.cases:  # type: ignore[attr-defined]  # ast.Match, from Python 3.10
                before |= self.block(part.body, after) | _reads([part.pattern, *([part.guard] if part.guard else [])])
            return before | _reads([node.subject])  # type: ignore[attr-defined]  # likewise
        if isinstance(node, (ast.Return, ast.Raise)):
            return _reads([node])
        return (after - assigned([node])) | _reads([node])

    def _try(self, node: ast.Try, after: set[str]) -> set[str]:
        last = self.block(node.finalbody, after)
        outer = self.caught
        self.caught = outer | (last if node.finalbody else set())
        handled: set[str] = set()
        for handler in node.handlers:
            handled |= self.block(handler.body, last) | (_reads([handler.type]) if handler.type is not None else set())
        otherwise = self.block(node.orelse, last)
        self.caught = self.caught | handled
        before = self.block(node.body, otherwise)
        self.caught = outer
        return before

    def _loop(self, node: ast.stmt, after: set[str]) -> set[str]:
        assert isinstance(node, LOOPS)
        _note(node, "live_after", after | self.always)
        stops = set(getattr(node, "stops", ()))
        head = self.block(node.orelse, after) | after | stops
        while True:
            inner = self.block(node.body, head)
            if isinstance(node, ast.For):
                inner = inner - assigned([node.target])
            else:
                inner = inner | _reads([node.test])
            larger = head | inner
            if larger == head:
                break
            head = larger
        if isinstance(node, ast.While):
            head |= _reads([node.test])
        _note(node, "live_before", head | self.always)
        return head | (_reads([node.iter]) if isinstance(node, ast.For) else set())


def _note(node: ast.AST, name: str, names: set[str]) -> None:
    setattr(node, name, getattr(node, name, set()) | names)


def _reads(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that code reads: ``x += 1`` reads x, an inner function everything that it takes from here."""
    names: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, SCOPES):
            names |= _read_by_inner(node)
        elif isinstance(node, COMPREHENSIONS):
            own = {name for generator in node.generators for name in assigned([generator.target])}
            names |= _reads(list(ast.iter_child_nodes(node))) - own
        else:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                names.add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
            pending.extend(ast.iter_child_nodes(node))
    return names


def _read_by_inner(node: ast.AST) -> set[str]:
    read = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)}
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        defaults = _reads([*node.args.defaults, *[default for default in node.args.kw_defaults if default]])
        read = (read - {argument.arg for argument in arguments}) | defaults
    return read


def _outside_comprehensions(nodes: Sequence[ast.AST]) -> list[ast.AST]:
    found = []
    pending = list(nodes)
    while pending:
        node = pending.pop()
        found.append(node)
        if isinstance(node, COMPREHENSIONS):
            pending.extend([n.target for n in ast.walk(node) if isinstance(n, ast.NamedExpr)])
        elif not isinstance(node, SCOPES):
            pending.extend(ast.iter_child_nodes(node))
    return found
