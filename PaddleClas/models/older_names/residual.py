"""Names of the residual networks in Fluid 1.x: blocks res2a, res2b …, and res4b1, res4b2 … in the deep ones."""

from __future__ import annotations

import re
from re import Match

from PaddleClas.models.older_names.rules import FluidNames, Replacement, Rules, shifted

_STAGES = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 12, 48, 3),
}


def _depth(model_name: str) -> int:
    match = re.search(r"(?:ResNet|ResNeXt|Res2Net)(\d+)", model_name)
    assert match is not None
    return int(match[1])


def position(model_name: str, block: int) -> tuple[int, int]:
    """Return the stage of a block, and its place in the stage."""
    stages = _STAGES[_depth(model_name)]
    stage = 0
    while block >= stages[stage]:
        block -= stages[stage]
        stage += 1
    return stage, block


def block_name(model_name: str, stage: int, block: int) -> str:
    """Return a block's name: ``res2a`` is the first of the first stage."""
    if _depth(model_name) > 50 and stage == 2:
        return f"res{stage + 2}" + ("a" if block == 0 else f"b{block}")
    return f"res{stage + 2}{chr(ord('a') + block)}"


def _norm(base: str) -> str:
    """res2a_branch1 -> bn2a_branch1, conv1_1 -> bnv1_1; the stem alone is written out."""
    return "bn_conv1" if base == "conv1" else "bn" + base[3:]


def resnet(model_name: str, family: str) -> FluidNames:
    """Return the names of ResNet, ResNet_vc and _vd, ResNeXt, SE_ResNet_vd and Res2Net."""

    def block(template: str) -> Replacement:
        def replacement(match: Match[str]) -> str:
            rest = ["abc"[int(text)] for text in match.groups()[2:]]
            return template.format(block_name(model_name, int(match[1]), int(match[2])), *rest)

        return replacement

    head = {"resnext": "fc", "res2net": "fc", "se_resnet_vd": "fc6"}
    layers: Rules = (
        (r"conv|conv1", "res_conv1" if family == "resnext" else "conv1"),
        (r"(conv1_\d)", r"\1"),
        (r"bb_(\d)_(\d+)\.conv(\d)", block("{}_branch2{}")),
        (r"bb_(\d)_(\d+)\.short", block("{}_branch1")),
        (r"bb_\d_\d+\.(res\w+)", r"\1"),
        (r"bb_(\d)_(\d+)\.scale\.squeeze", block("fc_{}_sqz")),
        (r"bb_(\d)_(\d+)\.scale\.excitation", block("fc_{}_exc")),
        (r"out", head.get(family, "")),
    )
    whole: Rules = () if family in head else ((r"out\.weight", "fc_0.w_0"), (r"out\.bias", "fc_0.b_0"))
    return FluidNames(layers, norm=_norm, whole=whole)


def se_resnext(model_name: str, family: str) -> FluidNames:
    """Return the names of SE_ResNeXt and SENet154."""
    first = 4 if model_name == "SENet154_vd" else 2
    return FluidNames(
        (
            (r"conv", "conv1"),
            (r"(conv1_\d)", r"\1"),
            (r"bb_(\d)_(\d+)\.conv(\d)", shifted("conv{}_{}_x{}", first, 1, 1)),
            (r"bb_(\d)_(\d+)\.short", shifted("conv{}_{}_prj", first, 1)),
            (r"bb_(\d)_(\d+)\.scale\.squeeze", shifted("fc{}_{}_sqz", first, 1)),
            (r"bb_(\d)_(\d+)\.scale\.excitation", shifted("fc{}_{}_exc", first, 1)),
            (r"out", "fc6"),
        )
    )


def wsl(model_name: str, family: str) -> FluidNames:
    """Return the names of ResNeXt101_wsl: those of the PyTorch models that they were converted from."""
    return FluidNames(
        (
            (r"_conv_stem", "conv1"),
            (r"_conv(\d)_(\d+)\._conv(\d)", shifted("layer{}.{}.conv{}", 0, 0, 1)),
            (r"_conv(\d)_(\d+)\._short(?:\._conv)?", r"layer\1.\2.downsample.0"),
            (r"_out", "fc"),
        ),
        parameters=("{}.weight", "{}.bias"),
        norm=lambda base: base.replace("downsample.0", "downsample.1").replace("conv", "bn"),
        statistics=("{}.weight", "{}.bias", "{}.running_mean", "{}.running_var"),
    )


def regnet(model_name: str, family: str) -> FluidNames:
    """Return the names of RegNetX."""
    return FluidNames(
        (
            (r"conv", "stem_conv"),
            (r"(s\d_b\d+)\.conv(\d)", lambda match: f"{match[1]}_branch2{'abc'[int(match[2])]}"),
            (r"(s\d_b\d+)\.short", r"\1_branch1"),
        ),
        parameters=("{}.conv2d.output.1.w_0", "{}.conv2d.output.1.b_0"),
        statistics=("{}.output.1.w_0", "{}.output.1.b_0", "{}_mean", "{}_variance"),
        whole=((r"out\.weight", "fc_0.w_0"), (r"out\.bias", "fc_0.b_0")),
    )


def resnest(model_name: str, family: str) -> FluidNames:
    """Return the names of ResNeSt; its last convolutions of attention had no bias."""
    return FluidNames(
        (
            (r"stem\.(conv\d)", r"\1"),
            (r"layer\d\.(\w+)\.(conv[13])", r"\1_\2"),
            (r"layer\d\.(\w+)\.conv2\.conv([12])", r"\1_splat_\2_weights"),
            (r"layer\d\.(\w+)", r"\1_shortcut"),
        ),
        parameters=("{}_weight", "{}_offset"),
        norm=str,
        whole=(
            (r"layer\d\.(\w+)\.conv2\.conv3\.weight", r"\1_splat_weights"),
            (r"layer\d\.(\w+)\.conv4\.weight", r"\1_weights"),
            (r"out\.weight", "fc_weights"),
            (r"out\.bias", "fc_offset"),
        ),
    )
