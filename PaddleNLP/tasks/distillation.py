"""Distillation of a language model: a student learns its teacher's answers, and perhaps its hidden states.

Jiao et al. 2020, TinyBERT, https://arxiv.org/abs/1909.10351; Sun et al. 2019, Patient Knowledge Distillation,
https://arxiv.org/abs/1908.09355.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.train.distillation import frozen, masked_mean, soft_divergence
from PaddleNLP.config import LanguageTeacher
from PaddleNLP.models.registry import FAMILIES, MODELS

HEADS = ("sequence_classification", "token_classification", "question_answering")
"""Heads that can have a teacher: they give their encoder's hidden states, too."""

PROJECTIONS = "projections"
"""The name in checkpoints of what makes a student's hidden states as wide as the teacher's."""


class Distiller:
    """What a teacher adds to the loss of a task.

    Args:
        task: a :class:`PaddleNLP.tasks.base.LanguageTask`, whose network is the student.
        section: of the config.

    Raises:
        ValueError: the teacher cannot be built, or a layer is named that a network does not have.
    """

    def __init__(self, task: Any, section: LanguageTeacher) -> None:
        self.task, self.section = task, section
        student = task.network  # reads the data, too, which says how many classes there are
        given = {"task": task.head, "num_classes": task.class_count()}
        if section.network.name in FAMILIES:
            own = {"vocab_size": len(task.tokenizer), "pad_token_id": task.tokenizer.pad_token_id}
            given.update({key: value for key, value in own.items() if key not in section.network.arguments})
        try:
            self.teacher = frozen(MODELS.build(section.network, **given))
        except (TypeError, ValueError) as error:
            raise ValueError(f"teacher.network: {error}") from None
        self.pairs = [(int(own), int(other)) for own, other in section.hidden.items()]
        for place, network in enumerate((student, self.teacher)):
            layers = len(getattr(getattr(network.encoder, "encoder", None), "layers", ()))
            most = max((pair[place] for pair in self.pairs), default=0)
            if most > layers:
                role = ("student", "teacher")[place]
                raise ValueError(f"teacher.hidden names layer {most} of the {role}, which has {layers}")
        if self.pairs:
            sizes = (student.encoder.hidden_size, self.teacher.encoder.hidden_size)
            task.networks[PROJECTIONS] = nn.LayerList([nn.Linear(*sizes) for _ in self.pairs])

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch: of the labels, of the teacher's answers, and of its hidden states."""
        ids, mask = fields["input_ids"], fields["input_ids_mask"]
        given = {"attention_mask": mask, "output_hidden_states": bool(self.pairs)}
        with core.no_grad():
            answers, states = _parted(self.teacher(ids, fields.get("token_type_ids"), **given), bool(self.pairs))
        found, own = _parted(self.task.network(ids, fields.get("token_type_ids"), **given), bool(self.pairs))
        single = len(found) == 1
        loss, numbers = self.task.loss_of(found[0] if single else found, fields)
        counted = core.cast(mask, "float32")
        soft = sum(self._soft(mine, other, counted) for mine, other in zip(found, answers)) / len(found)
        total = self.section.labels * loss + self.section.weight * soft
        if self.pairs:
            distances = []
            for layer, (mine, other) in zip(self.task.networks[PROJECTIONS], self.pairs):
                squares = ((layer(own[mine]) - states[other].detach()) ** 2).mean(axis=-1)
                distances.append(masked_mean(squares, counted))
            total = total + self.section.hidden_weight * sum(distances) / len(distances)
        return total, {**numbers, "label_loss": loss}

    def _soft(self, student: Any, teacher: Any, counted: Any) -> Any:
        """Return how far a student's answers are from its teacher's, by what they say."""
        tokens = counted if student.ndim == 3 else None
        if self.task.answers == "numbers":
            return F.mse_loss(student, teacher.detach())
        if self.task.answers == "labels":
            truth = F.sigmoid(teacher.detach())
            each = F.binary_cross_entropy_with_logits(student, truth, reduction="none")
            return masked_mean(each.mean(axis=-1), tokens)
        return soft_divergence(student, teacher, self.section.temperature, tokens)


def _parted(results: Any, with_states: bool) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return a head's results, and the hidden states of all layers."""
    if not with_states:
        return (results if isinstance(results, tuple) else (results,)), ()
    return results[:-1], results[-1]
