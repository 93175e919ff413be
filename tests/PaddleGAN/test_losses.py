"""Adversarial losses against ppgan and PyTorch, whole steps of WGAN-GP and STGAN with their second-order gradients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static
from core.nn import functional as F
from PaddleGAN import create_discriminator, create_generator, losses
from tests.parity.PaddleGAN import critic_steps as steps
from tests.parity.PaddleGAN.weights import state

REFERENCES = Path(__file__).parents[1] / "parity" / "PaddleGAN" / "references"
PRECISIONS = [("float32", 1e-4), ("float64", 1e-6)]  # the stored numbers are rounded to float32


@pytest.fixture(autouse=True)
def single_precision_afterwards() -> Iterator[None]:
    yield
    core.set_default_dtype("float32")


def filled(network: nn.Layer) -> nn.Layer:
    tensors = network.state_dict()
    for name, value in state({name: tuple(tensor.shape) for name, tensor in tensors.items()}).items():
        tensors[name].set_value(value.astype(tensors[name].numpy().dtype))
    return network


def inputs(dtype: str, *names: str) -> list[Any]:
    return [core.to_tensor(steps.INPUTS[name], dtype=dtype) for name in names]


def assert_terms(terms: dict[str, Any], reference: Any, tolerance: float) -> None:
    for name, term in terms.items():
        assert term.item() == pytest.approx(float(reference[name]), rel=tolerance), name


def assert_gradients(network: nn.Layer, reference: Any, tolerance: float) -> None:
    expected = {name[9:]: reference[name] for name in reference.files if name.startswith("gradient ")}
    parameters = dict(network.named_parameters())
    assert expected.keys() == {name for name, tensor in parameters.items() if not tensor.stop_gradient}
    largest = max(np.abs(gradient).max() for gradient in expected.values())
    for name, gradient in expected.items():
        # a shift in front of a normalisation cancels: its gradient is 0 but for rounding
        scale = largest if np.abs(gradient).max() < 1e-9 else np.abs(gradient).max()
        error = np.abs(parameters[name].grad.numpy() - gradient).max() / scale
        assert error <= tolerance, f"{name}: relative error {error:.1e}"


def assert_changes(network: nn.Layer, reference: Any, tolerance: float) -> None:
    """Let Adam take one step and compare what it changes, in parts of the learning rate."""
    parameters = {name: tensor for name, tensor in network.named_parameters() if not tensor.stop_gradient}
    before = {name: tensor.numpy() for name, tensor in parameters.items()}
    core.optimizer.Adam(
        steps.LEARNING_RATE, steps.BETA1, steps.BETA2, steps.EPSILON, parameters=list(parameters.values())
    ).step()
    for name, tensor in parameters.items():
        error = np.abs(tensor.numpy() - before[name] - reference[f"change {name}"]).max() / steps.LEARNING_RATE
        assert error <= tolerance, f"{name}: {error:.1e} of the learning rate"


def run(step: Callable[..., Any], compiled: bool, *arguments: Any) -> dict[str, Any]:
    """Run a step that returns terms, of which "loss" is differentiated."""
    terms = (to_static(step) if compiled else step)(*arguments)
    terms["loss"].backward()
    return terms


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_the_step_of_a_wgan_critic_is_pytorch_s(dtype: str, tolerance: float, compiled: bool) -> None:
    core.set_default_dtype(dtype)
    critic = filled(create_discriminator("WGANCritic", **steps.WGAN))
    adversarial = losses.GANLoss("wgangp")

    def step(real: Any, fake: Any, share: Any) -> dict[str, Any]:
        penalty = losses.gradient_penalty(critic, real, fake, share)
        loss = adversarial(critic(real), True, is_disc=True) + adversarial(critic(fake), False, is_disc=True)
        return {"penalty": penalty, "loss": loss + steps.PENALTY * penalty}

    reference = np.load(REFERENCES / "penalty_step.npz")
    assert_terms(run(step, compiled, *inputs(dtype, "real", "fake", "share")), reference, tolerance)
    assert_gradients(critic, reference, tolerance)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_the_critic_step_of_stgan_is_pytorch_s(dtype: str, tolerance: float, compiled: bool) -> None:
    core.set_default_dtype(dtype)
    generator = filled(create_generator("STGANGenerator", **steps.GENERATOR))
    discriminator = filled(create_discriminator("STGANDiscriminator", **steps.DISCRIMINATOR))
    adversarial = losses.GANLoss("wgangp")

    def step(real: Any, source: Any, target: Any, share: Any) -> dict[str, Any]:
        with core.no_grad():
            edited = generator(real, target - source)
        (scores, logits), (fake_scores, _) = discriminator(real), discriminator(edited)
        terms = {
            "adversarial": adversarial(scores, True, is_disc=True) + adversarial(fake_scores, False, is_disc=True),
            "penalty": losses.gradient_penalty(lambda x: discriminator(x)[0], real, edited, share),
            "classes": losses.attribute_loss(logits, source),
        }
        loss = terms["adversarial"] + steps.PENALTY * terms["penalty"] + steps.CLASSES_CRITIC * terms["classes"]
        return {**terms, "loss": loss}

    reference = np.load(REFERENCES / "stgan_critic_step.npz")
    assert_terms(run(step, compiled, *inputs(dtype, "real", "source", "target", "share")), reference, tolerance)
    assert_gradients(discriminator, reference, tolerance)
    if dtype == "float64":  # Adam's first step has the gradients' signs, also of those that are 0 but for rounding
        assert_changes(discriminator, reference, 1e-5)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_the_generator_step_of_stgan_is_pytorch_s(dtype: str, tolerance: float, compiled: bool) -> None:
    core.set_default_dtype(dtype)
    generator = filled(create_generator("STGANGenerator", **steps.GENERATOR))
    discriminator = filled(create_discriminator("STGANDiscriminator", **steps.DISCRIMINATOR))

    def step(real: Any, source: Any, target: Any) -> dict[str, Any]:
        scores, logits = discriminator(generator(real, target - source))
        terms = {
            "adversarial": losses.GANLoss("wgangp")(scores, True),
            "classes": losses.attribute_loss(logits, target),
            "reconstruction": losses.reconstruction(generator(real, core.zeros_like(source)), real),
        }
        loss = (
            terms["adversarial"]
            + steps.CLASSES_GENERATOR * terms["classes"]
            + steps.RECONSTRUCTION * terms["reconstruction"]
        )
        return {**terms, "loss": loss}

    reference = np.load(REFERENCES / "stgan_generator_step.npz")
    assert_terms(run(step, compiled, *inputs(dtype, "real", "source", "target")), reference, tolerance)
    assert_gradients(generator, reference, tolerance)
    if dtype == "float64":
        assert_changes(generator, reference, 1e-5)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_a_gradient_of_zero_has_a_finite_penalty(compiled: bool) -> None:
    weight = core.to_tensor(np.full((3 * 4 * 4, 1), -1.0, "float32"), stop_gradient=False)

    def penalty(real: Any, fake: Any, share: Any) -> Any:
        return losses.gradient_penalty(lambda x: F.relu(F.linear(x.flatten(1), weight)), real, fake, share)

    real, fake = (core.full([2, 3, 4, 4], value) for value in (1.0, 0.5))  # ReLU is dead everywhere
    found = (to_static(penalty) if compiled else penalty)(real, fake, core.full([2, 1, 1, 1], 0.3))
    assert found.item() == 1.0
    found.backward()
    np.testing.assert_array_equal(weight.grad.numpy(), np.zeros((48, 1)))


def test_the_penalty_draws_one_share_for_each_pair() -> None:
    seen = []

    def critic(x: Any) -> Any:
        seen.append(x.numpy())
        return x.sum(axis=[1, 2, 3])

    core.seed(3)
    losses.gradient_penalty(critic, core.zeros([5, 3, 2, 2]), core.ones([5, 3, 2, 2]))
    shares = seen[0][:, 0, 0, 0]
    np.testing.assert_array_equal(seen[0], np.broadcast_to(shares[:, None, None, None], (5, 3, 2, 2)))
    assert len(set(shares.tolist())) == 5 and 0 <= shares.min() and shares.max() < 1


def test_the_penalty_of_a_linear_critic_is_known() -> None:
    slope = core.to_tensor([3.0, 0.0, 4.0], stop_gradient=False)

    def critic(x: Any) -> Any:
        return (x * slope.reshape([1, 3, 1, 1])).sum(axis=[1, 2, 3])

    found = losses.gradient_penalty(critic, core.ones([2, 3, 1, 1]), core.zeros([2, 3, 1, 1]))
    assert found.item() == pytest.approx(16.0)  # (5 - 1)^2
    found.backward()
    np.testing.assert_allclose(slope.grad.numpy(), [4.8, 0, 6.4], rtol=1e-6)  # 2 (5 - 1) slope / 5


@pytest.mark.parametrize("mode", losses.MODES)
def test_adversarial_losses_are_ppgan_s(mode: str) -> None:
    reference = np.load(REFERENCES / "gan_loss.npz")
    scores = core.to_tensor(reference["scores"])
    loss = losses.GANLoss(mode, loss_weight=0.7)
    for real in (True, False):
        for discriminator in (True, False):
            expected = pytest.approx(float(reference[f"{mode} {real} {discriminator}"].reshape(-1)[0]), rel=1e-5)
            assert loss(scores, real, is_disc=discriminator).item() == expected
            assert loss(scores, real, discriminator, is_updating_D=discriminator).item() == expected


def test_labels_may_be_smoothed() -> None:
    loss = losses.GANLoss("lsgan", target_real_label=0.9, target_fake_label=0.1)
    assert loss(core.full([2, 2], 0.4), True).item() == pytest.approx(0.25)
    assert loss(core.full([2, 2], 0.4), False).item() == pytest.approx(0.09)


def test_several_scales_count_alike() -> None:
    scales = [[core.zeros([1, 2, 4, 4]), core.full([1, 1, 3, 3], 2.0)], [core.zeros([1, 2, 2, 2]), core.full([1], 4.0)]]
    assert losses.GANLoss("wgan")(scales, False).item() == 3.0
    assert losses.GANLoss("wgan")([scores[-1] for scores in scales], True).item() == -3.0


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="gan_mode must be one of vanilla, lsgan, .*, not 'wgan-gp'"):
        losses.GANLoss("wgan-gp")
    with pytest.raises(ValueError, match="loss_weight must be positive, not 0"):
        losses.GANLoss("hinge", loss_weight=0)


def test_cross_entropies_and_feature_matching_are_pytorch_s() -> None:
    reference = np.load(REFERENCES / "losses.npz")
    real, fake, labels = inputs("float32", "real", "fake", "source")
    logits = 3 * real[:, 0, 0, : steps.C_DIM]
    assert losses.attribute_loss(logits, labels).item() == pytest.approx(float(reference["mean"]), rel=1e-5)
    assert losses.domain_loss(logits, labels).item() == pytest.approx(float(reference["summed"]), rel=1e-5)
    fake.stop_gradient = real.stop_gradient = False
    scales = [[images[:, :, ::stride, ::stride] for stride in (1, 2, 4)] for images in (real, fake)]
    several = [[scale, [2 * maps[:, :1] for maps in scale[:2]]] for scale in scales]
    found = losses.feature_matching(several[1], several[0])
    assert found.item() == pytest.approx(float(reference["matching"]), rel=1e-5)
    found.backward()
    assert real.grad is None and fake.grad is not None


def test_distances_of_images() -> None:
    images, originals = core.to_tensor([[1.0, -2.0]]), core.to_tensor([[0.0, 1.0]])
    assert losses.reconstruction(images, originals).item() == 2.0
    assert losses.identity(images, originals).item() == 10.0  # 2 * 10 * 0.5
    assert losses.identity(images, originals, cycle_weight=4.0, share=0.25).item() == 2.0
