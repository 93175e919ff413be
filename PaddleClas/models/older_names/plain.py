"""Names of the other families in Fluid 1.x: plain, dense, dual path and high resolution networks."""

from __future__ import annotations

from PaddleClas.models.older_names.rules import FluidNames, shifted


def alexnet(model_name: str, family: str) -> FluidNames:
    """Return the names of AlexNet."""
    return FluidNames(((r"_(\w+)", r"\1"),))


def vgg(model_name: str, family: str) -> FluidNames:
    """Return the names of VGG."""
    return FluidNames(
        (
            (r"_conv_block_(\d)\._conv_(\d)", r"conv\1_\2"),
            (r"_fc(\d)", shifted("fc{}", 5)),
            (r"_out", "fc8"),
        )
    )


def darknet(model_name: str, family: str) -> FluidNames:
    """Return the names of DarkNet53: those of YOLOv3, whose backbone it is."""
    return FluidNames(
        (
            (r"_conv1", "yolo_input"),
            (r"_conv2", "yolo_input.downsample"),
            (r"_basic_block_(\d)(\d)\._conv(\d)", shifted("stage.{}.{}.{}", 0, -1, -1)),
            (r"_downsample_(\d)", r"stage.\1.downsample"),
        ),
        parameters=("{}.conv.weights", "{}.conv.bias"),
        norm="{}.bn".format,
        statistics=("{}.scale", "{}.offset", "{}.mean", "{}.var"),
        whole=((r"_out\.weight", "fc_weights"), (r"_out\.bias", "fc_offset")),
    )


def densenet(model_name: str, family: str) -> FluidNames:
    """Return the names of DenseNet."""
    return FluidNames(
        (
            (r"conv1_func", "conv1"),
            (r"db_conv_\d\.(conv\d_\d+)\.bn_ac_func(\d)", r"\1_x\2"),
            (r"tr_(conv\d_blk)\.conv_ac_func", r"\1"),
            (r"batch_norm", "conv5_blk"),
            (r"out", "fc"),
        )
    )


def dpn(model_name: str, family: str) -> FluidNames:
    """Return the names of DPN."""
    return FluidNames(
        (
            (r"conv1_x_1_func", "conv1"),
            (r"(dpn\d+)\.c1x1_w_func", r"\1_match"),
            (r"(dpn\d+)\.c1x1_a_func", r"\1_conv1"),
            (r"(dpn\d+)\.c3x3_b_func", r"\1_conv2"),
            (r"(dpn\d+)\.c1x1_c_func", r"\1_conv3"),
            (r"conv5_x_x_bn", "final_concat"),
            (r"out", "fc"),
        )
    )


def hrnet(model_name: str, family: str) -> FluidNames:
    """Return the names of HRNet, with and without squeeze and excitation."""
    return FluidNames(
        (
            (r"conv_(layer1_\d)", r"\1"),
            (r"(?:la1\.bb|tr\d\.transition|st\d\.\w+\.fuse_func\.residual)_(\w+)", r"\1"),
            (r"(?:la1|st\d\.\w+\.branches_func)\.bb_(\w+)\.conv_down", r"\1_downsample"),
            (r"(?:la1|st\d\.\w+\.branches_func)\.bb_(\w+)\.(conv\d)", r"\1_\2"),
            (r"(?:la1|st\d\.\w+\.branches_func)\.bb_(\w+)\.se\.squeeze", r"fc\1_sqz"),
            (r"(?:la1|st\d\.\w+\.branches_func)\.bb_(\w+)\.se\.excitation", r"fc\1_exc"),
            (r"last_cls\.conv_cls_head_(conv_\d)\.conv_down", r"cls_head\1_downsample"),
            (r"last_cls\.conv_cls_head_(conv_\d)\.(conv\d)", r"cls_head\1_\2"),
            (r"last_cls\.conv_cls_head_(conv_\d)\.se\.squeeze", r"fccls_head\1_sqz"),
            (r"last_cls\.conv_cls_head_(conv_\d)\.se\.excitation", r"fccls_head\1_exc"),
            (r"(cls_head_add\d)", r"\1"),
            (r"conv_last", "cls_head_last_conv"),
            (r"out", "fc"),
        )
    )
