"""PaddleVideo's own recognisers, put together as its configurations do; for a Python that has it."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

UNUSED = ("paddle.fluid", "decord", "av", "SimpleITK", "lmdb", "nvidia", "moviepy", "librosa", "ppcls", "imageio")
"""What ppvideo imports and its networks never use."""

PARTS = {
    "tsn_r50": ("ResNet", {"depth": 50}, "TSNHead", {"in_channels": 2048}),
    "tsm_r50": ("ResNetTSM", {"depth": 50, "num_seg": 8}, "TSMHead", {"in_channels": 2048, "num_seg": 8}),
}


def built(name: str, classes: int) -> Any:
    """Return a network of clips (1, T, 3, H, W)."""
    import paddle
    from paddle import nn

    from tests.parity.foreign.stand_ins import StandIns

    sys.meta_path.append(StandIns(UNUSED))
    paddle.device.is_compiled_with_npu = lambda: False  # the package was written for an earlier Paddle
    found = importlib.util.find_spec("ppvideo")
    assert found is not None and found.submodule_search_locations
    sys.path.insert(0, found.submodule_search_locations[0])
    from paddlevideo.modeling import backbones, heads

    backbone, settings, head, given = PARTS[name]

    class Recogniser(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.backbone = getattr(backbones, backbone)(**settings)
            self.head = getattr(heads, head)(classes, **given)

        def forward(self, clips: Any) -> Any:
            frames = clips.reshape([-1, *clips.shape[2:]])
            return self.head(self.backbone(frames), clips.shape[1])

    return Recogniser()
