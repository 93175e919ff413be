"""Detectors of regions, masks and queries in small, by the names that the official configurations use."""

from __future__ import annotations

from cases import detectors
from cases.detector_settings import BOXES, REGIONS, RESNET18, RETINA, detector_case
from cases.detectors import Settings, by_score, detector

MASKS: Settings = {
    "MaskHead": {"head": "MaskFeat", "roi_extractor": {"resolution": 14, "sampling_ratio": 0, "aligned": True}},
    "MaskFeat": {"num_convs": 2, "out_channel": 32},
    "MaskPostProcess": {"binary_thresh": 0.5},
}
TRANSFORMER = {"hidden_dim": 32, "nhead": 4, "num_encoder_layers": 2, "num_decoder_layers": 2, "dim_feedforward": 64}
LOSS = {"loss_coeff": {"class": 1, "bbox": 5, "giou": 2, "no_object": 0.1, "mask": 1, "dice": 1}}
LOSSES = {"DETRLoss": LOSS, "DINOLoss": LOSS}  # each detector its own: a loss writes into what it is given
DEFORMABLE = {**TRANSFORMER, "num_feature_levels": 4, "num_queries": 20, "backbone_num_channels": [128, 256, 512]}
CASES = {
    "FasterRCNN_ResNet18_FPN": detector_case(
        detector(
            "FasterRCNN",
            {
                **REGIONS,
                "FasterRCNN": {
                    **RETINA,
                    "rpn_head": "RPNHead",
                    "bbox_head": "BBoxHead",
                    "bbox_post_process": "BBoxPostProcess",
                },
            },
            detectors.regions_maps,
        ),
        compiles=False,  # how many regions are proposed depends on the image
    ),
    "MaskRCNN_ResNet18_FPN": detector_case(
        detector(
            "MaskRCNN",
            {
                **REGIONS,
                **MASKS,
                "MaskRCNN": {
                    **RETINA,
                    "rpn_head": "RPNHead",
                    "bbox_head": "BBoxHead",
                    "mask_head": "MaskHead",
                    "bbox_post_process": "BBoxPostProcess",
                    "mask_post_process": "MaskPostProcess",
                },
            },
            detectors.regions_maps,
        ),
        compiles=False,
    ),
    "CascadeRCNN_ResNet18_FPN": detector_case(
        detector(
            "CascadeRCNN",
            {
                **REGIONS,
                "CascadeRCNN": {
                    **RETINA,
                    "rpn_head": "RPNHead",
                    "bbox_head": "CascadeHead",
                    "bbox_post_process": "BBoxPostProcess",
                },
                "CascadeHead": {
                    "head": "CascadeTwoFCHead",
                    "roi_extractor": {"resolution": 7, "sampling_ratio": 0, "aligned": True},
                    "bbox_assigner": "BBoxAssigner",
                },
                "CascadeTwoFCHead": {"out_channel": 64},
                "BBoxPostProcess": {
                    "decode": {"name": "RCNNBox", "prior_box_var": [30.0, 30.0, 15.0, 15.0]},
                    "nms": {**BOXES, "nms_top_k": -1},
                },
            },
            detectors.regions_maps,
        ),
        compiles=False,
    ),
    "SOLOv2_ResNet18_FPN": detector_case(
        detector(
            "SOLOv2",
            {
                **REGIONS,
                "SOLOv2": {**RETINA, "solov2_head": "SOLOv2Head", "mask_head": "SOLOv2MaskHead"},
                "SOLOv2Head": {
                    "in_channels": 32,
                    "seg_feat_channels": 32,
                    "stacked_convs": 2,
                    "num_grids": [12, 10, 8, 6, 4],
                    "kernel_out_channels": 32,
                    "mask_nms": "MaskMatrixNMS",
                    "score_threshold": 0.3,
                },
                "SOLOv2MaskHead": {"in_channels": 32, "mid_channels": 32, "out_channels": 32},
            },
            detectors.solo_maps,
        ),
        96,
        1,
    ),
    "DETR_ResNet18": detector_case(
        detector(
            "DETR",
            {
                **RESNET18,
                "ResNet": {"depth": 18, "return_idx": [3]},
                **LOSSES,
                "DETR": {"backbone": "ResNet", "transformer": "DETRTransformer", "detr_head": "DETRHead"},
                "DETRTransformer": {**TRANSFORMER, "num_queries": 20},
                "DETRBBoxPostProcess": {"num_top_queries": 20},
            },
            detectors.detr_maps,
        )
    ),
    "DeformableDETR_ResNet18": detector_case(
        detector(
            "DETR",
            {
                **RESNET18,
                **LOSSES,
                "DETR": {
                    "backbone": "ResNet",
                    "transformer": "DeformableTransformer",
                    "detr_head": "DeformableDETRHead",
                },
                "DeformableTransformer": DEFORMABLE,
                "DETRBBoxPostProcess": {"num_top_queries": 20, "use_focal_loss": True},
            },
            detectors.detr_maps,
        )
    ),
    "DINO_ResNet18": detector_case(
        detector(
            "DETR",
            {
                **RESNET18,
                **LOSSES,
                "DETR": {"backbone": "ResNet", "transformer": "DINOTransformer", "detr_head": "DINOHead"},
                "DINOTransformer": {**TRANSFORMER, "num_queries": 20, "num_levels": 4},
                "DETRBBoxPostProcess": {"num_top_queries": 20, "use_focal_loss": True},
            },
            detectors.detr_maps,
        )
    ),
    "SparseRCNN_ResNet18_FPN": detector_case(
        detector(
            "SparseRCNN",
            {
                **REGIONS,
                "SparseRCNN": {**RETINA, "head": "SparseRCNNHead"},
                "SparseRCNNLoss": {"losses": ["labels", "boxes"], "focal_loss_alpha": 0.25, "focal_loss_gamma": 2.0},
                "SparseRCNNHead": {
                    "head_hidden_dim": 32,
                    "head_dim_feedforward": 64,
                    "nhead": 4,
                    "head_dropout": 0.0,
                    "head_cls": 1,
                    "head_reg": 1,
                    "head_dim_dynamic": 8,
                    "head_num_dynamic": 2,
                    "head_num_heads": 2,
                    "deep_supervision": True,
                    "num_proposals": 10,
                },
                "SparsePostProcess": {"num_proposals": 10},
            },
            detectors.sparse_maps,
        ),
        compiles=False,
        decode=by_score,
    ),
    "QueryInst_ResNet18_FPN": detector_case(
        detector(
            "QueryInst",
            {
                **REGIONS,
                "QueryInst": {**RETINA, "rpn_head": "EmbeddingRPNHead", "roi_head": "SparseRoIHead"},
                "EmbeddingRPNHead": {"num_proposals": 10, "proposal_embedding_dim": 32},
                "SparseRoIHead": {
                    "num_stages": 2,
                    "bbox_roi_extractor": {"resolution": 7, "sampling_ratio": 2, "aligned": True},
                    "mask_roi_extractor": {"resolution": 14, "sampling_ratio": 2, "aligned": True},
                },
                "DIIHead": {
                    "proposal_embedding_dim": 32,
                    "feedforward_channels": 64,
                    "dynamic_feature_channels": 8,
                    "num_attn_heads": 4,
                    "num_reg_fcs": 1,
                },
                "DynamicMaskHead": {
                    "proposal_embedding_dim": 32,
                    "dynamic_feature_channels": 8,
                    "num_convs": 1,
                    "conv_channels": 32,
                },
                "SparsePostProcess": {"num_proposals": 10},
            },
            detectors.query_maps,
        ),
        compiles=False,
        decode=by_score,
    ),
}
