"""What a run says about itself before it begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.train.config.batching import programs_of
from core.train.config.length import TrainingLength, known_length
from core.train.config.optimizers import describe_groups

if TYPE_CHECKING:
    from core.train.trainer import Trainer


def announcement(trainer: Trainer) -> list[str]:
    """Return parameter counts, effective learning rates and batch size, and how long the run is, as lines.

    Args:
        trainer: about to train.
    """
    options, lines = trainer.options, []
    for phase in trainer.phases:
        count = sum(int(parameter.size) for parameter in phase.parameters if not parameter.stop_gradient)
        every = f", every {phase.period} steps" if phase.period > 1 else ""
        lines.append(
            f"{phase.name}: {count:,} trainable parameters, {type(phase.optimizer).__name__}, "
            f"learning rate {phase.optimizer.get_lr():.4g}{every}"
        )
        lines.extend(f"  {line}" for line in describe_groups(phase.optimizer))
    size = trainer.loader.batch_size
    if trainer.loader.batch_sampler is not None:
        size = getattr(trainer.loader.batch_sampler, "batch_size", size)
    dataset: Any = getattr(trainer.loader, "dataset", None)
    source = dataset if trainer.loader.batch_sampler is None else trainer.loader.batch_sampler
    tokens = getattr(source, "max_tokens", None)
    if tokens is not None:
        whole = f", {options.accumulate} for each step" if options.accumulate > 1 else ""
        lines.append(f"batches of at most {tokens} tokens, padding included{whole}")
    elif isinstance(size, int) and known_length(dataset) != 1:  # a whole graph, say
        whole = f"{size * options.accumulate} ({options.accumulate} batches of {size})"
        lines.append(f"batch size {whole if options.accumulate > 1 else size}")
    length = TrainingLength(trainer.steps_per_epoch, options.epochs, options.steps)
    how = "compiled" if options.compiled else "operator by operator"
    lines.append(f"{length}, {how}, {trainer.progress.threads} threads")
    lines.extend(_warnings(trainer, length.total_steps))
    programs = programs_of(trainer.loader) if options.compiled else None
    if programs is not None:
        lines.append(programs.line + (f", for each of {len(trainer.phases)} phases" if len(trainer.phases) > 1 else ""))
    if trainer.precision is not None:
        lines.append(f"mixed precision: products and convolutions of training in {trainer.precision.dtype}")
    if trainer.average is not None:
        lines.append(average_line(trainer.average.decay))
    if trainer.folder is not None:
        lines.append(f"writing to {trainer.folder}")
    return lines


def _warnings(trainer: Trainer, total_steps: int) -> list[str]:
    """Return lines about settings that the run is too short for, as where a recipe is tried on less data."""
    lines = []
    batches, accumulate = known_length(trainer.loader), trainer.options.accumulate
    if batches is not None and accumulate > batches:
        lines.append(
            f"warning: train.accumulate is {accumulate}, but an epoch has {batches} batch{'es' * (batches != 1)}, and "
            "a step takes no more: lower it, or the batch size"
        )
    for phase in trainer.phases:
        warmup, steps = getattr(phase.schedule, "warmup_steps", 0), -(-total_steps // phase.period)
        if warmup > steps:
            lines.append(
                f"warning: {phase.name}: the warm-up takes {warmup:,} steps, but training has {steps:,}, so the "
                "learning rate does not get where the schedule begins: shorten the warm-up, or train longer"
            )
    return lines


def shown(values: Mapping[str, float]) -> str:
    """Return numbers as they are in an epoch's line."""
    return "  ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in values.items())


def average_line(decay: float) -> str:
    """Return what to know of a moving average of the weights.

    The decay of its update t is at most (1 + t) / (10 + t): after n steps the weights in it are n / 10 steps old on
    average, until ``decay`` is the smaller one.

    Args:
        decay: of the average.
    """
    return (
        f"evaluating and keeping a moving average of the weights (decay {decay:g}), which lags behind them by a tenth "
        f"of the steps taken, at most by {round(decay / (1 - decay)):,}"
    )
