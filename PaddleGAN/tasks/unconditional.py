"""Images from noise: DCGAN with any adversarial loss, and WGAN with clipped weights or a gradient penalty.

Papers: Radford, Metz and Chintala, "Unsupervised representation learning with deep convolutional generative adversarial
networks", ICLR 2016, https://arxiv.org/abs/1511.06434; Arjovsky, Chintala and Bottou, "Wasserstein GAN", ICML 2017,
https://arxiv.org/abs/1701.07875; Gulrajani et al., "Improved training of Wasserstein GANs", NIPS 2017,
https://arxiv.org/abs/1704.00028

Decided where the sources differ: generator and discriminator both move at every step of DCGAN; the critic of WGAN moves
at every step, and the generator at every ``critic_steps``-th, which must come at least once an epoch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import core
from core.train.task import Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.losses import GANLoss, gradient_penalty
from PaddleGAN.tasks.noise import NoiseTask


class UnconditionalGAN(NoiseTask):
    """DCGAN: a discriminator learns to tell generated images from real ones, a generator to be taken for real.

    Args:
        config: the experiment.
        gan_mode: the loss, of :data:`PaddleGAN.losses.MODES`; the paper's is "vanilla".
        real_label: what the discriminator should say of real images; 0.9 smooths it.

    Raises:
        ValueError: there is no such loss.
    """

    generators = ("DCGenerator28", "DCGenerator", "DeepConvGenerator")
    discriminators = ("DCDiscriminator28", "DCDiscriminator")

    def __init__(self, config: GANConfig, gan_mode: str = "vanilla", real_label: float = 1.0) -> None:
        super().__init__(config)
        if gan_mode in ("wgan", "wgangp"):
            raise ValueError("task.gan_mode: take the task WassersteinGAN, which bounds the critic's gradient")
        self.criterion = GANLoss(gan_mode, target_real_label=real_label)
        self.generator_criterion = GANLoss(gan_mode)

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the discriminator's phase, then the generator's."""
        config = self.config
        return [
            self.phase(name, loss, [name], getattr(config, name), steps_per_epoch, epochs)
            for name, loss in (("discriminator", self.discriminator_loss), ("generator", self.generator_loss))
        ]

    def discriminator_loss(self, images: Any, *rest: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the discriminator's loss on real and on generated images, and how it scores them.

        Args:
            images: real ones, (N, C, H, W).
            *rest: the batch's further fields.
        """
        real, fake = self.discriminator(images), self.discriminator(self.generator(self.draw(images)).detach())
        loss = self.criterion(real, True, is_disc=True) + self.criterion(fake, False, is_disc=True)
        return loss, {"real": real.mean(), "fake": fake.mean()}

    def generator_loss(self, images: Any, *rest: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss."""
        fake = self.discriminator(self.generator(self.draw(images)))
        return self.generator_criterion(fake, True), {}


class WassersteinGAN(NoiseTask):
    """WGAN: a critic scores real images higher than generated ones, with a bounded slope.

    Args:
        config: the experiment.
        critic_steps: steps of the critic for each of the generator.
        penalty: weight of the gradient penalty, 10 in the paper; null with ``clip``.
        clip: instead, the largest absolute value of the critic's weights, 0.01 in the first paper.

    Raises:
        ValueError: both or neither of penalty and clip are given, or a value is out of range.
    """

    generators = ("DeepConvGenerator", "DCGenerator", "DCGenerator28")
    discriminators = ("WGANCritic",)

    def __init__(
        self,
        config: GANConfig,
        critic_steps: int = 5,
        penalty: Optional[float] = 10.0,
        clip: Optional[float] = None,
    ) -> None:
        super().__init__(config)
        bounds = [bound for bound in (penalty, clip) if bound is not None]
        if len(bounds) != 1 or bounds[0] <= 0:
            raise ValueError(
                f"task: give a positive penalty, or a positive clip and penalty: null, not {penalty} and {clip}"
            )
        self.critic_steps, self.penalty, self.clip = critic_steps, penalty, clip
        self.weights = [parameter for parameter in self.discriminator.parameters() if not parameter.stop_gradient]

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the critic's phase, then the generator's, which is rarer."""
        config, bounded = self.config, None if self.clip is None else self.clipped
        return [
            self.phase(
                "critic",
                self.critic_loss,
                ["discriminator"],
                config.discriminator,
                steps_per_epoch,
                epochs,
                prepare=bounded,
            ),
            self.phase(
                "generator",
                self.generator_loss,
                ["generator"],
                config.generator,
                steps_per_epoch,
                epochs,
                period=self.critic_steps,
                prepare=bounded,
            ),
        ]

    def clipped(self, fields: Sequence[Any], given: Mapping[str, Any]) -> Sequence[Any]:
        """Clip the critic's weights before it scores images; return the batch's fields as they are."""
        for parameter in self.weights:
            parameter.set_value(core.clip(parameter, -self.clip, self.clip))  # type: ignore[operator]  # set here
        return fields

    def critic_loss(self, images: Any, *rest: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the critic's loss, and its estimate of the distance between real and generated images.

        Args:
            images: real ones, (N, C, H, W).
            *rest: the batch's further fields.
        """
        made = self.generator(self.draw(images)).detach()
        distance = self.discriminator(images).mean() - self.discriminator(made).mean()
        if self.penalty is None:
            return -distance, {"distance": distance}
        penalty = gradient_penalty(self.discriminator, images, made)
        return self.penalty * penalty - distance, {"distance": distance, "penalty": penalty}

    def generator_loss(self, images: Any, *rest: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss."""
        return -self.discriminator(self.generator(self.draw(images))).mean(), {}
