"""Faces whose lips move as a sound says: Wav2Lip.

Paper: Prajwal et al., "A lip sync expert is all you need for speech to lip generation in the wild", ACM MM 2020,
https://arxiv.org/abs/2008.10010
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

import core
from core import nn
from core.drawing import sheet
from core.io.randomness import batch_scope
from core.jit.input_spec import InputSpec
from core.nn import functional as F
from core.train.callback import Callback
from core.train.runner.task import Program
from core.train.task import Evaluator, Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.metrics import PSNR
from PaddleGAN.models.registry import DISCRIMINATOR_NETWORKS
from PaddleGAN.models.wav2lip import FRAMES, MEL_SHAPE, SIDE
from PaddleGAN.pictures import as_bytes
from PaddleGAN.tasks.base import AdversarialTask
from PaddleGAN.tasks.translation import not_negative


class Wav2Lip(AdversarialTask):
    """Wav2Lip: faces are to be the real ones, to look real, and to fit the sound, as an expert hears that never learns.

    A step trains the generator, then the discriminator on the faces that it made. The weights of sync and adversarial
    losses are taken from that of the absolute difference. As published, the expert is asked once an evaluation says
    that faces fit well enough.

    Args:
        config: the experiment; samples are those of Wav2LipDataset.
        sync: weight of the expert's loss at the beginning, 0 in the published recipe.
        sync_later: its weight after an evaluation in which that loss was below ``sync_below``.
        sync_below: see there.
        adversarial: weight of the adversarial loss.
        expert: the weights of SyncNetColor: true for the published ones, downloaded on first use, or a file; null:
            there is none, and ``sync`` and ``sync_later`` must be 0.
        expert_width: what the expert's channels are divided by.

    Raises:
        ValueError: a weight is negative, both take more than there is, or the expert is missing or not asked.
    """

    numbers = ("l1", "psnr", "sync")
    generators = ("Wav2Lip",)
    discriminators = ("Wav2LipDiscQual",)
    modes = ("speak",)
    monitor, higher_is_better = "l1", False

    def __init__(
        self,
        config: GANConfig,
        sync: float = 0.0,
        sync_later: float = 0.0,
        sync_below: float = 0.75,
        adversarial: float = 0.07,
        expert: Optional[Union[bool, str]] = None,
        expert_width: int = 1,
    ) -> None:
        super().__init__(config)
        not_negative(sync=sync, sync_later=sync_later, adversarial=adversarial)
        if max(sync, sync_later) + adversarial > 1:
            raise ValueError(
                f"task: sync and adversarial are shares of 1, not {max(sync, sync_later)} and {adversarial}"
            )
        if not expert and (sync or sync_later):
            raise ValueError("task.expert: sync and sync_later need the expert's weights: true, or a file")
        self.adversarial, self.sync_later, self.sync_below = adversarial, sync_later, sync_below
        self.generator, self.discriminator = self.add_generator(), self.add_discriminator()
        self.share = self.networks["sync_share"] = Share(sync)
        self.expert: Any = None
        if expert:
            self.expert = DISCRIMINATOR_NETWORKS.create("SyncNetColor", expert, None, {"width": expert_width})
            self.expert.eval()
            for parameter in self.expert.parameters():
                parameter.stop_gradient = True

    def facts(self) -> list[str]:
        """Return lines that describe the training data.

        Raises:
            ValueError: samples are of another kind.
        """
        for split in self.splits:
            shapes = [np.shape(field) for field in self.first(split, 1)[0]]
            wanted = [(6, FRAMES, SIDE, SIDE), (FRAMES, 1, *MEL_SHAPE), (1, *MEL_SHAPE), (3, FRAMES, SIDE, SIDE)]
            if shapes != wanted:
                raise ValueError(f"data.{split}: samples are to be those of Wav2LipDataset at 96 pixels, not {shapes}")
        return [*super().facts(), "no expert on lips" if self.expert is None else "an expert on lips"]

    def first(self, split: str, count: int) -> list[Any]:
        """Return a split's first samples, the same each time."""
        samples = self.dataset(split)
        with batch_scope(self.config.seed, 0, 0):
            return [samples[index] for index in range(min(count, len(samples)))]

    # training

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the generator's phase, then the discriminator's."""
        length = (steps_per_epoch, epochs)
        maker = self.phase(
            "generator", self.generator_loss, ["generator"], self.config.generator, *length, provides=("made",)
        )
        if not self.adversarial:
            return [maker]
        judge = self.phase(
            "discriminator",
            self.discriminator_loss,
            ["discriminator"],
            self.config.discriminator,
            *length,
            prepare=lambda fields, given: [*fields, given["made"]],
        )
        return [maker, judge]

    def callbacks(self) -> list[Callback]:
        """Return what writes the sheets, and what asks the expert after a good evaluation."""
        return [*super().callbacks(), AskExpert(self)]

    def generator_loss(self, faces: Any, sounds: Any, sound: Any, targets: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss, its parts, and the faces that it made.

        Args:
            faces: masked ones and others, (N, 6, 5, 96, 96).
            sounds: of each frame, (N, 5, 1, 80, 16).
            sound: of all, (N, 1, 80, 16).
            targets: the real faces, (N, 3, 5, 96, 96).
        """
        made = self.generator(sounds, faces)
        values = {"l1": F.l1_loss(made, targets)}
        rest, loss = 1.0, 0.0
        if self.adversarial:
            scores = self.discriminator(made)
            values["adversarial"] = F.binary_cross_entropy(scores, core.ones_like(scores))
            rest, loss = rest - self.adversarial, self.adversarial * values["adversarial"]
        if self.expert is None:
            return rest * values["l1"] + loss, {**values, "made": made}
        values["sync"] = sync_loss(self.expert, made, sound)
        share = self.share.value.sum()
        return share * values["sync"] + loss + (rest - share) * values["l1"], {**values, "made": made}

    def discriminator_loss(
        self, faces: Any, sounds: Any, sound: Any, targets: Any, made: Any
    ) -> tuple[Any, Mapping[str, Any]]:
        """Return the discriminator's loss on real and on generated faces, and both parts."""
        real, fake = self.discriminator(targets), self.discriminator(made.detach())
        values = {
            "real": F.binary_cross_entropy(real, core.ones_like(real)),
            "fake": F.binary_cross_entropy(fake, core.zeros_like(fake)),
        }
        return values["real"] + values["fake"], values

    # evaluation and pictures

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return the faces made of a batch, and the expert's loss for it, if there is one."""
        faces, sounds, sound, _ = fields
        made = self.generator(sounds, faces)
        return [made] if self.expert is None else [made, sync_loss(self.expert, made, sound).reshape([1])]

    def evaluator(self, split: str) -> Evaluator:
        """Return an empty evaluator."""
        return SpeechEvaluator()

    def remarks(self) -> list[str]:
        """Return a line that says how the numbers came about."""
        return ["l1 and psnr to the real faces, numbers from 0 to 1; sync: the expert's loss, where there is one"]

    def sheet(self) -> np.ndarray:
        """Return the middle of some videos: what is given, what was made, what was real."""
        rows = []
        with core.no_grad():
            for faces, sounds, _, targets in self.first(self.splits[-1], self.config.samples.count):
                made = self.generator(core.to_tensor(sounds[None]), core.to_tensor(faces[None])).numpy()[0]
                middle = (part[None, :, FRAMES // 2] for part in (faces[:3], faces[3:], made, targets))
                rows.append([as_bytes(part[:, ::-1] * 2 - 1)[0] for part in middle])
        return sheet(rows, ["masked", "other", "output", "target"])

    def needs(self, mode: str) -> str:
        """Return what speaking cannot do without."""
        return " --face FACE.mp4 --audio SPEECH.wav --box LEFT TOP RIGHT BOTTOM"

    def program(self) -> Program:
        """Return the program: sounds and faces to faces."""
        specs = [InputSpec([None, 1, *MEL_SHAPE], "float32", "sounds")]
        specs.append(InputSpec([None, 6, SIDE, SIDE], "float32", "faces"))
        text = "sounds float32 [any, 1, 80, 16] and faces [any, 6, 96, 96], 0 to 1, blue first, to faces"
        return Program(self.generator, specs, text)


class Share(nn.Layer):
    """A weight that changes during training; a checkpoint keeps it.

    Args:
        value: at the beginning.
    """

    def __init__(self, value: float) -> None:
        super().__init__()
        self.register_buffer("value", core.full([1], value))


class AskExpert(Callback):
    """Raises the weight of the expert's loss after an evaluation in which it was low enough.

    Args:
        task: holds the weight.
    """

    def __init__(self, task: Wav2Lip) -> None:
        self.task = task

    def on_evaluate_end(self, trainer: Any, split: str, values: Mapping[str, float]) -> None:
        """Raise it."""
        if self.task.sync_later and values.get("sync", np.inf) < self.task.sync_below:
            self.task.share.value.set_value(core.full([1], self.task.sync_later))


class SpeechEvaluator(Evaluator):
    """Gathers "l1", "psnr" and, where an expert listens, "sync"."""

    def __init__(self) -> None:
        self.distances: list[np.ndarray] = []
        self.losses: list[tuple[float, int]] = []
        self.peak = PSNR()

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in faces that were made, perhaps a loss, and a batch's fields."""
        targets = batch[3].numpy()
        self.distances.append(np.abs(outputs[0].astype(np.float64) - targets).mean(axis=(1, 2, 3, 4)))
        flat = [
            faces.transpose(0, 2, 1, 3, 4).reshape(-1, *faces.shape[1:2], *faces.shape[3:])
            for faces in (outputs[0], targets)
        ]
        self.peak.update(*(faces * 2 - 1 for faces in flat))
        if len(outputs) > 1:
            self.losses.append((float(outputs[1][0]), len(targets)))

    def result(self) -> dict[str, float]:
        """Return all numbers."""
        numbers = {"l1": float(np.concatenate(self.distances).mean()), "psnr": self.peak.accumulate()}
        if self.losses:
            losses, counts = zip(*self.losses)
            numbers["sync"] = float(np.average(losses, weights=counts))
        return numbers


def sync_loss(expert: Any, faces: Any, sound: Any) -> Any:
    """Return how little lips fit a sound as the expert hears it, 0-D: minus the logarithm of the vectors' cosine.

    Args:
        expert: SyncNetColor.
        faces: (N, 3, 5, 96, 96), 0 to 1.
        sound: (N, 1, 80, 16).
    """
    halves = faces[:, :, :, SIDE // 2 :]
    heard, seen = expert(sound, core.concat([halves[:, :, number] for number in range(FRAMES)], axis=1))
    likeness = F.cosine_similarity(heard, seen).unsqueeze(1)
    return F.binary_cross_entropy(likeness, core.ones_like(likeness))
