"""The keys of an adversarial experiment's config, and the toolkit's record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import pydantic

from core.train.config.schema import Section
from core.train.config.table import Component, Named, Table
from core.train.runner.config import BaseExperiment, Learner
from core.train.runner.splits import Splits
from core.train.runner.toolkit import Toolkit
from PaddleGAN.data.pipeline import SplitSection
from PaddleGAN.models.registry import DISCRIMINATOR_NETWORKS, GENERATOR_NETWORKS

if TYPE_CHECKING:
    from typing_extensions import Self

TASKS = Table(
    "task",
    {
        "UnconditionalGAN": "PaddleGAN.tasks.unconditional:UnconditionalGAN",
        "StyleGAN2": "PaddleGAN.tasks.stylegan2:StyleGAN2",
        "WassersteinGAN": "PaddleGAN.tasks.unconditional:WassersteinGAN",
        "ConditionalGAN": "PaddleGAN.tasks.conditional:ConditionalGAN",
        "Pix2Pix": "PaddleGAN.tasks.paired_translation:Pix2Pix",
        "CycleGAN": "PaddleGAN.tasks.unpaired_translation:CycleGAN",
        "UGATIT": "PaddleGAN.tasks.ugatit:UGATIT",
        "AnimeGAN": "PaddleGAN.tasks.animegan:AnimeGAN",
        "AnimeGANPretraining": "PaddleGAN.tasks.animegan:AnimeGANPretraining",
        "StarGANv2": "PaddleGAN.tasks.stargan_v2:StarGANv2",
        "Wav2Lip": "PaddleGAN.tasks.wav2lip:Wav2Lip",
        "SPADE": "PaddleGAN.tasks.semantic_synthesis:SPADE",
        "SuperResolution": "PaddleGAN.tasks.super_resolution:SuperResolution",
        "ESRGAN": "PaddleGAN.tasks.super_resolution:ESRGAN",
        "DRN": "PaddleGAN.tasks.super_resolution:DRN",
        "VideoRestoration": "PaddleGAN.tasks.video_restoration:VideoRestoration",
        "StarGAN": "PaddleGAN.tasks.attribute_editing_tasks:StarGAN",
        "AttGAN": "PaddleGAN.tasks.attribute_editing_tasks:AttGAN",
        "STGAN": "PaddleGAN.tasks.attribute_editing_tasks:STGAN",
    },
    provided=("config",),
)


class GeneratorSection(Learner):
    """What makes images, and how it learns."""

    network: Annotated[Component, Named(GENERATOR_NETWORKS)] = pydantic.Field(description="with its settings")


class DiscriminatorSection(Learner):
    """What judges images, and how it learns."""

    network: Annotated[Component, Named(DISCRIMINATOR_NETWORKS)] = pydantic.Field(description="with its settings")


class SamplesSection(Section):
    """The sheets of pictures that are drawn during training, always from the same noise or images."""

    every: pydantic.PositiveInt = pydantic.Field(1, description="epochs between sheets")
    count: pydantic.PositiveInt = pydantic.Field(
        default=64,
        description="pictures on a sheet that are drawn from noise, or images of which a sheet shows what became",
    )


class GANConfig(BaseExperiment):
    """One experiment."""

    task: Annotated[Component, Named(TASKS)] = pydantic.Field(description="the task to train, with its settings")
    data: Splits[SplitSection]
    generator: GeneratorSection
    discriminator: Optional[DiscriminatorSection] = pydantic.Field(
        None, description="what judges images; tasks that learn by distances alone have none"
    )
    samples: SamplesSection = SamplesSection()

    def continued(self) -> Self:
        """Return the same experiment without weights to start from: those of a run are in its checkpoints."""
        players = {
            name: player.model_copy(update={"network": table.continued(player.network)})
            for name, player, table in (
                ("generator", self.generator, GENERATOR_NETWORKS),
                ("discriminator", self.discriminator, DISCRIMINATOR_NETWORKS),
            )
            if player is not None
        }
        return self.model_copy(update=players)

    def title(self) -> str:
        """Return the names of the task and of its players."""
        against = "" if self.discriminator is None else f" against {self.discriminator.network.name}"
        return f"{self.task.name}: {self.generator.network.name}{against}"


TOOLKIT = Toolkit("PaddleGAN", GANConfig, inference="PaddleGAN.inference:infer")
