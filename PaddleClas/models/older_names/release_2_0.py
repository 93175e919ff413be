"""Names in releases 2.0 and 2.1: those of today, except in the six families that release 2.2 rewrote."""

from __future__ import annotations

from re import Match

from PaddleClas.models.older_names.residual import block_name, position
from PaddleClas.models.older_names.rules import Rules, shifted

_WRAPPED: Rules = ((r"\.conv\.(?=weight|bias)", "._conv."), (r"\.bn\.", "._batch_norm."))
_HEAD: Rules = ((r"^fc\.", "out."),)

_MOBILENET_V1_BLOCKS = (
    *("conv2_1", "conv2_2", "conv3_1", "conv3_2", "conv4_1", "conv4_2"),
    *("conv5_1", "conv5_2", "conv5_3", "conv5_4", "conv5_5", "conv5_6", "conv6"),
)
_INCEPTION_V3_BLOCKS = (  # the missing letter is the release's own slip
    *("inception_a_1", "inception_a_2", "inception_a_3", "nception_b_1"),
    *("inception_c_1", "inception_c_2", "inception_c_3", "inception_c_4"),
    *("inception_d_1", "inception_e_1", "inception_e_2"),
)

_MOBILENET_V1: Rules = (
    (r"^conv\.", "conv1."),
    (r"^blocks\.(\d+)\.(depthwise|pointwise)", lambda match: f"{_MOBILENET_V1_BLOCKS[int(match[1])]}._{match[2]}"),
    *_WRAPPED,
    *_HEAD,
)
_MOBILENET_V3: Rules = ((r"^conv\.", "conv1."), (r"^blocks\.(\d+)", shifted("conv{}", 2)), *_HEAD)
_VGG: Rules = (
    (r"^(conv_block_\d)\.conv(\d)", r"_\1._conv_\2"),
    (r"^fc([12])\.", r"_fc\1."),
    (r"^fc3\.", "_out."),
)
_INCEPTION_V3: Rules = (
    (r"^inception_block_list\.(\d+)", lambda match: _INCEPTION_V3_BLOCKS[int(match[1])]),
    (r"\.bn\.", ".batch_norm."),
    *_HEAD,
)


def _fusion(match: Match[str]) -> str:
    """Name a convolution between branches of HRNet: into which, from which, and which of the steps down it is."""
    stage, module, index = (int(text) for text in match.groups())
    steps = [
        f"{target}_{source}" if source > target else f"{target}_{source}_{step}"
        for target in range(1, stage + 1)
        for source in range(1, stage + 1)
        for step in range(1, max(target - source, 1) + 1 if source != target else 1)
    ]
    return f"st{stage}.stage_st{stage}_{module + 1}.fuse_func.residual_st{stage}_{module + 1}_layer_{steps[index]}"


_HRNET: Rules = (
    (r"^layer1\.(\d)", shifted("la1.bb_layer2_{}", 1)),
    (r"^conv_tr1_(\d)", r"tr1.transition_tr1_layer_\1"),
    (r"^conv_tr([23])", lambda match: f"tr{match[1]}.transition_tr{match[1]}_layer_{int(match[1]) + 1}"),
    (
        r"^st(\d)\.stage_func_list\.(\d)\.basic_block_list\.(\d)\.(\d)",
        shifted("st{0}.stage_st{0}_{1}.branches_func.bb_st{0}_{1}_branch_layer_{2}_{3}", 0, 1, 1, 1),
    ),
    (r"^st(\d)\.stage_func_list\.(\d)\.fuse_func\.residual_func_list\.(\d+)", _fusion),
    (r"^last_cls\.func_list\.(\d)", shifted("last_cls.conv_cls_head_conv_{}", 1)),
    (r"^cls_head_conv_list\.(\d)", shifted("cls_head_add{}", 1)),
    (r"\.se\.fc_", ".se."),
    *_WRAPPED,
    *_HEAD,
)


def _resnet(model_name: str) -> Rules:
    stem: Rules = ((r"^stem\.0\.", "conv."),)
    if model_name.endswith("_vd"):
        stem = ((r"^stem\.(\d)", shifted("conv1_{}", 1)),)
    return (
        *stem,
        (r"^blocks\.(\d+)", lambda match: "bb_{}_{}".format(*position(model_name, int(match[1])))),
        *_WRAPPED,
        *_HEAD,
    )


def rules(model_name: str, family: str) -> tuple[Rules, ...]:
    """Return from today's names to those of releases 2.0 and 2.1; a second set of rules where the two disagree."""
    if family == "resnet":
        first = _resnet(model_name)
        named = (*first, (r"^bb_(\d)_(\d+)", lambda match: block_name(model_name, int(match[1]), int(match[2]))))
        return (first,) if model_name.endswith("_vd") else (first, named)
    known = {
        "mobilenet_v1": _MOBILENET_V1,
        "mobilenet_v3": _MOBILENET_V3,
        "vgg": _VGG,
        "inception_v3": _INCEPTION_V3,
        "hrnet": _HRNET,
    }
    return (known.get(family, ()),)
