"""Run the well-known PyTorch port of the large NASNet and PNASNet on seeded weights and store what it answers.

Not part of the tests; in a separate environment:

    pip install torch torchvision timm==1.0.31 'numpy<2'
    python tests/parity/PaddleClas/make_nasnet_references.py

No PaddleClas has these networks. The port (timm) follows their authors' TensorFlow code, with one slip: where it pads
as TensorFlow does, its averages count the zeros, which TensorFlow's do not. That is corrected here.

It writes ``references/NAME.npz``: ``names`` and ``shapes`` as our networks have them, ``input_shape``,
``normalisations`` and their ``second_moments`` (see recipe.py), the ``output`` in evaluation mode, and ``noise``: by
how much the output moves when every weight is moved by one rounding step.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import timm
import torch
from timm.layers import pool2d_same

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from tests.parity.recipe import input_images, parameter, uniform  # noqa: E402

REFERENCES = Path(__file__).with_name("references")
SHAPE = (2, 3, 107, 107)  # 53, 27, 14, 7, 4: odd sizes are halved, and even ones
NORMAL = [f"cell_{number}" for number in range(18)]
CELLS = {
    "NASNetA_large": [*NORMAL[:6], "reduction_cell_0", *NORMAL[6:12], "reduction_cell_1", *NORMAL[12:]],
    "PNASNet5_large": NORMAL[:12],
}
PORTS = {"NASNetA_large": "nasnetalarge", "PNASNet5_large": "pnasnet5large"}

INSIDE_CELLS = (
    (r"conv_1x1\.", "fit_current."),
    (r"(conv_prev_1x1\.)?path_1\.conv\.", "fit_previous.first."),
    (r"(conv_prev_1x1\.)?path_2\.conv\.", "fit_previous.second."),
    (r"(conv_prev_1x1\.)?final_path_bn\.", "fit_previous.bn."),
    (r"conv_prev_1x1\.", "fit_previous."),
    (r"comb_iter_0_right\.(conv|bn)\.", r"right0.project.\1."),
    (r"comb_iter_(\d)_(left|right)\.separable_(\d)\.(\w+)_conv2d\.", r"\2\1.\4\3."),
    (r"comb_iter_(\d)_(left|right)\.bn_sep_(\d)\.", r"\2\1.bn\3."),
    (r"comb_iter_(\d)_(left|right)\.", r"\2\1."),
)
"""Names of the port within a cell to ours; the first that fits counts."""


def our_name(name: str, key: str) -> str:
    """Return what a parameter of the port is called in our network of a name."""
    key = key.replace("running_mean", "_mean").replace("running_var", "_variance")
    cell, _, rest = key.partition(".")
    if cell in ("conv0", "conv_0"):
        return rest.replace("conv.", "conv0.").replace("bn.", "bn0.")
    if cell == "last_linear":
        return f"fc.{rest}"
    for pattern, ours in INSIDE_CELLS:
        rest, found = re.subn("^" + pattern, ours, rest)
        if found:
            break
    return f"cells.{['cell_stem_0', 'cell_stem_1', *CELLS[name]].index(cell)}.{rest}"


def average_without_zeros(self: torch.nn.AvgPool2d, x: torch.Tensor) -> torch.Tensor:
    """Return averages of the pixels that there are."""
    kernel_size, stride = self.kernel_size, self.stride
    shares = pool2d_same.pad_same(torch.ones_like(x[:, :1]), kernel_size, stride)
    sums = torch.nn.functional.avg_pool2d(pool2d_same.pad_same(x, kernel_size, stride), kernel_size, stride)
    return sums / torch.nn.functional.avg_pool2d(shares, kernel_size, stride)


def make(name: str) -> None:
    """Write the reference of one network."""
    network = timm.create_model(PORTS[name], pretrained=False).eval()
    state = {key: value for key, value in network.state_dict().items() if not key.endswith("num_batches_tracked")}
    moments: dict[str, float] = {}

    def fill(prefix: str, only: bool) -> None:
        for key, tensor in state.items():
            if key.startswith(prefix) and (only or key.rpartition(".")[0] not in normalisations):
                shape = tensor.shape[::-1] if key == "last_linear.weight" else tensor.shape
                value = torch.from_numpy(parameter(our_name(name, key), shape, moments))
                tensor.copy_(value.T if key == "last_linear.weight" else value)

    def calibrate(prefix: str):
        def hook(layer, inputs):
            moments[our_name(name, f"{prefix}.weight").rpartition(".")[0]] = float(inputs[0].double().square().mean())
            fill(f"{prefix}.", only=True)

        return hook

    layers = {key: layer for key, layer in network.named_modules() if isinstance(layer, torch.nn.BatchNorm2d)}
    normalisations = set(layers)
    images = torch.from_numpy(input_images(SHAPE))
    with torch.no_grad():
        fill("", only=False)
        hooks = [layer.register_forward_pre_hook(calibrate(key)) for key, layer in layers.items()]
        network(images)
        for hook in hooks:
            hook.remove()
        output = network(images).numpy()
        for key, tensor in state.items():
            towards = np.where(uniform(f"noise {key}", tuple(tensor.shape), -1, 1) < 0, -np.inf, np.inf)
            tensor.copy_(torch.from_numpy(np.nextafter(tensor.numpy(), towards.astype(np.float32))))
        noise = float(np.abs(network(images).numpy() - output).max())
    shapes = [tuple(value.shape) for value in state.values()]
    shapes = [shape[::-1] if key == "last_linear.weight" else shape for key, shape in zip(state, shapes)]
    np.savez_compressed(
        REFERENCES / f"{name}.npz",
        names=np.array([our_name(name, key) for key in state], "S"),
        shapes=np.array([",".join(map(str, shape)) for shape in shapes], "S"),
        input_shape=np.array(SHAPE),
        normalisations=np.array(list(moments), "S"),
        second_moments=np.array(list(moments.values()), np.float64),
        output=output,
        noise=np.float64(noise),
    )
    largest = float(np.abs(output).max())
    print(f"{name}: output up to {largest:.3g}, noise {noise:.2g}")
    if noise > 0.5e-4 * max(1.0, largest):
        raise SystemExit(f"{name}: the noise leaves no room for a comparison at 1e-4; the recipe needs a change")


if __name__ == "__main__":
    pool2d_same.AvgPool2dSame.forward = average_without_zeros
    for model in PORTS:
        make(model)
