"""Weights of Fluid 1.x: what the detectors' parameters were called in PaddleDetection 0.x, and what differs in them.

In 1.x a parameter had one name in the whole program (``res2a_branch2a_weights``, ``yolo_block.0.tip.conv.weights``),
background was the first class of two-stage detectors and SSD, and anchors of several sizes came ratio by ratio. The
tables are derived from the names that PaddleDetection 1.x gives its parameters; SSD's predictors have none there but
``conv2d_22.w_0`` and so on, in the order in which they are built, and in PaddlePaddle's older collection of models all
of SSD's layers are called so.

The names of MobileNetV3, VGG16 and SENet are those of the classifiers, by which 1.x filled its backbones. Left out, as
their names in 1.x are not surely known: SSD's further blocks on these, group normalisation.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from PaddleClas.models.older_names.rules import FluidNames, shifted

EPSILON = 1e-5
"""Of the batch normalisations."""

RETINA_RATIOS = (1.0, 2.0, 0.5)
"""Order of the anchors' ratios of RetinaNet's in 1.x; now they rise."""

_STAGE = r"(?:backbone|bbox_head\.head)\.res\d\.(res\w+)\."
_RESNET = FluidNames(
    (
        (r"backbone\.conv1\.conv1(?:\.norm)?", "conv1"),
        (r"backbone\.conv1\.(conv1_\d)(?:\.norm)?", r"\1"),
        (_STAGE + r"(branch2\w)(?:\.norm)?", r"\1_\2"),
        (_STAGE + r"short(?:\.conv)?(?:\.norm)?", r"\1_branch1"),
    ),
    norm=lambda base: "bn_conv1" if base == "conv1" else f"bn{base[3:]}",
    whole=(
        (_STAGE + r"branch2b\.conv_offset\.weight", r"\1_branch2b_conv_offset.w_0"),
        (_STAGE + r"branch2b\.conv_offset\.bias", r"\1_branch2b_conv_offset.b_0"),
    ),
)


def _block(match: re.Match[str]) -> str:
    """Return what SENet's blocks are called: by the stage, from 4 on, and the block, from 1 on."""
    letter, number = match[2][0], match[2][1:]
    return f"{int(match[1]) + 2}_{int(number) + 1 if number else ord(letter) - ord('a') + 1}"


_SENET = FluidNames(
    (
        (r"backbone\.conv1\.(conv1_\d)(?:\.norm)?", r"\1"),
        (
            r"backbone\.res\d\.res(\d)(\w+)\.branch2(\w)(?:\.norm)?",
            lambda match: f"conv{_block(match)}_x{ord(match[3]) - ord('a') + 1}",
        ),
        (r"backbone\.res\d\.res(\d)(\w+)\.short(?:\.conv)?(?:\.norm)?", lambda match: f"conv{_block(match)}_prj"),
        (r"backbone\.res\d\.res(\d)(\w+)\.se\.squeeze", lambda match: f"fc{_block(match)}_sqz"),
        (r"backbone\.res\d\.res(\d)(\w+)\.se\.extract", lambda match: f"fc{_block(match)}_exc"),
    )
)
_MOBILENET_V3 = FluidNames(
    (
        (r"backbone\.conv1", "conv1"),
        (r"backbone\.(conv\d+)\.(expand|linear)_conv", r"\1_\2"),
        (r"backbone\.(conv\d+)\.bottleneck_conv", r"\1_depthwise"),
        (r"backbone\.(conv\d+)\.mid_se\.conv(\d)", r"\1_se_\2"),
    )
)
_VGG = FluidNames(
    (
        (r"backbone\.conv_block_(\d)\.conv(\d)", shifted("conv{}_{}", 1, 1)),
        (r"backbone\.(fc\d)", r"\1"),
    ),
    parameters=("{}_weights", "{}_biases"),
)
_MOBILENET_V1 = FluidNames(
    (
        (r"backbone\.conv1", "conv1"),
        (r"backbone\.(conv\w+)\._depthwise_conv", r"\1_dw"),
        (r"backbone\.(conv\w+)\._pointwise_conv", r"\1_sep"),
        (r"backbone\.(conv7_\d)\.pointwise_conv", r"\1_extra1"),
        (r"backbone\.(conv7_\d)\.normal_conv", r"\1_extra2"),
    )
)
_YOLO = FluidNames(
    (
        (r"backbone\.conv0", "yolo_input"),
        (r"backbone\.downsample0\.conv_bn_layer", "yolo_input.downsample"),
        (r"backbone\.stage\.(\d)\.basicblock0\.conv(\d)", shifted("stage.{}.0.{}", 0, -1)),
        (r"backbone\.stage\.\d\.stage\.(\d)\.(\d+)\.conv(\d)", shifted("stage.{}.{}.{}", 0, 0, -1)),
        (r"backbone\.stage\.(\d)\.downsample\.conv_bn_layer", r"stage.\1.downsample"),
        (
            r"neck\.(yolo_block\.\d)\.conv_module\.conv(\d)",
            lambda match: f"{match[1]}.{int(match[2]) // 2}.{int(match[2]) % 2}",
        ),
        (r"neck\.(yolo_block\.\d)\.conv_module\.route", r"\1.2"),
        (r"neck\.(yolo_block\.\d\.tip)", r"\1"),
        (r"neck\.(yolo_transition\.\d)", r"\1"),
        (r"yolo_head\.(yolo_output\.\d)", r"\1"),
    ),
    parameters=("{}.conv.weights", "{}.conv.bias"),
    norm="{}.bn".format,
    statistics=("{}.scale", "{}.offset", "{}.mean", "{}.var"),
)


def _named_by_w_and_b(levels: bool) -> FluidNames:
    """Return the names of pyramids, region proposals and heads.

    Args:
        levels: whether there are several levels, the second of which names what all share.
    """
    level = "_fpn2" if levels else ""
    return FluidNames(
        (
            (r"neck\.(fpn_\w+)", r"\1"),
            (r"neck\.(nonlocal_bsf)\.(\w+)", r"\1_\2"),
            (r"backbone\.res\d\.(nonlocal_\w+)\.(\w+)", r"\1_\2"),
            (r"rpn_head\.rpn_feat\.rpn_conv", f"conv_rpn{level}"),
            (r"rpn_head\.rpn_rois_score", f"rpn_cls_logits{level}"),
            (r"rpn_head\.rpn_rois_delta", f"rpn_bbox_pred{level}"),
            (r"bbox_head\.head\.(fc\d)", r"\1"),
            (r"bbox_head\.bbox_score", "cls_score"),
            (r"bbox_head\.bbox_delta", "bbox_pred"),
            (r"bbox_head\.head\.(\d)\.(fc\d)", lambda match: f"{match[2]}{_step(match[1])}"),
            (r"bbox_head\.bbox_score_stage(\d)", lambda match: f"cls_score{_step(match[1])}"),
            (r"bbox_head\.bbox_delta_stage(\d)", lambda match: f"bbox_pred{_step(match[1])}"),
            (r"mask_head\.(?:head\.upsample\.)?(\w+)", r"\1"),
            (r"head\.conv_feat\.fcos_head_cls_tower_conv_(\d)", r"retnet_cls_conv_n\1_fpn3"),
            (r"head\.conv_feat\.fcos_head_reg_tower_conv_(\d)", r"retnet_bbox_conv_n\1_fpn3"),
            (r"head\.retina_cls", "retnet_cls_pred_fpn3"),
            (r"head\.retina_reg", "retnet_bbox_pred_fpn3"),
        ),
        parameters=("{}_w", "{}_b"),
    )


_SSD = re.compile(r"ssd_head\.(boxes|scores)(\d)\.(weight|bias)")
_UNNAMED = re.compile(r"conv2d_(\d+)\.([wb])_0")
_OF_TRAINING = re.compile(r"@.*@|learning_rate(_\d+)?|.+_(velocity|moment[12]?|beta[12]_pow_acc|mean_square)_\d+")
_FIRST_OF_SSD = 22
"""Number of the convolutions without a name before the predictors of SSD on MobileNetV1."""

_logger = logging.getLogger(__name__)


def _step(number: str) -> str:
    """Return what follows the names of a step of a cascade, which is counted from 0."""
    return f"_{int(number) + 1}" if int(number) else ""


def fluid_names(names: Sequence[str]) -> dict[str, str]:
    """Return name in Fluid 1.x to name today, of the parameters that had one.

    Args:
        names: the names of a detector's parameters and buffers today.
    """
    levels = any(name.startswith("neck.") for name in names)
    found: dict[str, str] = {}
    residual = _SENET if any(".se." in name for name in names) else _RESNET
    for rules in (residual, _MOBILENET_V3, _MOBILENET_V1, _VGG, _YOLO, _named_by_w_and_b(levels)):
        for today, older in rules.table([name for name in names if name not in found.values()]).items():
            found.setdefault(older, today)
    predictors = [name for name in names if _SSD.fullmatch(name)]
    return {**found, **_predictors(predictors, range(_FIRST_OF_SSD, _FIRST_OF_SSD + len(predictors) // 2))}


def _in_building_order(names: Sequence[str]) -> dict[str, str]:
    """Return the names of SSD on MobileNetV1 where no layer was given one."""
    found = {}
    counts = {"conv2d": 0, "depthwise_conv2d": 0, "batch_norm": 0}
    kinds = {"weight": "w_0", "bias": "b_0", "_mean": "w_1", "_variance": "w_2"}
    for name in names:
        layer, _, what = name.rpartition(".")
        if layer.endswith("._conv"):
            kind = "depthwise_conv2d" if "._depthwise_conv." in name else "conv2d"
            found[f"{kind}_{counts[kind]}.w_0"] = name
            counts[kind] += 1
        elif layer.endswith("._batch_norm"):
            found[f"batch_norm_{counts['batch_norm']}.{kinds[what]}"] = name
            counts["batch_norm"] += what == "_variance"
    return found


def _predictors(names: Sequence[str], numbers: Sequence[int]) -> dict[str, str]:
    """Return the names of SSD's predictors: of each level that of boxes, then that of scores."""
    found = {}
    for name in names:
        kind, level, what = re.fullmatch(_SSD, name).groups()  # type: ignore[union-attr]  # SSD's names match
        place = 2 * int(level) + (kind == "scores")
        if place < len(numbers):
            found[f"conv2d_{numbers[place]}.{what[0]}_0"] = name
    return found


def renamed(shapes: Mapping[str, Sequence[int]], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a weight file of any age under today's names, and in today's order of classes and anchors.

    Args:
        shapes: name to shape of the detector's parameters and buffers today.
        values: name in the file to array.

    Returns:
        The entries; those of a file that is not of Fluid 1.x as they are.
    """
    table = fluid_names(list(shapes))
    if "batch_norm_0.w_1" in values:
        table.update(_in_building_order(list(shapes)))
    if "cls_score_1_w" in values:  # a cascade in which each class has a box
        for layer in ("fc6", "fc7", "cls_score", "bbox_pred"):
            table.update({f"{layer}_1_{end}": table.pop(f"{layer}_{end}") for end in "wb" if f"{layer}_{end}" in table})
    fitting = len(table.keys() & values.keys())
    if fitting <= len(shapes.keys() & values.keys()):
        return dict(values)
    predictors = [name for name in shapes if _SSD.fullmatch(name)]
    if predictors:  # the last ones without a name, whatever their numbers
        numbers = sorted({int(match[1]) for match in map(_UNNAMED.fullmatch, values) if match})
        table.update(_predictors(predictors, numbers[-len(predictors) // 2 :]))
    kept = {name: value for name, value in values.items() if not _OF_TRAINING.fullmatch(name)}
    result = {table.get(name, name): value for name, value in kept.items()}
    for name, value in list(result.items()):
        if name in shapes:
            result[name] = _converted(name, np.asarray(value), shapes)
    filled = [name for name in shapes if name.endswith("._mean") and name not in result and _scale(name) in result]
    for mean in filled:  # a frozen norm of 1.x is a scale and an offset
        count = tuple(result[_scale(mean)].shape)
        result[mean] = np.zeros(count, np.float32)
        result[mean.replace("._mean", "._variance")] = np.full(count, 1 - EPSILON, np.float32)
    text = f"; {len(filled)} normalisations are scales and offsets alone" if filled else ""
    _logger.info("%d of %d entries of the file have names of Fluid 1.x%s", fitting, len(values), text)
    return result


def _scale(mean: str) -> str:
    return mean.replace("._mean", ".weight")


def _converted(name: str, value: np.ndarray, shapes: Mapping[str, Sequence[int]]) -> np.ndarray:
    """Return a parameter with background as the last class, or without it, and its anchors in today's order."""
    layer = name.rpartition(".")[0]
    if re.fullmatch(r"bbox_head\.bbox_score(_stage\d)?", layer):
        return np.roll(value, -1, axis=-1)
    if re.fullmatch(r"bbox_head\.bbox_delta(_stage\d)?", layer):  # of a cascade: background and objects
        return value[..., 4:]
    if layer == "mask_head.mask_fcn_logits":
        return value[1:]
    match = _SSD.fullmatch(name)
    if match and match[1] == "scores":
        priors = shapes[f"ssd_head.boxes{match[2]}.bias"][0] // 4
        if value.shape[0] % priors:
            return value
        return np.roll(value.reshape(priors, -1, *value.shape[1:]), -1, axis=1).reshape(value.shape)
    if layer in ("head.retina_cls", "head.retina_reg"):
        return _by_size(value, shapes["head.retina_reg.bias"][0] // 4, RETINA_RATIOS)
    if layer in ("rpn_head.rpn_rois_score", "rpn_head.rpn_rois_delta"):
        anchors = shapes["rpn_head.rpn_rois_score.bias"][0]
        return _by_size(value, anchors, (0.5, 1.0, 2.0)) if anchors > 3 else value
    return value


def _by_size(value: np.ndarray, anchors: int, ratios: Sequence[float]) -> np.ndarray:
    """Return a predictor whose anchors come ratio by ratio in the order of sizes, the ratios of each rising."""
    if value.shape[0] % anchors or anchors % len(ratios):
        return value
    parts = value.reshape(len(ratios), anchors // len(ratios), value.shape[0] // anchors, *value.shape[1:])
    return np.ascontiguousarray(parts[np.argsort(ratios)].swapaxes(0, 1)).reshape(value.shape)
