"""Names of GoogLeNet, the Inception networks and the Xception networks in Fluid 1.x."""

from __future__ import annotations

from PaddleClas.models.older_names.rules import FluidNames

_INCEPTION_V4 = {
    "_inception_stem._conv_1": "conv1_3x3_s2",
    "_inception_stem._conv_2": "conv2_3x3_s1",
    "_inception_stem._conv_3": "conv3_3x3_s1",
    "_inception_stem._conv2": "inception_stem1_3x3_s2",
    "_inception_stem._conv1_1": "inception_stem2_3x3_reduce",
    "_inception_stem._conv1_2": "inception_stem2_3x3",
    "_inception_stem._conv2_1": "inception_stem2_1x7_reduce",
    "_inception_stem._conv2_2": "inception_stem2_1x7",
    "_inception_stem._conv2_3": "inception_stem2_7x1",
    "_inception_stem._conv2_4": "inception_stem2_3x3_2",
    "_inception_stem._conv3": "inception_stem3_3x3_s2",
    "_reductionA._conv2": "reduction_a_3x3",
    "_reductionA._conv3_1": "reduction_a_3x3_2_reduce",
    "_reductionA._conv3_2": "reduction_a_3x3_2",
    "_reductionA._conv3_3": "reduction_a_3x3_3",
    "_reductionB._conv2_1": "reduction_b_3x3_reduce",
    "_reductionB._conv2_2": "reduction_b_3x3",
    "_reductionB._conv3_1": "reduction_b_1x7_reduce",
    "_reductionB._conv3_2": "reduction_b_1x7",
    "_reductionB._conv3_3": "reduction_b_7x1",
    "_reductionB._conv3_4": "reduction_b_3x3_2",
    "out": "final_fc",
}
_INCEPTION_V4_BLOCKS = {
    "A": {
        **{"1": "1x1", "2": "1x1_2", "3_1": "3x3_reduce", "3_2": "3x3"},
        **{"4_1": "3x3_2_reduce", "4_2": "3x3_2", "4_3": "3x3_3"},
    },
    "B": {
        **{"1": "1x1", "2": "1x1_2", "3_1": "1x7_reduce", "3_2": "1x7", "3_3": "7x1"},
        **{"4_1": "7x1_2_reduce", "4_2": "1x7_2", "4_3": "7x1_2", "4_4": "1x7_3", "4_5": "7x1_3"},
    },
    "C": {
        **{"1": "1x1", "2": "1x1_2", "3_0": "1x1_3", "3_1": "1x3", "3_2": "3x1"},
        **{"4_0": "1x1_4", "4_00": "1x3_2", "4_000": "3x1_2", "4_1": "1x3_3", "4_2": "3x1_3"},
    },
}


def googlenet(model_name: str, family: str) -> FluidNames:
    """Return the names of GoogLeNet."""
    return FluidNames(
        (
            (r"_conv", "conv1"),
            (r"_conv_1", "conv2_1x1"),
            (r"_conv_2", "conv2_3x3"),
            (r"_(ince\w+)\._conv(\d)", r"inception_\1_\2x\2"),
            (r"_(ince\w+)\._conv(\d)r", r"inception_\1_\2x\2_reduce"),
            (r"_(ince\w+)\._convprj", r"inception_\1_3x3_proj"),
            (r"_fc_out", "out"),
            (r"_(conv_o\d|fc_o\d|out\d)", r"\1"),
        )
    )


def inception_v3(model_name: str, family: str) -> FluidNames:
    """Return the names of InceptionV3."""
    return FluidNames(
        (
            (r"inception_stem\.(\w+)", r"\1"),
            (r"i?nception_(\w)_(\d)\.branch_pool_conv", r"inception_\1_branch_pool_\2"),
            (r"i?nception_(\w)_(\d)\.(\w+)", r"inception_\1_\3_\2"),
            (r"out", "fc"),
        )
    )


def inception_v4(model_name: str, family: str) -> FluidNames:
    """Return the names of InceptionV4."""
    return FluidNames(
        (
            (
                r"_inception(\w)_(\d)\._conv(\w+)",
                lambda match: f"inception_{match[1].lower()}{match[2]}_{_INCEPTION_V4_BLOCKS[match[1]][match[3]]}",
            ),
            (r".+", lambda match: _INCEPTION_V4[match[0]]),
        )
    )


def xception(model_name: str, family: str) -> FluidNames:
    """Return the names of Xception."""
    kinds = {"pointwise": "sep", "depthwise": "dw"}
    return FluidNames(
        (
            (r"_(entry_flow)\._(conv\d)", r"\1_\2"),
            (r"_(entry|middle)_flow\._conv_(\d+)\._short", r"\1_flow_\2_branch1"),
            (
                r"_entry_flow\._conv_(\d+)\._conv(\d)\._(\w+)_conv",
                lambda match: f"entry_flow_{match[1]}_branch2{' ab'[int(match[2])]}_weights_{kinds[match[3]]}",
            ),
            (
                r"_middle_flow\._conv_(\d+)\._conv_(\d)\._(\w+)_conv",
                lambda match: f"middle_flow_{match[1]}_branch2{'abc'[int(match[2])]}_weights_{kinds[match[3]]}",
            ),
            (r"_exit_flow\._conv_0\._short", "exit_flow_1_branch1"),
            (
                r"_exit_flow\._conv_0\._conv_(\d)\._(\w+)_conv",
                lambda match: f"exit_flow_1_branch2{' ab'[int(match[1])]}_weights_{kinds[match[2]]}",
            ),
            (
                r"_exit_flow\._conv_(\d)\._(\w+)_conv",
                lambda match: f"exit_flow_{int(match[1]) + 1}_{kinds[match[2]]}",
            ),
            (r"_exit_flow\._out", "fc"),
        ),
        norm="bn_{}".format,
    )


def xception_deeplab(model_name: str, family: str) -> FluidNames:
    """Return the names of Xception_deeplab: paths, as in the TensorFlow models that they were converted from."""
    root = f"xception_{model_name[len('Xception') :].partition('_')[0]}"
    unit = r"\._conv(\d)\._(?:conv|bn)"
    exit_flow = rf"{root}/exit_flow/block\1"
    return FluidNames(
        (
            (r"_(conv\d)", rf"{root}/entry_flow/\1"),
            (rf"({root}/\w+/\w+){unit}1", r"\1/separable_conv\2/depthwise"),
            (rf"({root}/\w+/\w+){unit}2", r"\1/separable_conv\2/pointwise"),
            (rf"({root}/\w+/\w+)\._short", r"\1/shortcut"),
            (rf"_exit_flow_(\d){unit}1", rf"{exit_flow}/separable_conv\2/depthwise"),
            (rf"_exit_flow_(\d){unit}2", rf"{exit_flow}/separable_conv\2/pointwise"),
            (r"_exit_flow_(\d)\._short", rf"{exit_flow}/shortcut"),
        ),
        parameters=("{}/weights", "{}/biases"),
        norm="{}/BatchNorm".format,
        statistics=("{}/gamma", "{}/beta", "{}/moving_mean", "{}/moving_variance"),
        whole=((r"_fc\.weight", "fc_weights"), (r"_fc\.bias", "fc_bias")),
    )
