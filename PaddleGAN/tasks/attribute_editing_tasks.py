"""StarGAN, AttGAN and STGAN: what each generator takes, and what it must reconstruct.

Papers: Choi et al., CVPR 2018, https://arxiv.org/abs/1711.09020; He et al., IEEE TIP 2019,
https://arxiv.org/abs/1711.10678; Liu et al., CVPR 2019, https://arxiv.org/abs/1904.09709
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PaddleGAN.config import GANConfig
from PaddleGAN.losses import domain_loss, reconstruction
from PaddleGAN.tasks.attribute_editing import AttributeEditing


class StarGAN(AttributeEditing):
    """StarGAN: one generator for all attributes, which must find back to the original from its own edit.

    Args:
        config: the experiment.
        critic_steps: steps of the critic for each of the generator.
        penalty: weight of the critic's gradient penalty.
        critic_attributes: weight of the attributes in the critic's loss.
        generator_attributes: weight of the attributes in the generator's loss.
        reconstruction: weight of the mean absolute difference between the originals and what the way back made.
        identity: weight of the same difference for images whose own attributes are asked for, as in CycleGAN. The paper
            has no such term: the way back alone can hide in an edited image what it needs, and change the rest.

    Raises:
        ValueError: a weight is negative.
    """

    generators = ("StarGANGenerator",)
    discriminators = ("StarGANDiscriminator",)
    takes = "the attributes wanted, 0 or 1,"

    def __init__(
        self,
        config: GANConfig,
        critic_steps: int = 5,
        penalty: float = 10.0,
        critic_attributes: float = 1.0,
        generator_attributes: float = 1.0,
        reconstruction: float = 10.0,
        identity: float = 0.0,
    ) -> None:
        super().__init__(config, critic_steps, penalty, critic_attributes, generator_attributes, reconstruction)
        if identity < 0:
            raise ValueError(f"task.identity: a weight must not be negative, not {identity}")
        self.identity = identity

    def condition(self, source: Any, target: Any) -> Any:
        """Return the attributes wanted."""
        return target

    def attribute_loss(self, logits: Any, attributes: Any) -> Any:
        """Return the cross entropy of attributes, summed over them."""
        return domain_loss(logits, attributes)

    def edited_and_reconstructed(self, images: Any, source: Any, target: Any) -> tuple[Any, Any]:
        """Return images with the attributes wanted, and with their own again."""
        edited = self.generator(images, target)
        return edited, self.generator(edited, source)

    def generator_loss(self, images: Any, attributes: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss, and its parts."""
        loss, parts = super().generator_loss(images, attributes)
        if not self.identity:
            return loss, parts
        difference = reconstruction(self.generator(images, attributes), images)
        return loss + self.identity * difference, {**parts, "identity": difference}


class AttGAN(AttributeEditing):
    """AttGAN: a code of the image is decoded with the attributes wanted; with its own it gives the original.

    The settings, and their published values, are those of :class:`AttributeEditing`.
    """

    generators = ("AttGANGenerator",)
    discriminators = ("AttGANDiscriminator",)
    takes = "the attributes wanted, -0.5 or 0.5,"

    def condition(self, source: Any, target: Any) -> Any:
        """Return the attributes wanted, scaled to -0.5 and 0.5."""
        return target - 0.5


class STGAN(AttributeEditing):
    """STGAN: the generator takes how the attributes shall change; with no change it gives the original.

    The settings, and their published values, are those of :class:`AttributeEditing`.
    """

    generators = ("STGANGenerator",)
    discriminators = ("AttGANDiscriminator", "STGANDiscriminator")
    takes = "-1, 0 or 1 for the change"

    def condition(self, source: Any, target: Any) -> Any:
        """Return target less source."""
        return target - source
