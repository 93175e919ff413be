"""Loops of exported programs multiply by matrices that were laid out once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import core
from core.jit.exported.reader import read_program
from core.jit.passes.fusion import optimized
from core.static.nn import while_loop


class Repeated(core.nn.Layer):
    """Multiplies by the same matrices again and again."""

    def __init__(self) -> None:
        super().__init__()
        self.first = core.nn.Linear(130, 140)
        self.table = core.create_parameter([130, 140], "float32")
        self.norm = core.nn.LayerNorm(130)

    def forward(self, x: Any) -> Any:
        def test(time: Any, x: Any) -> Any:
            return (time < 4).squeeze(0)

        def body(time: Any, x: Any) -> Any:
            y = core.nn.functional.relu(self.first(x))
            return [time + 1, self.norm(x + core.matmul(y, self.table, transpose_y=True))]

        return while_loop(test, body, [core.zeros([1], "int64"), x])[1]


def test_a_loop_reads_packed_matrices_alone(tmp_path: Path) -> None:
    core.seed(3)
    model = Repeated()
    model.eval()
    x = core.to_tensor(np.random.default_rng(0).standard_normal((5, 130)).astype("float32"))
    expected = model(x).numpy()
    core.jit.save(core.jit.to_static(model), str(tmp_path / "repeated"), [x])
    program = optimized(read_program(str(tmp_path / "repeated")))
    (loop,) = [node for node in program.nodes if node.operator == "loop"]
    assert loop.control_flow is not None
    body = loop.control_flow.bodies["body"]
    names = [node.operator for node in body.nodes]
    assert names.count("packed_affine") == 2 and "relu" not in names and "add_and_normalize" in names
    assert not {"linear", "matrix_product", "inner_products", "affine"} & set(names)
    shapes = [weight.array.shape for weight in program.weights.values()]
    assert (130, 140) not in shapes and (140, 130) not in shapes  # what nothing reads is not kept
    for one in loop.control_flow.bodies.values():
        assert len(one.inputs) == len(loop.inputs)
    found = core.jit.Predictor(str(tmp_path / "repeated")).run(x.numpy())
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
