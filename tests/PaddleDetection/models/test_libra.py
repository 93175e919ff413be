"""Libra R-CNN: the balanced sample against PaddleDetection 2.6's, the pyramid, blocks and loss against NumPy."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError
from core.vision.ops import balanced_sample, generate_proposal_target, matching
from PaddleDetection.models.architectures.libra_rcnn import LibraRCNN, balanced_l1
from PaddleDetection.models.backbones.resnet import ResNet
from PaddleDetection.models.heads.bbox_head import TwoFCHead
from PaddleDetection.models.necks.bfp import BFP
from PaddleDetection.models.non_local import NonLocal
from PaddleDetection.models.older_names import fluid_names, renamed
from tests.PaddleDetection.models.test_rcnn import Given
from tests.parity.PaddleDetection import libra_cases, rcnn_cases
from tests.parity.recipe import uniform


@pytest.mark.parametrize("name", libra_cases.CASES)
def test_the_sample_is_the_official_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    regions, objects, classes, numbers = libra_cases.given(name)
    with np.load(Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "libra.npz") as stored:
        wanted, kinds = stored[f"{name} regions"], stored[f"{name} labels"]
    monkeypatch.setattr(matching, "rand", lambda shape, dtype: core.to_tensor(numbers.reshape(shape)))
    found, labels, _, _, counts = generate_proposal_target(
        core.to_tensor(regions[None]),
        core.to_tensor(classes[None]),
        core.to_tensor(objects[None]),
        *(libra_cases.SAMPLED, libra_cases.CASES[name][0], 0.5, 0.5, libra_cases.CLASSES),
        num_bins=3,
    )
    kept = labels.numpy()[0] >= 0
    assert kept.sum() == counts.item() == len(wanted)
    rows = found.numpy()[0, kept]
    order = np.lexsort(rows.T)
    np.testing.assert_array_equal(rows[order], wanted)
    np.testing.assert_array_equal(labels.numpy()[0, kept][order], kinds)


def test_what_cannot_be_sampled() -> None:
    labels, overlaps = core.zeros([1, 4], "int64"), core.zeros([1, 4])
    with pytest.raises(OperatorError, match=r"labels and overlaps have one shape \(N, A\), got \[1, 4\] and \[1, 3\]"):
        balanced_sample(labels, overlaps[:, :3], 2, 0.5)
    with pytest.raises(OperatorError, match="num_bins and num_samples must be positive"):
        balanced_sample(labels, overlaps, 2, 0.5, 0)


def test_the_loss_grows_as_the_paper_says() -> None:
    x = np.array([-3.0, -1.0, -0.4, 0.0, 0.01, 0.7, 0.999, 2.0], np.float32)
    given = core.to_tensor(x, stop_gradient=False)
    found = balanced_l1(given)
    found.sum().backward()
    b = math.exp(3) - 1
    slope = np.sign(x) * np.where(np.abs(x) < 1, 0.5 * np.log(b * np.abs(x) + 1), 1.5)  # equation 6
    np.testing.assert_allclose(given.grad.numpy(), slope, rtol=1e-5, atol=1e-6)
    steps = np.linspace(0, 1, 20001)
    slopes = 0.5 * np.log(b * steps + 1)
    whole = (slopes[1:] + slopes[:-1]).sum() / 2 / 20000
    np.testing.assert_allclose(found.numpy()[[0, 3, 7]], [whole + 3.0, 0, whole + 1.5], rtol=1e-5)


def non_local(x: np.ndarray, block: Any, scale: float) -> np.ndarray:
    flat = x.reshape(*x.shape[:2], -1)
    state = {key: value.numpy() for key, value in block.state_dict().items()}

    def layer(name: str, given: np.ndarray) -> np.ndarray:
        out = np.einsum("oc,ncp->nop", state[f"{name}.weight"][:, :, 0, 0], given)
        return out + state[f"{name}.bias"][:, None] if f"{name}.bias" in state else out

    alike = np.einsum("nca,ncb->nab", layer("theta", flat), layer("phi", flat)) * scale
    alike = np.exp(alike - alike.max(-1, keepdims=True))
    alike /= alike.sum(-1, keepdims=True)
    seen = np.einsum("ncb,nab->nca", layer("g", flat), alike)
    return x + layer("out", seen).reshape(x.shape)


def lively(made: Any, name: str) -> Any:
    made.set_state_dict(
        {key: uniform(f"{name} {key}", list(value.shape), -0.5, 0.5) for key, value in made.state_dict().items()}
    )
    return made


def test_the_non_local_block() -> None:
    x = uniform("non-local", (2, 6, 3, 5), -1, 1)
    block = lively(NonLocal(6, 4), "block")
    np.testing.assert_allclose(block(core.to_tensor(x)).numpy(), non_local(x, block, 4**-0.5), rtol=1e-4, atol=1e-5)


def test_non_local_blocks_of_a_resnet() -> None:
    with core.LazyGuard():
        made = ResNet(200, variant="d", nonlocal_stages=(2,))
    names = [f"res4.nonlocal_conv4_{place}" for place in (11, 23, 35, 47)]
    layers = {key.rpartition(".")[0].rpartition(".")[0] for key in made.state_dict() if "nonlocal" in key}
    assert layers == set(names) and set(names) < set(made.own_layers)
    older = fluid_names([f"backbone.{names[0]}.{part}.weight" for part in ("theta", "phi", "g", "out")])
    assert list(older) == [f"nonlocal_conv4_11_{part}_w" for part in ("theta", "phi", "g", "out")]
    with pytest.raises(ValueError, match="ResNet of 18 layers has no non-local blocks; those of 50, 101, 152, 200 may"):
        ResNet(18, nonlocal_stages=(2,))


@pytest.mark.parametrize("compiled", [False, True])
def test_the_pyramid(compiled: bool) -> None:
    made = lively(BFP((3, 4, 5, 6), (4, 8, 16, 32), 8), "bfp")
    maps = [uniform(f"bfp {number}", (1, number + 3, 32 >> number, 56 >> number), -1, 1) for number in range(4)]
    call = core.jit.to_static(lambda *given: made(list(given))) if compiled else lambda *given: made(list(given))
    found = [one.numpy() for one in call(*map(core.to_tensor, maps))]

    plain = [one.numpy() for one in super(BFP, made).forward([core.to_tensor(one) for one in maps])]
    sizes = [(32, 56), (16, 28), (8, 14), (4, 7), (2, 4)]
    assert [one.shape[2:] for one in plain] == sizes

    def brought(x: np.ndarray, level: int, to: int) -> np.ndarray:
        if level < to:  # the largest of each block, fewer at the right edge
            step, (rows, columns) = 2 ** (to - level), sizes[to]
            padded = np.full((*x.shape[:2], rows * step, columns * step), -np.inf)
            padded[:, :, : x.shape[2], : x.shape[3]] = x
            return padded.reshape(*x.shape[:2], rows, step, columns, step).max((3, 5))
        for axis, (have, want) in enumerate(zip(x.shape[2:], sizes[to]), 2):
            x = np.take(x, np.floor(np.arange(want) * ((have - 1) / (want - 1)) + 0.5).astype(int), axis)
        return x

    mean = sum(brought(one, level, 2) for level, one in enumerate(plain)) / 5
    refined = non_local(mean, made.nonlocal_bsf, 1.0)
    for level, one in enumerate(plain):
        wanted = one + brought(refined, 2, level)
        np.testing.assert_allclose(found[level], wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())
    older = fluid_names([f"neck.{key}" for key in made.state_dict()])
    assert {"nonlocal_bsf_theta_w", "nonlocal_bsf_out_b", "fpn_res2_sum_w"} < set(older)
    with pytest.raises(ValueError, match="refine_level must be from 0 to 4, not 5"):
        BFP((3, 4, 5, 6), (4, 8, 16, 32), 8, refine_level=5)


@pytest.mark.parametrize("generation", [1, 2])
def test_it_learns(generation: int) -> None:
    strides = rcnn_cases.STRIDES
    head = TwoFCHead(rcnn_cases.CHANNELS, 16)
    made = LibraRCNN(Given(strides), Given(strides), head, **rcnn_cases.settings(generation=generation))
    targets = {key: core.to_tensor(value) for key, value in rcnn_cases.objects("one empty").items()}

    @core.jit.to_static
    def losses(*maps: Any) -> Any:
        return made.losses(list(maps), core.to_tensor(rcnn_cases.IM_SHAPE), None, targets)

    maps = [core.to_tensor(one, stop_gradient=False) for one in rcnn_cases.features("libra")]
    found = losses(*maps)
    core.add_n(list(found.values())).backward()
    assert sorted(found) == ["loss_bbox_cls", "loss_bbox_reg", "loss_rpn_cls", "loss_rpn_reg"]
    assert all(np.isfinite(one.item()) for one in found.values())
    assert all(np.abs(one.grad.numpy()).sum() > 0 for one in maps[:2])


def test_names_of_a_cascade_with_a_box_for_each_class() -> None:
    shapes = {"bbox_head.bbox_score_stage0.bias": (4,), "bbox_head.head.1.fc6.bias": (5,)}
    found = renamed(shapes, {"cls_score_1_b": np.arange(4), "cls_score_1_w": np.zeros((1, 4)), "fc6_2_b": np.ones(5)})
    assert found["bbox_head.bbox_score_stage0.bias"].tolist() == [1, 2, 3, 0]
    assert "bbox_head.head.1.fc6.bias" in found
