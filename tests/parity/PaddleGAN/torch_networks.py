"""The networks that ppgan lacks, written with PyTorch's functions from their papers, in float64.

Each takes a source of parameters, which is asked for every one by name and shape, and its inputs. Names follow ours, so
that both draw the same weights.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

Tensor = torch.Tensor


class Parameters:
    """Parameters by name, drawn when they are first asked for.

    Args:
        values: name and shape to an array.
        training: whether normalisations use the statistics of the batch.
    """

    def __init__(self, draw: Any, training: bool) -> None:
        self.draw = draw
        self.training = training
        self.found: dict[str, Tensor] = {}

    def __call__(self, name: str, *shape: int) -> Tensor:
        if name not in self.found:
            self.found[name] = torch.tensor(self.draw(name, shape), dtype=torch.float64)
        assert tuple(self.found[name].shape) == shape, name
        return self.found[name]

    def learned(self) -> dict[str, Tensor]:
        """Return those that are trained."""
        return {name: tensor for name, tensor in self.found.items() if name.rpartition(".")[2][0] != "_"}


def conv(
    p: Parameters, name: str, x: Tensor, width: int, kernel: int, stride: int = 1, padding: int = 0, bias: bool = True
) -> Tensor:
    weight = p(f"{name}.weight", width, x.shape[1], kernel, kernel)
    return F.conv2d(x, weight, p(f"{name}.bias", width) if bias else None, stride, padding)


def double(p: Parameters, name: str, x: Tensor, width: int, bias: bool = True) -> Tensor:
    """A transposed convolution, kernel 4, stride 2."""
    weight = p(f"{name}.weight", x.shape[1], width, 4, 4)
    return F.conv_transpose2d(x, weight, p(f"{name}.bias", width) if bias else None, stride=2, padding=1)


def linear(p: Parameters, name: str, x: Tensor, width: int) -> Tensor:
    return x @ p(f"{name}.weight", x.shape[1], width) + p(f"{name}.bias", width)


def batch_norm(p: Parameters, name: str, x: Tensor, affine: bool = True) -> Tensor:
    width = x.shape[1]
    scale, shift = (p(f"{name}.weight", width), p(f"{name}.bias", width)) if affine else (None, None)
    mean, variance = p(f"{name}._mean", width), p(f"{name}._variance", width)
    return F.batch_norm(x, mean.clone(), variance.clone(), scale, shift, training=p.training, eps=1e-5)


def instance_norm(p: Parameters, name: str, x: Tensor) -> Tensor:
    width = x.shape[1]
    return F.instance_norm(x, weight=p(f"{name}.scale", width), bias=p(f"{name}.bias", width), eps=1e-5)


def maps(attributes: Tensor, like: Tensor) -> Tensor:
    return attributes[:, :, None, None].repeat(1, 1, like.shape[2], like.shape[3])


def join(x: Tensor, *others: Tensor) -> Tensor:
    """Vectors become maps of the size of the first where that one is maps."""
    return torch.cat([x, *[maps(y, x) if x.ndim > y.ndim else y for y in others]], dim=1)


def cgan_generator(p: Parameters, noise: Tensor, labels: Tensor, input_nz: int, ngf: int) -> Tensor:
    y = F.one_hot(labels, 10).double()
    x = torch.relu(batch_norm(p, "norm1", linear(p, "fc1", join(noise, y), 8 * ngf)))
    x = torch.relu(batch_norm(p, "norm2", linear(p, "fc2", join(x, y), 2 * ngf * 49)))
    x = torch.relu(batch_norm(p, "norm3", double(p, "deconv1", join(x.view(-1, 2 * ngf, 7, 7), y), 2 * ngf)))
    return torch.tanh(double(p, "deconv2", join(x, y), 1))


def cgan_discriminator(p: Parameters, x: Tensor, labels: Tensor, ndf: int) -> Tensor:
    y = F.one_hot(labels, 10).double()
    x = F.leaky_relu(conv(p, "conv1", join(x, y), ndf, 3, 2, 1), 0.2)
    x = F.leaky_relu(batch_norm(p, "norm2", conv(p, "conv2", join(x, y), ndf, 3, 2, 1)), 0.2)
    x = F.leaky_relu(batch_norm(p, "norm3", linear(p, "fc1", join(x.flatten(1), y), 16 * ndf)), 0.2)
    return linear(p, "fc2", join(x, y), 1)


def digit_generator(p: Parameters, noise: Tensor, input_nz: int, ngf: int, fc_dim: int) -> Tensor:
    x = torch.relu(batch_norm(p, "norm1", linear(p, "fc1", noise, fc_dim)))
    x = torch.relu(batch_norm(p, "norm2", linear(p, "fc2", x, 2 * ngf * 49)))
    x = torch.relu(double(p, "deconv1", x.view(-1, 2 * ngf, 7, 7), 2 * ngf))
    return torch.tanh(double(p, "deconv2", x, 1))


def digit_discriminator(p: Parameters, x: Tensor, ndf: int, fc_dim: int) -> Tensor:
    x = F.leaky_relu(conv(p, "conv1", x, ndf, 4, 2, 1), 0.2)
    x = F.leaky_relu(batch_norm(p, "norm2", conv(p, "conv2", x, 2 * ndf, 4, 2, 1)), 0.2)
    x = F.leaky_relu(batch_norm(p, "norm3", linear(p, "fc1", x.flatten(1), fc_dim)), 0.2)
    return linear(p, "fc2", x, 1)


def pixel(p: Parameters, x: Tensor, input_nc: int, ndf: int) -> Tensor:
    x = F.leaky_relu(conv(p, "model.0", x, ndf, 1), 0.2)
    x = F.leaky_relu(instance_norm(p, "model.3", conv(p, "model.2", x, 2 * ndf, 1)), 0.2)
    return conv(p, "model.5", x, 1, 1)


def stargan_generator(p: Parameters, x: Tensor, domain: Tensor, c_dim: int, ngf: int, n_blocks: int) -> Tensor:
    def layer(name: str, x: Tensor, width: int, kernel: int, stride: int, padding: int) -> Tensor:
        x = conv(p, f"{name}.0", x, width, kernel, stride, padding, bias=False)
        return torch.relu(instance_norm(p, f"{name}.1", x))

    x = layer("entrance", join(x, domain), ngf, 7, 1, 3)
    x = layer("down.1", layer("down.0", x, 2 * ngf, 4, 2, 1), 4 * ngf, 4, 2, 1)
    for block in range(n_blocks):
        name = f"blocks.{block}"
        inner = conv(p, f"{name}.conv", layer(f"{name}.first", x, 4 * ngf, 3, 1, 1), 4 * ngf, 3, 1, 1, bias=False)
        x = x + instance_norm(p, f"{name}.norm", inner)
    for number, width in ((0, 2 * ngf), (3, ngf)):
        x = torch.relu(instance_norm(p, f"up.{number + 1}", double(p, f"up.{number}", x, width, bias=False)))
    return torch.tanh(conv(p, "exit", x, 3, 7, 1, 3, bias=False))


def stargan_discriminator(
    p: Parameters, x: Tensor, image_size: int, c_dim: int, ndf: int, n_layers: int
) -> tuple[Tensor, Tensor]:
    for number in range(n_layers):
        x = F.leaky_relu(conv(p, f"trunk.{2 * number}", x, ndf * 2**number, 4, 2, 1), 0.01)
    classes = conv(p, "classes", x, c_dim, x.shape[-1], bias=False)
    return conv(p, "score", x, 1, 3, 1, 1, bias=False), classes.flatten(1)


def encoder(p: Parameters, x: Tensor, ngf: int, n_layers: int, slope: float) -> list[Tensor]:
    levels = []
    for number in range(n_layers):
        name = f"encoder.levels.{number}"
        x = conv(p, f"{name}.0", x, min(ngf * 2**number, 1024), 4, 2, 1, bias=False)
        x = F.leaky_relu(batch_norm(p, f"{name}.1", x), slope)
        levels.append(x)
    return levels


def decoder_stage(p: Parameters, number: int, x: Tensor, width: int) -> Tensor:
    name = f"decoder.stages.{number}"
    return torch.relu(batch_norm(p, f"{name}.1", double(p, f"{name}.0", x, width, bias=False)))


def attgan_generator(
    p: Parameters,
    x: Tensor,
    a: Tensor,
    c_dim: int,
    ngf: int,
    n_layers: int,
    shortcut_layers: int = 1,
    inject_layers: int = 1,
) -> Tensor:
    levels = encoder(p, x, ngf, n_layers, 0.01)
    z = join(levels[-1], a)
    for i in range(n_layers - 1):
        z = decoder_stage(p, i, z, ngf * 2 ** (n_layers - 1 - i))
        if i < shortcut_layers:
            z = join(z, levels[n_layers - 2 - i])
        if i < inject_layers:
            z = join(z, a)
    return torch.tanh(double(p, "decoder.exit", z, 3))


def attgan_discriminator(
    p: Parameters,
    x: Tensor,
    image_size: int,
    c_dim: int,
    ndf: int,
    n_layers: int,
    fc_dim: int,
    norm_type: str = "none",
) -> tuple[Tensor, Tensor]:
    plain, step = norm_type == "none", 2 if norm_type == "none" else 3
    for number in range(n_layers):
        x = conv(p, f"trunk.{step * number}", x, ndf * 2**number, 4, 2, 1, bias=plain)
        x = F.leaky_relu(x if plain else instance_norm(p, f"trunk.{step * number + 1}", x), 0.2)
    x = x.flatten(1)
    score, classes = (
        linear(p, f"{head}.2", F.leaky_relu(linear(p, f"{head}.0", x, fc_dim), 0.2), outputs)
        for head, outputs in (("score", 1), ("classes", c_dim))
    )
    return score, classes


def stgan_generator(p: Parameters, x: Tensor, d: Tensor, c_dim: int, ngf: int, n_layers: int) -> Tensor:
    levels = encoder(p, x, ngf, n_layers, 0.2)
    state = join(levels[-1], d)
    selected = []
    for unit in range(n_layers - 1):
        f = levels[n_layers - 2 - unit]
        width, name = f.shape[1], f"units.{unit}"
        hidden = double(p, f"{name}.upsample", state, width)
        r = torch.sigmoid(conv(p, f"{name}.reset", join(f, hidden), width, 3, 1, 1))
        z = torch.sigmoid(conv(p, f"{name}.update", join(f, hidden), width, 3, 1, 1))
        s = r * hidden
        new = torch.tanh(conv(p, f"{name}.candidate", join(f, s), width, 3, 1, 1))
        selected.append((1 - z) * hidden + z * new)
        state = join(s, d)
    x = join(levels[-1], d)
    for i in range(n_layers - 1):
        x = join(decoder_stage(p, i, x, ngf * 2 ** (n_layers - 1 - i)), selected[i], d)
    return torch.tanh(double(p, "decoder.exit", x, 3))


def wgan_critic(p: Parameters, x: Tensor, input_nc: int, ndf: int, image_size: int, norm_type: str = "layer") -> Tensor:
    x = F.leaky_relu(conv(p, "model.0", x, ndf, 4, 2, 1), 0.2)
    number = 2
    while x.shape[-1] > 4:
        x = conv(p, f"model.{number}", x, 2 * x.shape[1], 4, 2, 1)
        number += 1
        if norm_type == "layer":
            normalised = F.layer_norm(x, x.shape[1:], eps=1e-5)
            scale, shift = (p(f"model.{number}.{kind}", x.shape[1]) for kind in ("weight", "bias"))
            x = normalised * scale[:, None, None] + shift[:, None, None]
            number += 1
        x = F.leaky_relu(x, 0.2)
        number += 1
    return conv(p, f"model.{number}", x, 1, 4).flatten(1)


def spectral_conv(
    p: Parameters, name: str, x: Tensor, width: int, kernel: int, stride: int = 1, padding: int = 0, bias: bool = True
) -> Tensor:
    columns = x.shape[1] * kernel**2
    weight = p(f"{name}.weight_orig", width, x.shape[1], kernel, kernel)
    u, v = p(f"{name}.weight_u", width), p(f"{name}.weight_v", columns)
    matrix = weight.reshape(width, columns)
    if p.training:
        v = F.normalize(matrix.detach().T @ u, dim=0)
        u = F.normalize(matrix.detach() @ v, dim=0)
    return F.conv2d(x, weight / (u @ matrix @ v), p(f"{name}.bias", width) if bias else None, stride, padding)


def spade(p: Parameters, name: str, x: Tensor, segmap: Tensor) -> Tensor:
    hidden = F.interpolate(segmap, size=x.shape[2:], mode="nearest")
    hidden = torch.relu(conv(p, f"{name}.mlp_shared.0", hidden, 128, 3, 1, 1))
    scale, shift = (conv(p, f"{name}.mlp_{kind}", hidden, x.shape[1], 3, 1, 1) for kind in ("gamma", "beta"))
    return batch_norm(p, f"{name}.param_free_norm", x, affine=False) * (1 + scale) + shift


def spade_block(p: Parameters, name: str, x: Tensor, segmap: Tensor, width: int) -> Tensor:
    received = x.shape[1]
    shortcut = x
    if received != width:
        shortcut = spectral_conv(p, f"{name}.conv_s", spade(p, f"{name}.norm_s", x, segmap), width, 1, bias=False)
    x = F.leaky_relu(spade(p, f"{name}.norm_0", x, segmap), 0.2)
    x = spectral_conv(p, f"{name}.conv_0", x, min(received, width), 3, 1, 1)
    x = F.leaky_relu(spade(p, f"{name}.norm_1", x, segmap), 0.2)
    return shortcut + spectral_conv(p, f"{name}.conv_1", x, width, 3, 1, 1)


def spade_generator(
    p: Parameters, segmap: Tensor, semantic_nc: int, ngf: int, num_upsampling_layers: str = "normal"
) -> Tensor:
    def up(x: Tensor) -> Tensor:
        return F.interpolate(x, scale_factor=2, mode="nearest")

    halvings = {"normal": 5, "more": 6, "most": 7}[num_upsampling_layers]
    width = 16 * ngf
    x = F.interpolate(segmap, size=[size // 2**halvings for size in segmap.shape[2:]], mode="nearest")
    x = up(spade_block(p, "head_0", conv(p, "fc", x, width, 3, 1, 1), segmap, width))
    x = spade_block(p, "G_middle_0", x, segmap, width)
    x = spade_block(p, "G_middle_1", up(x) if halvings > 5 else x, segmap, width)
    for number in range(5 if halvings == 7 else 4):
        width //= 2
        x = spade_block(p, f"up_{number}", up(x), segmap, width)
    return torch.tanh(conv(p, "conv_img", F.leaky_relu(x, 0.2), 3, 3, 1, 1))


def multiscale(p: Parameters, x: Tensor, input_nc: int, ndf: int) -> list[list[Tensor]]:
    results = []
    for number in range(2):
        if number:
            x = F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)
        name, y = f"discriminator_{number}", x
        levels = [F.leaky_relu(conv(p, f"{name}.model0.0", y, ndf, 4, 2, 2), 0.2)]
        for layer, stride in ((1, 2), (2, 2), (3, 1)):
            y = spectral_conv(p, f"{name}.model{layer}.0.0", levels[-1], ndf * 2**layer, 4, stride, 2, bias=False)
            levels.append(F.leaky_relu(F.instance_norm(y, eps=1e-5), 0.2))
        levels.append(conv(p, f"{name}.model4.0", levels[-1], 1, 4, 1, 2))
        results.append(levels)
    return results


NETWORKS = {
    "CGANGenerator": cgan_generator,
    "CGANDiscriminator": cgan_discriminator,
    "DCGenerator28": digit_generator,
    "DCDiscriminator28": digit_discriminator,
    "PixelDiscriminator": pixel,
    "StarGANGenerator": stargan_generator,
    "StarGANDiscriminator": stargan_discriminator,
    "AttGANGenerator": attgan_generator,
    "AttGANDiscriminator": attgan_discriminator,
    "STGANGenerator": stgan_generator,
    "WGANCritic": wgan_critic,
    "SPADEGenerator": spade_generator,
    "MultiscaleDiscriminator": multiscale,
}
"""Our name of a network to its function here."""
