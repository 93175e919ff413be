"""Models from the official toolkits' own, unmodified files: how each is built and what it is given.

Everything here imports ``paddle``, and works alike where that is the real one and where it is core.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, NamedTuple

import numpy as np
from recipe import uniform

IMAGES = ("uniform", (2, 3, 64, 64))
LARGE_IMAGES = ("uniform", (1, 3, 224, 224))


class Case(NamedTuple):
    """A model, its inputs, and how it is called."""

    toolkit: str
    build: Callable[[], Any]
    inputs: tuple[Any, ...] = (IMAGES,)
    call: Callable[..., Any] = lambda model, *inputs: model(*inputs)
    light: bool = False  # whether it is small enough for every run of the tests
    compiles: bool = True  # whether ``to_static`` can make one program of it

    def arrays(self) -> list[np.ndarray]:
        """Return the inputs: ``("uniform", shape)``, ``("below", bound, shape)``, or an array as it is."""
        made = []
        for number, item in enumerate(self.inputs):
            if isinstance(item, np.ndarray):
                made.append(item)
            elif item[0] == "uniform":
                made.append(uniform(f"input {number}", item[1], -2.0, 2.0))
            else:
                made.append((uniform(f"input {number}", item[2], 0.0, 1.0) * item[1]).astype(np.int64))
        return made


def made(module: str, name: str, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    """Return a function that imports a module and calls something in it."""
    return lambda: getattr(importlib.import_module(module), name)(*args, **kwargs)


# --- PaddleClas: ppcls.arch.backbone ----------------------------------------------------------------------------------
BACKBONE = "ppcls.arch.backbone"


def _classifier(module: str, name: str, inputs: Any = IMAGES, light: bool = False, **kwargs: Any) -> Case:
    return Case("paddleclas", made(f"{BACKBONE}.{module}", name, class_num=20, **kwargs), (inputs,), light=light)


CLASSIFIERS = {
    "ResNet50_vd": _classifier("legendary_models.resnet", "ResNet50_vd"),
    "MobileNetV1_x0_25": _classifier("legendary_models.mobilenet_v1", "MobileNetV1_x0_25", light=True),
    "MobileNetV3_small_x0_35": _classifier("legendary_models.mobilenet_v3", "MobileNetV3_small_x0_35", light=True),
    "VGG11": _classifier("legendary_models.vgg", "VGG11", LARGE_IMAGES),
    "InceptionV3": _classifier("legendary_models.inception_v3", "InceptionV3", ("uniform", (1, 3, 160, 160))),
    "HRNet_W18_C": _classifier("legendary_models.hrnet", "HRNet_W18_C"),
    "PPLCNet_x0_25": _classifier("legendary_models.pp_lcnet", "PPLCNet_x0_25", light=True),
    "PPHGNet_tiny": _classifier("legendary_models.pp_hgnet", "PPHGNet_tiny"),
    "SwinTransformer_tiny": _classifier(
        "legendary_models.swin_transformer", "SwinTransformer_tiny_patch4_window7_224", LARGE_IMAGES
    ),
    "AlexNet": _classifier("model_zoo.alexnet", "AlexNet", LARGE_IMAGES),
    "SqueezeNet1_1": _classifier("model_zoo.squeezenet", "SqueezeNet1_1", light=True),
    "DenseNet121": _classifier("model_zoo.densenet", "DenseNet121"),
    "ResNeXt50_32x4d": _classifier("model_zoo.resnext", "ResNeXt50_32x4d"),
    "SE_ResNet18_vd": _classifier("model_zoo.se_resnet_vd", "SE_ResNet18_vd"),
    "Res2Net50_26w_4s": _classifier("model_zoo.res2net", "Res2Net50_26w_4s"),
    "ShuffleNetV2_x0_25": _classifier("model_zoo.shufflenet_v2", "ShuffleNetV2_x0_25", light=True),
    "GhostNet_x0_5": _classifier("model_zoo.ghostnet", "GhostNet_x0_5"),
    "EfficientNetB0_small": _classifier("model_zoo.efficientnet", "EfficientNetB0_small"),
    "RepVGG_A0": _classifier("model_zoo.repvgg", "RepVGG_A0"),
    "RegNetX_200MF": _classifier("model_zoo.regnet", "RegNetX_200MF"),
    "DLA34": _classifier("model_zoo.dla", "DLA34"),
    "ReXNet_1_0": _classifier("model_zoo.rexnet", "ReXNet_1_0"),
    "DeiT_tiny_patch16_224": _classifier(
        "model_zoo.distilled_vision_transformer", "DeiT_tiny_patch16_224", LARGE_IMAGES
    ),
    "LeViT_128S": _classifier("model_zoo.levit", "LeViT_128S", LARGE_IMAGES),
    "ConvNeXt_tiny": _classifier("model_zoo.convnext", "ConvNeXt_tiny"),
    "PVT_V2_B0": _classifier("model_zoo.pvt_v2", "PVT_V2_B0"),
    "MobileViT_XXS": _classifier("model_zoo.mobilevit", "MobileViT_XXS"),
}

# --- Paddle's own paddle.vision.models --------------------------------------------------------------------------------
VISION = {
    f"vision_{name}": Case(
        "paddlepaddle", made(f"paddle.vision.models.{module}", name, num_classes=20, **kwargs), (inputs,)
    )
    for module, name, inputs, kwargs in (
        ("lenet", "LeNet", ("uniform", (2, 1, 28, 28)), {}),
        ("alexnet", "alexnet", LARGE_IMAGES, {}),
        ("vgg", "vgg11", LARGE_IMAGES, {}),
        ("resnet", "resnet18", IMAGES, {}),
        ("resnet", "resnext50_32x4d", IMAGES, {}),
        ("mobilenetv1", "mobilenet_v1", IMAGES, {"scale": 0.25}),
        ("mobilenetv2", "mobilenet_v2", IMAGES, {"scale": 0.25}),
        ("mobilenetv3", "mobilenet_v3_small", IMAGES, {"scale": 0.5}),
        ("densenet", "densenet121", IMAGES, {}),
        ("squeezenet", "squeezenet1_1", IMAGES, {}),
        ("shufflenetv2", "shufflenet_v2_x0_25", IMAGES, {}),
        ("googlenet", "googlenet", LARGE_IMAGES, {}),
        ("inceptionv3", "inception_v3", ("uniform", (1, 3, 160, 160)), {}),
    )
}


# --- PaddleDetection: ppdet.modeling ----------------------------------------------------------------------------------
def _chained(*parts: Any) -> Any:
    """Return a network of a backbone and what follows it, as the official architectures chain them."""
    import paddle

    class Chain(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.parts = paddle.nn.LayerList(parts)

        def forward(self, images: Any) -> Any:
            found = {"image": images}
            for part in self.parts:
                found = part(found)
            return found

    return Chain()


def _yolov3() -> Any:
    darknet = importlib.import_module("ppdet.modeling.backbones.darknet")
    necks = importlib.import_module("ppdet.modeling.necks.yolo_fpn")
    heads = importlib.import_module("ppdet.modeling.heads.yolo_head")
    return _chained(
        darknet.DarkNet(depth=53, norm_type="bn", norm_decay=0.0),
        necks.YOLOv3FPN(in_channels=[256, 512, 1024], norm_type="bn"),
        heads.YOLOv3Head(num_classes=20, loss=None),
    )


def _fpn() -> Any:
    resnet = importlib.import_module("ppdet.modeling.backbones.resnet")
    necks = importlib.import_module("ppdet.modeling.necks.fpn")
    return _chained(
        resnet.ResNet(depth=18, norm_type="bn", freeze_at=-1, return_idx=[0, 1, 2, 3]),
        necks.FPN([64, 128, 256, 512], 64, spatial_scales=[0.25, 0.125, 0.0625, 0.03125]),
    )


def _ppyoloe() -> Any:
    backbones = importlib.import_module("ppdet.modeling.backbones.cspresnet")
    necks = importlib.import_module("ppdet.modeling.necks.custom_pan")
    heads = importlib.import_module("ppdet.modeling.heads.ppyoloe_head")
    small = {"width_mult": 0.25, "depth_mult": 0.33, "act": "swish"}
    return _chained(
        backbones.CSPResNet(use_large_stem=True, use_alpha=True, **small),
        necks.CustomCSPPAN(in_channels=[64, 128, 256], out_channels=[768, 384, 192], spp=True, **small),
        heads.PPYOLOEHead(in_channels=[192, 96, 48], num_classes=20, nms=None, exclude_nms=True),
    )


def _roi_align() -> Any:
    return importlib.import_module("ppdet.modeling.heads.roi_extractor").RoIAlign(
        resolution=5, spatial_scale=[0.25, 0.125, 0.0625, 0.03125], aligned=True
    )


def _on_regions(model: Any, *features: Any) -> Any:
    import paddle

    corners = uniform("corners", (8, 2), 0.0, 60.0)
    sizes = uniform("sizes", (8, 2), 4.0, 60.0) * np.array([[1], [4], [16], [2], [1], [8], [3], [5]], "float32")
    regions = paddle.to_tensor(np.concatenate([corners, corners + sizes], axis=1))
    return model(features, [regions], paddle.to_tensor(np.array([3, 5], "int32")))


DETECTORS = {
    "PPYOLOE": Case("paddledet", _ppyoloe, (("uniform", (1, 3, 96, 96)),)),
    "RoIAlign": Case(
        "paddledet",
        _roi_align,
        tuple(("uniform", (2, 6, extent, extent)) for extent in (64, 32, 16, 8)),
        _on_regions,
        light=True,
        compiles=False,  # how many regions each level gets depends on the boxes
    ),
    "YOLOv3_DarkNet53": Case("paddledet", _yolov3, (("uniform", (1, 3, 96, 96)),)),
    "ResNet18_FPN": Case("paddledet", _fpn, light=True),
}

# --- PaddleGAN: ppgan.models ------------------------------------------------------------------------------------------
GENERATORS = "ppgan.models.generators"
GANS = {
    "ResnetGenerator": Case("ppgan", made(f"{GENERATORS}.resnet", "ResnetGenerator", 3, 3, ngf=8), light=True),
    "UnetGenerator": Case(
        "ppgan", made(f"{GENERATORS}.unet", "UnetGenerator", 3, 3, 6, ngf=8, norm_type="instance"), light=True
    ),
    "DeepConvGenerator": Case(
        "ppgan",
        made(f"{GENERATORS}.deep_conv", "DeepConvGenerator", latent_dim=16, output_nc=1, size=32, ngf=16),
        (("uniform", (2, 16)),),
    ),
    "NLayerDiscriminator": Case(
        "ppgan", made("ppgan.models.discriminators.nlayers", "NLayerDiscriminator", 3, ndf=8), light=True
    ),
}


# --- PaddleVideo: paddlevideo.modeling --------------------------------------------------------------------------------
def _tsm() -> Any:
    import paddle

    if not hasattr(paddle.device, "is_compiled_with_npu"):  # the file was written for an earlier Paddle
        paddle.device.is_compiled_with_npu = lambda: False
    importlib.import_module("paddlevideo.modeling.losses.cross_entropy_loss")  # the head looks it up by name
    backbones = importlib.import_module("paddlevideo.modeling.backbones.resnet_tsm")
    heads = importlib.import_module("paddlevideo.modeling.heads.tsm_head")

    class Recognizer(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.backbone = backbones.ResNetTSM(depth=50, num_seg=4)
            self.head = heads.TSMHead(num_classes=20, in_channels=2048)

        def forward(self, frames: Any) -> Any:
            return self.head(self.backbone(frames), 4)

    return Recognizer()


VIDEOS = {"TSM_ResNet50": Case("ppvideo", _tsm, (("uniform", (4, 3, 64, 64)),))}


# --- PGL: pgl.nn ------------------------------------------------------------------------------------------------------
NODES, EDGES = 30, 120


def _graph_network(layer: str, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    return made("pgl.nn.conv", layer, *args, **kwargs)


def _on_graph(model: Any, features: Any) -> Any:
    pgl = importlib.import_module("pgl")
    ends = (uniform("edges", (EDGES, 2), 0.0, 1.0) * NODES).astype(np.int64)
    graph = pgl.Graph(num_nodes=NODES, edges=ends)
    return model(graph.tensor(), features)


GRAPHS = {
    name: Case(
        "pgl",
        build,
        (("uniform", (NODES, 16)),),
        _on_graph,
        light=name == "GCNConv",
        compiles=name != "GATConv",  # it counts the edges of each node with paddle.unique
    )
    for name, build in {
        "GCNConv": _graph_network("GCNConv", 16, 8, activation="relu"),
        "GATConv": _graph_network("GATConv", 16, 8, feat_drop=0.0, attn_drop=0.0, num_heads=2),
        "GraphSageConv": _graph_network("GraphSageConv", 16, 8, aggr_func="mean"),
        "GINConv": _graph_network("GINConv", 16, 8, activation="relu"),
        "APPNP": _graph_network("APPNP", alpha=0.2, k_hop=3),
    }.items()
}


# --- PaddleNLP: paddlenlp.transformers --------------------------------------------------------------------------------
def _ernie(name: str) -> Callable[[], Any]:
    def build() -> Any:
        configuration = importlib.import_module("paddlenlp.transformers.ernie.configuration")
        modeling = importlib.import_module("paddlenlp.transformers.ernie.modeling")
        config = configuration.ErnieConfig(
            vocab_size=200,
            hidden_size=32,
            num_hidden_layers=3,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=64,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            num_labels=5,
        )
        return getattr(modeling, name)(config)

    return build


TOKENS = ("below", 200, (2, 16))
SEGMENTS = ("below", 2, (2, 16))
LANGUAGE = {
    "ErnieModel": Case("paddlenlp", _ernie("ErnieModel"), (TOKENS, SEGMENTS), light=True),
    "ErnieForSequenceClassification": Case(
        "paddlenlp", _ernie("ErnieForSequenceClassification"), (TOKENS, SEGMENTS), light=True
    ),
}

REFUSED = {
    "NLayerDiscriminator_spectral": Case(
        "ppgan",
        made("ppgan.models.discriminators.nlayers", "NLayerDiscriminator", 3, ndf=8, norm_type="spectral"),
        light=True,
    ),
}
"""What does not run, as it calls Paddle's C++ operators by name."""

CASES: dict[str, Case] = {**CLASSIFIERS, **VISION, **DETECTORS, **GANS, **VIDEOS, **GRAPHS, **LANGUAGE}
