"""PaddleVideo: actions in videos.

>>> import PaddleVideo
>>> PaddleVideo.list_models("ts*")
>>> model = PaddleVideo.create_model("tsm_r50", class_num=10)

Importing this package loads no engine: a data loader's worker process may import it freely.
"""

from __future__ import annotations

from PaddleVideo.models.registry import create_model, list_models

__all__ = ["create_model", "list_models"]
