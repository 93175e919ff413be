"""One training step: the part of the loop that meets the engine."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Optional

import core
from core.io.batch import device_fields, samples_of
from core.jit.rewrite import convert
from core.train.precision import MixedPrecision
from core.train.task import Phase

if TYPE_CHECKING:
    from core.train.logs.profile import Profile


class NonFiniteLossError(ArithmeticError):
    """The loss, or a weight, became infinite or not a number."""


@dataclasses.dataclass
class StepResult:
    """The numbers of one phase's step, still in the engine's hands.

    Attributes:
        step: the step's number, from 0.
        phase: the phase.
        learning_rate: what the step was made with.
        batches: the fields of each batch of the step.
        tensors: for each batch Tensors by name, "loss" among them.
        shares: each batch's share in the loss that was minimised.
    """

    step: int
    phase: Phase
    learning_rate: float
    batches: Sequence[Sequence[Any]]
    tensors: Sequence[Mapping[str, Any]]
    shares: Sequence[float]

    @property
    def samples(self) -> int:
        """How many samples the step had."""
        return sum(samples_of(batch) for batch in self.batches)

    def read(self) -> dict[str, float]:
        """Wait for the numbers and return them.

        Raises:
            NonFiniteLossError: the loss is infinite or not a number.
        """
        values: dict[str, float] = {}
        for tensors, batch, share in zip(self.tensors, self.batches, self.shares):
            loss = float(tensors["loss"])
            if not math.isfinite(loss):
                raise NonFiniteLossError(
                    f"the loss of phase {self.phase.name!r} is {loss} at step {self.step} "
                    f"(learning rate {self.learning_rate:.4g})"
                )
            further = {name: tensor for name, tensor in tensors.items() if name != "loss"}
            numbers = {"loss": loss}
            if self.phase.measure is None:
                numbers.update((name, float(tensor)) for name, tensor in further.items())
            for name, number in numbers.items():
                values[name] = values.get(name, 0.0) + share * number
            if self.phase.measure is not None:
                values.update(self.phase.measure(further, batch))
        return values


class PhaseStep:
    """Runs a phase: loss, gradient, update.

    Args:
        phase: what to run.
        compiled: whether its loss and gradient run as one compiled graph.
        profile: where to note times; None: nowhere.
        precision: mixed precision of the loss; None: float32.
        constants: parameters that count as constants during the phase.
    """

    def __init__(
        self,
        phase: Phase,
        compiled: bool,
        profile: Optional[Profile] = None,
        precision: Optional[MixedPrecision] = None,
        constants: Sequence[Any] = (),
    ) -> None:
        self.phase = phase
        self.constants = constants
        self.precision = precision
        self.scaler = precision.scaler() if precision is not None else None
        self.names: list[str] = []
        self._profile = profile
        traced = compiled and not phase.in_place
        self._phase_loss = convert(phase.loss) if traced else phase.loss  # what core calls is not rewritten by itself
        self._loss: Callable[..., Any] = core.jit.to_static(self._flat_loss) if traced else self._flat_loss

    def __call__(
        self,
        step: int,
        batches: Sequence[Sequence[Any]],
        reseed: Optional[Callable[[int], None]] = None,
        given: Optional[Sequence[MutableMapping[str, Any]]] = None,
    ) -> StepResult:
        """Make one step: the gradient of the mean loss of all samples of some batches, and an update.

        Args:
            step: the step's number.
            batches: the fields of each batch.
            reseed: called with the number of each batch after the first.
            given: for each batch what earlier phases of the step gave; what this one gives is added.

        Returns:
            The step's numbers, not yet waited for.
        """
        counts = [samples_of(batch) for batch in batches]
        shares = [count / sum(counts) for count in counts]
        tensors = []
        for number, (batch, share) in enumerate(zip(batches, shares)):
            if number and reseed is not None:
                reseed(number)
            found = self.backward(batch, share, given[number] if given is not None else {})
            passed = {name: found.pop(name) for name in self.phase.provides}
            if given is not None:
                given[number].update(passed)
            tensors.append(found)
        rate = float(self.phase.optimizer.get_lr())
        self.update()
        return StepResult(step, self.phase, rate, batches, tensors, shares)

    def backward(
        self, batch: Sequence[Any], factor: float = 1.0, given: Optional[Mapping[str, Any]] = None
    ) -> dict[str, Any]:
        """Add the gradient of a batch's loss to what the parameters have.

        Args:
            batch: the batch's fields.
            factor: on the gradient.
            given: what earlier phases of the step gave for the batch.

        Returns:
            Tensors by name, "loss" among them.
        """
        with _part(self._profile, "forward+backward"), _constant(self.constants):
            outputs = self._computed(self._loss, batch, given or {})
            if not self.phase.in_place:
                loss = outputs[0] if self.scaler is None else self.scaler.scale(outputs[0])
                loss.backward(None if factor == 1.0 else core.full(loss.shape, factor, loss.dtype))
        return {name: output.detach() for name, output in zip(["loss", *self.names], outputs)}

    def compute(self, batch: Sequence[Any]) -> None:
        """Compute a batch's loss operator by operator, only for what that does to running statistics.

        Args:
            batch: the batch's fields.
        """
        with core.no_grad():
            self._computed(self._flat_loss, batch, {})

    def _computed(
        self, loss: Callable[..., tuple[Any, ...]], batch: Sequence[Any], given: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        if self.phase.prepare is not None:
            with core.no_grad():
                batch = self.phase.prepare(batch, given)
        with contextlib.nullcontext() if self.precision is None else self.precision.block():
            return loss(*device_fields(batch))

    def update(self) -> None:
        """Move the parameters."""
        if self.phase.in_place:
            return
        with _part(self._profile, "update"):
            if self.scaler is None:
                self.phase.optimizer.step()
            else:
                self.scaler.step(self.phase.optimizer)
                self.scaler.update()

    def advance_schedule(self) -> None:
        """Move the learning rate to the next step's."""
        if self.phase.schedule is not None:
            self.phase.schedule.step()

    def _flat_loss(self, *batch: Any) -> tuple[Any, ...]:
        loss, values = self._phase_loss(*batch)
        self.names = list(values)
        missing = [name for name in self.phase.provides if name not in values]
        if missing:
            raise KeyError(
                f"phase {self.phase.name!r} is to give {missing[0]!r}, but its loss returns only "
                f"{', '.join(['loss', *self.names])}"
            )
        results = (loss, *values.values())
        return tuple([core.cast(value, "float32") if value.dtype.size == 2 else value for value in results])


class Averages:
    """Means of named numbers, each weighted by its batch's samples.

    Args:
        sums: go on from these.

    Attributes:
        sums: for each number its sum and its weight.
    """

    def __init__(self, sums: Optional[Mapping[str, Sequence[float]]] = None) -> None:
        self.sums: dict[str, list[float]] = {name: list(pair) for name, pair in (sums or {}).items()}

    def add(self, values: Mapping[str, float], samples: int) -> None:
        """Take in one step's numbers."""
        for name, value in values.items():
            pair = self.sums.setdefault(name, [0.0, 0])
            pair[0] += value * samples
            pair[1] += samples

    def means(self) -> dict[str, float]:
        """Return the means."""
        return {name: total / max(weight, 1) for name, (total, weight) in self.sums.items()}


@contextlib.contextmanager
def _constant(parameters: Sequence[Any]) -> Iterator[None]:
    """Within the block parameters have no gradient."""
    moving = [parameter for parameter in parameters if not parameter.stop_gradient]
    for parameter in moving:
        parameter.stop_gradient = True
    try:
        yield
    finally:
        for parameter in moving:
            parameter.stop_gradient = False


def _part(profile: Optional[Profile], name: str) -> contextlib.AbstractContextManager[None]:
    """Measure a part, where there is somewhere to note it."""
    return contextlib.nullcontext() if profile is None else profile.part(name)
