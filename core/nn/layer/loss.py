"""Loss layers under the one module name that Paddle gives them; the one with parameters is here."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.layer.checks import positive
from core.nn.layer.layers import Layer
from core.nn.layer.loss_likelihood import CTCLoss, GaussianNLLLoss, PoissonNLLLoss, RNNTLoss
from core.nn.layer.loss_metric import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from core.nn.layer.loss_pointwise import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from core.nn.param_attr import ParamAttrLike

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HSigmoidLoss",
    "HingeEmbeddingLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "PoissonNLLLoss",
    "RNNTLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class HSigmoidLoss(Layer):
    """Hierarchical sigmoid: a class is a path of yes/no decisions down a binary tree (Morin and Bengio 2005).

    Args:
        feature_size: Size of the features.
        num_classes: Number of classes.
        weight_attr: ParamAttr of the weight, one row per inner node of the tree.
        bias_attr: ParamAttr of the bias, or False for none.
        is_custom: Whether ``forward`` gets the tree as path tables.
        is_sparse: Whether the gradient holds only the rows that were used; the values are the same either way.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        feature_size: int,
        num_classes: int,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        is_custom: bool = False,
        is_sparse: bool = False,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        positive("HSigmoidLoss", "feature_size", feature_size)
        if num_classes < 2 and not is_custom:
            raise ValueError(f"HSigmoidLoss: num_classes must be at least 2 without a custom tree, not {num_classes}")
        self._feature_size = feature_size
        self._num_classes = num_classes
        self._is_custom = is_custom
        self._is_sparse = is_sparse
        self._name = name
        nodes = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter([nodes, feature_size], weight_attr)
        self.bias = self.create_parameter([nodes, 1], bias_attr, is_bias=True)

    def forward(self, input: Any, label: Any, path_table: Any = None, path_code: Any = None) -> Any:
        """Return the loss of each sample (N, 1).

        Args:
            input: Features (N, feature_size).
            label: Classes (N, 1).
            path_table: Nodes on the way to each class (N, L), -1 beyond its end.
            path_code: Decisions on that way (N, L).
        """
        return F.hsigmoid_loss(
            input,
            label,
            self._num_classes,
            self.weight,
            self.bias,
            path_table=path_table,
            path_code=path_code,
            is_sparse=self._is_sparse,
        )
