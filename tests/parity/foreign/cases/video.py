"""Recognisers: ``paddlevideo.modeling`` of ppvideo."""

from __future__ import annotations

import importlib
from typing import Any

from cases.case import Case


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


CASES = {"TSM_ResNet50": Case("ppvideo", _tsm, (("uniform", (4, 3, 64, 64)),))}
