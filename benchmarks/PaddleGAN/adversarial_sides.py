"""The sides of benchmarks.PaddleGAN.adversarial: the same networks, weights, images and steps in every framework.

A step of training is a forward pass, gradients and Adam. STGAN's critic step has the gradient penalty, CycleGAN's and
DCGAN's steps train generators and discriminators one after the other.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

from benchmarks.PaddleGAN import adversarial_recipes as recipes
from benchmarks.side import settled

Steps = dict[str, Callable[[], Any]]
LEARNING_RATE, BETAS = 2e-4, (0.5, 0.999)

NETWORKS = {
    "stgan": {"g": ("STGANGenerator", {}), "d": ("AttGANDiscriminator", {"image_size": 128})},
    "cyclegan": {
        **{name: ("ResnetGenerator", {"n_blocks": 6}) for name in ("g_a", "g_b")},
        **{name: ("NLayerDiscriminator", {}) for name in ("d_a", "d_b")},
    },
    "dcgan": {"g": ("DCGenerator", {}), "d": ("DCDiscriminator", {})},
    "resnet_9block": {"g": ("ResnetGenerator", {"n_blocks": 9})},
    "unet_256": {"g": ("UnetGenerator", {})},
}
"""Model to its networks; an ``image_size`` gives way to that of the images."""


def data(size: int, batch: int) -> dict[str, Any]:
    """Return images, attributes, noise and shares as numpy arrays."""
    import numpy as np

    generator = np.random.default_rng(0)
    images = {name: generator.uniform(-1, 1, (batch, 3, size, size)).astype("float32") for name in ("a", "b")}
    attributes = {name: generator.integers(0, 2, (batch, 13)).astype("float32") for name in ("source", "target")}
    noise = generator.standard_normal((batch, 100, 1, 1)).astype("float32")
    return {**images, **attributes, "noise": noise, "share": generator.random((batch, 1, 1, 1)).astype("float32")}


def our_networks(model: str, size: int, folder: str) -> dict[str, Any]:
    """Return our networks, built of whatever is called core; the first side writes their weights, others read them."""
    import os

    import numpy as np

    import core
    from PaddleGAN.models.registry import entry

    networks = {}
    for key, (name, arguments) in NETWORKS[model].items():
        if "image_size" in arguments:
            arguments = {**arguments, "image_size": size}
        network = networks[key] = entry(name)(**arguments)
        path = f"{folder}/{model}_{key}.npz"
        if os.path.exists(path):
            with np.load(path) as weights:
                network.set_state_dict({name: core.to_tensor(weights[name]) for name in weights.files})
        else:
            np.savez(path, **{name: tensor.numpy() for name, tensor in network.state_dict().items()})
    return networks


def ours(model: str, size: int, batch: int, folder: str) -> Steps:
    """Return our steps, compiled; of a generator also one call of a Predictor of its export."""
    import core
    from core.kernels.engine.engine import wait_all
    from PaddleGAN import losses

    core.seed(0)
    networks = our_networks(model, size, folder)
    given = {name: core.to_tensor(array) for name, array in data(size, batch).items()}
    if model not in recipes.PHASES:
        network = networks["g"]
        network.eval()
        core.jit.save(network, f"{folder}/exported", [core.static.InputSpec([batch, 3, size, size], "float32")])
        predictor = core.jit.Predictor(f"{folder}/exported", warm_up=[[(batch, 3, size, size)]])
        compiled = core.jit.to_static(network)
        image = given["a"].numpy()

        def forward() -> Any:
            with core.no_grad():
                return compiled(given["a"]).numpy()

        return {"forward": settled(forward), "exported": lambda: predictor.run(image)}
    adversarial = losses.GANLoss(recipes.MODES[model])
    recipe = recipes.Recipe(
        networks,
        losses.reconstruction,
        losses.attribute_loss,
        adversarial,
        lambda d, real, fake, share: losses.gradient_penalty(lambda x: networks[d](x)[0], real, fake, share),
        core.no_grad,
    )
    learned = {
        name: [tensor for tensor in network.parameters() if not tensor.stop_gradient]
        for name, network in networks.items()
    }

    def phase(loss: str, trained: tuple[str, ...], fields: tuple[str, ...]) -> Callable[[], float]:
        parameters = [tensor for name in trained for tensor in learned[name]]
        others = [tensor for name in networks if name not in trained for tensor in learned[name]]
        optimizer = core.optimizer.Adam(LEARNING_RATE, *BETAS, parameters=parameters)
        compiled = core.jit.to_static(getattr(recipe, loss))

        def run() -> float:
            for tensor in others:
                tensor.stop_gradient = True
            value = compiled(*[given[field] for field in fields])
            value.backward()
            optimizer.step()
            optimizer.clear_grad(set_to_zero=False)
            for tensor in others:
                tensor.stop_gradient = False
            wait_all()
            return float(value.item())

        return run

    return steps_of(model, phase)


def steps_of(model: str, phase: Callable[..., Callable[[], float]]) -> Steps:
    """Return a model's steps; each returns the losses of its phases."""

    def step(phases: list[Callable[[], float]]) -> Callable[[], list[float]]:
        return lambda: [run() for run in phases]

    return {name: step([phase(*one) for one in phases]) for name, phases in recipes.PHASES[model].items()}


def pytorch(model: str, size: int, batch: int, folder: str, threads: int, compiled: bool) -> Steps:
    """Return PyTorch's steps, eager or through torch.compile, in channels-last memory.

    torch.compile refuses second derivatives, so the penalty's critic runs eagerly there.
    """
    import numpy as np
    import torch
    import torch.nn.functional as F

    from benchmarks.PaddleGAN import adversarial_torch as built

    torch.set_num_threads(threads)
    builders = {
        "STGANGenerator": built.STGANGenerator,
        "AttGANDiscriminator": lambda: built.STGANDiscriminator(size),
        "NLayerDiscriminator": built.patch_discriminator,
        "DCGenerator": built.dc_generator,
        "DCDiscriminator": built.dc_discriminator,
        "UnetGenerator": built.UNet,
    }
    plain = {}
    for key, (name, arguments) in NETWORKS[model].items():
        blocks = arguments.get("n_blocks")
        network = built.resnet_generator(blocks) if blocks else builders[name]()
        with np.load(f"{folder}/{model}_{key}.npz") as weights:
            plain[key] = built.load(network, dict(weights))
    networks = {key: torch.compile(network) if compiled else network for key, network in plain.items()}
    given = {name: torch.from_numpy(array) for name, array in data(size, batch).items()}
    given = {
        name: x.to(memory_format=torch.channels_last if x.ndim == 4 else torch.contiguous_format)
        for name, x in given.items()
    }
    if model not in recipes.PHASES:
        if model != "unet_256":  # ours normalises by the batch in evaluation too
            networks["g"].eval()

        def forward() -> Any:
            with torch.inference_mode():
                return networks["g"](given["a"]).numpy()

        return {"forward": forward}

    def score(scores: torch.Tensor, real: bool, discriminator: bool) -> torch.Tensor:
        if recipes.MODES[model] == "wgangp":
            return -scores.mean() if real else scores.mean()
        target = torch.full_like(scores, float(real))
        return (F.mse_loss if recipes.MODES[model] == "lsgan" else F.binary_cross_entropy_with_logits)(scores, target)

    def penalty(d: str, real: torch.Tensor, fake: torch.Tensor, share: torch.Tensor) -> torch.Tensor:
        mixed = (real + share * (fake - real)).requires_grad_()
        (gradient,) = torch.autograd.grad(plain[d](mixed)[0].sum(), mixed, create_graph=True)
        return ((torch.sqrt(gradient.square().sum((1, 2, 3)) + 1e-16) - 1) ** 2).mean()

    recipe = recipes.Recipe(networks, F.l1_loss, F.binary_cross_entropy_with_logits, score, penalty, torch.no_grad)

    def phase(loss: str, trained: tuple[str, ...], fields: tuple[str, ...]) -> Callable[[], float]:
        parameters = [tensor for name in trained for tensor in plain[name].parameters()]
        optimizer = torch.optim.Adam(parameters, LEARNING_RATE, BETAS, fused=True)

        def run() -> float:
            for name, network in plain.items():
                network.requires_grad_(name in trained)
            optimizer.zero_grad()
            value = getattr(recipe, loss)(*[given[field] for field in fields])
            value.backward()
            optimizer.step()
            return float(value.item())

        return run

    return steps_of(model, phase)


def paddle(model: str, size: int, batch: int, folder: str, threads: int, inference: bool) -> Steps:
    """Return Paddle's forward pass, eager or by its inference library with oneDNN: our networks, built of Paddle."""
    import zlib  # noqa: F401  # some builds of Paddle crash where it is loaded later

    import paddle as framework

    framework.set_device("cpu")
    framework.framework.core.set_num_threads(threads)
    for name in ("", ".nn", ".nn.functional", ".nn.initializer", ".nn.utils"):
        sys.modules[f"core{name}"] = sys.modules[f"paddle{name}"]
    network = our_networks(model, size, folder)["g"]
    network.eval()
    image = data(size, batch)["a"]
    if not inference:
        given = framework.to_tensor(image)

        def forward() -> Any:
            with framework.no_grad():
                return network(given).numpy()

        return {"forward": forward}
    spec = framework.static.InputSpec([batch, 3, size, size], "float32", name="image")
    framework.jit.save(framework.jit.to_static(network, input_spec=[spec]), f"{folder}/paddle")
    suffix = "json" if framework.__version__.startswith("3") else "pdmodel"
    config = framework.inference.Config(f"{folder}/paddle.{suffix}", f"{folder}/paddle.pdiparams")
    config.disable_gpu()
    config.enable_mkldnn()
    config.set_cpu_math_library_num_threads(threads)
    predictor = framework.inference.create_predictor(config)
    entry = predictor.get_input_handle(predictor.get_input_names()[0])
    result = predictor.get_output_handle(predictor.get_output_names()[0])

    def predict() -> Any:
        entry.copy_from_cpu(image)
        predictor.run()
        return result.copy_to_cpu()

    return {"forward": predict}
