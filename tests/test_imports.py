"""The imports of core: no circles, and a reason beside each import that waits until a function is called."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import core

FOLDER = Path(core.__file__).parent
FILES = {
    ".".join(file.relative_to(FOLDER.parent).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted(FOLDER.rglob("*.py"))
}


@functools.cache
def parsed(source: str) -> ast.Module:
    """Return the tree of a source, which several tests look at."""
    return ast.parse(source)


def imports(tree: ast.AST, late: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield import statements, and whether each waits for a call; those for type checking alone are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.expr):  # holds no statement
            continue
        test = node.test if isinstance(node, ast.If) else None
        if isinstance(test, (ast.Name, ast.Attribute)) and "TYPE_CHECKING" in ast.unparse(test):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, late
        yield from imports(node, late or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def imported(node: ast.stmt) -> Iterator[str]:
    """Yield the modules of core that a statement imports."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias.name
        else:
            whole = f"{node.module}.{alias.name}"
            yield whole if whole in FILES else str(node.module)


def without_reason(source: str) -> list[int]:
    """Return the lines of imports inside functions that no comment on the line, or above it, gives a reason for."""
    lines = source.split("\n")
    found, explained = [], set()
    for node, late in imports(parsed(source)):
        text = lines[node.lineno - 1 : node.end_lineno]
        above = lines[node.lineno - 2].strip()
        if "#" in "".join(text) or above.startswith("#") or node.lineno - 1 in explained:
            explained.add(node.end_lineno)
        elif late:
            found.append(node.lineno)
    return found


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return the modules of one circle of imports; none where there is no circle."""
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str]:
        if module in path:
            return path[path.index(module) :]
        if module in done:
            return []
        for other in sorted(graph.get(module, ())):
            found = visit(other, [*path, module])
            if found:
                return found
        done.add(module)
        return []

    return next((found for found in (visit(module, []) for module in graph) if found), [])


def test_the_scan_wants_a_reason_for_late_imports() -> None:
    assert without_reason("import a\n\n\ndef f():\n    import b\n    import c  # heavy\n    import d\n") == [5]
    assert without_reason("def f():\n    # heavy\n    from b import (\n        c,\n    )\n") == []


def test_the_scan_finds_circles() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert circle({"a": {"b", "c"}, "b": {"c"}}) == []


def test_an_import_that_waits_for_a_call_has_a_reason() -> None:
    wrong = [f"{name}, line {line}" for name, file in FILES.items() for line in without_reason(file.read_text())]
    assert not wrong, f"move these imports to the top of the file, or say why they wait: {', '.join(wrong)}"


def test_no_module_of_core_imports_itself_by_way_of_others() -> None:
    graph = {
        name: {other for node, _ in imports(parsed(file.read_text())) for other in imported(node)} - {name}
        for name, file in FILES.items()
    }
    found = circle(graph)
    assert not found, f"{' -> '.join([*found, found[0]])}: let the upper module register what the lower one calls"
