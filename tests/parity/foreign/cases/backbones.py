"""Backbones and necks of ``ppdet`` that no detector here is made of, and networks for key points and tracking."""

from __future__ import annotations

from typing import Any, Callable

from cases.case import Case
from cases.detector_settings import RESNET18, SMALL_YOLO
from cases.detectors import Settings, detector, features, inputs_of, workspace_of

HRNET: Settings = {"HRNet": {"width": 18, "freeze_at": -1, "freeze_norm": False, "return_idx": [0, 1, 2, 3]}}


def parts(settings: Settings, backbone: str, neck: str = "") -> Callable[[], Any]:
    """Return a function that builds a backbone, and a neck on it.

    Args:
        settings: of both.
        backbone: what the workspace calls it.
        neck: what the workspace calls it; empty where there is none.
    """

    def build() -> Any:
        import paddle

        class Parts(paddle.nn.Layer):
            def __init__(self) -> None:
                super().__init__()
                with workspace_of(settings) as workspace:
                    self.backbone = workspace.create(backbone)
                    self.neck = workspace.create(neck, input_shape=self.backbone.out_shape) if neck else None

        class Detector(paddle.nn.Layer):
            def __init__(self) -> None:
                super().__init__()
                self.detector = Parts()

            def forward(self, images: Any) -> Any:
                return features(self.detector, inputs_of(images))

        return Detector()

    return build


def key_points(network: Any, batch: dict[str, Any]) -> Any:
    """Return the heat maps of a network for one person's key points."""
    return network.final_conv(network.backbone(batch)[0])


def people(network: Any, batch: dict[str, Any]) -> Any:
    """Return the heat maps and tags of a network for everyone's key points, and the best places in them."""
    return network.get_topk(network.hrhrnet_head(network.backbone(batch)))[:3]


def tracked(network: Any, batch: dict[str, Any]) -> Any:
    """Return what a tracker finds in one image before it is joined to those of earlier ones."""
    found = network.detector(batch)
    return found["neck_feat"], network.reid.reid(found["neck_feat"])


def embedded(network: Any, batch: dict[str, Any]) -> Any:
    """Return the boxes' maps and the features of a detector that tracks."""
    maps = network.detector.neck(network.detector.backbone(batch), True)
    heads = zip(maps["emb_feats"], network.reid.identify_outputs)
    return network.detector.yolo_head(maps["yolo_feats"]), [head(level) for level, head in heads]


def _case(build: Any, extent: int = 64, count: int = 1, **options: Any) -> Case:
    return Case("paddledet", build, (("uniform", (count, 3, extent, extent)),), **options)


CASES = {
    "ppdet_SENet50": _case(
        parts({"SENet": {"depth": 50, "freeze_at": -1, "freeze_norm": False, "groups": 32, "base_width": 4}}, "SENet")
    ),
    "ppdet_Res2Net50": _case(parts({"Res2Net": {"depth": 50, "freeze_at": -1, "freeze_norm": False}}, "Res2Net")),
    "ppdet_GhostNet": _case(parts({"GhostNet": {"scale": 0.5, "feature_maps": [6, 12, 15]}}, "GhostNet")),
    "ppdet_ResNet18_BiFPN": _case(
        parts({**RESNET18, "BiFPN": {"out_channel": 32, "num_stacks": 1}}, "ResNet", "BiFPN"), 128
    ),
    "ppdet_HRNet_HRFPN": _case(parts({**HRNET, "HRFPN": {"out_channel": 32}}, "HRNet", "HRFPN")),
    "ppdet_LiteHRNet": _case(
        parts(
            {"LiteHRNet": {"network_type": "lite_18", "freeze_at": -1, "freeze_norm": False, "return_idx": [0]}},
            "LiteHRNet",
        )
    ),
    "ppdet_SwinTransformer_FPN": _case(
        parts(
            {
                "SwinTransformer": {
                    "embed_dim": 32,
                    "depths": [2, 2, 2, 2],
                    "num_heads": [1, 2, 4, 8],
                    "window_size": 7,
                },
                "FPN": {"out_channel": 32},
            },
            "SwinTransformer",
            "FPN",
        )
    ),
    "ppdet_VisionTransformer": _case(
        parts(
            {
                "VisionTransformer": {
                    "img_size": [64, 64],
                    "embed_dim": 48,
                    "depth": 4,
                    "num_heads": 4,
                    "out_indices": [0, 1, 2, 3],
                    "use_abs_pos_emb": True,
                    "qkv_bias": True,
                    "init_values": 0.1,
                }
            },
            "VisionTransformer",
        )
    ),
    "ppdet_ConvNeXt_tiny": _case(parts({"ConvNeXt": {"arch": "tiny"}}, "ConvNeXt")),
    "ppdet_HarDNet85_FPN": _case(
        parts({"CenterNetHarDNetFPN": {"out_channel": 0}}, "HarDNet", "CenterNetHarDNetFPN"), 128
    ),
    "ppdet_MobileNetV3_extra": _case(
        parts(
            {"MobileNetV3": {"scale": 0.35, "with_extra_blocks": True, "feature_maps": [14, 17, 18, 19, 20, 21]}},
            "MobileNetV3",
        )
    ),
    "TopDownHRNet_W18": _case(
        detector(
            "TopDownHRNet",
            {**HRNET, "TopDownHRNet": {"width": 18, "num_joints": 17, "loss": "KeyPointMSELoss", "flip": False}},
            key_points,
        )
    ),
    "HigherHRNet_W18": _case(
        detector(
            "HigherHRNet",
            {
                **HRNET,
                "HigherHRNet": {"flip_perm": [0, 2, 1], "eval_flip": False},
                "HrHRNetHead": {"num_joints": 3, "width": 18},
                "HrHRNetLoss": {"num_joints": 3, "swahr": False},
            },
            people,
        )
    ),
    "FairMOT_DLA34": _case(
        detector(
            "FairMOT",
            {
                "FairMOT": {"tracker": "JDETracker"},
                "CenterNet": {"backbone": "DLA", "for_mot": True},
                "CenterNetHead": {"head_planes": 16, "num_classes": 1},
                "CenterNetPostProcess": {"max_per_img": 20},
                "FairMOTEmbeddingHead": {"ch_head": 16, "ch_emb": 8, "num_classes": 1, "num_identities_dict": {0: 10}},
            },
            tracked,
        )
    ),
    "JDE_DarkNet53": _case(
        detector(
            "JDE",
            {
                **SMALL_YOLO,
                "YOLOv3": {
                    **SMALL_YOLO["YOLOv3"],
                    "backbone": "DarkNet",
                    "for_mot": True,
                    "post_process": "JDEBBoxPostProcess",
                },
                "YOLOv3Head": {"num_classes": 1, "loss": "JDEDetectionLoss"},
                "JDEDetectionLoss": {"for_mot": True},
                "JDEBBoxPostProcess": {"decode": {"name": "JDEBox"}, "nms": {"name": "MultiClassNMS"}},
                "JDEEmbeddingHead": {"num_identities": 10, "embedding_dim": 32, "num_classes": 1},
            },
            embedded,
        )
    ),
    "PPYOLOE_R": _case(
        detector(
            "YOLOv3",
            {
                "YOLOv3": {
                    "backbone": "CSPResNet",
                    "neck": "CustomCSPPAN",
                    "yolo_head": "PPYOLOERHead",
                    "post_process": None,
                },
                "CSPResNet": {"width_mult": 0.25, "depth_mult": 0.33, "use_alpha": True},
                "CustomCSPPAN": {"width_mult": 0.25, "depth_mult": 0.33, "act": "swish", "use_alpha": True},
                "PPYOLOERHead": {
                    "static_assigner": "FCOSRAssigner",
                    "assigner": "RotatedTaskAlignedAssigner",
                    "nms": {"name": "MultiClassNMS", "nms_top_k": 50, "keep_top_k": 20, "score_threshold": 0.05},
                },
            },
        ),
        96,
    ),
}
