"""Detectors that score every place of their maps, in small, by the names that the official configurations use."""

from __future__ import annotations

from cases import detectors
from cases.detector_settings import BOXES, FIVE_LEVELS, RETINA, detector_case
from cases.detectors import detector

CASES = {
    "RetinaNet_ResNet18_FPN": detector_case(
        detector(
            "RetinaNet",
            {
                **FIVE_LEVELS,
                "RetinaNet": {**RETINA, "head": "RetinaHead"},
                "MaxIoUAssigner": {"positive_overlap": 0.5, "negative_overlap": 0.4, "allow_low_quality": True},
                "RetinaHead": {
                    "conv_feat": {
                        "name": "RetinaFeat",
                        "feat_in": 32,
                        "feat_out": 32,
                        "num_convs": 2,
                        "norm_type": None,
                    },
                    "nms": BOXES,
                },
            },
        )
    ),
    "FCOS_ResNet18_FPN": detector_case(
        detector(
            "FCOS",
            {
                **FIVE_LEVELS,
                "FPN": {**FIVE_LEVELS["FPN"], "out_channel": 256},
                "FCOS": {**RETINA, "fcos_head": "FCOSHead"},
                "FCOSFeat": {"num_convs": 1, "norm_type": "gn"},
                "FCOSHead": {"nms": BOXES},
            },
        )
    ),
    "GFL_ResNet18_FPN": detector_case(
        detector(
            "GFL",
            {
                **FIVE_LEVELS,
                "GFL": {**RETINA, "head": "GFLHead"},
                "GFLHead": {"feat_in_chan": 32, "nms": BOXES, "dgqp_module": "DGQP"},
            },
        )
    ),
    "TOOD_ResNet18_FPN": detector_case(
        detector(
            "TOOD",
            {
                **FIVE_LEVELS,
                "TOOD": {**RETINA, "head": "TOODHead"},
                "TOODHead": {"feat_channels": 32, "stacked_convs": 2, "nms": BOXES},
            },
        )
    ),
    "YOLOF_ResNet18": detector_case(
        detector(
            "YOLOF",
            {
                "ResNet": {"depth": 18, "return_idx": [3]},
                "YOLOF": {"neck": "DilatedEncoder"},
                "DilatedEncoder": {"out_channels": [32], "block_mid_channels": 16},
                "UniformAssigner": {"pos_ignore_thr": 0.15, "neg_ignore_thr": 0.7},
                "YOLOFHead": {
                    "conv_feat": {"name": "YOLOFFeat", "feat_in": 32, "feat_out": 32},
                    "nms": BOXES,
                    "anchor_generator": {
                        "name": "AnchorGenerator",
                        "anchor_sizes": [[16, 32, 64]],
                        "aspect_ratios": [1.0],
                        "strides": [32],
                    },
                },
            },
        )
    ),
    "SSD_VGG16": detector_case(
        detector(
            "SSD",
            {
                "SSD": {"backbone": "VGG", "ssd_head": "SSDHead", "post_process": "BBoxPostProcess"},
                "SSDHead": {
                    "anchor_generator": {
                        "steps": [8, 16, 32, 64, 100, 300],
                        "base_size": 300,
                        "min_ratio": 20,
                        "max_ratio": 90,
                    }
                },
                "BBoxPostProcess": {"decode": "SSDBox", "nms": BOXES},
            },
            detectors.ssd_maps,
        ),
        300,
        1,
    ),
    "SSD_MobileNetV1": detector_case(
        detector(
            "SSD",
            {
                "SSD": {"backbone": "MobileNet", "ssd_head": "SSDHead", "post_process": "BBoxPostProcess"},
                "MobileNet": {
                    "with_extra_blocks": True,
                    "feature_maps": [11, 13, 14, 15, 16, 17],
                    "extra_block_filters": [[64, 128], [32, 64], [32, 64], [16, 32]],
                },
                "SSDHead": {
                    "kernel_size": 1,
                    "padding": 0,
                    "anchor_generator": {
                        "steps": [0] * 6,
                        "aspect_ratios": [[2.0], *[[2.0, 3.0]] * 5],
                        "min_ratio": 20,
                        "max_ratio": 90,
                        "min_sizes": [60.0, 105.0, 150.0, 195.0, 240.0, 285.0],
                        "max_sizes": [[], 150.0, 195.0, 240.0, 285.0, 300.0],
                    },
                },
                "BBoxPostProcess": {"decode": "SSDBox", "nms": BOXES},
            },
            detectors.ssd_maps,
        ),
        300,
        1,
    ),
    "BlazeFace": detector_case(
        detector(
            "BlazeFace",
            {
                "BlazeFace": {
                    "backbone": "BlazeNet",
                    "neck": "BlazeNeck",
                    "blaze_head": "FaceHead",
                    "post_process": "BBoxPostProcess",
                },
                "BlazeNeck": {"neck_type": "fpn_ssh", "in_channel": [96, 96]},
                "FaceHead": {
                    "in_channels": [48, 48],
                    "anchor_generator": {
                        "steps": [8, 16],
                        "aspect_ratios": [[1.0], [1.0]],
                        "min_sizes": [[16, 24], [32, 48, 64, 80, 96, 128]],
                        "max_sizes": [[], []],
                        "offset": 0.5,
                        "flip": False,
                        "min_max_aspect_ratios_order": False,
                    },
                },
                "BBoxPostProcess": {"decode": {"name": "SSDBox"}, "nms": BOXES},
            },
            detectors.ssd_maps,
        )
    ),
    "TTFNet_DarkNet53": detector_case(
        detector(
            "TTFNet",
            {
                "TTFNet": {"post_process": "BBoxPostProcess"},
                "DarkNet": {"freeze_at": 0, "return_idx": [1, 2, 3, 4]},
                "TTFFPN": {"planes": [32, 24, 16], "shortcut_num": [3, 2, 1]},
                "TTFHead": {"hm_head_planes": 16, "wh_head_planes": 16, "dcn_head": False},
                "BBoxPostProcess": {"decode": {"name": "TTFBox", "max_per_img": 20, "score_thresh": 0.05}, "nms": None},
            },
        ),
        64,
        1,
    ),
    "S2ANet_ResNet18_FPN": detector_case(
        detector(
            "S2ANet",
            {
                **FIVE_LEVELS,
                "S2ANet": {**RETINA, "head": "S2ANetHead"},
                "S2ANetHead": {
                    "feat_in": 32,
                    "feat_out": 32,
                    "align_conv_type": "AlignConv",
                    "nms_pre": 50,
                    "nms": {**BOXES, "normalized": False},
                },
            },
        ),
        gradients=False,  # Paddle has none of the remainder that keeps an angle in its range
    ),
    "CenterNet_DLA34": detector_case(
        detector(
            "CenterNet",
            {
                "CenterNet": {"backbone": "DLA"},
                "CenterNetDLAFPN": {"dcn_v2": True},
                "CenterNetHead": {"head_planes": 16},
                "CenterNetPostProcess": {"max_per_img": 20, "regress_ltrb": True},
            },
            detectors.center_maps,
        ),
        128,
        1,
    ),
}
