"""Running statistics of batch normalisation taken anew: the means of those of many batches, with fixed weights.

Wu and Johnson, "Rethinking 'Batch' in BatchNorm", 2021, https://arxiv.org/abs/2105.07576, section 3. While weights
move, running averages follow statistics of weights that were; PaddleVideo's recipes take them anew before evaluation.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from core.nn.layer.batch_norm import BatchNormBase
from core.train.callback import Callback
from core.train.seeds import seed_everything, step_seed

if TYPE_CHECKING:
    from core.train.trainer import Trainer


class PreciseNorm(Callback):
    """Takes the statistics of all normalisation in training mode anew at the end of some epochs, before evaluation.

    The batches are the first ones of the epoch that would follow. They pass operator by operator.

    Args:
        every: how many epochs there are from one time to the next; the last epoch is always one.
        batches: how many batches are averaged, at most an epoch's.
    """

    def __init__(self, every: int, batches: int) -> None:
        self.every = every
        self.batches = batches

    def on_train_begin(self, trainer: Trainer) -> None:
        """Refuse what has no statistics to take.

        Raises:
            ValueError: the networks have no batch normalisation, or training has several phases.
        """
        if len(trainer.phases) > 1 or trainer.phases[0].in_place:
            raise ValueError("train.precise_norm is for training with one loss and one optimizer; leave it out")
        if not _moving(trainer.task.networks.values()):
            raise ValueError(
                "train.precise_norm: the network has no batch normalisation whose statistics move; leave it out"
            )

    def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        """Take them, where it is time."""
        progress = trainer.progress
        if progress.epoch % self.every and not trainer.length.is_over(progress):
            return
        step = trainer.steps[0]
        seed_everything(step_seed(progress.seed, progress.step))
        trainer.loader.set_epoch(progress.epoch)
        layers = _moving(trainer.task.networks.values())
        with contextlib.closing(trainer.loader.batches(start=0)) as loaded:
            take_statistics(layers, step.compute, itertools.islice(loaded, self.batches))


def take_statistics(
    layers: Sequence[BatchNormBase], compute: Callable[[Sequence[Any]], None], batches: Iterable[Sequence[Any]]
) -> None:
    """Give layers the means of the statistics that they have in each of some batches.

    Args:
        layers: in training mode.
        compute: passes a batch through the network that has them.
        batches: the fields of each batch; at least one.
    """
    momenta = [layer._momentum for layer in layers]
    statistics = [tensor for layer in layers for tensor in (layer._mean, layer._variance) if tensor is not None]
    found: list[list[np.ndarray]] = []
    try:
        for layer in layers:
            layer._momentum = 0.0  # a batch's own statistics take the place of the earlier ones
        for batch in batches:
            compute(batch)
            found.append([tensor.numpy().astype(np.float64) for tensor in statistics])
    finally:
        for layer, momentum in zip(layers, momenta):
            layer._momentum = momentum
    for tensor, values in zip(statistics, zip(*found)):
        tensor.set_value(np.mean(values, axis=0).astype(np.float32))


def _moving(networks: Iterable[Any]) -> list[BatchNormBase]:
    """Return the layers whose statistics a training step moves."""
    return [
        layer
        for network in networks
        for layer in network.sublayers(include_self=True)
        if isinstance(layer, BatchNormBase) and layer.training and not layer._use_global_stats
    ]
