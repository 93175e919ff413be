"""Pictures of images, predictions and numbers; every function returns one as uint8 (H, W, 3), for ``write_image``.

The same arguments give the same pixels. Text of any kind is drawn on one line, smaller and in the end cut where it does
not fit; letters that the font lacks, as Chinese ones, become boxes.
"""

from __future__ import annotations

from core.drawing.colors import RIGHT, WRONG, class_color
from core.drawing.curves import learning_curve
from core.drawing.figures import (
    confusion_matrix,
    loglog_plot,
    precision_recall_curves,
    reliability_diagram,
    scatter_plot,
)
from core.drawing.images import annotated, heat_overlay, in_color
from core.drawing.objects import draw_boxes, draw_keypoints, draw_masks
from core.drawing.predictions import prediction_sheet, sheet_selection
from core.drawing.sheets import Caption, grid, sheet

__all__ = [
    "RIGHT",
    "WRONG",
    "Caption",
    "annotated",
    "class_color",
    "confusion_matrix",
    "draw_boxes",
    "draw_keypoints",
    "draw_masks",
    "grid",
    "heat_overlay",
    "in_color",
    "learning_curve",
    "loglog_plot",
    "precision_recall_curves",
    "prediction_sheet",
    "reliability_diagram",
    "scatter_plot",
    "sheet",
    "sheet_selection",
]
