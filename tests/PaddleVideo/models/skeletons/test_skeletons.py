"""ST-GCN, AGCN, 2s-AGCN and CTR-GCN against ppvideo's; the graphs of joints by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleVideo.models.registry import NETWORKS
from PaddleVideo.models.skeletons.agcn import AGCN2s, agcn, agcn2s
from PaddleVideo.models.skeletons.ctrgcn import CTRGCN, ctrgcn
from PaddleVideo.models.skeletons.graphs import LAYOUTS, directed_partitions, spatial_partitions
from PaddleVideo.models.skeletons.stgcn import STGCN, stgcn
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.network_cases import CASES, SKELETONS
from tests.parity.PaddleVideo.network_weights import fill
from tests.sampling import sampled

SMALL: dict[str, Any] = {
    "stgcn": lambda: stgcn(class_num=7, in_channels=2, layout_name="coco_keypoint"),
    "stgcn_fsd10": lambda: stgcn(class_num=7, in_channels=2, layout_name="fsd10"),
    "stgcn_ntu": lambda: stgcn(class_num=7),
    "agcn": lambda: agcn(class_num=7),
    "agcn2s": lambda: agcn2s(class_num=7),
    "ctrgcn": lambda: ctrgcn(class_num=7, base_channel=16),
}
WIDE = ((16, 1), (32, 2), (32, 1))
TINY: dict[str, Any] = {
    "stgcn": lambda: stgcn(class_num=7, in_channels=2, layout_name="coco_keypoint", stages=WIDE),
    "agcn": lambda: agcn(class_num=7, stages=WIDE),
    "agcn2s": lambda: agcn2s(class_num=7, stages=WIDE),
    "ctrgcn": lambda: ctrgcn(class_num=7, base_channel=16, stages=((1, 1), (2, 2), (2, 1))),
}
FAMILIES = ("stgcn", "agcn", "agcn2s", "ctrgcn")


@pytest.mark.parametrize("name", FAMILIES)
def test_number_of_parameters(name: str) -> None:
    assert checks.trainable_parameters(NETWORKS.resolve(name)) == checks.official_count(name)


@pytest.mark.parametrize("name", sampled(SMALL, 1000, group=lambda name: name.split("_")[0].replace("2s", "")))
def test_the_answers_are_the_official_ones(name: str) -> None:
    checks.check_official(name, SMALL[name](), CASES[name].inputs)


def test_neighbours_nearer_to_the_centre_and_others() -> None:
    parts = spatial_partitions("ntu-rgb+d")
    assert {joint for joint in range(25) if parts[:, 20, joint].any()} - {20} == {2, 4, 8, 1}
    np.testing.assert_allclose(parts.sum((0, 1)), np.ones(25), rtol=1e-6)
    np.testing.assert_allclose(parts[0][20, 20], 1 / 5)  # of the centre itself and its four neighbours
    assert parts[2][20, 4] == pytest.approx(1 / 3) and parts[1][20, 4] == 0  # the centre is nearer than a shoulder
    assert parts[1][4, 20] == pytest.approx(1 / 5) and parts[2][4, 20] == 0
    assert parts[2][4, 5] == pytest.approx(1 / 3)  # a shoulder is nearer than its elbow
    assert parts[1][6, 7] > 0 and parts[2][6, 7] == 0  # beyond, all are equally far


def test_neighbours_along_bones() -> None:
    itself, inward, outward = directed_partitions("ntu-rgb+d")
    np.testing.assert_array_equal(itself, np.eye(25))
    assert (inward > 0).sum() == (outward > 0).sum() == 24
    np.testing.assert_array_equal(inward > 0, (outward > 0).T)
    assert inward[20, 4] == 1.0  # what the shoulder becomes takes the centre in
    assert outward[4, 20] == pytest.approx(1 / 4)  # what the centre becomes, its four neighbours


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_are_connected_skeletons(name: str) -> None:
    joints, bones, centre = LAYOUTS[name]
    reached = {centre}
    for _ in range(joints):
        reached |= {end for bone in bones if set(bone) & reached for end in bone}
    assert reached == set(range(joints))


@pytest.mark.parametrize("name", ["agcn2s", "ctrgcn"])
def test_a_batch_is_its_clips(name: str) -> None:
    network = TINY[name]()
    fill(network)
    network.eval()
    found = network(core.to_tensor(SKELETONS)).numpy()
    for number, clip in enumerate(SKELETONS):
        np.testing.assert_allclose(network(core.to_tensor(clip[None])).numpy()[0], found[number], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", sampled(FAMILIES, 1000, group=lambda name: name == "ctrgcn"))
def test_gradients_files_and_compilation(name: str, tmp_path: Path) -> None:
    inputs = CASES[name].inputs
    unused = [f"backbone.agcn.0.{layer}.{kind}" for layer in ("conv_res", "bn_res") for kind in ("weight", "bias")]
    untrained = [*unused, "backbone.data_bn.weight", "backbone.data_bn.bias"] if name == "agcn" else ()
    checks.check_backward(TINY[name](), inputs, untrained)
    checks.check_file(TINY[name], inputs, tmp_path)
    checks.check_compiled(TINY[name](), inputs)


@pytest.mark.parametrize("name", sampled(FAMILIES, 1000, group=lambda name: name == "ctrgcn"))
def test_export(name: str, tmp_path: Path) -> None:
    checks.check_export(TINY[name](), [array.copy() for array in CASES[name].inputs], tmp_path)


@pytest.mark.parametrize(
    ("build", "settings", "message"),
    [
        (STGCN, {"layout_name": "hand"}, "layout must be one of 'ntu-rgb\\+d', 'fsd10', 'coco_keypoint', not 'hand'"),
        (STGCN, {"class_num": 0}, "STGCN: class_num must be a positive whole number, not 0"),
        (AGCN2s, {"stages": [(64,)]}, r"AGCN2s: stages must be pairs of channels and a step, not \[\[64\]\]"),
        (CTRGCN, {"stages": [(1, 0)]}, "CTRGCN: stages must be a positive whole number, not 0"),
        (CTRGCN, {"base_channel": 20}, "CTRGCN: base_channel must be a multiple of 8, not 20"),
    ],
)
def test_settings_are_checked(build: Any, settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        build(**settings)


def test_skeletons_of_another_kind_are_refused() -> None:
    with pytest.raises(ValueError, match=r"AGCN2s takes skeletons \(N, 3, T, 25, M\), not \[1, 3, 8, 17, 2\]"):
        AGCN2s(7)(core.zeros([1, 3, 8, 17, 2]))
    with pytest.raises(ValueError, match=r"AGCN2s takes skeletons \(N, 3, T, 25, M\), not \[3, 25\]"):
        AGCN2s(7)(core.zeros([3, 25]))
