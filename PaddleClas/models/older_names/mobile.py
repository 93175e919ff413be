"""Names of the small networks in Fluid 1.x."""

from __future__ import annotations

from PaddleClas.models.older_names.rules import FluidNames, shifted


def mobilenet_v1(model_name: str, family: str) -> FluidNames:
    """Return the names of MobileNetV1."""
    return FluidNames(
        (
            (r"conv1", "conv1"),
            (r"(conv\w+)\._depthwise_conv", r"\1_dw"),
            (r"(conv\w+)\._pointwise_conv", r"\1_sep"),
            (r"out", "fc7"),
        )
    )


def mobilenet_v2(model_name: str, family: str) -> FluidNames:
    """Return the names of MobileNetV2."""
    return FluidNames(
        (
            (r"conv1", "conv1_1"),
            (r"(conv\d)\._first_block\._(expand|linear)_conv", r"\1_1_\2"),
            (r"(conv\d)\._first_block\._bottleneck_conv", r"\1_1_dwise"),
            (r"conv\d\.(conv\d_\d)\._(expand|linear)_conv", r"\1_\2"),
            (r"conv\d\.(conv\d_\d)\._bottleneck_conv", r"\1_dwise"),
            (r"conv9", "conv9"),
            (r"out", "fc10"),
        )
    )


def mobilenet_v3(model_name: str, family: str) -> FluidNames:
    """Return the names of MobileNetV3."""
    return FluidNames(
        (
            (r"conv1", "conv1"),
            (r"(conv\d+)\.(expand|linear)_conv", r"\1_\2"),
            (r"(conv\d+)\.bottleneck_conv", r"\1_depthwise"),
            (r"(conv\d+)\.mid_se\.conv(\d)", r"\1_se_\2"),
            (r"last_second_conv", "conv_last"),
            (r"last_conv", "last_1x1_conv"),
            (r"out", "fc"),
        )
    )


def shufflenet_v2(model_name: str, family: str) -> FluidNames:
    """Return the names of ShuffleNetV2."""
    branches = {"dw_1": 4, "linear_1": 5, "pw_2": 1, "dw_2": 2, "linear_2": 3, "pw": 1, "dw": 2, "linear": 3}
    return FluidNames(
        (
            (r"_conv1", "stage1_conv"),
            (r"(\d_\d+)\._conv_(\w+)", lambda match: f"stage_{match[1]}_conv{branches[match[2]]}"),
            (r"_last_conv", "conv5"),
            (r"_fc", "fc6"),
        )
    )


def ghostnet(model_name: str, family: str) -> FluidNames:
    """Return the names of GhostNet."""
    return FluidNames(
        (
            (r"(conv1|conv_last|fc_\d)", r"\1"),
            (r"(_ghostbottleneck_\d+)\.(ghost_module_\d)\.(\w+)", r"\1_\2_\3"),
            (r"(_ghostbottleneck_\d+)\.depthwise_conv", r"\1_depthwise_depthwise"),
            (r"(_ghostbottleneck_\d+)\.shortcut_depthwise", r"\1_shortcut_depthwise_depthwise"),
            (r"(_ghostbottleneck_\d+)\.shortcut_conv", r"\1_shortcut_conv"),
            (r"(_ghostbottleneck_\d+)\.se_block\.squeeze", r"\1_se_1"),
            (r"(_ghostbottleneck_\d+)\.se_block\.excitation", r"\1_se_2"),
        )
    )


def efficientnet(model_name: str, family: str) -> FluidNames:
    """Return the names of EfficientNet."""
    block = r"_ef\._?blocks?\.(\d+)\.\."
    return FluidNames(
        (
            (r"_ef\._conv_stem\._conv\._conv", "_conv_stem"),
            (r"_ef\._conv_stem\._conv", "_bn0"),
            (block + r"_ecn\._conv\._conv", r"_blocks.\1._expand_conv"),
            (block + r"_ecn\._conv", r"_blocks.\1._bn0"),
            (block + r"_dcn\._conv\._conv", r"_blocks.\1._depthwise_conv"),
            (block + r"_dcn\._conv", r"_blocks.\1._bn1"),
            (block + r"_pcn\._conv\._conv", r"_blocks.\1._project_conv"),
            (block + r"_pcn\._conv", r"_blocks.\1._bn2"),
            (block + r"_se\._conv1", r"_blocks.\1._se_reduce"),
            (block + r"_se\._conv2", r"_blocks.\1._se_expand"),
            (r"_conv\._conv", "_conv_head"),
            (r"_conv", "_bn1"),
            (r"_fc", "_fc"),
        ),
        norm=str,
    )


def squeezenet(model_name: str, family: str) -> FluidNames:
    """Return the names of SqueezeNet."""
    return FluidNames(
        (
            (r"_conv", "conv1"),
            (r"_conv9", "conv10"),
            (r"_conv(\d)(?:\._conv)?", shifted("fire{}_squeeze1x1", 1)),
            (r"_conv(\d)\._conv_path1", shifted("fire{}_expand1x1", 1)),
            (r"_conv(\d)\._conv_path2", shifted("fire{}_expand3x3", 1)),
        )
    )
