"""The keys that the configs of all toolkits share; a toolkit adds the sections that are its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Optional

import pydantic

from core.train.config.old_keys import OldKeys, expectations
from core.train.config.optimizers import OptimizerChoice
from core.train.config.options import DataRoot, Output, Seed, TrainOptions, Workers
from core.train.config.schedules import ScheduleChoice
from core.train.config.schema import Section
from core.train.config.table import Component

if TYPE_CHECKING:
    from typing_extensions import Self


class Near(Section):
    """A number of which neither less nor more is right."""

    value: float = pydantic.Field(description="what it should be")
    tolerance: pydantic.NonNegativeFloat = pydantic.Field(description="how far from it is still right")


class ExpectSection(Section):
    """What the experiment should reach; train.py and eval.py leave with code 1 where it does not."""

    split: Literal["train", "valid", "test"] = pydantic.Field("test", description="on which split")
    at_least: dict[str, float] = pydantic.Field({}, description="numbers of the evaluation that should be no smaller")
    at_most: dict[str, float] = pydantic.Field({}, description="numbers of the evaluation that should be no larger")
    near: dict[str, Near] = pydantic.Field(
        {}, description="numbers of the evaluation that should be alike, as {accuracy: {value: 0.76, tolerance: 0.01}}"
    )


class DataSection(Section):
    """Where the data is, and how many processes read it; a toolkit adds which data it is."""

    root: DataRoot = pydantic.Field(
        None, description="the folder that the data sets' paths are relative to; --data FOLDER sets it"
    )
    num_workers: Workers = pydantic.Field(
        0, description="processes that read data beside the training; 0: the training's own; results are the same"
    )

    def evaluated(self, split: str) -> Self:
        """Return the same section for an evaluation of a split."""
        return self


class Learner(Section):
    """A network and how it learns."""

    network: Component = pydantic.Field(description="with its settings")
    optimizer: OptimizerChoice = pydantic.Field(description="an optimizer of core.optimizer with its arguments")
    schedule: ScheduleChoice = pydantic.Field(description="of the learning rate, with learning_rate")


class BaseExperiment(Section):
    """One experiment, without the networks that learn.

    Attributes:
        old_keys: keys of earlier versions, and what became of them.
    """

    old_keys: ClassVar[OldKeys] = {"expect": expectations}

    seed: Seed = pydantic.Field(0, description="of weights, order, augmentation and everything else that is drawn")
    output: Output = pydantic.Field(description="the run's folder; a number is added when it is taken")
    task: Component = pydantic.Field(description="the task to train, with its settings")
    data: DataSection
    train: TrainOptions
    expect: Optional[ExpectSection] = None

    def continued(self) -> Self:
        """Return the same experiment without weights to start from: those of a run are in its checkpoints."""
        return self

    def evaluated(self, split: str) -> Self:
        """Return the same experiment for an evaluation of a split: what only training uses may be left out."""
        return self.model_copy(update={"data": self.data.evaluated(split)})

    def title(self) -> str:
        """Return in a few words what is trained."""
        return self.task.name


class Experiment(Learner, BaseExperiment):
    """One experiment with one network."""

    old_keys: ClassVar[OldKeys] = {**BaseExperiment.old_keys, "model": "network"}

    def title(self) -> str:
        """Return the names of network and task, the optimizer and the learning rate."""
        rate = self.schedule.arguments["learning_rate"]
        return (
            f"{self.network.name}, {self.task.name}: {self.optimizer.name}, learning rate {rate} ({self.schedule.name})"
        )

    def continued(self) -> Self:
        """Return the same experiment with fresh weights, which a checkpoint's take the place of."""
        return self.model_copy(update={"network": without(self.network, "pretrained", "adapt_head")})


def without(component: Component, *names: str) -> Component:
    """Return a component without some of its arguments.

    Args:
        component: what a config asks for.
        names: of the arguments.
    """
    kept: Mapping[str, Any] = {name: value for name, value in component.arguments.items() if name not in names}
    return type(component).model_validate({"name": component.name, **kept})
