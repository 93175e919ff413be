"""C-TCN against a derivation in NumPy: network, anchors, matching, loss, decoding, suppression."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleVideo.intervals import overlaps
from PaddleVideo.models.localizers.anchors import anchors, decode, edges, match, steps_of
from PaddleVideo.models.localizers.ctcn import CTCN, ctcn, ctcn_loss
from PaddleVideo.models.localizers.suppression import detections, softly_suppressed, suppressed
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.network_weights import fill, random_clips

INPUTS = (random_clips("concepts", 2, 1, 64, 3),)


def small() -> CTCN:
    return ctcn(class_num=2, concepts=3, length=64, width=4, channels=6, head_channels=(5, 7))


def conv(x: np.ndarray, kernel: np.ndarray, stride: int = 1, bias: Any = 0.0) -> np.ndarray:
    """Return a convolution along time, (C, T, W) with a kernel (O, C, k, 1)."""
    taps = kernel.shape[2]
    padded = np.pad(x, [(0, 0), (taps // 2, taps // 2), (0, 0)])
    count = (x.shape[1] - 1) // stride + 1
    found = 0.0
    for tap in range(taps):
        found = found + np.einsum("oc,ctw->otw", kernel[:, :, tap, 0], padded[:, tap : tap + stride * count : stride])
    return found + np.reshape(bias, (-1, 1, 1))


class Derivation:
    """The network's parts for one video, from its state."""

    def __init__(self, network: Any) -> None:
        self.state = {name: tensor.numpy().astype(np.float64) for name, tensor in network.state_dict().items()}

    def norm(self, name: str, x: np.ndarray, stride: int = 1) -> np.ndarray:
        y = conv(x, self.state[f"{name}.conv.weight"], stride)
        parts = [self.state[f"{name}.bn.{kind}"][:, None, None] for kind in ("_mean", "_variance", "weight", "bias")]
        return np.asarray((y - parts[0]) / np.sqrt(parts[1] + 1e-5) * parts[2] + parts[3])

    def plain(self, name: str, x: np.ndarray, stride: int = 1) -> np.ndarray:
        return conv(x, self.state[f"{name}.weight"], stride, self.state[f"{name}.bias"])

    def levels(self, x: np.ndarray) -> list[np.ndarray]:
        relu = lambda y: np.maximum(y, 0)  # noqa: E731
        x = relu(self.norm("pyramid.stem2", relu(self.norm("pyramid.stem1", x, 2)), 2))
        stages = []
        for stage, count in enumerate((3, 4, 6, 3), 1):
            for number in range(count):
                name, stride = f"pyramid.layer{stage}.{number}", 2 if stage > 1 and number == 0 else 1
                y = relu(self.norm(f"{name}.conv0", x))
                y = self.norm(f"{name}.conv2", relu(self.norm(f"{name}.conv1", y, stride)))
                x = relu(y + (self.norm(f"{name}.short", x, stride) if number == 0 else x))
            stages.append(x)
        p6 = self.plain("pyramid.coarse.0", stages[3], 2)
        p = [self.plain("pyramid.lateral.0", stages[3])]
        for number in (1, 2, 3):
            below = self.plain(f"pyramid.lateral.{number}", stages[3 - number])
            places = np.linspace(0, p[-1].shape[1] - 1, below.shape[1])
            up = np.stack(
                [[np.interp(places, np.arange(len(row)), row) for row in channel.T] for channel in p[-1]]
            ).transpose(0, 2, 1)
            p.append(up + below)
        smooth = [self.plain(f"pyramid.smooth.{number}", level) for number, level in enumerate(p[1:])]
        return [smooth[2], smooth[1], smooth[0], p[0], p6]

    def head(self, name: str, x: np.ndarray, per_anchor: int) -> np.ndarray:
        y = self.plain(f"{name}_pred_conv1", x)
        found = np.einsum("ocw,ctw->to", self.state[f"{name}_pred_conv2.weight"][:, :, 0], y)
        return (found + self.state[f"{name}_pred_conv2.bias"]).reshape(-1, per_anchor)


def test_number_of_parameters() -> None:
    def norm(received: int, returned: int, taps: int) -> int:
        return received * returned * taps + 2 * returned

    count, received = norm(1, 32, 7) + norm(32, 64, 7), 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 * 2**stage
        for number in range(blocks):
            count += norm(received, width, 1) + norm(width, width, 3) + norm(width, 4 * width, 1)
            count += norm(received, 4 * width, 1) if number == 0 else 0
            received = 4 * width
    count += (2048 * 3 + 1) * 512 + 3 * (512 * 3 + 1) * 512  # levels 6 to 9
    count += sum((channels + 1) * 512 for channels in (256, 512, 1024, 2048)) + 3 * (512 * 3 + 1) * 512
    count += (512 * 3 + 1) * 256 + (256 * 402 + 1) * 14 + (512 * 3 + 1) * 512 + (512 * 402 + 1) * 1407
    assert checks.trainable_parameters(ctcn) == count


def test_the_network_is_its_parts() -> None:
    network = small()
    fill(network)
    network.eval()
    found = [one.numpy() for one in network(core.to_tensor(INPUTS[0]))]
    assert found[0].shape == (2, 7 * 31, 2) and found[1].shape == (2, 7 * 31, 3)
    derivation = Derivation(network)
    for number, video in enumerate(INPUTS[0].astype(np.float64)):
        levels = derivation.levels(video)
        assert [level.shape[1] for level in levels] == [16, 8, 4, 2, 1]
        offsets = np.concatenate([derivation.head("loc", level, 2) for level in levels])
        logits = np.concatenate([derivation.head("cls", level, 3) for level in levels])
        np.testing.assert_allclose(found[0][number], 10 / (1 + np.exp(-offsets)) - 5, rtol=1e-4, atol=1e-4)
        checks.assert_near(found[1][number], logits, "logits")


def test_each_head_goes_once_through_its_large_weight() -> None:
    """Called for each level, it would have as many gradients, of a gigabyte each at the published size."""
    network, seen = small(), []
    for layer in (network.loc_pred_conv2, network.cls_pred_conv2):
        layer.register_forward_post_hook(lambda layer, given, found: seen.append(list(found.shape)))
    network(core.to_tensor(INPUTS[0]))
    assert seen == [[2, 2 * 7, 31, 1], [2, 3 * 7, 31, 1]]


def test_published_anchors() -> None:
    boxes = anchors(512)
    assert len(boxes) == 1785 and steps_of(512) == [4, 8, 16, 32, 64, 128, 256, 512]
    np.testing.assert_allclose(boxes[:7], [[2, 4 * (1 + share)] for share in (0, -0.1, 0.1, -0.2, 0.2, -0.3, 0.3)])
    np.testing.assert_allclose(boxes[7:9], np.array([[6, 4], [6, 3.6]]))
    np.testing.assert_allclose(boxes[128 * 7 : 128 * 7 + 2], np.array([[4, 8], [4, 7.2]]))
    last = [1.0, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65]
    np.testing.assert_allclose(boxes[-7:], [[256, 512 * share] for share in last])
    with core.LazyGuard():
        assert ctcn().anchor_count == 1785


def test_widths_are_linear_in_their_offsets() -> None:
    """The width is the anchor's times 1 + 0.2 x the offset: an exponential, as in image detectors, would fail this."""
    offsets = np.zeros((len(anchors(64)), 2))
    offsets[0], offsets[1] = (1.0, 2.5), (0.0, -5.0)
    found = decode(64, offsets)
    np.testing.assert_allclose(found[0], [2.4 - 4 * 1.5 / 2, 2.4 + 4 * 1.5 / 2])
    np.testing.assert_allclose(found[1], [2.0, 2.0])  # no width is left at -5
    assert abs(found[0, 1] - found[0, 0] - 4 * np.exp(0.2 * 2.5)) > 0.5
    offsets[0] = (1.0, 5.0)
    np.testing.assert_allclose(np.diff(decode(64, offsets)[0]), 8.0)  # twice the anchor at most


def test_matching_by_hand() -> None:
    boxes = edges(anchors(64))
    actions = np.array([[0.0, 4.0], [0.5, 4.0], [20.0, 44.0]])
    offsets, classes = match(64, actions, np.array([1, 2, 3]))
    assert classes[0] == 1  # the anchor 0 to 4 is the first action
    shared = overlaps(boxes, actions)
    second = int(np.where(np.arange(len(boxes)) == 0, 0, shared[:, 1]).argmax())
    assert classes[second] == 2  # the best of the anchors that are left
    for anchor in range(len(boxes)):
        best = shared[anchor].max()
        if best >= 0.5:
            assert classes[anchor] > 0
        elif classes[anchor]:
            assert shared[anchor, classes[anchor] - 1] == shared[:, classes[anchor] - 1].max()
    matched = classes > 0
    restored = decode(64, offsets)
    np.testing.assert_allclose(restored[matched], actions[classes[matched] - 1], atol=1e-4)
    nothing = match(64, np.zeros((0, 2)), np.zeros(0, np.int64))
    assert not nothing[0].any() and not nothing[1].any()
    assert not match(64, np.array([[3.0, 3.0]]), np.array([1]))[1].any()  # an action of no length


def test_the_loss_by_hand() -> None:
    rng = np.random.default_rng(0)
    offsets, wanted = rng.normal(size=(2, 12, 2)) * 2, rng.normal(size=(2, 12, 2))
    logits, classes = rng.normal(size=(2, 12, 4)), np.zeros((2, 12), np.int64)
    classes[0, [3, 5]], classes[1, 7], classes[1, 8] = (1, 3), 2, -1
    total = 0.0
    for video in range(2):
        entropy = np.log(np.exp(logits[video]).sum(1)) - logits[video, np.arange(12), classes[video].clip(0)]
        negatives = np.sort(entropy[classes[video] == 0])[::-1][: 3 * (classes[video] > 0).sum()]
        total += negatives.sum() + entropy[classes[video] > 0].sum()
        error = np.abs(offsets[video] - wanted[video])[classes[video] > 0]
        total += 2 * np.where(error < 1, 0.5 * error**2, error - 0.5).sum()
    given: list[Any] = [core.to_tensor(one.astype("float32")) for one in (offsets, logits, wanted)]
    found = ctcn_loss(given[0], given[1], given[2], core.to_tensor(classes))
    np.testing.assert_allclose(found.numpy(), total / 3, rtol=1e-5)
    nothing = ctcn_loss(given[0], given[1], given[2], core.zeros([2, 12], "int64"))
    assert float(nothing) == 0.0


def test_suppression_by_hand() -> None:
    rows = np.array([[0.0, 10.0, 0.5], [0.0, 9.0, 0.9], [20.0, 30.0, 0.3], [5.0, 10.0, 0.2]])
    kept = suppressed(rows, 0.8)
    np.testing.assert_allclose(kept, [rows[1], rows[2], rows[3]])  # 9 / 10 of the first is the second's
    softly = softly_suppressed(kept, 0.9, 0.004)
    lowered = 0.2 * np.exp(-((4 / 10) ** 2) / 0.9)
    np.testing.assert_allclose(softly, [rows[1], rows[2], [5.0, 10.0, lowered]])
    assert len(softly_suppressed(kept, 0.9, 0.19)) == 2


def test_detections_in_seconds() -> None:
    count = len(anchors(64))
    probabilities = np.zeros((count, 3))
    probabilities[:, 0] = 1.0
    probabilities[0], probabilities[7] = (0.1, 0.2, 0.7), (0.1, 0.9, 0.0)
    found = detections(64, np.zeros((count, 2)), probabilities, duration=128.0)
    np.testing.assert_allclose(found, [[0, 0.9, 8.0, 16.0], [1, 0.7, 0.0, 8.0], [0, 0.2, 0.0, 8.0]])
    probabilities[:, 1:] = 0.0
    assert detections(64, np.zeros((count, 2)), probabilities, 128.0).shape == (0, 4)


def test_files_of_fluid_1_have_a_name_for_every_parameter() -> None:
    with core.LazyGuard():
        network = ctcn()
    names = network.older_names()
    assert set(names.values()) == set(network.state_dict())
    assert names["conv2d_0.w_0"] == "pyramid.stem1.conv.weight"
    assert names["conv2d_5.w_0"] == "pyramid.layer1.0.short.conv.weight"
    assert names["batch_norm_53.w_2"] == "pyramid.layer4.2.conv2.bn._variance"  # 2 + 10 + 13 + 19 + 10 before it
    assert names["conv2d_54.b_0"] == "pyramid.coarse.0.bias" and names["conv2d_58.w_0"] == "pyramid.lateral.0.weight"
    assert names["conv2d_64.b_0"] == "pyramid.smooth.2.bias"
    assert names["cls_pred_conv2_weights"] == "cls_pred_conv2.weight"


def test_gradients_files_and_compilation(tmp_path: Path) -> None:
    checks.check_backward(small(), INPUTS)
    checks.check_file(small, INPUTS, tmp_path)


def test_the_loss_compiles() -> None:
    network = small()
    offsets, logits = network(core.to_tensor(INPUTS[0]))
    truth = [match(64, np.array([[10.0, 30.0]]), np.array([number])) for number in (1, 2)]
    wanted, classes = (core.to_tensor(np.stack(one)) for one in zip(*truth))
    expected = network.loss(offsets, logits, wanted, classes)
    found = core.jit.to_static(ctcn_loss)(offsets, logits, wanted, classes)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5)


@pytest.mark.exhaustive
def test_export(tmp_path: Path) -> None:
    checks.check_export(small(), INPUTS, tmp_path, onnx=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"length": 100}, "C-TCN: length must be a power of 2 from 64, not 100"),
        ({"length": 32}, "C-TCN: length must be a power of 2 from 64, not 32"),
        ({"width": 5}, "CTCN: width must be even, as the first convolution has half as many channels, not 5"),
        ({"concepts": 0}, "CTCN: concepts must be a positive whole number, not 0"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        ctcn(**settings)


def test_features_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match=r"CTCN takes features \(N, 1, 64, 3\), not \[1, 1, 64, 4\]"):
        small()(core.zeros([1, 1, 64, 4]))
