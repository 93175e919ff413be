"""PaddleVideo's own networks, put together as its configurations do; for a Python that has it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any

UNUSED = ("paddle.fluid", "decord", "av", "SimpleITK", "lmdb", "nvidia", "moviepy", "librosa", "ppcls", "imageio")
"""What ppvideo imports and its networks never use."""

PARTS = {
    "tsn_r50": ("ResNet", {"depth": 50}, "TSNHead", {"in_channels": 2048}),
    "tsm_r50": ("ResNetTSM", {"depth": 50, "num_seg": 8}, "TSMHead", {"in_channels": 2048}),
}
WHOLE = {
    "slowfast_r50": (
        "recognizers.Recognizer3D",
        {
            "backbone": {"name": "ResNetSlowFast", "alpha": 8, "beta": 8, "fusion_kernel_sz": 5},
            "head": {
                **{"name": "SlowFastHead", "width_per_group": 64, "alpha": 8, "beta": 8, "num_frames": 32},
                **{"crop_size": 224, "dropout_rate": 0.5},
            },
        },
    ),
    "bmn": (
        "localizers.BMNLocalizer",
        {
            "backbone": {
                **{"name": "BMN", "tscale": 100, "dscale": 100, "prop_boundary_ratio": 0.5},
                **{"num_sample": 32, "num_sample_perbin": 3, "feat_dim": 400},
            },
            "loss": {"name": "BMNLoss", "tscale": 100, "dscale": 100},
        },
    ),
}


def built(name: str, classes: int) -> Any:
    """Return a recogniser of clips (1, T, 3, H, W); what its forward pass needs, Paddle's converter finds in it."""
    _open()
    import numpy as np
    import paddle
    from paddle import nn
    from paddlevideo.modeling import backbones, heads

    class OfFrames(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            backbone, settings, head, given = PARTS[name]
            self.backbone = getattr(backbones, backbone)(**settings)
            self.head = getattr(heads, head)(classes, **given)

        def forward(self, clips: Any) -> Any:
            frames = clips.reshape([-1, *clips.shape[2:]])
            return self.head(self.backbone(frames), clips.shape[1])

    class OfTwoPathways(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            network = whole(name, num_classes=classes)
            self.backbone, self.head = network.backbone, network.head
            slow = paddle.to_tensor(np.linspace(0, 31, 4).astype(np.int64))
            self.register_buffer("slow", slow, persistable=False)

        def forward(self, clips: Any) -> Any:
            fast = clips.transpose([0, 2, 1, 3, 4])
            return self.head(self.backbone([fast.index_select(self.slow, axis=2), fast]))

    return (OfTwoPathways if name in WHOLE else OfFrames)()


def whole(name: str, **head: Any) -> Any:
    """Return a network as PaddleVideo puts it together; settings of its head beside those of the table."""
    _open()
    from paddlevideo.modeling import framework
    from paddlevideo.utils.config import AttrDict

    kind, parts = WHOLE[name]
    module, _, network = kind.partition(".")
    given = {part: AttrDict({**settings, **(head if part == "head" else {})}) for part, settings in parts.items()}
    return getattr(importlib.import_module(f"{framework.__name__}.{module}"), network)(**given)


def _open() -> None:
    """Let PaddleVideo's modules be imported."""
    if "paddlevideo" in sys.modules:
        return
    import paddle

    from tests.parity.foreign.stand_ins import StandIns

    sys.meta_path.append(StandIns(UNUSED))
    paddle.device.is_compiled_with_npu = lambda: False  # the package was written for an earlier Paddle
    found = importlib.util.find_spec("ppvideo")
    assert found is not None and found.submodule_search_locations
    sys.path.insert(0, found.submodule_search_locations[0])
