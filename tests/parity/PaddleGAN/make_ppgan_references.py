"""Run ppgan's networks and adversarial losses on seeded weights and inputs and store what they answer.

Not part of the tests: it needs ppgan, the tests need only the files that it wrote. In an environment of Python 3.10:

    pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3'
    pip install --no-deps ppgan==2.1.0
    pip install 'opencv-python-headless<4.10' pyyaml tqdm 'scipy<1.12' 'scikit-image<0.23' imageio natsort munch \
        six easydict cloudpickle
    python -m tests.parity.PaddleGAN.make_ppgan_references [CASE ...]

Without names of cases it writes everything: ``references/CASE.npz`` for each case of ``cases.PPGAN``: ``names`` and
``shapes`` of the official state, ``evaluation 0`` and ``training 0``, the output in either mode; and
``references/gan_loss.npz``: the losses of every mode; and ``references/ppgan_checkpoint.pdparams``, a checkpoint of two
networks that Paddle itself wrote.
"""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np

from tests.parity.PaddleGAN.cases import PPGAN, flat, official_answer, thinned
from tests.parity.PaddleGAN.weights import images, state  # it imports zlib, which crashes when paddle came before

REFERENCES = Path(__file__).with_name("references")
MODULES = (
    *("discriminators.dcdiscriminator", "discriminators.nlayers", "discriminators.discriminator_photopen"),
    *("generators.dcgenerator", "generators.deep_conv", "generators.generater_photopen", "generators.resnet"),
    *("generators.unet", "generators.resnet_ugatit", "generators.resnet_ugatit_p2c", "generators.generater_animegan"),
    *("discriminators.discriminator_ugatit", "discriminators.discriminator_animegan"),
    *("generators.generator_styleganv2", "discriminators.discriminator_styleganv2"),
    *("generators.generator_starganv2", "discriminators.discriminator_starganv2"),
    *("generators.wav2lip", "discriminators.wav2lip_disc_qual", "discriminators.syncnet"),
)
MODES = ("vanilla", "lsgan", "wgan", "wgangp", "hinge", "logistic")


class Absent(types.ModuleType):
    """A module of older PaddlePaddles that ppgan imports and that its networks never use."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def official_names() -> dict[str, Any]:
    """Return ppgan's networks and losses by name."""
    import paddle

    for module in ("fluid", "fluid.layers", "fluid.layers.nn", "fluid.data_feeder", "fluid.dygraph"):
        sys.modules[f"paddle.{module}"] = Absent(f"paddle.{module}")
    paddle.fluid = sys.modules["paddle.fluid"]
    from ppgan.models.criterions.gan_loss import GANLoss
    found: dict[str, Any] = {"GANLoss": GANLoss}
    for module in MODULES:
        found.update(vars(importlib.import_module(f"ppgan.models.{module}")))
    return found


def fill(network: Any) -> None:
    """Give a network the seeded weights."""
    tensors = network.state_dict()
    for name, value in state({name: tuple(tensor.shape) for name, tensor in tensors.items()}).items():
        tensors[name].set_value(value)


def main() -> None:
    """Write the answers to all cases."""
    import paddle

    official = official_names()
    REFERENCES.mkdir(exist_ok=True)
    chosen = sys.argv[1:]
    for name, case in PPGAN.items():
        if chosen and name not in chosen:
            continue
        network = official[case.network](**case.arguments)
        answers = {}
        for mode in ("evaluation", "training"):
            fill(network)
            network.train() if mode == "training" else network.eval()
            with paddle.no_grad():
                outputs = flat(official_answer(network, case, [paddle.to_tensor(array) for array in case.inputs]))
            answers.update({f"{mode} {i}": thinned(output.numpy()) for i, output in enumerate(outputs)})
        tensors = network.state_dict()
        np.savez_compressed(
            REFERENCES / f"{name}.npz",
            names=np.array(list(tensors), "S"),
            shapes=np.array([",".join(map(str, tensor.shape)) for tensor in tensors.values()], "S"),
            **answers,
        )
        print(f"{name}: {len(tensors)} entries, up to {np.abs(answers['evaluation 0']).max():.3g}")
    if chosen:
        return

    scores = images("scores", 2, 1, 5, 5) * np.float32(3)
    losses = {"scores": scores}
    for mode in MODES:
        for real in (True, False):
            for discriminator in (True, False):
                loss = official["GANLoss"](mode, loss_weight=0.7)
                value = loss(paddle.to_tensor(scores), real, is_disc=discriminator, is_updating_D=discriminator)
                losses[f"{mode} {real} {discriminator}"] = value.numpy()
    np.savez_compressed(REFERENCES / "gan_loss.npz", **losses)

    networks = {"netG": "dc_generator", "netD": "dc_discriminator"}
    checkpoint: dict[str, Any] = {"epoch": 3}
    for part, name in networks.items():
        case = PPGAN[name]
        network = official[case.network](**case.arguments)
        fill(network)
        checkpoint[part] = network.state_dict()
    paddle.save(checkpoint, str(REFERENCES / "ppgan_checkpoint.pdparams"))


if __name__ == "__main__":
    main()
