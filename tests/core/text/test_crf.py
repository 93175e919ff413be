"""Conditional random fields, against sums over all paths and answers of paddlenlp 2.8.1 and paddlepaddle 1.8.5."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.kernels.layers.linear_chain_reference import best_paths_reference, partition_reference
from core.operators.sequences.linear_chain import crf_log_norm, crf_path_score
from core.operators.sequences.viterbi import best_chain
from core.text import LinearChainCrf, LinearChainCrfLoss, ViterbiDecoder
from tests.core.gradient_check import check_gradients
from tests.parity.stored import stored_arrays

RNG = np.random.default_rng(1)
LENGTHS = np.array([4, 0, 2, 1])
POTENTIALS = RNG.standard_normal((4, 4, 3)).astype("float32")
MOVES, ENDS = RNG.standard_normal((3, 3)).astype("float32"), RNG.standard_normal((2, 3)).astype("float32")
LABELS = np.where(np.arange(4) < LENGTHS[:, None], RNG.integers(0, 3, (4, 4)), -7)
T = core.to_tensor


def scores_of_paths(row: int) -> dict[tuple[int, ...], float]:
    """Return the score of every path through a sequence, one by one."""
    found = {}
    for path in itertools.product(range(3), repeat=int(LENGTHS[row])):
        within = sum(float(POTENTIALS[row, step, tag]) for step, tag in enumerate(path))
        between = sum(float(MOVES[pair]) for pair in zip(path, path[1:]))
        found[path] = within + between + float(ENDS[0, path[0]] + ENDS[1, path[-1]]) if path else 0.0
    return found


def chain(dtype: str = "float32") -> list[core.Tensor]:
    return [T(array.astype(dtype)) for array in (POTENTIALS, MOVES, ENDS[0], ENDS[1])]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_scores_and_best_paths_are_those_of_all_paths_counted_one_by_one(dtype: str) -> None:
    totals = crf_log_norm(*chain(dtype), T(LENGTHS))
    golds = crf_path_score(*chain(dtype), T(LABELS), T(LENGTHS))
    best, paths = best_chain(*chain(dtype), T(LENGTHS))
    assert (totals.dtype, golds.dtype, best.dtype, paths.dtype) == (dtype, dtype, dtype, "int64")
    for row, length in enumerate(LENGTHS):
        every = scores_of_paths(row)
        total = np.log(np.sum(np.exp(list(every.values()))))
        np.testing.assert_allclose(totals.numpy()[row], total, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(golds.numpy()[row], every[tuple(LABELS[row, :length])], rtol=1e-5)
        path = max(every, key=lambda one: every[one])  # noqa: B023
        np.testing.assert_allclose(best.numpy()[row], every[path], rtol=1e-5)
        assert paths.numpy()[row].tolist() == [*path, *[0] * (4 - length)]


def test_gradients_are_those_of_finite_differences_twice() -> None:
    small = (POTENTIALS[:, :3, :2], MOVES[:2, :2], ENDS[0, :2], ENDS[1, :2])
    lengths, labels = T(np.array([3, 0, 2, 1])), T(np.where(LABELS < 0, 0, LABELS)[:, :3] % 2)
    check_gradients(lambda *x: crf_log_norm(*x, lengths), *small)
    check_gradients(lambda *x: crf_path_score(*x, labels, lengths), *small)


def test_long_chains_and_forbidden_moves_stay_exact() -> None:
    potentials = RNG.normal(0, 30, (2, 300, 5)).astype("float32")
    moves = RNG.normal(0, 3, (5, 5)).astype("float32")
    moves[0, 1:], moves[2, 3], moves[:, 4] = -1e30, -np.inf, -2000
    start, stop = np.array([0, 0, -np.inf, 0, 0], "float32"), np.zeros(5, "float32")
    arrays = (potentials, moves, start, stop)
    lengths = np.array([300, 171])
    tensors = [T(array, stop_gradient=False) for array in arrays]
    totals = crf_log_norm(*tensors, T(lengths))
    expected = partition_reference(*[array.astype(float) for array in arrays], lengths)
    np.testing.assert_allclose(totals.numpy(), expected, rtol=1e-6)
    best, paths = best_chain(*tensors, T(lengths))
    for got, wanted in zip((best, paths), best_paths_reference(*arrays, lengths)):
        np.testing.assert_array_equal(got.numpy(), wanted)
    totals.sum().backward()
    shares = tensors[0].grad.numpy()
    inside = np.arange(300) < lengths[:, None]
    np.testing.assert_allclose(shares.sum(-1), inside, atol=1e-5)  # probabilities of the tags at each step
    np.testing.assert_allclose(tensors[1].grad.numpy().sum(), lengths.sum() - 2, rtol=1e-5)  # of all moves
    assert shares.min() >= 0 and tensors[1].grad.numpy()[0, 1:].max() == 0


def test_no_possible_path_is_an_infinite_loss_without_a_number_that_is_none() -> None:
    start = T(np.full(3, -np.inf, "float32"), stop_gradient=False)
    total = crf_log_norm(*chain()[:2], start, chain()[3], T(LENGTHS))
    assert total.numpy().tolist() == [-np.inf, 0.0, -np.inf, -np.inf]
    total.sum().backward()
    assert np.isfinite(start.grad.numpy()).all()


LAYOUTS: dict[str, dict[str, Any]] = {
    "plain": {"with_start_stop_tag": False},
    "tagged": {},
    "fluid": {"layout": "fluid"},
    "official plain": {"with_start_stop_tag": False, "official_normalizer": True},
    "official tagged": {"official_normalizer": True},
}
STORED = stored_arrays(Path(__file__).parent / "crf.npz")
FLUID = stored_arrays(Path(__file__).parents[2] / "parity" / "fluid" / "references.npz")
STORED.update(
    {
        "fluid/transitions": FLUID["crf/weights/crf"],
        "fluid/inputs": FLUID["crf/x"],
        "fluid/lengths": np.array([5, 2, 4, 1]),
        "fluid/labels": FLUID["crf/label"][..., 0],
        "fluid/losses": FLUID["crf/out/losses"][:, 0],
        "fluid/grad_inputs": FLUID["crf/grad/x"],
        "fluid/grad_transitions": FLUID["crf/grad/crf"],
        "fluid/paths": FLUID["crf/out/paths"][..., 0],
    }
)


@pytest.mark.parametrize("name", ["fluid", "official plain", "official tagged"])
def test_weights_losses_gradients_and_paths_are_the_official_ones(name: str) -> None:
    crf = LinearChainCrf(4, **LAYOUTS[name])
    case = {key.partition("/")[2]: value for key, value in STORED.items() if key.startswith(f"{name}/")}
    crf.set_state_dict({"transitions": T(case["transitions"])})
    inputs = T(case["inputs"], stop_gradient=False)
    losses = LinearChainCrfLoss(crf)(inputs, T(case["lengths"]), T(case["labels"]))
    np.testing.assert_allclose(losses.numpy(), case["losses"], rtol=1e-5, atol=1e-5)
    weights = np.arange(1, 5) if name == "fluid" else np.ones(4)
    (losses * T(weights.astype("float32"))).sum().backward()
    np.testing.assert_allclose(inputs.grad.numpy(), case["grad_inputs"], atol=1e-5)
    np.testing.assert_allclose(crf.transitions.grad.numpy(), case["grad_transitions"], atol=2e-5)
    _, paths = crf.decode(inputs, T(case["lengths"]))
    inside = np.arange(paths.shape[1]) < case["lengths"][:, None]
    np.testing.assert_array_equal(paths.numpy() * inside, case["paths"] * inside)


@pytest.mark.parametrize("name", ["plain", "tagged", "fluid"])
def test_all_paths_of_a_layer_have_probabilities_that_add_up_to_one(name: str) -> None:
    crf = LinearChainCrf(2, **LAYOUTS[name])
    crf.transitions.set_value(RNG.standard_normal(crf.transitions.shape).astype("float32"))
    inputs = T(RNG.standard_normal((1, 3, crf.num_tags)).astype("float32"))
    every = np.array(list(itertools.product(range(crf.num_tags), repeat=3)))
    many = inputs.expand([len(every), 3, crf.num_tags])
    losses = LinearChainCrfLoss(crf)(many, T(np.full(len(every), 3)), T(every))
    np.testing.assert_allclose(np.exp(-losses.numpy()).sum(), 1, rtol=1e-5)
    assert crf.decode(inputs, T(np.array([3])))[1].numpy()[0].tolist() == every[losses.numpy().argmin()].tolist()
    if name != "fluid":
        decoder = ViterbiDecoder(crf.transitions, crf.with_start_stop_tag)
        assert decoder(inputs, T(np.array([3])))[1].tolist() == crf.decode(inputs, T(np.array([3])))[1].tolist()


class Tagger(core.nn.Layer):
    """The loss of a path, and the best one."""

    def __init__(self) -> None:
        super().__init__()
        self.crf = LinearChainCrf(3, layout="fluid")
        self.crf.transitions.set_value(np.concatenate([ENDS, MOVES]))
        self.loss = LinearChainCrfLoss(self.crf)

    def forward(self, inputs: Any, lengths: Any, labels: Any) -> Any:
        return self.loss(inputs, lengths, labels), self.crf.decode(inputs, lengths)[1]


def test_a_tagger_is_compiled_trained_and_exported(tmp_path: Path) -> None:
    tagger = Tagger()
    given = T(POTENTIALS), T(LENGTHS), T(np.where(LABELS < 0, 0, LABELS))
    eager, paths = tagger(*given)
    eager.sum().backward()
    gradient = tagger.crf.transitions.grad.numpy().copy()
    tagger.clear_gradients()
    losses, found = core.jit.to_static(tagger)(*given)
    losses.sum().backward()
    np.testing.assert_allclose(losses.numpy(), eager.numpy(), rtol=1e-6)
    np.testing.assert_allclose(tagger.crf.transitions.grad.numpy(), gradient, rtol=1e-6)
    assert found.tolist() == paths.tolist()
    core.jit.save(Tagger(), str(tmp_path / "tagger"), list(given))
    np.testing.assert_allclose(core.jit.load(str(tmp_path / "tagger"))(*given)[0].numpy(), eager.numpy(), rtol=1e-6)
    predictor = core.jit.Predictor(str(tmp_path / "tagger"))
    with pytest.raises(ValueError, match="tagger: crf_log_norm: lengths are from 0 to 4, got 0 to 5"):
        predictor.run([POTENTIALS, LENGTHS + (LENGTHS == 4), np.zeros((4, 4), "int64")])


@pytest.mark.parametrize(
    "change, kind, message",
    [
        ({"lengths": T(np.array([5, 0, 1, 1]))}, OperatorError, "crf_log_norm: lengths are from 0 to 4, got 0 to 5"),
        ({"lengths": T(np.array([-1, 0, 1, 1]))}, OperatorError, "lengths are from 0 to 4, got -1 to 1"),
        ({"lengths": T(np.array([1, 1]))}, OperatorError, "do not fit each other"),
        ({"lengths": T(np.ones(4, "float32"))}, OperatorTypeError, "lengths are integers, got float32"),
        ({"inputs": T(POTENTIALS[:, :, :2])}, OperatorError, "do not fit each other"),
        ({"inputs": T(POTENTIALS[0])}, OperatorError, r"potentials are \(N, L, K\)"),
        ({"inputs": T(LABELS)}, OperatorTypeError, "floating-point"),
        ({"labels": T(np.full((4, 4), 3))}, OperatorIndexError, "label 3 of sequence 0, step 0, is outside the 3 tags"),
        ({"labels": T(LABELS)[:, :2]}, OperatorError, "do not fit each other"),
        ({"labels": T(np.ones((4, 4), "float32"))}, OperatorTypeError, "labels are integers, got float32"),
    ],
)
def test_messages(change: dict[str, Any], kind: type[Exception], message: str) -> None:
    given = {"inputs": T(POTENTIALS), "lengths": T(LENGTHS), "labels": T(LABELS), **change}
    crf = LinearChainCrf(3, with_start_stop_tag=False)
    with pytest.raises(kind, match=message):
        LinearChainCrfLoss(crf)(**given)


def test_messages_of_constructors() -> None:
    with pytest.raises(ValueError, match="num_labels counts tags, from 1 on, got 0"):
        LinearChainCrf(0)
    with pytest.raises(ValueError, match="layout is 'square' or 'fluid', not 'flat'"):
        LinearChainCrf(3, layout="flat")
    with pytest.raises(ValueError, match="in Fluid's layout"):
        LinearChainCrf(3, layout="fluid", with_start_stop_tag=False)
    with pytest.raises(ValueError, match="pass the layer"):
        LinearChainCrfLoss(LinearChainCrf(3).transitions)


def test_sequences_that_are_all_empty() -> None:
    crf = LinearChainCrf(3, layout="fluid")
    nothing = T(np.zeros(4, "int64"))
    assert LinearChainCrfLoss(crf)(T(POTENTIALS), nothing, T(LABELS)).tolist() == [0.0] * 4
    scores, paths = crf.decode(T(POTENTIALS), nothing)
    assert scores.tolist() == [0.0] * 4 and not paths.numpy().any()
