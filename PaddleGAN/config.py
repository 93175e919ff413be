"""The keys of an adversarial experiment's config."""

from __future__ import annotations

from typing import Annotated, Optional

import pydantic

from core.train.config import Section, describe_schema
from core.train.optimizers import OptimizerChoice
from core.train.options import DataRoot, Output, Seed, TrainOptions, Workers
from core.train.schedules import SCHEDULES, ScheduleChoice
from core.train.table import Component, Table
from PaddleGAN.data.pipeline import DATASETS, TRANSFORMS, SplitSection
from PaddleGAN.models import registry


def _networks(kind: str, families: dict[str, tuple[str, ...]]) -> Table:
    places = {name: f"PaddleGAN.models.{family}:{name}" for family, names in families.items() for name in names}
    aliases = {alias: places[name] for alias, name in registry.ALIASES.items() if name in places}
    return Table(kind, {**places, **aliases})


GENERATORS = _networks("generator", registry.GENERATORS)
DISCRIMINATORS = _networks("discriminator", registry.DISCRIMINATORS)
TASKS = Table(
    "task",
    {
        "UnconditionalGAN": "PaddleGAN.tasks.unconditional:UnconditionalGAN",
        "WassersteinGAN": "PaddleGAN.tasks.unconditional:WassersteinGAN",
        "ConditionalGAN": "PaddleGAN.tasks.conditional:ConditionalGAN",
        "Pix2Pix": "PaddleGAN.tasks.paired_translation:Pix2Pix",
        "CycleGAN": "PaddleGAN.tasks.unpaired_translation:CycleGAN",
        "SPADE": "PaddleGAN.tasks.semantic_synthesis:SPADE",
        "StarGAN": "PaddleGAN.tasks.attribute_editing_tasks:StarGAN",
        "AttGAN": "PaddleGAN.tasks.attribute_editing_tasks:AttGAN",
        "STGAN": "PaddleGAN.tasks.attribute_editing_tasks:STGAN",
    },
    provided=("config",),
)


class GeneratorSection(Section):
    """What makes images, and how it learns."""

    network: Annotated[Component, pydantic.AfterValidator(GENERATORS.check)] = pydantic.Field(
        description=f"with its settings; of {', '.join(GENERATORS.entries)}"
    )
    optimizer: OptimizerChoice = pydantic.Field(description="an optimizer of core.optimizer with its arguments")
    schedule: ScheduleChoice = pydantic.Field(description=f"with learning_rate; of {', '.join(SCHEDULES.entries)}")


class DiscriminatorSection(Section):
    """What judges images, and how it learns."""

    network: Annotated[Component, pydantic.AfterValidator(DISCRIMINATORS.check)] = pydantic.Field(
        description=f"with its settings; of {', '.join(DISCRIMINATORS.entries)}"
    )
    optimizer: OptimizerChoice = pydantic.Field(description="an optimizer of core.optimizer with its arguments")
    schedule: ScheduleChoice = pydantic.Field(description=f"with learning_rate; of {', '.join(SCHEDULES.entries)}")


class DataSection(Section):
    """Which images."""

    root: DataRoot = pydantic.Field(
        None, description="the folder that the data sets' paths are relative to; --data FOLDER sets it"
    )
    num_workers: Workers = pydantic.Field(
        0, description="processes that read images beside the training; 0: the training's own; results are the same"
    )
    train: SplitSection
    valid: Optional[SplitSection] = None
    test: Optional[SplitSection] = None


class SamplesSection(Section):
    """The sheets of pictures that are drawn during training, always from the same noise or images."""

    every: pydantic.PositiveInt = pydantic.Field(1, description="epochs between sheets")
    count: pydantic.PositiveInt = pydantic.Field(
        64, description="pictures on a sheet that are drawn from noise, or images of which a sheet shows what became"
    )


class ExpectSection(Section):
    """What the experiment should reach; train.py and eval.py leave with code 1 where it does not."""

    split: str = pydantic.Field("test", description="on which split")
    at_least: dict[str, float] = pydantic.Field({}, description="numbers of the evaluation that should be no smaller")
    at_most: dict[str, float] = pydantic.Field({}, description="numbers of the evaluation that should be no larger")


class GANConfig(Section):
    """One experiment."""

    seed: Seed = pydantic.Field(0, description="of weights, noise, order and augmentation")
    output: Output = pydantic.Field(description="the run's folder; a number is added when it is taken")
    task: Annotated[Component, pydantic.AfterValidator(TASKS.check)] = pydantic.Field(
        description=f"what is learnt, with its settings; of {', '.join(TASKS.entries)}"
    )
    generator: GeneratorSection
    discriminator: DiscriminatorSection
    data: DataSection
    train: TrainOptions
    samples: SamplesSection = SamplesSection()
    expect: Optional[ExpectSection] = None


def keys() -> list[str]:
    """Return one line for each key that a config may have, and one for each setting of what a config can name."""
    lines = describe_schema(GANConfig)
    for table, key in (
        (TASKS, "task"),
        (GENERATORS, "generator.network"),
        (DISCRIMINATORS, "discriminator.network"),
        (DATASETS, "data.train.dataset"),
        (TRANSFORMS, "data.train.transforms"),
    ):
        lines += [f"{key}: {table.describe(name)}" for name in table.entries]
    return lines
