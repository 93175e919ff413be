"""The one table of detectors, and functions that read it. Importing this module loads no network and no engine."""

from __future__ import annotations

from core.train.config.table import Table

FAMILIES = {
    "yolov3": ("yolov3_darknet53", "yolov3_mobilenet_v1"),
    "yolox": ("yolox_nano", "yolox_tiny", "yolox_s", "yolox_m", "yolox_l", "yolox_x"),
    "picodet": ("picodet_xs", "picodet_s", "picodet_m", "picodet_l"),
    "ppyoloe": (
        *(f"ppyoloe_crn_{size}" for size in "smlx"),
        *(f"ppyoloe_plus_crn_{size}" for size in "smlx"),
    ),
    "ttfnet": ("ttfnet_darknet53",),
    "ssd": ("ssd_mobilenet_v1_300", "ssdlite_mobilenet_v1_300"),
}
"""Module of PaddleDetection.models to the names of its detectors, small ones first."""

NETWORKS = Table(
    "network",
    {name: f"PaddleDetection.models.{family}:{name}" for family, names in FAMILIES.items() for name in names},
    signature="PaddleDetection.models.arguments:signature",
    listing="PaddleDetection.list_models()",
)
