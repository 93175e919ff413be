"""The rewriting itself: statements and expressions that may depend on a tensor become calls of the run-time helpers.

Every branch and loop body becomes an inner function on the same variables (``nonlocal``), so that it can be run, or
traced, by :mod:`core.jit.rewrite.runtime`. Each new piece of code is on the line that it was made from.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Optional, Union

from core.jit.rewrite import nodes
from core.jit.rewrite.exits import RETURN_VALUE, Unsupported, lower_exits, walk
from core.jit.rewrite.names import Liveness, assigned, changed_in_place, declared

LEFT_ALONE = frozenset({"super", "locals", "globals", "vars", "dir", "eval", "exec", "__import__"})
READS_THE_FRAME = frozenset({"locals", "vars", "dir", "eval", "exec"})
RETURNED = "the returned value"


def rewrite_function(function: Union[ast.FunctionDef, ast.Lambda], has_class: bool) -> bool:
    """Rewrite a function, in place.

    Args:
        function: Its syntax tree.
        has_class: It is in a class and may call ``super()`` without arguments.

    Returns:
        Whether anything had to be rewritten.
    """
    rewriter = _Rewriter(has_class)
    if isinstance(function, ast.Lambda):
        rewriter.first_argument = _first_argument(function.args)
        function.body = rewriter.visit(function.body)
    else:
        rewriter.function(function)
    ast.fix_missing_locations(function)
    return rewriter.count > 0


class _Rewriter(ast.NodeTransformer):
    def __init__(self, has_class: bool) -> None:
        self.has_class = has_class
        self.count = 0
        self.statements = True
        self.first_argument: Optional[str] = None
        self.globals: set[str] = set()
        self.cells: set[str] = set()
        self.shared: set[str] = set()

    # functions

    def function(self, node: ast.FunctionDef) -> None:
        """Rewrite the body of one function; inner ones follow the same way when they are met."""
        outer = self.statements, self.first_argument, self.globals, self.cells, self.shared
        inside = walk(node.body)
        calls = {n.func.id for n in inside if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        self.statements = not any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in inside)
        self.statements = self.statements and not calls & READS_THE_FRAME
        self.first_argument = _first_argument(node.args)
        self.globals = declared(node.body, ast.Global)
        self.cells = set()
        self.shared = _changed_by_inner(node) & _bound_in(node)
        if self.statements:
            try:
                lower_exits(node)
                Liveness(node)
            except Unsupported:
                self.statements = False
        node.body = self.body(node.body)
        if self.cells:
            self._bind(node)
        self.statements, self.first_argument, self.globals, self.cells, self.shared = outer

    def _bind(self, node: ast.FunctionDef) -> None:
        """Make every variable that an inner function changes a variable of this function."""
        names = sorted(self.cells - declared(node.body, ast.Nonlocal))
        if names:
            values = [ast.Name(name, ast.Store()) for name in names]
            unreached = ast.If(ast.Constant(0), [ast.Assign(list(values), ast.Constant(None))], [])
            at = 1 if ast.get_docstring(node, clean=False) is not None else 0
            while at < len(node.body) and isinstance(node.body[at], (ast.Nonlocal, ast.Global)):
                at += 1
            node.body.insert(at, nodes.placed(unreached, node.body[0]))

    def body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite a list of statements."""
        result: list[ast.stmt] = []
        for statement in statements:
            rewritten = self.visit(statement)
            result.extend(rewritten if isinstance(rewritten, list) else [rewritten])
        return result

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """An inner function."""
        self.function(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Left as it is."""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Left as it is; its methods are rewritten when they are called."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Its expression is rewritten; defaults are evaluated outside it."""
        node.body = self.visit(node.body)
        return node

    # statements

    def visit_If(self, node: ast.If) -> Any:
        """``if`` becomes a call with both branches."""
        if not self.statements:
            return self.generic_visit(node)
        self.count += 1
        number = self.count
        both = [*node.body, *node.orelse]
        names = self._assigned(both)
        state = self._state(both, getattr(node, "live_after", set()), set())
        test = self._test(node.test)
        true = self._inner(f"_core_true_{number}", node.body, names)
        false = self._inner(f"_core_false_{number}", node.orelse, names)
        access = self._access(number, state, node)
        call = nodes.helper(
            "if_", [test, nodes.variable(true.name), nodes.variable(false.name), *self._described(number, state, node)]
        )
        return [nodes.placed(part, node) for part in (true, false, *access, ast.Expr(call))]

    def visit_While(self, node: ast.While) -> Any:
        """``while`` becomes a call with its test and its body."""
        if not self.statements:
            return self.generic_visit(node)
        self.count += 1
        number = self.count
        inside = [*node.body, node.test]
        state = self._state(inside, node.live_after, node.live_before)  # type: ignore[attr-defined]  # names.py notes it on the node
        names = self._assigned(inside)
        returned: list[Any] = [nodes.placed(ast.Return(node.test), node.test)]
        test = self._inner(f"_core_test_{number}", returned, names, as_test=True)
        body = self._inner(f"_core_body_{number}", node.body, names)
        access = self._access(number, state, node)
        arguments = [
            nodes.variable(test.name),
            nodes.variable(body.name),
            self._stops(node),
            *self._described(number, state, node),
        ]
        parts = [test, body, *access, ast.Expr(nodes.helper("while_", arguments))]
        return [nodes.placed(part, node) for part in parts] + self._otherwise(node)

    def visit_For(self, node: ast.For) -> Any:
        """``for`` becomes a call with what it iterates over and its body."""
        if not self.statements:
            return self.generic_visit(node)
        self.count += 1
        number = self.count
        inside = [*node.body, node.target]
        names = self._assigned(inside)
        state = self._state(inside, node.live_after, node.live_before)  # type: ignore[attr-defined]  # names.py notes it on the node
        iterable = self.visit(node.iter)
        item = f"_core_item_{number}"
        begin = nodes.placed(ast.Assign([node.target], nodes.variable(item)), node.target)
        begun: list[Any] = [begin, *node.body]
        body = self._inner(f"_core_body_{number}", begun, names, argument=item)
        access = self._access(number, state, node)
        arguments = [iterable, nodes.variable(body.name), self._stops(node), *self._described(number, state, node)]
        parts = [body, *access, ast.Expr(nodes.helper("for_", arguments))]
        return [nodes.placed(part, node) for part in parts] + self._otherwise(node)

    def _otherwise(self, node: Union[ast.For, ast.While]) -> list[ast.stmt]:
        return self.body(node.orelse)

    def visit_Assert(self, node: ast.Assert) -> Any:
        """``assert`` becomes a call; the message is made only where it is needed."""
        self.count += 1
        message = ast.Constant(None) if node.msg is None else nodes.lambda_of(self._printed(node.msg))
        call = ast.Expr(nodes.helper("assert_", [self._test(node.test), message, ast.Constant(node.lineno)]))
        return nodes.placed(ast.If(nodes.variable("__debug__"), [call], []), node)

    # expressions

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """A conditional expression becomes a call with both values."""
        if _binds_or_waits(node.body, node.orelse):
            return self.generic_visit(node)
        self.count += 1
        parts = [
            self._test(node.test),
            nodes.lambda_of(self.visit(node.body)),
            nodes.lambda_of(self.visit(node.orelse)),
        ]
        return nodes.placed(nodes.helper("choose", [*parts, ast.Constant(node.lineno)]), node)

    def visit_BoolOp(self, node: ast.BoolOp, as_test: bool = False) -> Any:
        """``and`` and ``or`` become calls with their operands, evaluated as they are needed."""
        if _binds_or_waits(*node.values[1:]):
            return self.generic_visit(node)
        self.count += 1
        first, *rest = [self._test(value) if as_test else self.visit(value) for value in node.values]
        operands = [first, *[nodes.lambda_of(operand) for operand in rest]]
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return nodes.placed(nodes.helper(name, [ast.Constant(node.lineno), ast.Constant(as_test), *operands]), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """``not`` becomes a call."""
        if not isinstance(node.op, ast.Not):
            return self.generic_visit(node)
        self.count += 1
        return nodes.placed(nodes.helper("not_", [self._test(node.operand), ast.Constant(node.lineno)]), node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """A chain of comparisons becomes a call; one comparison stays as it is."""
        if len(node.ops) == 1 or _binds_or_waits(*node.comparators):
            return self.generic_visit(node)
        self.count += 1
        pairs = []
        for operator, right in zip(node.ops, node.comparators):
            comparison = ast.Compare(nodes.variable("a"), [operator], [nodes.variable("b")])
            pairs.append(
                ast.Tuple([nodes.lambda_of(comparison, "a", "b"), nodes.lambda_of(self.visit(right))], ast.Load())
            )
        arguments = [ast.Constant(node.lineno), self.visit(node.left), *pairs]
        return nodes.placed(nodes.helper("compare", arguments), node)

    def visit_Call(self, node: ast.Call) -> Any:
        """What is called is rewritten too, when it is called."""
        if getattr(node, "made", False):
            return node
        if isinstance(node.func, ast.Name) and node.func.id in LEFT_ALONE:
            if node.func.id == "super" and not node.args and self.has_class and self.first_argument:
                self.count += 1
                node.args = [nodes.variable("__class__"), nodes.variable(self.first_argument)]
                return nodes.placed(node, node)
            return self.generic_visit(node)
        self.count += 1
        if isinstance(node.func, ast.Name) and node.func.id == "print":
            node.args = [self._printed(argument) for argument in node.args]
            node.keywords = [self.visit(keyword) for keyword in node.keywords]
        else:
            self.generic_visit(node)
        node.func = nodes.placed(nodes.helper("call", [node.func]), node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Annotations are not evaluated."""
        if node.value is not None:
            node.value = self.visit(node.value)
            if node.simple and self.statements:  # a variable of an inner function may not be annotated there
                return nodes.placed(ast.Assign([node.target], node.value), node)
        return node if node.value is not None or not self.statements else nodes.placed(ast.Pass(), node)

    def visit_Raise(self, node: ast.Raise) -> Any:
        """An exception raised in a branch that is only being traced is an error of its own."""
        self.generic_visit(node)
        if not self.statements or not getattr(node, "in_branch", False):
            return node
        check = ast.Expr(nodes.helper("raising", [ast.Constant(node.lineno)]))
        return [nodes.placed(check, node), node]

    def _printed(self, node: ast.expr) -> ast.expr:
        """Rewrite an expression that is shown; an f-string's tensors are filled in when the program runs."""
        if not isinstance(node, ast.JoinedStr):
            return self.visit(node)
        parts: list[ast.expr] = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                specification = ast.Constant("") if value.format_spec is None else self.visit(value.format_spec)
                conversion = ast.Constant("" if value.conversion < 0 else chr(value.conversion))
                parts.append(ast.Tuple([self.visit(value.value), conversion, specification], ast.Load()))
            else:
                parts.append(value)
        return nodes.placed(nodes.helper("text", parts), node)

    def _test(self, node: ast.expr) -> ast.expr:
        """Rewrite an expression of which only the truth matters."""
        if isinstance(node, ast.BoolOp):
            return self.visit_BoolOp(node, as_test=True)
        return self.visit(node)

    # parts of the new code

    def _assigned(self, nodes: Sequence[ast.AST]) -> set[str]:
        """Return the variables that code binds, itself or through an inner function that it may call."""
        calls = any(isinstance(node, ast.Call) for node in walk(nodes))
        return assigned(nodes) | (self.shared if calls else set())

    def _inner(
        self,
        name: str,
        body: Sequence[ast.stmt],
        names: set[str],
        argument: Optional[str] = None,
        as_test: bool = False,
    ) -> ast.FunctionDef:
        """Return an inner function that runs statements on this function's variables."""
        for statement in body:
            if isinstance(statement, ast.Raise):
                statement.in_branch = True  # type: ignore[attr-defined]  # the rewriter's own mark
        own = sorted(names - self.globals)
        self.cells |= set(own)
        if as_test:
            (returned,) = body
            assert isinstance(returned, ast.Return) and returned.value is not None
            returned.value = self._test(returned.value)
            statements: list[ast.stmt] = [returned]
        else:
            statements = self.body(body) or [ast.Pass()]
        statements = nodes.declarations(own, sorted(names & self.globals)) + statements
        arguments = ast.arguments([], [ast.arg(argument)] if argument else [], None, [], [], None, [])
        return nodes.function(name, arguments, statements)

    def _state(self, nodes: Sequence[ast.AST], after: set[str], before: set[str]) -> dict[str, tuple[bool, bool]]:
        """Return the variables of a branch or loop: name -> (it is carried on, it is needed afterwards)."""
        names = self._assigned(nodes)
        state = {name: (name in after or name in before or name in self.globals, name in after) for name in names}
        for path in changed_in_place(nodes):
            if path.partition(".")[0] not in names:
                state[path] = True, True
            elif path in names:
                state[path] = True, True
        return dict(sorted(state.items()))

    def _access(self, number: int, state: dict[str, tuple[bool, bool]], near: ast.AST) -> list[ast.stmt]:
        """Return two inner functions that read and write the variables."""
        reads: list[ast.expr] = [nodes.helper("read", [nodes.lambda_of(nodes.path(name))]) for name in state]
        getter = nodes.function(f"_core_get_{number}", nodes.no_arguments(), [ast.Return(ast.Tuple(reads, ast.Load()))])
        writes: list[ast.stmt] = []
        names = []
        for i, name in enumerate(state):
            if "." not in name and name not in self.cells | self.globals:
                continue  # a list or dict from outside, which is restored in place
            names.append(name)
            value = ast.Subscript(nodes.variable("values"), ast.Constant(i), ast.Load())
            writes.append(ast.Assign([nodes.path(name, ast.Store())], value))
            undefined = ast.Compare(value, [ast.Is()], [ast.Attribute(nodes.variable("_jst"), "undefined", ast.Load())])
            writes.append(ast.If(undefined, [ast.Delete([nodes.path(name, ast.Del())])], []))
        plain = [name for name in names if "." not in name]
        head = nodes.declarations([n for n in plain if n not in self.globals], [n for n in plain if n in self.globals])
        arguments = ast.arguments([], [ast.arg("values")], None, [], [], None, [])
        setter = nodes.function(f"_core_set_{number}", arguments, [*head, *(writes or [ast.Pass()])])
        return [getter, setter]

    def _described(self, number: int, state: dict[str, tuple[bool, bool]], node: Any) -> list[ast.expr]:
        """Return the arguments that describe the variables and the line."""
        labels = [RETURNED if name == RETURN_VALUE else name for name in state]
        flags = list(state.values())
        groups = [labels, *[[label for label, flag in zip(labels, flags) if flag[i]] for i in (0, 1)]]
        return [
            nodes.variable(f"_core_get_{number}"),
            nodes.variable(f"_core_set_{number}"),
            *[ast.Tuple([ast.Constant(label) for label in group], ast.Load()) for group in groups],
            ast.Constant(node.lineno),
        ]

    def _stops(self, node: Any) -> ast.expr:
        stops = getattr(node, "stops", ())
        if not stops:
            return ast.Constant(None)
        return nodes.lambda_of(ast.Tuple([nodes.variable(flag) for flag in stops], ast.Load()))


def _binds_or_waits(*nodes: ast.AST) -> bool:
    """Return whether expressions hold something that means another thing inside a lambda."""
    special = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
    return any(isinstance(inner, special) for node in nodes for inner in ast.walk(node))


def _bound_in(function: ast.FunctionDef) -> set[str]:
    """Return a function's own variables."""
    arguments = function.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return assigned(function.body) | {argument.arg for argument in given if argument is not None}


def _changed_by_inner(function: ast.FunctionDef) -> set[str]:
    """Return the names that inner functions declare nonlocal."""
    return {name for node in ast.walk(function) if isinstance(node, ast.Nonlocal) for name in node.names} - declared(
        function.body, ast.Nonlocal
    )


def _first_argument(arguments: ast.arguments) -> Optional[str]:
    given = [*arguments.posonlyargs, *arguments.args]
    return given[0].arg if given else None
