"""The networks that are compared with ppvideo's, at reduced width: what builds each in both, inputs and targets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from tests.parity.PaddleVideo.network_weights import random_clips, whole_numbers

FOLDER = Path(__file__).with_name("networks")
"""Where the answers are, one file for each case."""


class Case(NamedTuple):
    """One comparison.

    Attributes:
        framework: what holds backbone and head in ppvideo: "recognizers.Recognizer1D".
        backbone: its settings there.
        head: likewise; None: it has none.
        inputs: what the official forward takes, in order.
        targets: what the official loss takes beside outputs.
    """

    framework: str
    backbone: Optional[Mapping[str, Any]]
    head: Optional[Mapping[str, Any]]
    inputs: tuple[np.ndarray, ...]
    targets: tuple[np.ndarray, ...]


HIDDEN_SIZES = (16, 10)
"""Of the fully connected layers of AttentionLSTM."""

LENGTHS = np.array([5, 3, 1], np.int64)

CLIPS = random_clips("clips", 2, 3, 8, 32, 32)
SLOW_CLIPS = CLIPS[:, :, [0, 7]]
FRAMES = CLIPS.transpose(0, 2, 1, 3, 4).copy()
LARGER_CLIPS = random_clips("larger clips", 1, 3, 8, 64, 96)

OVERLAPS = (random_clips("overlaps", 2, 10, 12) + 1) / 2
BEGINS, FINISHES = (random_clips("begins", 2, 12) + 1) / 2, (random_clips("finishes", 2, 12) + 1) / 2
DRAWS = (random_clips("draws", 2, 10, 12) + 1) / 2
PROPOSALS = (
    (random_clips("maps", 2, 20, 30) + 1) / 2,
    (random_clips("starts", 30) + 1) / 2,
    (random_clips("ends", 30) + 1) / 2,
)
"""Scores of intervals, begins and ends, from which BMN's proposals are made."""

SKELETONS = random_clips("skeletons", 2, 3, 8, 25, 2)
SKELETON_CLASSES = (whole_numbers("actions of skeletons", 2, 7).reshape(2, 1),)

RESNET3D_INFLATE = ((1, 1, 1), (1, 0, 1, 0), (1, 0, 1, 0, 1, 0), (0, 1, 0))

_HEAD = {"num_classes": 7, "in_channels": 2048}
_LABELS = (whole_numbers("labels of clips", 2, 7).reshape(2, 1),)

CASES: dict[str, Case] = {
    "tsn": Case(
        "recognizers.Recognizer2D", {"name": "ResNet", "depth": 50}, {"name": "TSNHead", **_HEAD}, (FRAMES,), ()
    ),
    "tsm": Case(
        "recognizers.Recognizer2D",
        {"name": "ResNetTSM", "depth": 50, "num_seg": 8},
        {"name": "TSMHead", **_HEAD},
        (FRAMES,),
        _LABELS,
    ),
    "pptsn": Case(
        "recognizers.Recognizer2D",
        {"name": "ResNetTweaksTSN", "layers": 50},
        {"name": "ppTSNHead", **_HEAD},
        (FRAMES,),
        (),
    ),
    "pptsm": Case(
        "recognizers.Recognizer2D",
        {"name": "ResNetTweaksTSM", "depth": 50, "num_seg": 8},
        {"name": "ppTSMHead", **_HEAD, "drop_ratio": 0.5},
        (FRAMES,),
        (),
    ),
    "pptsm_r18": Case(
        "recognizers.Recognizer2D",
        {"name": "ResNetTweaksTSM", "depth": 18, "num_seg": 8},
        {"name": "ppTSMHead", "num_classes": 7, "in_channels": 512, "drop_ratio": 0.5},
        (FRAMES,),
        _LABELS,
    ),
    "attention_lstm": Case(
        "recognizers.Recognizer1D",
        None,
        {"name": "AttentionLstmHead", "num_classes": 7, "feature_dims": [12, 6], "embedding_size": 8, "lstm_size": 6},
        (random_clips("rgb features", 3, 5, 12), random_clips("audio features", 3, 5, 6), LENGTHS),
        (whole_numbers("labels", 21, 2).reshape(3, 7).astype(np.float32),),
    ),
    "slowfast": Case(
        "recognizers.Recognizer3D",
        {"name": "ResNetSlowFast", "alpha": 4, "beta": 4, "width_per_group": 8, "fusion_kernel_sz": 5},
        {
            **{"name": "SlowFastHead", "num_classes": 7, "width_per_group": 8, "alpha": 4, "beta": 4},
            **{"num_frames": 8, "crop_size": 32, "dropout_rate": 0.5},
        },
        (SLOW_CLIPS, CLIPS),
        (whole_numbers("labels of clips", 2, 7).reshape(2, 1),),
    ),
    "resnet3d": Case(
        "backbones.ResNet3d",
        {
            **{"depth": 50, "base_channels": 8, "conv1_kernel": (5, 7, 7), "temporal_strides": (1, 1, 2, 1)},
            "inflate": RESNET3D_INFLATE,
        },
        None,
        (CLIPS,),
        (random_clips("weights of maps", 2, 256, 2, 1, 1),),
    ),
    "timesformer": Case(
        "recognizers.RecognizerTransformer",
        {
            **{"name": "VisionTransformer", "img_size": 32, "patch_size": 8, "embed_dim": 12, "depth": 3},
            **{"num_heads": 3, "num_seg": 8, "qkv_bias": True, "epsilon": 1e-6},
        },
        {"name": "TimeSformerHead", "num_classes": 7, "in_channels": 12},
        (CLIPS,),
        (whole_numbers("labels of clips", 2, 7).reshape(2, 1),),
    ),
    "bmn": Case(
        "localizers.BMNLocalizer",
        {
            **{"name": "BMN", "tscale": 12, "dscale": 10, "prop_boundary_ratio": 0.5, "num_sample": 4},
            **{"num_sample_perbin": 3, "feat_dim": 16},
        },
        {"name": "BMNLoss", "tscale": 12, "dscale": 10},
        (random_clips("features of steps", 2, 16, 12),),
        (OVERLAPS, BEGINS, FINISHES),
    ),
    "stgcn": Case(
        "recognizers.RecognizerGCN",
        {"name": "STGCN", "in_channels": 2, "layout": "coco_keypoint"},
        {"name": "STGCNHead", "num_classes": 7},
        (SKELETONS[:, :2, :, :17],),
        SKELETON_CLASSES,
    ),
    "stgcn_fsd10": Case(
        "recognizers.RecognizerGCN",
        {"name": "STGCN", "in_channels": 2},
        {"name": "STGCNHead", "num_classes": 7},
        (SKELETONS[:, :2],),
        (),
    ),
    "stgcn_ntu": Case(
        "recognizers.RecognizerGCN",
        {"name": "STGCN", "in_channels": 3, "layout": "ntu-rgb+d"},
        {"name": "STGCNHead", "num_classes": 7},
        (SKELETONS,),
        (),
    ),
    "agcn": Case(
        "recognizers.RecognizerGCN",
        {"name": "AGCN"},
        {"name": "STGCNHead", "num_classes": 7},
        (SKELETONS[:, :2],),
        SKELETON_CLASSES,
    ),
    "agcn2s": Case(
        "recognizers.RecognizerGCN",
        {"name": "AGCN2s"},
        {"name": "AGCN2sHead", "num_classes": 7},
        (SKELETONS,),
        SKELETON_CLASSES,
    ),
    "ctrgcn": Case(
        "recognizers.RecognizerGCN",
        {"name": "CTRGCN", "base_channel": 16},
        {"name": "CTRGCNHead", "num_classes": 7, "in_channels": 16},
        (SKELETONS,),
        SKELETON_CLASSES,
    ),
    "ms_tcn": Case(
        "segmenters.MSTCN",
        {"name": "MSTCN", "num_stages": 3, "num_layers": 4, "num_f_maps": 8, "dim": 12, "num_classes": 5},
        {"name": "MSTCNHead", "num_classes": 5, "in_channels": 12},
        (random_clips("features of frames", 1, 12, 30),),
        (whole_numbers("actions of frames", 30, 5).reshape(1, 30),),
    ),
    "slowfast_larger": Case(
        "recognizers.Recognizer3D",
        {
            **{"name": "ResNetSlowFast", "alpha": 4, "beta": 4, "width_per_group": 8, "fusion_kernel_sz": 5},
            **{"num_pathways": 2},
        },
        {
            **{"name": "SlowFastHead", "num_classes": 7, "width_per_group": 8, "alpha": 4, "beta": 4},
            **{"num_frames": 8, "crop_size": 32, "dropout_rate": 0.5},
        },
        (LARGER_CLIPS[:, :, [0, 7]], LARGER_CLIPS),
        (),
    ),
}

_SLOWFAST_HEAD = {
    **{"name": "SlowFastHead", "num_classes": 400, "width_per_group": 64, "beta": 8},
    **{"num_frames": 32, "crop_size": 224, "dropout_rate": 0.5},
}
WHOLE: dict[str, Case] = {
    "ms_tcn": Case(
        "segmenters.MSTCN",
        {"name": "MSTCN", "num_stages": 4, "num_layers": 10, "num_f_maps": 64, "dim": 2048, "num_classes": 11},
        {"name": "MSTCNHead", "num_classes": 11, "in_channels": 2048},
        (),
        (),
    ),
    "stgcn": Case(
        "recognizers.RecognizerGCN",
        {"name": "STGCN", "in_channels": 3, "layout": "ntu-rgb+d"},
        {"name": "STGCNHead", "num_classes": 60},
        (),
        (),
    ),
    "agcn": Case("recognizers.RecognizerGCN", {"name": "AGCN"}, {"name": "STGCNHead", "num_classes": 30}, (), ()),
    "agcn2s": Case("recognizers.RecognizerGCN", {"name": "AGCN2s"}, {"name": "AGCN2sHead", "num_classes": 60}, (), ()),
    "ctrgcn": Case("recognizers.RecognizerGCN", {"name": "CTRGCN"}, {"name": "CTRGCNHead", "num_classes": 60}, (), ()),
    "bmn": Case(
        "localizers.BMNLocalizer",
        {
            **{"name": "BMN", "tscale": 100, "dscale": 100, "prop_boundary_ratio": 0.5, "num_sample": 32},
            "num_sample_perbin": 3,
        },
        {"name": "BMNLoss", "tscale": 100, "dscale": 100},
        (),
        (),
    ),
    "tsn_r50": Case(
        "recognizers.Recognizer2D",
        {"name": "ResNet", "depth": 50},
        {"name": "TSNHead", "num_classes": 400, "in_channels": 2048},
        (),
        (),
    ),
    "tsm_r50": Case(
        "recognizers.Recognizer2D",
        {"name": "ResNetTSM", "depth": 50},
        {"name": "TSMHead", "num_classes": 400, "in_channels": 2048},
        (),
        (),
    ),
    "pptsn_r50": Case(
        "recognizers.Recognizer2D",
        {"name": "ResNetTweaksTSN", "layers": 50},
        {"name": "ppTSNHead", "num_classes": 400, "in_channels": 2048},
        (),
        (),
    ),
    "pptsm_r50": Case(
        "recognizers.Recognizer2D",
        {"name": "ResNetTweaksTSM", "depth": 50},
        {"name": "ppTSMHead", "num_classes": 400, "in_channels": 2048},
        (),
        (),
    ),
    "pptsm_r101": Case(
        "recognizers.Recognizer2D",
        {"name": "ResNetTweaksTSM", "depth": 101},
        {"name": "ppTSMHead", "num_classes": 400, "in_channels": 2048},
        (),
        (),
    ),
    "timesformer": Case(
        "recognizers.RecognizerTransformer",
        {"name": "VisionTransformer", "qkv_bias": True, "num_seg": 8},
        {"name": "TimeSformerHead", "num_classes": 400, "in_channels": 768},
        (),
        (),
    ),
    "attention_lstm": Case("recognizers.Recognizer1D", None, {"name": "AttentionLstmHead"}, (), ()),
    "slowfast_r50": Case(
        "recognizers.Recognizer3D",
        {"name": "ResNetSlowFast", "alpha": 8, "beta": 8, "fusion_kernel_sz": 5},
        {**_SLOWFAST_HEAD, "alpha": 8},
        (),
        (),
    ),
    "slowfast_r50_8x8": Case(
        "recognizers.Recognizer3D",
        {"name": "ResNetSlowFast", "alpha": 4, "beta": 8, "fusion_kernel_sz": 7},
        {**_SLOWFAST_HEAD, "alpha": 4},
        (),
        (),
    ),
}
"""Networks of the published sizes, whose trainable parameters are counted."""
