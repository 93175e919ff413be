"""TSN, TSM, PP-TSN and PP-TSM: sizes, official answers, what they see of time, and weight files of any age."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleClas
import PaddleVideo
from PaddleVideo.models.pptsm import PPTSM, pptsm_r18, pptsm_r50
from PaddleVideo.models.pptsn import pptsn_r50
from PaddleVideo.models.registry import NETWORKS
from PaddleVideo.models.resnet import fluid_block_names
from PaddleVideo.models.tsm import TSM, tsm_r18, tsm_r50
from PaddleVideo.models.tsn import TSN, tsn_r50
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.network_cases import FRAMES
from tests.parity.PaddleVideo.network_weights import calibrate, fill, random_clips, without_dropout

SMALL: dict[str, Any] = {"class_num": 5, "width": 8}
CLIPS = random_clips("small clips", 2, 8, 3, 32, 32)


def answers(network: Any, clips: np.ndarray) -> np.ndarray:
    network.eval()
    with core.no_grad():
        found: np.ndarray = network(core.to_tensor(np.ascontiguousarray(clips))).numpy()
    return found


@pytest.mark.parametrize("name", ["tsn_r50", "tsm_r50", "pptsn_r50", "pptsm_r50", "pptsm_r101"])
def test_number_of_parameters(name: str) -> None:
    assert checks.trainable_parameters(NETWORKS.resolve(name)) == checks.official_count(name)


def test_number_of_parameters_of_the_smaller_ones() -> None:
    """ResNet-18 has 11,186,112 with a projection in its first block, as counted by hand from its layers."""
    blocks = 0
    received = 64
    for stage in range(4):
        width = 64 * 2**stage
        blocks += 9 * received * width + 9 * width * width + received * width + 6 * width  # with the projection
        blocks += 2 * 9 * width * width + 4 * width
        received = width
    expected = 3 * 49 * 64 + 2 * 64 + blocks + 512 * 400 + 400
    for name in ("tsn_r18", "tsm_r18"):
        assert checks.trainable_parameters(NETWORKS.resolve(name)) == expected


@pytest.mark.parametrize(
    ("name", "build"), [("tsn", tsn_r50), ("tsm", tsm_r50), ("pptsn", pptsn_r50), ("pptsm", pptsm_r50)]
)
@pytest.mark.zoo
def test_official_answers_of_the_larger_ones(name: str, build: Any) -> None:
    checks.check_official(name, build(class_num=7), [FRAMES])


def test_official_answers_and_gradients() -> None:
    checks.check_official("pptsm_r18", pptsm_r18(class_num=7), [FRAMES])


@pytest.mark.exhaustive
def test_tsm_answers_as_the_official_one_in_evaluation() -> None:
    stored = np.load(checks.FOLDER / "tsm.npz")
    network = tsm_r50(class_num=7)
    assert checks.shapes(network) == dict(zip(checks.text(stored["names"]), checks.text(stored["shapes"])))
    fill(network)
    without_dropout(network)
    with core.no_grad():
        calibrate(network, lambda: network(core.to_tensor(FRAMES)))
    checks.assert_near(checks.thinned(answers(network, FRAMES)), stored["evaluation 0"], "tsm")


def test_what_a_clip_played_backwards_is_to_each() -> None:
    """TSN gives a clip and its reverse the same logits, to the last bit; to TSM they are two clips."""
    order = TSN(18, **SMALL)
    fill(order)
    np.testing.assert_array_equal(answers(order, CLIPS), answers(order, CLIPS[:, ::-1]))
    for kind in (TSM, PPTSM):
        network = kind(18, **SMALL)
        fill(network)
        assert np.abs(answers(network, CLIPS) - answers(network, CLIPS[:, ::-1])).max() > 1e-3


@pytest.mark.parametrize("direction", [1, -1])
def test_channels_come_from_the_frames_before_and_after(direction: int) -> None:
    """The first channels of a block's input are those of the frame before, as many further ones those after."""
    from core.nn import functional as F

    x = random_clips("maps", 2, 8, 16, 3, 3)
    found = F.temporal_shift(core.to_tensor(x.reshape(16, 16, 3, 3)), 8, 1 / 8).numpy().reshape(x.shape)
    expected = x.copy()
    expected[:, 1:, :2], expected[:, 0, :2] = x[:, :-1, :2], 0
    expected[:, :-1, 2:4], expected[:, -1, 2:4] = x[:, 1:, 2:4], 0
    if direction == 1:
        np.testing.assert_array_equal(found, expected)
    else:  # as in the code of the paper's authors
        assert not np.array_equal(found[:, :, :2], np.roll(x[:, :, :2], -1, axis=1))


def test_the_share_that_is_shifted_follows_from_the_frames_or_is_given() -> None:
    """Of 16 frames, 2.x shifts 1/16 and 1.x 1/8; of 8 frames both are the same."""
    for frames, same in ((8, True), (16, False)):
        clips = random_clips("more clips", 1, frames, 3, 32, 32)
        networks = [TSM(18, num_seg=frames, shift_ratio=ratio, class_num=5, width=16) for ratio in (None, 1 / 8)]
        for network in networks:
            fill(network)
        first, second = (answers(network, clips) for network in networks)
        assert np.array_equal(first, second) == same


def test_every_parameter_learns_files_programs_and_exports(tmp_path: Path) -> None:
    for kind in (TSN, TSM, PPTSM):
        checks.check_backward(kind(18, **SMALL), [CLIPS])
    checks.check_file(lambda: TSM(18, **SMALL), [CLIPS], tmp_path)
    checks.check_compiled(TSM(18, **SMALL), [CLIPS])
    checks.check_export(PPTSM(18, **SMALL), [CLIPS], tmp_path)


def test_features_are_dropped_frame_by_frame_and_learn_as_the_recipes_say() -> None:
    """TSM's head learns 5 and 10 times as fast as its backbone, whose normalisations do not decay; TSN's does not."""
    head = TSM(18, **SMALL).head.fc
    assert head.weight.optimize_attr["learning_rate"] == 5 and head.bias.optimize_attr["learning_rate"] == 10
    assert TSN(18, **SMALL).head.fc.weight.optimize_attr["learning_rate"] == 1
    assert TSM(18, **SMALL).head.each_frame and not TSN(18, **SMALL).head.each_frame


def test_files_of_fluid_1(tmp_path: Path) -> None:
    """A file of 1.x has the variables of layers by their names there: convolution, scale, offset, mean, variance."""
    assert fluid_block_names(50)[:4] == ["res2a", "res2b", "res2c", "res3a"] and fluid_block_names(50)[-1] == "res5c"
    assert fluid_block_names(101)[7:10] == ["res4a", "res4b1", "res4b2"] and len(fluid_block_names(101)) == 33
    network = TSM(50, **SMALL)
    names = network.older_names()
    assert names["res2a_branch2a_weights"] == "backbone.res2a.conv0._conv.weight"
    assert names["bn3b_branch2c_offset"] == "backbone.res3b.conv2._batch_norm.bias"
    assert names["bn_conv1_variance"] == "backbone.conv._batch_norm._variance"
    assert sorted(names.values()) == sorted(network.state_dict())
    state = {key: tensor.numpy() for key, tensor in network.state_dict().items()}
    core.save({older: core.to_tensor(state[name]) for older, name in names.items()}, str(tmp_path / "old.pdparams"))
    again = PaddleVideo.create_model("tsm_r50", pretrained=tmp_path / "old.pdparams", **SMALL)
    for key, tensor in again.state_dict().items():
        np.testing.assert_array_equal(tensor.numpy(), state[key])


@pytest.mark.parametrize(
    "video",
    ["tsm_r18", "tsn_r50", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("pptsn_r50", "pptsm_r50"))],
)
def test_weights_of_classifiers_go_into_the_backbone(
    video: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A classifier of the same kind gives the backbone its weights, and its feature maps are the same."""
    name = f"ResNet{video.rpartition('_r')[2]}" + ("_vd" if video.startswith("pp") else "")
    classifier = PaddleClas.create_model(name, class_num=3)
    core.save(classifier.state_dict(), str(tmp_path / "classifier.pdparams"))
    with caplog.at_level("INFO"):
        network = PaddleVideo.create_model(video, class_num=6, pretrained=tmp_path / "classifier.pdparams")
    assert "holds the weights of the backbone alone" in caplog.text
    if video.startswith("tsn"):  # no shift, no other activation
        frames = core.to_tensor(CLIPS[0])
        classifier.eval()
        network.eval()
        with core.no_grad():
            expected = classifier.forward_features(frames).numpy()
            checks.assert_near(network.backbone(frames).numpy(), expected, video, 1e-5)


def test_a_classifier_of_another_kind_is_refused(tmp_path: Path) -> None:
    core.save(PaddleClas.create_model("ResNet18", class_num=3).state_dict(), str(tmp_path / "other.pdparams"))
    with pytest.raises(ValueError, match=r"other.pdparams' does not fit the model: it lacks"):
        PaddleVideo.create_model("tsm_r34", class_num=6, pretrained=tmp_path / "other.pdparams")


def test_a_head_for_other_classes(tmp_path: Path) -> None:
    core.save(TSM(18, **SMALL).state_dict(), str(tmp_path / "five.pdparams"))
    given = {"pretrained": tmp_path / "five.pdparams", "class_num": 3, "width": 8}
    with pytest.raises(ValueError, match="pass adapt_head=True to keep a fresh head"):
        PaddleVideo.create_model("tsm_r18", **given)
    assert PaddleVideo.create_model("tsm_r18", adapt_head=True, **given).head.fc.weight.shape == [64, 3]


def test_what_cannot_be_is_refused() -> None:
    for call, message in (
        (lambda: tsm_r18(num_seg=2), "num_seg must be at least 3 frames, not 2"),
        (lambda: tsm_r18(shift_ratio=0.5), "shift_ratio must lie between 0 and 1/2, not 0.5"),
        (lambda: TSN(18, width=9), "width must be an even number of channels, at least 8, not 9"),
        (lambda: PaddleVideo.create_model("tsm_r5"), "unknown network 'tsm_r5'; the nearest are 'tsm_r50'"),
        (lambda: PaddleVideo.create_model("tsn_r18", class_num=0), "class_num must be a positive whole number, not 0"),
        (lambda: PaddleVideo.create_model("tsn_r18", pretrained=True), "no weights are published for tsn_r18"),
        (lambda: PaddleVideo.create_model("tsn_r18", adapt_head=True), "adapt_head=True needs pretrained weights"),
        (lambda: answers(TSM(18, **SMALL), CLIPS[:, :4]), "clips of 8 frames, not 4; set network.num_seg: 4"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(FileNotFoundError, match="there are no weights 'ResNet999_vd', and no such file; the nearest"):
        PaddleVideo.create_model("tsn_r50", pretrained="ResNet999_vd")
    with pytest.raises(TypeError, match="pretrained must be a bool, a classifier's name or a path, not 3"):
        PaddleVideo.create_model("tsn_r18", pretrained=3)  # type: ignore[arg-type]  # the mistake
