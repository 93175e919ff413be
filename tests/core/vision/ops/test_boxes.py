"""Selecting and coding boxes: the kernels against their definition, edge cases, messages."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static
from core.kernels.boxes import suppression
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.vision import ops
from tests.core.gradient_check import check_gradients

RANDOM = np.random.default_rng(8)
CORNERS = RANDOM.uniform(0, 12, (40, 2))
BOXES = np.concatenate([CORNERS, CORNERS + RANDOM.uniform(3, 9, (40, 2))], axis=1)


@pytest.mark.parametrize(("threshold", "plus", "eta"), [(0.3, 0.0, 1.0), (0.8, 1.0, 0.9), (0.0, 1.0, 1.0)])
def test_suppression_is_its_definition(threshold: float, plus: float, eta: float) -> None:
    expected = suppression.suppress_reference(BOXES, threshold, plus, eta)
    np.testing.assert_array_equal(suppression.suppress(BOXES, threshold, plus, eta), expected)


@pytest.mark.parametrize("gaussian", [False, True])
def test_decay_is_its_definition(gaussian: bool) -> None:
    expected = suppression.decay_reference(BOXES, 1.0, gaussian, 2.0)
    np.testing.assert_allclose(suppression.decay(BOXES, 1.0, gaussian, 2.0), expected, atol=1e-12)


def test_selecting_from_nothing() -> None:
    nothing = core.zeros([0, 4])
    assert ops.nms(nothing).shape == [0] and ops.nms(nothing, scores=core.zeros([0])).dtype == core.int64
    levels, restored, numbers = ops.distribute_fpn_proposals(nothing, 2, 3, 2, 10)
    assert [level.shape for level in levels] == [[0, 4], [0, 4]] and restored.shape == [0, 1] and numbers is None
    one = core.to_tensor([[0.0, 0.0, 5.0, 5.0]])
    found = ops.nms(one, scores=core.ones([1]), category_idxs=core.to_tensor([7]), categories=[1, 2])
    assert found.shape == [0]
    best = ops.nms(core.to_tensor(BOXES), 0.1, core.to_tensor(RANDOM.uniform(size=40)), top_k=2)
    assert best.shape == [2]


def test_proposals_of_half_precision_keep_their_type() -> None:
    levels, _, _ = ops.distribute_fpn_proposals(core.to_tensor(BOXES, dtype="float16"), 2, 3, 2, 10)
    assert {level.dtype for level in levels} == {core.float16}


def test_what_depends_on_data_is_refused_in_programs() -> None:
    with pytest.raises(OperatorError, match="non_maximum_suppression: the output shape depends on data"):
        to_static(lambda boxes: ops.nms(boxes))(core.to_tensor(BOXES))


def test_second_derivatives_of_the_yolo_loss() -> None:
    objects, labels = core.to_tensor([[[0.3, 0.6, 0.4, 0.5]]], dtype="float64"), core.to_tensor([[1]])
    x = RANDOM.normal(size=(1, 7, 1, 2))
    check_gradients(lambda x: ops.yolo_loss(x, objects, labels, [10, 13], [0], 2, 0.9, 16), x, tolerance=1e-5)


def test_images_as_tensors(tmp_path: Path) -> None:
    picture = RANDOM.integers(0, 256, (6, 8, 3)).astype(np.uint8)
    for name, pixels in (("color.png", picture[:, :, ::-1]), ("gray.png", picture[:, :, 0])):
        cv2.imwrite(str(tmp_path / name), pixels)
    color, gray = (ops.read_file(str(tmp_path / name)) for name in ("color.png", "gray.png"))
    assert color.dtype == core.uint8 and color.numpy().tobytes() == (tmp_path / "color.png").read_bytes()
    np.testing.assert_array_equal(ops.decode_jpeg(color).numpy(), picture.transpose(2, 0, 1))
    np.testing.assert_array_equal(ops.decode_jpeg(gray).numpy(), picture[None, :, :, 0])
    assert ops.decode_jpeg(gray, mode="rgb").shape == [3, 6, 8] and ops.decode_jpeg(color, "gray").shape == [1, 6, 8]
    cv2.imwrite(str(tmp_path / "photo.jpg"), picture)
    assert ops.decode_jpeg(ops.read_file(tmp_path / "photo.jpg")).shape == [3, 6, 8]
    with pytest.raises(OperatorError, match="mode is unchanged, gray or rgb, got 'bgr'"):
        ops.decode_jpeg(color, "bgr")
    with pytest.raises(OperatorError, match=r"expects the bytes of a file, uint8 \(bytes,\), got float32 \[2\]"):
        ops.decode_jpeg(core.zeros([2]))
    with pytest.raises(ValueError, match="decode_jpeg"):
        ops.decode_jpeg(color[:40])
    with pytest.raises(FileNotFoundError, match="no image file"):
        ops.read_file(tmp_path / "missing.jpg")
    with pytest.raises(IsADirectoryError):
        ops.read_file(tmp_path)


def test_the_block_of_convolutional_networks() -> None:
    block = ops.ConvNormActivation(3, 8, 5, stride=2, dilation=2)
    assert [type(layer).__name__ for layer in block] == ["Conv2D", "BatchNorm2D", "ReLU"]
    assert block[0].bias is None and block(core.ones([1, 3, 8, 8])).shape == [1, 8, 4, 4]
    plain = ops.ConvNormActivation(3, 8, norm_layer=None, activation_layer=nn.Sigmoid, padding=0)
    assert [type(layer).__name__ for layer in plain] == ["Conv2D", "Sigmoid"] and plain[0].bias is not None
    assert plain(core.ones([1, 3, 8, 8])).shape == [1, 8, 6, 6]
    assert ops.ConvNormActivation(3, 8, bias=True, activation_layer=None)[0].bias is not None


def test_messages_of_selection() -> None:
    boxes = core.to_tensor(BOXES)
    scores = core.ones([40])
    with pytest.raises(OperatorError, match=r"nms: scores has one number for each of 40 boxes, but got shape \[3\]"):
        ops.nms(boxes, scores=scores[:3])
    with pytest.raises(OperatorError, match="category_idxs needs scores and categories"):
        ops.nms(boxes, category_idxs=scores.astype("int64"))
    with pytest.raises(OperatorError, match="top_k 41 needs scores, and at least as many boxes, of which there are 40"):
        ops.nms(boxes, scores=scores, top_k=41)
    with pytest.raises(OperatorError, match=r"expects bboxes \(N, boxes, 4\) and scores \(N, classes, boxes\)"):
        ops.matrix_nms(boxes.unsqueeze(0), core.ones([1, 2, 3]), 0.1, 0.1, 5, 5)
    with pytest.raises(OperatorError, match="levels 3 to 2 are no positive range"):
        ops.distribute_fpn_proposals(boxes, 3, 2, 2, 10)
    with pytest.raises(OperatorError, match="rois_num adds up to 3, but there are 40 boxes"):
        ops.distribute_fpn_proposals(boxes, 2, 3, 2, 10, rois_num=core.to_tensor([3]))
    inputs = [core.ones([1, 2, 3, 3]), core.ones([1, 8, 3, 3]), core.ones([1, 2]), core.ones([3, 3, 2, 4])]
    with pytest.raises(OperatorError, match=r"variances has the shape \[3, 3, 2, 4\], but got \[3, 3, 1, 4\]"):
        ops.generate_proposals(*inputs, core.ones([3, 3, 1, 4]))
    with pytest.raises(OperatorTypeError, match="img_size must be floating-point"):
        ops.generate_proposals(*inputs[:2], core.ones([1, 2], "int64"), inputs[3], inputs[3])


def test_messages_of_coding() -> None:
    boxes = core.to_tensor(BOXES[:3])
    with pytest.raises(OperatorError, match="code_type is encode_center_size or decode_center_size, got 'corners'"):
        ops.box_coder(boxes, None, boxes, "corners")
    with pytest.raises(OperatorError, match="axis is 0 or 1, got 2"):
        ops.box_coder(boxes, None, boxes, axis=2)
    with pytest.raises(OperatorError, match=r"offsets of shape \[2, 4, 4\] do not fit 3 anchors along axis 1"):
        ops.box_coder(boxes, None, core.ones([2, 4, 4]), "decode_center_size")
    with pytest.raises(OperatorError, match=r"prior_box_var has the shape \[3, 4\] or four numbers, got \[2, 4\]"):
        ops.box_coder(boxes, boxes[:2], boxes)
    with pytest.raises(OperatorError, match=r"prior_box_var is a Tensor or four numbers, got \[0.1\]"):
        ops.box_coder(boxes, [0.1], boxes)
    np.testing.assert_allclose(ops.box_coder(boxes, None, boxes).numpy()[0, 0], 0, atol=1e-12)
    maps = core.ones([1, 3, 4, 4])
    with pytest.raises(OperatorError, match=r"image has the shape \(N, C, H, W\), but got \[3, 4, 4\]"):
        ops.prior_box(maps, maps[0], 4.0)
    with pytest.raises(
        OperatorError, match=r"max_sizes \[3.0\] must hold a larger number for each of min_sizes \[4.0\]"
    ):
        ops.prior_box(maps, maps, 4.0, 3.0)
    with pytest.raises(OperatorError, match="variance has 4 numbers and steps 2"):
        ops.prior_box(maps, maps, 4.0, variance=[0.1])


def test_messages_of_yolo() -> None:
    x, boxes, labels = core.ones([1, 7, 2, 2]), core.ones([1, 1, 4]), core.to_tensor([[1]])
    with pytest.raises(OperatorError, match=r"yolo_box: expects x \(N, 7, H, W\) and img_size \(N, 2\), got"):
        ops.yolo_box(x[:, :6], core.to_tensor([[4, 4]]), [10, 13], 2, 0.1, 8)
    with pytest.raises(OperatorError, match="anchors hold a width and a height each"):
        ops.yolo_box(x, core.to_tensor([[4, 4]]), [10], 2, 0.1, 8)
    with pytest.raises(OperatorError, match=r"yolo_loss: expects x \(N, 7, H, W\) and gt_box \(N, objects, 4\)"):
        ops.yolo_loss(x, boxes[0], labels, [10, 13], [0], 2, 0.5, 8)
    with pytest.raises(OperatorError, match=r"gt_label has the shape \[1, 1\], but got \[1\]"):
        ops.yolo_loss(x, boxes, labels[0], [10, 13], [0], 2, 0.5, 8)
    with pytest.raises(OperatorError, match=r"anchor_mask \[1\] names anchors beyond the 1 given"):
        ops.yolo_loss(x, boxes, labels, [10, 13], [1], 2, 0.5, 8)
