"""The pass that keeps what products of 16 or 8 bits read in their form, so that it is rounded once, where it is made.

A product, attention or a normalised sum writes words then (core.kernels.channels_last.forms): arrays of float32 whose
last axis counts words. Attention between such products multiplies bfloat16 itself, where the processor does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Optional

from core.jit.exported.program import ExportedProgram, ProgramNode, SizeExpression
from core.jit.passes.passes import free_name, uses_of, with_nodes
from core.kernels.dtypes import float32
from core.operators import _fused_operators

_PRODUCT = _fused_operators.narrow_affine.name
_ATTENTION = _fused_operators.narrow_attention.name
_SUM = _fused_operators.add_and_normalize.name


def with_narrow_values(program: ExportedProgram) -> ExportedProgram:
    """Apply the pass to a program whose products have been packed."""
    if all(node.operator != _PRODUCT for node in program.nodes):
        return program
    return _written_in_words(_with_narrow_attention(program))


class _Values:
    """Who makes and who reads the values of a program.

    Args:
        program: Its nodes are not changed.
    """

    def __init__(self, program: ExportedProgram) -> None:
        self.makers = {name: node for node in program.nodes for name in node.outputs}
        self.readers: dict[str, list[ProgramNode]] = {}
        for node in program.nodes:
            for name in dict.fromkeys(node.inputs):
                self.readers.setdefault(name, []).append(node)
        # a value must keep its last axis where the program gives it away or asks for that axis
        self.kept = {*program.outputs}
        for node in program.nodes:
            self.kept.update(_names_of_last_sizes(node.attributes, self.makers))
        for guard in program.guards:
            self.kept.update(_names_of_last_sizes((guard.first, guard.second), self.makers))

    def maker_of(self, name: str) -> tuple[Optional[ProgramNode], list[ProgramNode]]:
        """Return what makes a value that nothing else reads, and what reshapes it in between."""
        reshapes: list[ProgramNode] = []
        while True:
            maker = self.makers.get(name)
            if maker is None or name in self.kept or len(self.readers[name]) > 1:
                return None, []
            if maker.operator != "reshape":
                return maker, reshapes
            reshapes.append(maker)
            name = maker.inputs[0]

    def readers_of(self, name: str) -> tuple[str, list[ProgramNode], list[ProgramNode]]:
        """Return a value under the last name that reshapes give it, its readers, and the reshapes."""
        reshapes: list[ProgramNode] = []
        while True:
            readers = self.readers.get(name, [])
            if len(readers) != 1 or readers[0].operator != "reshape" or name in self.kept:
                return name, readers, reshapes
            reshapes.append(readers[0])
            name = readers[0].outputs[0]


def _names_of_last_sizes(item: Any, makers: dict[str, ProgramNode]) -> Iterator[str]:
    """Yield the values of whose last axis an attribute depends."""
    if isinstance(item, SizeExpression):
        yield from _names_of_last_sizes(item.literal, makers)
    elif isinstance(item, tuple) and len(item) == 3 and item[0] == "size":
        maker = makers.get(item[1])
        shape = None if maker is None else maker.metas[maker.outputs.index(item[1])][0]
        if shape is None or item[2] in (-1, len(shape) - 1):
            yield item[1]
    elif isinstance(item, (tuple, list)):
        for part in item:
            yield from _names_of_last_sizes(part, makers)
    elif isinstance(item, dict):
        yield from _names_of_last_sizes(tuple(item.values()), makers)


def _with_narrow_attention(program: ExportedProgram) -> ExportedProgram:
    """Let attention multiply bfloat16 where products give it query, key and value."""
    from core.kernels.channels_last.forms import BFLOAT16  # numba loads with the first use
    from core.kernels.layers.narrow.attention import can_attend

    values, uses, replaced = _Values(program), uses_of(program), dict[int, ProgramNode]()
    for node in program.nodes:
        if node.operator != "attention" or node.attributes["causal"] or node.attributes["dropout"]:
            continue
        dtype, size = node.metas[0][1], node.metas[0][0][-1]
        if dtype is not float32 or uses[node.outputs[1]] or not isinstance(size, int) or not can_attend(size):
            continue
        found = [values.maker_of(name) for name in node.inputs[:3]]
        reshapes = [reshape for _, chain in found for reshape in chain]
        makers = [maker for maker, _ in found if maker is not None and maker.operator == _PRODUCT]
        if len({id(maker) for maker in makers}) < 3 or not all(_is_in_vectors(one) for one in makers + reshapes):
            continue
        for maker in makers:
            replaced[id(maker)] = _written(maker, {"written": BFLOAT16})
        replaced.update({id(reshape): _in_words(reshape, BFLOAT16) for reshape in reshapes})
        outputs, metas = node.outputs[:1], node.metas[:1]
        replaced[id(node)] = dataclasses.replace(
            node, operator=_ATTENTION, attributes={}, outputs=outputs, metas=metas
        )
    return with_nodes(program, [replaced.get(id(node), node) for node in program.nodes])


def _written_in_words(program: ExportedProgram) -> ExportedProgram:
    """Let what makes a value write the form in which products read it."""
    values, replaced = _Values(program), dict[int, ProgramNode]()
    names = {*program.weights, *(name for node in program.nodes for name in node.outputs)}

    def read(node: ProgramNode, name: str, words: str) -> None:
        now = replaced.get(id(node), node)
        inputs = [words if given == name else given for given in now.inputs]
        replaced[id(node)] = dataclasses.replace(now, inputs=inputs, attributes={**now.attributes, "in_words": True})

    for node in program.nodes:
        if node.operator == _SUM:
            name = node.outputs[0]
            readers = [reader for reader in values.readers.get(name, []) if reader.operator == _PRODUCT]
            form = _form_of_readers(readers, name)
            if form is not None and _is_in_vectors(node):
                words = free_name(f"{name} in words", names)
                names.add(words)
                meta = (_words_of(node.metas[0][0], form["written"]), float32)
                outputs, metas = [name, words, *node.outputs[1:]], [node.metas[0], meta, *node.metas[1:]]
                attributes = {**node.attributes, **form}
                replaced[id(node)] = dataclasses.replace(node, attributes=attributes, outputs=outputs, metas=metas)
                for reader in readers:
                    read(reader, name, words)
        elif node.operator in (_PRODUCT, _ATTENTION) and not node.attributes.get("written"):
            name, readers, reshapes = values.readers_of(node.outputs[0])
            form = _form_of_readers(readers, name)
            if form is None or name in values.kept or any(reader.operator != _PRODUCT for reader in readers):
                continue
            if node.operator == _PRODUCT and node.attributes["form"] != form["written"]:
                continue
            if all(_is_in_vectors(one) for one in [node, *reshapes]):
                replaced[id(node)] = _written(replaced.get(id(node), node), form)
                replaced.update({id(reshape): _in_words(reshape, form["written"]) for reshape in reshapes})
                for reader in readers:
                    read(reader, name, name)
    return with_nodes(program, [replaced.get(id(node), node) for node in program.nodes])


def _form_of_readers(readers: list[ProgramNode], name: str) -> Optional[dict[str, Any]]:
    """Return how some products read a value, as its maker's attributes; None where they differ, or there are none."""
    forms = []
    for reader in readers:
        if reader.operator != _PRODUCT or reader.inputs[0] != name or name in reader.inputs[1:]:
            return None
        forms.append([reader.attributes[key] for key in ("form", "scale", "zero_point")])
    if not forms or any(form != forms[0] for form in forms):
        return None
    return dict(zip(("written", "written_scale", "written_zero_point"), forms[0]))


def _is_in_vectors(node: ProgramNode) -> bool:
    """Return whether rows of a node's first result are whole vectors of words."""
    from core.kernels.layers.narrow.affine import can_multiply  # numba loads with the first use

    last = node.metas[0][0][-1]
    known = node.operator != "reshape" or isinstance(node.attributes["newshape"][-1], int)
    return isinstance(last, int) and last > 0 and can_multiply(last) and known


def _words_of(shape: tuple[Any, ...], form: int) -> tuple[Any, ...]:
    return (*shape[:-1], shape[-1] >> form)


def _written(node: ProgramNode, form: dict[str, Any]) -> ProgramNode:
    """Return a node that writes its first result in words."""
    metas = [(_words_of(node.metas[0][0], form["written"]), float32), *node.metas[1:]]
    return dataclasses.replace(node, attributes={**node.attributes, **form}, metas=metas)


def _in_words(node: ProgramNode, form: int) -> ProgramNode:
    """Return a reshape of words."""
    shape, given = _words_of(node.metas[0][0], form), node.attributes["newshape"]
    attributes = {**node.attributes, "newshape": (*given[:-1], shape[-1])}
    return dataclasses.replace(node, attributes=attributes, metas=[(shape, float32)])
