"""What adversarial training minimises: losses of scores, the gradient penalty, and what is asked of the images.

Scores are logits: no discriminator here ends in a sigmoid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import core
from core.nn import functional as F

MODES = ("vanilla", "lsgan", "wgan", "wgangp", "hinge", "logistic")
"""Kinds of adversarial losses; wgan and wgangp are the same but for the penalty, which is :func:`gradient_penalty`."""


class GANLoss:
    """The adversarial loss of scores, with the names and semantics of ppgan's.

    - ``"vanilla"``: cross entropy (Goodfellow et al. 2014, https://arxiv.org/abs/1406.2661), the generator's in the
      form that does not saturate.
    - ``"lsgan"``: squared distance from the label (Mao et al. 2017, https://arxiv.org/abs/1611.04076).
    - ``"wgan"``, ``"wgangp"``: the mean score, with its sign (Arjovsky et al. 2017, https://arxiv.org/abs/1701.07875).
    - ``"hinge"``: Lim and Ye 2017, https://arxiv.org/abs/1705.02894.
    - ``"logistic"``: softplus, which is cross entropy with labels 0 and 1.

    Args:
        gan_mode: one of these.
        target_real_label: label of real images, for vanilla and lsgan; below 1 it smooths the labels.
        target_fake_label: label of generated images, for vanilla and lsgan.
        loss_weight: factor on the generator's loss.

    Raises:
        ValueError: there is no such mode, or the weight is not positive.
    """

    def __init__(
        self,
        gan_mode: str,
        target_real_label: float = 1.0,
        target_fake_label: float = 0.0,
        loss_weight: float = 1.0,
    ) -> None:
        if gan_mode not in MODES:
            raise ValueError(f"GANLoss: gan_mode must be one of {', '.join(MODES)}, not {gan_mode!r}")
        if not loss_weight > 0:
            raise ValueError(f"GANLoss: loss_weight must be positive, not {loss_weight}")
        self.gan_mode = gan_mode
        self.target_real_label = target_real_label
        self.target_fake_label = target_fake_label
        self.loss_weight = loss_weight

    def __call__(
        self, prediction: Any, target_is_real: bool, is_disc: bool = False, is_updating_D: Optional[bool] = None
    ) -> Any:
        """Return the mean loss, 0-D.

        Args:
            prediction: scores of any shape; or, from a discriminator at several scales, a list with one list of feature
                maps for each scale, of which the last one holds the scores: the mean over the scales is returned.
            target_is_real: whether the images are to be taken for real.
            is_disc: whether this is the discriminator's loss, which has no weight.
            is_updating_D: the same for hinge, whose two losses have different forms; None: as ``is_disc``.
        """
        updating = is_disc if is_updating_D is None else is_updating_D
        if isinstance(prediction, (list, tuple)):
            scales = [scale[-1] if isinstance(scale, (list, tuple)) else scale for scale in prediction]
            loss = sum(self._loss(scores, target_is_real, updating) for scores in scales) / len(scales)
        else:
            loss = self._loss(prediction, target_is_real, updating)
        return loss if is_disc else loss * self.loss_weight

    def _loss(self, scores: Any, real: bool, updating_discriminator: bool) -> Any:
        if self.gan_mode in ("vanilla", "lsgan"):
            target = core.full_like(scores, self.target_real_label if real else self.target_fake_label)
            if self.gan_mode == "lsgan":
                return F.mse_loss(scores, target)
            return F.binary_cross_entropy_with_logits(scores, target)
        signed = scores if real else -scores  # larger is better
        if self.gan_mode == "hinge" and updating_discriminator:
            return F.relu(1.0 - signed).mean()
        if self.gan_mode == "logistic":
            return F.softplus(-signed).mean()
        return -signed.mean()


def gradient_penalty(critic: Callable[[Any], Any], real: Any, fake: Any, share: Optional[Any] = None) -> Any:
    """Return how far the critic's gradient is from length 1 between real and generated images, 0-D, without a factor.

    Paper: Gulrajani et al., "Improved training of Wasserstein GANs", NIPS 2017, https://arxiv.org/abs/1704.00028, which
    multiplies it by 10. The length is sqrt(sum of squares + 1e-16), so that a gradient of 0 has a penalty of 1 whose
    own gradient is finite.

    Args:
        critic: images (N, C, H, W) to scores, of any shape, and to nothing else.
        real: real images (N, C, H, W).
        fake: generated images of the same shape; no gradient flows into them.
        share: how much of the generated image the mixture of each pair has, (N, 1, 1, 1); None draws it from [0, 1).
    """
    if share is None:
        share = core.rand([real.shape[0], 1, 1, 1], dtype=real.dtype)
    real, fake = real.detach(), fake.detach()
    mixed = real + share * (fake - real)
    mixed.stop_gradient = False
    (gradient,) = core.grad([critic(mixed).sum()], [mixed], create_graph=True)
    length = core.sqrt((gradient * gradient).sum(axis=[1, 2, 3]) + 1e-16)
    return ((length - 1.0) ** 2).mean()


def r1_penalty(discriminator: Callable[[Any], Any], real: Any) -> Any:
    """Return the squared length of a discriminator's gradient at real images, the mean over them, 0-D.

    Paper: Mescheder, Geiger and Nowozin, "Which training methods for GANs do actually converge?", ICML 2018,
    https://arxiv.org/abs/1801.04406, which halves it.

    Args:
        discriminator: images (N, C, H, W) to scores, of any shape.
        real: real images.
    """
    real = real.detach()
    real.stop_gradient = False
    (gradient,) = core.grad([discriminator(real).sum()], [real], create_graph=True)
    return (gradient * gradient).sum(axis=[1, 2, 3]).mean()


def feature_matching(fake: Sequence[Sequence[Any]], real: Sequence[Sequence[Any]]) -> Any:
    """Return the distance of a discriminator's feature maps for generated and real images, 0-D.

    Paper: Wang et al., "High-resolution image synthesis and semantic manipulation with conditional GANs", CVPR 2018,
    https://arxiv.org/abs/1711.11585; it and SPADE multiply it by 10.

    Args:
        fake: for each scale the feature maps of generated images, of which the last one, the scores, does not count.
        real: those of real images, of the same shapes; no gradient flows into them.

    Returns:
        The mean absolute difference of each map, summed over the maps, mean over the scales.
    """
    total = 0.0
    for scale, expected in zip(fake, real):
        for found, wanted in zip(scale[:-1], expected[:-1]):
            total = total + F.l1_loss(found, wanted.detach())
    return total / len(fake)


def reconstruction(images: Any, originals: Any) -> Any:
    """Return the mean absolute difference of two batches of images, 0-D.

    The L1 loss of Pix2Pix (100 times it), of CycleGAN's cycles (10 times) and identities, of StarGAN (10 times) and of
    AttGAN and STGAN (100 times).

    Args:
        images: (N, C, H, W).
        originals: the same shape.
    """
    return F.l1_loss(images, originals)


def identity(images: Any, originals: Any, cycle_weight: float = 10.0, share: float = 0.5) -> Any:
    """Return CycleGAN's identity loss, 0-D: a generator should not change images that are in its target domain.

    Paper: Zhu et al., "Unpaired image-to-image translation using cycle-consistent adversarial networks", ICCV 2017,
    https://arxiv.org/abs/1703.10593

    Args:
        images: what the generator made of them, (N, C, H, W).
        originals: images of the generator's target domain.
        cycle_weight: factor on the cycle that starts in this domain.
        share: factor on the identity in relation to that.
    """
    return F.l1_loss(images, originals) * (cycle_weight * share)


def attribute_loss(logits: Any, attributes: Any) -> Any:
    """Return the mean cross entropy of attributes, over images and attributes, 0-D: that of AttGAN and STGAN.

    Args:
        logits: (N, attributes).
        attributes: 0 or 1, the same shape.
    """
    return F.binary_cross_entropy_with_logits(logits, attributes)


def domain_loss(logits: Any, attributes: Any) -> Any:
    """Return the cross entropy of attributes, summed over the attributes, mean over the images, 0-D: that of StarGAN.

    Args:
        logits: (N, attributes).
        attributes: 0 or 1, the same shape.
    """
    return F.binary_cross_entropy_with_logits(logits, attributes, reduction="sum") / logits.shape[0]


def charbonnier(images: Any, originals: Any) -> Any:
    """Return the mean of sqrt(difference^2 + 1e-12), 0-D: absolute differences, without a kink; that of EDVR.

    ppgan sums where this takes the mean; Adam's steps are the same.

    Args:
        images: (N, C, H, W).
        originals: the same shape.
    """
    return core.sqrt((images - originals) ** 2 + 1e-12).mean()


PIXEL_LOSSES: Mapping[str, Callable[[Any, Any], Any]] = {
    "l1": F.l1_loss,
    "charbonnier": charbonnier,
    "mse": F.mse_loss,
}
"""Distances of restored pictures from the wanted ones, by name."""


def relativistic(criterion: GANLoss, real: Any, fake: Any, is_disc: bool) -> Any:
    """Return the loss of the relativistic average GAN, 0-D: are real images more real than generated ones on average?

    Paper: A. Jolicoeur-Martineau, "The relativistic discriminator", ICLR 2019, https://arxiv.org/abs/1807.00734; the
    loss of ESRGAN.

    Args:
        criterion: the loss of scores.
        real: scores of real images, (N, 1).
        fake: scores of generated images, (N, 1).
        is_disc: whether this is the discriminator's loss, for which the means are constants, as in ESRGAN; the
            generator's wants the opposite.

    Returns:
        The mean of the losses of both kinds.
    """
    means = [scores.mean().detach() if is_disc else scores.mean() for scores in (real, fake)]
    first = criterion(real - means[1], is_disc, is_disc=is_disc)
    second = criterion(fake - means[0], not is_disc, is_disc=is_disc)
    return (first + second) * 0.5
