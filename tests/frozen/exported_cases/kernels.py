"""Kernels that the format's first version declares, but only a file made by hand holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import core
from core.nn import functional as F
from core.static import InputSpec
from tests.frozen.exported_cases.cases import Case, spec, whole

KERNELS: dict[str, tuple[str, dict[str, Any]]] = {
    "sigmoid": ("opening", {}),
    "tanh": ("gated", {"hard": False}),
    "exp": ("gated", {"hard": True}),
    "multiply": ("weighed_channels", {}),
    "abs": ("drop_elements", {"p": 0.25, "scale": 1.5}),
    "sum": ("mean_cross_entropy", {"ignore_index": 1}),
}
"""What takes the place of each operator."""
INPUTS = {"drop_elements": ["images", "key"], "mean_cross_entropy": ["scores", "labels"]}


def placeholders(images: Any, weights: Any, scores: Any, labels: Any, key: Any) -> dict[str, Any]:
    """Return one operator for each kernel."""
    return {
        "opening": F.sigmoid(images), "swish": core.tanh(images), "hardswish": core.exp(images),
        "weighed": images * weights, "dropped": core.abs(images), "loss": scores.sum(),
        "same": [labels + 1, key + 1],
    }  # fmt: skip


def write(case: Case, folder: Path) -> None:
    """Export a program, and put kernels into it."""
    core.jit.save(case.model(), folder, list(case.specs))
    file = folder / "program.json"
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith('  {"operator"'):
            node = json.loads(line.rstrip(","))
            name, attributes = KERNELS.get(node["operator"], (node["operator"], node["attributes"]))
            node.update(operator=name, attributes=attributes, inputs=INPUTS.get(name, node["inputs"]))
            line = f"  {json.dumps(node)}" + "," * line.endswith(",")
        lines.append(line)
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _case(*images: int) -> Case:
    batch, channels = images[:2]
    specs = [spec(images, "images"), spec([batch, channels, 1, 1], "weights"), spec([6, 5], "scores")]
    whole_numbers = [InputSpec([6, 1], "int64", "labels"), InputSpec([2], "int32", "key")]
    given = [images, (batch, channels, 1, 1), (6, 5), whole((6, 1), 5), whole((2,), 1000, "int32")]
    return Case(lambda: placeholders, [*specs, *whole_numbers], [given], learns=True, write=write)


CASES = {"kernels": {"few": _case(2, 4, 5, 6), "many": _case(2, 8, 24, 25)}}
