"""Exported programs with branches, loops, assertions and printing that depend on tensors."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit import Predictor
from core.jit.exported.reader import read_program
from core.jit.input_spec import InputSpec

GENERATOR = np.random.default_rng(0)


class Gate(nn.Layer):
    """A branch with a batch norm in it, a loop, and a branch inside the loop."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right, self.norm = nn.Linear(3, 3), nn.Linear(3, 3), nn.BatchNorm1D(3)

    def forward(self, x: Any) -> Any:
        if x.mean() > 0:
            y = self.norm(self.left(x))
        else:
            y = self.right(x) * 2
        steps = core.zeros([1])
        while steps < 3:
            if y.sum() > 1:
                y = y * 0.5
            else:
                y = y + 0.25
            steps = steps + 1
        return y, steps


def batches(rows: int) -> list[np.ndarray]:
    x = GENERATOR.standard_normal((rows, 3)).astype(np.float32)
    return [x + 1, x - 1, x * 0.01]


def halved(x: Any) -> Any:
    count = core.to_tensor(0)
    while x.abs().max() > 1:
        x = x / 2
        count = count + 1
    return x, count


def checked(x: Any) -> Any:
    assert x.min() > -100, "far too small"
    return x * 2


def branched(x: Any) -> Any:
    print("largest:", x.max())
    return x + 1


def test_branches_and_loops_with_any_batch(tmp_path: Path) -> None:
    model = Gate()
    core.jit.save(model, tmp_path / "m", [InputSpec([None, 3], name="x")])
    model.eval()
    predictor, layer = Predictor(tmp_path / "m"), core.jit.load(tmp_path / "m")
    for rows in (1, 3, 8):
        for x in batches(rows):
            with core.no_grad():
                wanted = model(core.to_tensor(x))
                loaded = layer(core.to_tensor(x))
            for ours, again, theirs in zip(predictor.run(x), loaded, wanted):
                np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-6)
                np.testing.assert_allclose(again.numpy(), theirs.numpy(), rtol=0, atol=1e-6)
    assert predictor.number_of_programs == 3
    kinds = [node.operator for node in read_program(tmp_path / "m").nodes]
    assert "conditional" in kinds and "loop" in kinds


def test_gradients_through_loaded_branches_and_saving_again(tmp_path: Path) -> None:
    model = Gate()
    core.jit.save(model, tmp_path / "first", [InputSpec([None, 3], name="x")])
    model.eval()
    layer = core.jit.load(tmp_path / "first")
    core.jit.save(layer, tmp_path / "second")
    again = core.jit.load(tmp_path / "second")
    for x in batches(4)[:2]:
        slopes = []
        for network in (model, layer, again):
            tensor = core.to_tensor(x, stop_gradient=False)
            (network(tensor)[0] ** 2).sum().backward()
            slopes.append(tensor.grad.numpy())
        np.testing.assert_allclose(slopes[1], slopes[0], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(slopes[2], slopes[0], rtol=1e-5, atol=1e-6)


def test_a_loop_that_ends_when_its_data_says_so(tmp_path: Path) -> None:
    core.jit.save(halved, tmp_path / "m", [InputSpec([2, 2])])
    predictor = Predictor(tmp_path / "m")
    for scale, steps in ((0.5, 0), (3.0, 2), (1000.0, 10)):
        x, count = predictor.run(np.full((2, 2), scale, np.float32))
        assert count == steps and count.dtype == np.int64
        np.testing.assert_array_equal(x, np.full((2, 2), scale / 2**steps, np.float32))


def test_an_assertion_and_a_print_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    core.jit.save(checked, tmp_path / "checked", [InputSpec([2])])
    predictor = Predictor(tmp_path / "checked")
    np.testing.assert_array_equal(predictor.run(np.ones(2, np.float32)), [2, 2])
    with pytest.raises(AssertionError, match=r"^test_control_flow.py:\d+: far too small$"):
        predictor.run(np.full(2, -200, np.float32))
    core.jit.save(branched, tmp_path / "branched", [InputSpec([2])])
    predictor = Predictor(tmp_path / "branched")
    capsys.readouterr()
    np.testing.assert_array_equal(predictor.run(np.array([1, 7], np.float32)), [2, 8])
    printed = capsys.readouterr().out
    assert printed.startswith("largest:") and "7." in printed and printed.count("largest") == 1


def test_example_tensors_serve_for_the_comparison(tmp_path: Path) -> None:
    def positive(x: Any) -> Any:
        assert x.min() > 0
        return core.log(x)

    with pytest.raises(AssertionError):
        core.jit.save(positive, tmp_path / "m", [InputSpec([3])])
    core.jit.save(positive, tmp_path / "m", [core.to_tensor([1.0, 2.0, 3.0])])
    np.testing.assert_allclose(Predictor(tmp_path / "m").run(np.ones(3, np.float32)), 0)


def test_eight_threads(tmp_path: Path) -> None:
    core.jit.save(Gate(), tmp_path / "m", [InputSpec([None, 3], name="x")])
    predictor = Predictor(tmp_path / "m")
    inputs = [x for rows in (1, 2, 5) for x in batches(rows)]
    expected = [predictor.run(x)[0] for x in inputs]
    wrong: list[int] = []

    def work(seed: int) -> None:
        for i in np.random.default_rng(seed).integers(0, len(inputs), 25):
            if not np.array_equal(predictor.run(inputs[i])[0], expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_gradients_of_control_flow_inside_the_program_are_refused(tmp_path: Path) -> None:
    def slope(x: Any) -> Any:
        y = x * 1.0
        if y.sum() > 0:
            z = y**2
        else:
            z = y**3
        return core.grad(z.sum(), [y])[0]

    with pytest.raises(ValueError, match="cannot be exported because of the gradient of control flow"):
        core.jit.save(slope, tmp_path / "m", [InputSpec([3])])


def damaged(edit: Callable[[Any], None]) -> Callable[[Any], None]:
    """Apply an edit to the first control-flow operator of a program."""

    def at_region(content: Any) -> None:
        edit(next(node for node in content["operations"] if "region" in node))

    return at_region


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda n: n.update(operator="import"), "must be one of conditional, loop, print, assert"),
        (lambda n: n["region"]["bodies"].pop("body"), r"bodies must be \['body', 'condition'\]"),
        (lambda n: n["region"]["settings"].update(variables=9), "settings must be as many variables as results"),
        (lambda n: n["region"]["settings"].update(code="exit()"), "settings has the unknown key 'code'"),
        (lambda n: n["region"]["bodies"]["body"]["inputs"].pop(), "body: inputs must be"),
        (lambda n: n["region"]["bodies"]["condition"]["outputs"].clear(), "condition: outputs must be 1 results"),
        (
            lambda n: n["region"]["bodies"]["body"]["outputs"].__setitem__(0, "v77"),
            "outputs reads 'v77', which no input",
        ),
        (
            lambda n: n["region"]["bodies"]["body"]["operations"][0].update(operator="no"),
            r"body: operations\[0\]: this core has no operator 'no'",
        ),
    ],
)
def test_damaged_regions(edit: Callable[[Any], None], message: str, tmp_path: Path) -> None:
    core.jit.save(halved, tmp_path / "m", [InputSpec([2, 2])])
    file = tmp_path / "m" / "program.json"
    content = json.loads(file.read_text())
    damaged(edit)(content)
    file.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=message) as caught:
        Predictor(tmp_path / "m")
    assert "\n" not in str(caught.value)
