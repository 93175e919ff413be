"""AttentionLSTM: two-way LSTMs over pictures and sound, and an attention that weighs their steps.

Source of parameter names: PaddleVideo 2.x. The network is that of PaddleVideo 1.5 for YouTube-8M, without a paper, with
the attention of Yang et al., "Hierarchical attention networks for document classification", NAACL 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from core.regularizer import L2Decay
from PaddleVideo.models.youtube8m import (
    CLASSES,
    FEATURE_DIMS,
    FeatureClassifier,
    attention_over_frames,
    dequantized,
    frame_mask,
)


class AttentionLSTMHead(nn.Layer):
    """Features of frames to logits; arguments as of :class:`AttentionLSTM`."""

    def __init__(
        self,
        class_num: int,
        feature_dims: Sequence[int],
        embedding_size: int,
        lstm_size: int,
        hidden_sizes: Sequence[int],
        drop_ratio: float,
    ) -> None:
        super().__init__()
        for kind, size in enumerate(feature_dims):
            self.add_sublayer(f"fc_feature{kind}", nn.Linear(size, embedding_size))
            self.add_sublayer(f"bi_lstm{kind}", nn.LSTM(embedding_size, lstm_size, direction="bidirectional"))
            self.add_sublayer(f"att_fc{kind}", nn.Linear(2 * lstm_size, 1))
        self.dropout = nn.Dropout(drop_ratio)
        for name, received, returned in (
            ("fc_out1", 2 * lstm_size * len(feature_dims), hidden_sizes[0]),
            ("fc_out2", hidden_sizes[0], hidden_sizes[1]),
            ("fc_logit", hidden_sizes[1], class_num),
        ):
            bias = ParamAttr(regularizer=L2Decay(0.0))
            self.add_sublayer(name, nn.Linear(received, returned, bias_attr=bias))

    def pooled(self, kind: int, features: Any, lengths: Any) -> Any:
        """Return the weighted sum of the LSTM's outputs over the frames, (N, 2 * lstm_size)."""
        embedded = core.tanh(getattr(self, f"fc_feature{kind}")(features))
        states, _ = getattr(self, f"bi_lstm{kind}")(embedded, sequence_length=lengths)
        states = self.dropout(states)
        scores = getattr(self, f"att_fc{kind}")(states).squeeze(2)
        weights = attention_over_frames(scores, frame_mask(features, lengths))
        return (states * weights.unsqueeze(2)).sum(1)

    def forward(self, kinds: Sequence[Any], lengths: Any) -> Any:
        """Return the logits.

        Args:
            kinds: features of pictures and of sound, float32 (N, T, F).
            lengths: int64 (N,).
        """
        x = core.concat([self.pooled(kind, features, lengths) for kind, features in enumerate(kinds)], axis=1)
        return self.fc_logit(core.tanh(self.fc_out2(F.relu(self.fc_out1(x)))))


class AttentionLSTM(FeatureClassifier):
    """Features of frames to logits: see :meth:`FeatureClassifier.forward`.

    Args:
        class_num: how many classes there are.
        feature_dims: features of a frame, of pictures and of sound.
        embedding_size: what a layer makes of them before the LSTM.
        lstm_size: the LSTM's state in each direction.
        hidden_sizes: of the two layers before the logits.
        drop_ratio: how many of the LSTM's outputs are dropped in training.
        gpu_count: what the loss is multiplied with: that of the published recipe, which was trained on 8, is not the
            loss of a mean over devices.

    Raises:
        ValueError: a number is not positive, or there are not two hidden sizes.
    """

    head_names = ("head.fc_logit",)

    def __init__(
        self,
        class_num: int = CLASSES,
        feature_dims: Sequence[int] = FEATURE_DIMS,
        embedding_size: int = 512,
        lstm_size: int = 1024,
        hidden_sizes: Sequence[int] = (8192, 4096),
        drop_ratio: float = 0.5,
        gpu_count: int = 1,
    ) -> None:
        super().__init__(class_num, feature_dims)
        positive_numbers("AttentionLSTM", embedding_size=embedding_size, lstm_size=lstm_size, gpu_count=gpu_count)
        if len(hidden_sizes) != 2:
            raise ValueError(f"AttentionLSTM: hidden_sizes must be two numbers, not {list(hidden_sizes)}")
        for size in hidden_sizes:
            positive_numbers("AttentionLSTM", hidden_sizes=size)
        self.gpu_count = gpu_count
        self.head = AttentionLSTMHead(class_num, feature_dims, embedding_size, lstm_size, hidden_sizes, drop_ratio)

    def forward(self, rgb: Any, audio: Any, lengths: Any) -> Any:
        """Return the logits, (N, class_num)."""
        self.check_features(rgb, audio)
        return self.head([dequantized(rgb), dequantized(audio)], lengths)

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the sum of the binary cross-entropies over classes and videos, times the number of devices, 0-D.

        The other networks take the mean over videos. A learning rate of a recipe therefore suits its batch size and
        number of devices only.
        """
        return F.binary_cross_entropy_with_logits(logits, labels, reduction="sum") * float(self.gpu_count)


def attention_lstm(**settings: Any) -> AttentionLSTM:
    """Return an AttentionLSTM; settings as of :class:`AttentionLSTM`."""
    return AttentionLSTM(**settings)
