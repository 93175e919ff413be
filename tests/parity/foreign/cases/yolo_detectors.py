"""Detectors of the YOLO family in small, by the names that the official configurations use."""

from __future__ import annotations

from cases.detector_settings import BOXES, RESNET18, SMALL_YOLO, detector_case
from cases.detectors import detector

CASES = {
    "YOLOv3_MobileNetV1": detector_case(detector("YOLOv3", SMALL_YOLO)),
    "PPYOLO_ResNet50_vd_DCN": detector_case(
        detector(
            "YOLOv3",
            {
                **SMALL_YOLO,
                "YOLOv3": {**SMALL_YOLO["YOLOv3"], "backbone": "ResNet", "neck": "PPYOLOFPN"},
                "ResNet": {
                    "depth": 50,
                    "variant": "d",
                    "return_idx": [1, 2, 3],
                    "dcn_v2_stages": [3],
                    "freeze_at": -1,
                    "freeze_norm": False,
                },
                "PPYOLOFPN": {"coord_conv": True, "drop_block": True, "spp": True},
                "YOLOv3Head": {
                    "anchors": [[10, 13], [16, 30], [33, 23], [30, 61], [62, 45], [59, 119]]
                    + [[116, 90], [90, 116], [96, 96]],
                    "loss": "YOLOv3Loss",
                    "iou_aware": True,
                    "iou_aware_factor": 0.4,
                },
                "BBoxPostProcess": {
                    "decode": {"name": "YOLOBox", "conf_thresh": 0.05, "downsample_ratio": 32, "scale_x_y": 1.05},
                    "nms": {
                        "name": "MatrixNMS",
                        "keep_top_k": 20,
                        "score_threshold": 0.05,
                        "post_threshold": 0.05,
                        "nms_top_k": -1,
                        "background_label": -1,
                    },
                },
            },
        ),
        64,
    ),
    "PPYOLOv2_ResNet18": detector_case(
        detector(
            "YOLOv3",
            {
                **SMALL_YOLO,
                **RESNET18,
                "YOLOv3": {**SMALL_YOLO["YOLOv3"], "backbone": "ResNet", "neck": "PPYOLOPAN"},
                "PPYOLOPAN": {"drop_block": True, "spp": True, "conv_block_num": 2},
            },
        ),
        64,
    ),
    "PPYOLO_tiny_MobileNetV3": detector_case(
        detector(
            "YOLOv3",
            {
                **SMALL_YOLO,
                "YOLOv3": {**SMALL_YOLO["YOLOv3"], "backbone": "MobileNetV3", "neck": "PPYOLOTinyFPN"},
                "MobileNetV3": {"model_name": "large", "scale": 0.5, "feature_maps": [7, 13, 16]},
                "PPYOLOTinyFPN": {"detection_block_channels": [32, 32, 24], "spp": True, "drop_block": True},
            },
        )
    ),
    "YOLOX_nano": detector_case(
        detector(
            "YOLOX",
            {
                "YOLOX": {"input_size": [96, 96]},
                "CSPDarkNet": {"arch": "X", "depth_mult": 0.33, "width_mult": 0.25, "depthwise": True},
                "YOLOCSPPAN": {"depthwise": True, "depth_mult": 0.33},
                "YOLOXHead": {
                    "depthwise": True,
                    "width_mult": 0.25,
                    "assigner": {"name": "SimOTAAssigner", "use_vfl": False},
                    "nms": BOXES,
                },
            },
        )
    ),
    "PPYOLOE_detector": detector_case(
        detector(
            "YOLOv3",
            {
                "YOLOv3": {
                    "backbone": "CSPResNet",
                    "neck": "CustomCSPPAN",
                    "yolo_head": "PPYOLOEHead",
                    "post_process": None,
                },
                "CSPResNet": {"use_large_stem": True, "width_mult": 0.25, "depth_mult": 0.33},
                "CustomCSPPAN": {"spp": True, "width_mult": 0.25, "depth_mult": 0.33, "act": "swish"},
                "PPYOLOEHead": {"nms": BOXES},
            },
        )
    ),
    "PicoDet_ESNet": detector_case(
        detector(
            "PicoDet",
            {
                "PicoDet": {"backbone": "ESNet", "neck": "ESPAN", "head": "PicoHead"},
                "ESNet": {"scale": 0.5, "channel_ratio": [0.5] * 13},
                "ESPAN": {"out_channels": 32, "num_features": 3},
                "PicoHead": {
                    "conv_feat": {
                        "name": "PicoFeat",
                        "feat_in": 32,
                        "feat_out": 32,
                        "num_convs": 2,
                        "share_cls_reg": True,
                    },
                    "feat_in_chan": 32,
                    "loss_class": "VarifocalLoss",
                    "fpn_stride": [8, 16, 32],
                    "reg_max": 7,
                    "nms": BOXES,
                },
            },
        )
    ),
    "PicoDet_LCNet": detector_case(
        detector(
            "PicoDet",
            {
                "PicoDet": {"backbone": "LCNet", "neck": "LCPAN", "head": "PicoHeadV2"},
                "LCNet": {"scale": 0.5, "feature_maps": [3, 4, 5]},
                "LCPAN": {"out_channels": 32, "num_features": 4},
                "PicoHeadV2": {
                    "conv_feat": {
                        "name": "PicoFeat",
                        "feat_in": 32,
                        "feat_out": 32,
                        "num_convs": 2,
                        "num_fpn_stride": 4,
                        "share_cls_reg": True,
                        "use_se": True,
                    },
                    "feat_in_chan": 32,
                    "loss_class": "VarifocalLoss",
                    "fpn_stride": [8, 16, 32, 64],
                    "reg_max": 7,
                    "nms": BOXES,
                },
            },
        )
    ),
    "PicoDet_ShuffleNetV2": detector_case(
        detector(
            "PicoDet",
            {
                "PicoDet": {"backbone": "ShuffleNetV2", "neck": "CSPPAN", "head": "PicoHead"},
                "ShuffleNetV2": {"scale": 0.5, "feature_maps": [5, 13, 17]},
                "CSPPAN": {"out_channels": 32, "num_features": 3},
                "PicoHead": {
                    "conv_feat": {"name": "PicoFeat", "feat_in": 32, "feat_out": 32, "num_convs": 1},
                    "feat_in_chan": 32,
                    "loss_class": "VarifocalLoss",
                    "fpn_stride": [8, 16, 32],
                    "reg_max": 7,
                    "nms": BOXES,
                },
            },
        )
    ),
}
