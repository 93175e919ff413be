"""PaddleDetection: networks that find objects in images, with boxes and masks.

>>> import PaddleDetection
>>> PaddleDetection.list_models("yolox*")
>>> model = PaddleDetection.create_model("yolov3_mobilenet_v1", pretrained=True, num_classes=3)
>>> detector = PaddleDetection.open_detector("runs/digits_yolov3")
>>> detector.predict(image).boxes

Importing this package loads no engine: a data loader's worker process may import it freely.
"""

from __future__ import annotations

import importlib
from typing import Any

from PaddleDetection.models.registry import create_model, list_models

__all__ = ["create_model", "list_models", "open_detector"]


def open_detector(path: Any, checkpoint: str = "best") -> Any:
    """Open the folder of a run, or an exported one: an object whose ``predict`` finds objects in an image.

    Args:
        path: the folder.
        checkpoint: which one of a run.

    Returns:
        A :class:`PaddleDetection.detector.ObjectDetector`.

    Raises:
        FileNotFoundError: it is neither.
    """
    return importlib.import_module("PaddleDetection.detector").open_detector(path, checkpoint)  # loads the engine
