"""Images of one kind from images of another, learned without pairs.

Paper: Zhu et al., "Unpaired image-to-image translation using cycle-consistent adversarial networks", ICCV 2017,
https://arxiv.org/abs/1703.10593
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.train.callback import Callback
from core.train.task import Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.losses import GANLoss, identity, reconstruction
from PaddleGAN.pool import ImagePool
from PaddleGAN.tasks.translation import JUDGES, TRANSLATORS, not_negative
from PaddleGAN.tasks.unpaired import UnpairedTask, same_channels


class CycleGAN(UnpairedTask):
    """CycleGAN: generators from A to B and from B to A, which lead back to the start, and a discriminator of each kind.

    A step trains the generators, then the discriminators, with their losses halved, on what pools of generated images
    give. As published, one optimizer moves both generators, and one both discriminators.

    Args:
        config: the experiment; samples are (A, B), which do not belong together.
        gan_mode: the adversarial loss, of :data:`PaddleGAN.losses.MODES`.
        lambda_a: weight of the way from A to B and back.
        lambda_b: weight of the way from B to A and back.
        lambda_identity: weight, times those, of leaving images alone that are of the wanted kind already; 0: not asked.
        pool_size: generated images of each kind that are kept; 0: none.

    Raises:
        ValueError: there is no such loss, a weight is negative, or the two kinds have different channels.
    """

    generators = TRANSLATORS
    discriminators = JUDGES

    def __init__(
        self,
        config: GANConfig,
        gan_mode: str = "lsgan",
        lambda_a: float = 10.0,
        lambda_b: float = 10.0,
        lambda_identity: float = 0.5,
        pool_size: int = 50,
    ) -> None:
        super().__init__(config)
        not_negative(lambda_a=lambda_a, lambda_b=lambda_b, lambda_identity=lambda_identity, pool_size=pool_size)
        if gan_mode in ("wgan", "wgangp"):
            raise ValueError("task.gan_mode: CycleGAN has no gradient penalty; choose another loss")
        given = same_channels(config)
        self.criterion = GANLoss(gan_mode)
        self.lambda_a, self.lambda_b, self.lambda_identity = lambda_a, lambda_b, lambda_identity
        self.a_to_b, self.b_to_a = self.add_generator("generator_a_to_b"), self.add_generator("generator_b_to_a")
        self.judge_a = self.add_discriminator("discriminator_a", input_nc=given)
        self.judge_b = self.add_discriminator("discriminator_b", input_nc=given)
        self.translators = {"AtoB": self.a_to_b, "BtoA": self.b_to_a}
        self.pools = {kind: ImagePool(pool_size, config.seed + number) for number, kind in enumerate("ab")}

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the phase of both generators, then that of both discriminators."""
        length = (steps_per_epoch, epochs)
        makers, judges = ["generator_a_to_b", "generator_b_to_a"], ["discriminator_a", "discriminator_b"]
        made = ("made_a", "made_b")
        return [
            self.phase("generators", self.generators_loss, makers, self.config.generator, *length, provides=made),
            self.phase(
                "discriminators",
                self.discriminators_loss,
                judges,
                self.config.discriminator,
                *length,
                prepare=self.from_pools,
            ),
        ]

    def generators_loss(self, a: Any, b: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of both generators, its parts, and the images that they made.

        Args:
            a: images of one kind, (N, C, H, W).
            b: images of the other.
        """
        made_b, made_a = self.a_to_b(a), self.b_to_a(b)
        adversarial = self.criterion(self.judge_b(made_b), True) + self.criterion(self.judge_a(made_a), True)
        back_a, back_b = reconstruction(self.b_to_a(made_b), a), reconstruction(self.a_to_b(made_a), b)
        loss = adversarial + self.lambda_a * back_a + self.lambda_b * back_b
        values = {"adversarial": adversarial, "cycle": back_a + back_b}
        if self.lambda_identity:
            kept_a = identity(self.b_to_a(a), a, self.lambda_a, self.lambda_identity)
            kept_b = identity(self.a_to_b(b), b, self.lambda_b, self.lambda_identity)
            values["identity"] = kept_a + kept_b
            loss = loss + values["identity"]
        return loss, {**values, "made_a": made_a, "made_b": made_b}

    def from_pools(self, fields: Sequence[Any], given: Mapping[str, Any]) -> Sequence[Any]:
        """Return the fields with generated images of both kinds, of this step or of earlier ones."""
        return [*fields, *(self.pools[kind].query(given[f"made_{kind}"]) for kind in "ab")]

    def discriminators_loss(self, a: Any, b: Any, made_a: Any, made_b: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return half the loss of each discriminator, both together, and each.

        Args:
            a: real images of one kind.
            b: of the other.
            made_a: generated images of the first kind.
            made_b: of the other.
        """
        loss_a, loss_b = (
            0.5 * (self.criterion(judge(real), True, is_disc=True) + self.criterion(judge(made), False, is_disc=True))
            for judge, real, made in ((self.judge_a, a, made_a), (self.judge_b, b, made_b))
        )
        return loss_a + loss_b, {"a": loss_a, "b": loss_b}

    def callbacks(self) -> list[Callback]:
        """Return what writes the sheets, and what keeps the pools in checkpoints."""
        return [*super().callbacks(), PoolStates(self.pools)]

    def probe(self, *images: Any) -> None:
        """Run all four networks once."""
        self.judge_b(self.a_to_b(images[0]))
        self.judge_a(self.b_to_a(images[1]))


class PoolStates(Callback):
    """Keeps the pools of generated images in checkpoints.

    Args:
        pools: by name.
    """

    def __init__(self, pools: Mapping[str, ImagePool]) -> None:
        self.pools = pools

    def state_dict(self) -> dict[str, Any]:
        """Return each pool's state."""
        return {name: pool.state_dict() for name, pool in self.pools.items()}

    def set_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue with these."""
        for name, pool in self.pools.items():
            pool.set_state_dict(state[name])
