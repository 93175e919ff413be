"""Recognisers and other networks for videos: ``paddlevideo.modeling`` of ppvideo."""

from __future__ import annotations

import importlib
from typing import Any, Callable

from cases.case import Case, Training

MODELING = "paddlevideo.modeling"
FRAMES = (1, 4, 3, 64, 64)  # batch, time, channels, height, width


def _importable() -> None:
    import paddle

    if not hasattr(paddle.device, "is_compiled_with_npu"):  # the package was written for an earlier Paddle
        paddle.device.is_compiled_with_npu = lambda: False
    importlib.import_module(MODELING)


def _part(module: str, name: str, **kwargs: Any) -> Callable[[], Any]:
    """Return a function that builds a backbone or a head."""

    def build() -> Any:
        _importable()
        return getattr(importlib.import_module(f"{MODELING}.{module}"), name)(**kwargs)

    return build


class _Settings(dict):
    __getattr__ = dict.__getitem__


def _recogniser(framework: str, backbone: str, head: str, **kwargs: Any) -> Callable[[], Any]:
    """Return a function that builds a recogniser as the configurations do.

    Args:
        framework: class of the recogniser.
        backbone: name of the backbone.
        head: name of the head.
        **kwargs: the recogniser's arguments; ``of_backbone`` and ``of_head``, those of its parts.
    """
    settings = [
        {"name": backbone, **kwargs.pop("of_backbone", {})},
        {"name": head, **kwargs.pop("of_head", {"num_classes": 20})},
    ]

    def build() -> Any:
        _importable()
        configured = importlib.import_module("paddlevideo.utils.config").AttrDict
        make = getattr(importlib.import_module(f"{MODELING}.framework.recognizers"), framework)
        return make(backbone=configured(settings[0]), head=configured(settings[1]), **kwargs)

    return build


def _inferred(model: Any, *inputs: Any) -> Any:
    """Return what a recogniser answers; it reshapes its input in place, which a leaf does not allow."""
    return model([tensor * 1.0 for tensor in inputs], mode="infer")


def _recognised(build: Callable[[], Any], *shapes: tuple[int, ...]) -> Case:
    return Case("ppvideo", build, tuple(("uniform", shape) for shape in shapes), _inferred)


def _frames(backbone: str, head: str, of_backbone: dict[str, Any], **of_head: Any) -> Callable[[], Any]:
    return _recogniser("Recognizer2D", backbone, head, of_backbone=of_backbone, of_head={"num_classes": 20, **of_head})


def _skeletons(backbone: str, head: str, channels: int, people: int, **kwargs: Any) -> Case:
    build = _recogniser("RecognizerGCN", backbone, head, **kwargs)
    return _recognised(build, (1, channels, 16, 25, people))


def _transformer(backbone: str, head: str, size: int, **of_backbone: Any) -> Case:
    build = _recogniser(
        "RecognizerTransformer",
        backbone,
        head,
        of_backbone={"embed_dim": 48, **of_backbone},
        of_head={"num_classes": 20, "in_channels": 48},
        runtime_cfg=_Settings(test=_Settings(num_seg=4, avg_type="score")),
    )
    return _recognised(build, (1, 3, 4, size, size))


def _tsm() -> Any:
    import paddle

    class Recognizer(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.backbone = _part("backbones.resnet_tsm", "ResNetTSM", depth=50, num_seg=4)()
            self.head = _part("heads.tsm_head", "TSMHead", num_classes=20, in_channels=2048)()

        def forward(self, frames: Any) -> Any:
            return self.head(self.backbone(frames), 4)

    return Recognizer()


def _asrf() -> Any:
    import paddle

    sizes = {"num_features": 8, "num_classes": 5, "num_stages": 2, "num_layers": 3}
    return paddle.nn.Sequential(
        _part("backbones.asrf", "ASRF", in_channel=16, **sizes)(),
        _part("heads.asrf_head", "ASRFHead", num_stages_asb=2, num_stages_brb=2, **sizes)(),
    )


SMALL_VIT = {"img_size": 32, "patch_size": 8, "depth": 3, "num_heads": 4, "num_seg": 4}
RESNET = {"depth": 50, "num_seg": 4}
CASES = {
    "TSM_ResNet50": Case("ppvideo", _tsm, (("uniform", (4, 3, 64, 64)),)),
    "PPTSM": _recognised(_frames("ResNetTweaksTSM", "ppTSMHead", RESNET, in_channels=2048, num_seg=4), FRAMES),
    "PPTSM_MobileNetV3": Case(
        "ppvideo",
        _part("backbones.pptsm_mv3", "PPTSM_MobileNetV3_small_x1_0", num_seg=4),
        (("uniform", (4, 3, 64, 64)),),
    ),
    "TSN": _recognised(_frames("ResNet", "TSNHead", {"depth": 50}, in_channels=2048), (1, 2, 3, 64, 64)),
    "PPTSN": _recognised(_frames("ResNetTweaksTSN", "ppTSNHead", {"layers": 50}, in_channels=2048), (1, 3, 3, 64, 64)),
    "SlowFast": _recognised(
        _recogniser(
            "Recognizer3D",
            "ResNetSlowFast",
            "SlowFastHead",
            of_backbone={"alpha": 4, "beta": 8, "width_per_group": 16, "fusion_kernel_sz": 5},
            of_head={
                "num_classes": 20,
                "width_per_group": 16,
                "alpha": 4,
                "beta": 8,
                "num_frames": 8,
                "crop_size": 64,
                "dropout_rate": 0.5,
            },
        ),
        (1, 3, 2, 64, 64),
        (1, 3, 8, 64, 64),
    ),
    "TimeSformer": _transformer("VisionTransformer", "TimeSformerHead", 32, qkv_bias=True, **SMALL_VIT),
    "TokenShift": Case(
        "ppvideo",
        _part("backbones.toshift_vit", "TokenShiftVisionTransformer", embed_dim=48, **SMALL_VIT),
        (("uniform", (1, 3, 4, 32, 32)),),
    ),
    "SwinTransformer3D": _transformer(
        "SwinTransformer3D",
        "I3DHead",
        64,
        embed_dim=24,
        depths=[2, 2],
        num_heads=[2, 4],
        patch_size=(2, 4, 4),
        window_size=(8, 7, 7),
        patch_norm=True,
    ),
    "MoViNet": _recognised(
        _recogniser(
            "MoViNetRecognizerFrame",
            "MoViNet",
            "MoViNetHead",
            of_backbone={"model_type": "A0", "hidden_dim": 64, "num_classes": 20, "causal": False},
            of_head={},
        ),
        FRAMES,
    ),
    "BMN": Case(
        "ppvideo",
        _part(
            "backbones.bmn",
            "BMN",
            tscale=12,
            dscale=12,
            prop_boundary_ratio=0.5,
            num_sample=4,
            num_sample_perbin=3,
            feat_dim=32,
        ),
        (("uniform", (1, 32, 12)),),
    ),
    "STGCN": _skeletons("STGCN", "STGCNHead", 2, 1),
    "AGCN": _skeletons("AGCN", "STGCNHead", 2, 1),
    "CTRGCN": _skeletons(
        "CTRGCN", "CTRGCNHead", 3, 2, of_backbone={"base_channel": 16}, of_head={"num_classes": 20, "in_channels": 16}
    ),
    "TransNetV2": Case(
        "ppvideo",
        _part("backbones.transnetv2", "TransNetV2", F=4, L=3, S=2, D=32),
        (("uniform", (1, 6, 27, 48, 3)),),
        lambda model, frames: model(frames.abs() * 60.0),  # colours up to 120, of which it makes histograms
    ),
    "ASRF": Case("ppvideo", _asrf, (("uniform", (1, 16, 20)),)),
    "CFBI": Case("ppvideo", _part("backbones.cfbi", "CFBI"), (("uniform", (1, 3, 65, 65)),)),
}


def _momentum(parameters: Any) -> Any:
    import paddle

    return paddle.optimizer.Momentum(2e-4, momentum=0.9, parameters=parameters, weight_decay=1e-4)


TRAINED = {
    "TSM_trained": Training(
        "ppvideo",
        _frames("ResNetTSM", "TSMHead", RESNET, in_channels=2048, drop_ratio=0.0),
        lambda model, frames, labels: model([frames, labels], mode="train")["loss"],
        (("uniform", (4, 4, 3, 32, 32)), ("below", 20, (4, 1))),
        _momentum,
    )
}
