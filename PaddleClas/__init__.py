"""PaddleClas: image classification.

>>> import PaddleClas
>>> PaddleClas.list_models("ResNet*_vd")
>>> model = PaddleClas.create_model("ResNet18", class_num=10)

Importing this package loads no engine: a data loader's worker process may import it freely.
"""

from __future__ import annotations

from PaddleClas.models.registry import create_model, list_models

__all__ = ["create_model", "list_models"]
