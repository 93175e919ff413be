"""The box heads of Cascade R-CNN (Cai and Vasconcelos, arXiv 1712.00726): each surer than the one before.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import nn
from PaddleDetection.models.heads.rpn_head import small

STAGE_WEIGHTS = ((10.0, 10.0, 5.0, 5.0), (20.0, 20.0, 10.0, 10.0), (30.0, 30.0, 15.0, 15.0))
"""Of each stage, factors of the four numbers of a box."""


class CascadeHead(nn.Layer):
    """Predicts in each stage the class of each region, and a box.

    Args:
        heads: of each stage, what makes a vector of a region's feature map.
        num_classes: how many classes there are.
        class_agnostic: whether all classes have the same box.
    """

    def __init__(self, heads: Sequence[Any], num_classes: int, class_agnostic: bool = True) -> None:
        super().__init__()
        self.head = nn.LayerList(heads)
        self.scores, self.deltas = [], []
        for stage, head in enumerate(heads):
            score = nn.Linear(head.channels, num_classes + 1, weight_attr=small())
            delta = nn.Linear(head.channels, 4 if class_agnostic else 4 * num_classes, weight_attr=small(0.001))
            self.scores.append(self.add_sublayer(f"bbox_score_stage{stage}", score))
            self.deltas.append(self.add_sublayer(f"bbox_delta_stage{stage}", delta))

    def forward(self, regions: Any, stage: int) -> tuple[Any, Any]:
        """Return logits (R, num_classes + 1), background last, and deltas (R, 4) or (R, 4 * num_classes).

        Args:
            regions: (R, C, M, M).
            stage: which one, counted from 0.
        """
        vector = self.head[stage](regions)
        return self.scores[stage](vector), self.deltas[stage](vector)
