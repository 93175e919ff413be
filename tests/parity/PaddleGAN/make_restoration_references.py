"""Run ppgan's networks for restoration, and its PSNR and SSIM, on seeded inputs, and store what they answer.

Not part of the tests: it needs ppgan, in the environment that ``make_ppgan_references`` describes.

    python -m tests.parity.PaddleGAN.make_restoration_references [CASE ...]

Without names of cases it writes ``references/CASE.npz`` for each case of ``restoration_cases.RESTORATION``, as
``make_ppgan_references`` does, and ``references/restoration_metrics.npz``: PSNR and SSIM of two pictures for borders of
0 and 4 pixels, of RGB and of luma.
"""

from __future__ import annotations

import sys
from typing import Any
from unittest import mock

import numpy as np

from tests.parity.PaddleGAN.cases import flat
from tests.parity.PaddleGAN.make_ppgan_references import REFERENCES, official_names
from tests.parity.PaddleGAN.restoration_cases import RESTORATION, fill, modes, thinned
from tests.parity.recipe import uniform


def networks() -> dict[str, Any]:
    """Return ppgan's networks by name; BasicVSR's flow network is not given its downloaded weights."""
    official_names()  # stubs what ppgan imports
    from ppgan.models.discriminators import vgg_discriminator
    from ppgan.models.generators import basicvsr, drn, edvr, lesrcnn, pan, rrdb_net

    found: dict[str, Any] = {}
    for module in (vgg_discriminator, basicvsr, drn, edvr, lesrcnn, pan, rrdb_net):
        found.update(vars(module))
    return found


def main() -> None:
    """Write the answers."""
    official = networks()
    import paddle
    from ppgan.metrics.psnr_ssim import calculate_psnr, calculate_ssim
    from ppgan.models.generators import basicvsr

    chosen = sys.argv[1:]
    for name, case in RESTORATION.items():
        if chosen and name not in chosen:
            continue
        with (
            mock.patch.object(basicvsr, "get_path_from_url", lambda url: url),
            mock.patch.object(basicvsr.paddle, "load", lambda path: {}),
        ):
            network = official[case.network](**case.arguments)
        answers = {}
        for mode in modes(name):
            fill(network)
            network.train() if mode == "training" else network.eval()
            with paddle.no_grad():
                outputs = flat(network(*[paddle.to_tensor(array) for array in case.inputs]))
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
    first = uniform("first picture", (40, 52, 3), 0, 255).astype(np.uint8)
    second = np.clip(first + uniform("noise", (40, 52, 3), -20, 20), 0, 255).astype(np.uint8)
    numbers = {
        f"{kind} {border} {luma}": np.array(function(first, second, border, "HWC", luma))
        for kind, function in (("psnr", calculate_psnr), ("ssim", calculate_ssim))
        for border in (0, 4)
        for luma in (False, True)
    }
    np.savez_compressed(REFERENCES / "restoration_metrics.npz", first=first, second=second, **numbers)


if __name__ == "__main__":
    main()
