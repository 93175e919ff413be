"""PyTorch's side of benchmarks.PaddleGAN.adversarial: the networks as modules, with the names that ours have."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch import nn

Tensor = torch.Tensor


def leaky() -> nn.Module:
    """Return leaky ReLU of slope 0.2."""
    return nn.LeakyReLU(0.2, inplace=True)


def double(received: int, returned: int, bias: bool = True) -> nn.ConvTranspose2d:
    """Return a transposed convolution that doubles height and width."""
    return nn.ConvTranspose2d(received, returned, 4, 2, 1, bias=bias)


def halve(received: int, returned: int, bias: bool = True) -> nn.Conv2d:
    """Return a convolution that halves height and width."""
    return nn.Conv2d(received, returned, 4, 2, 1, bias=bias)


class Residual(nn.Module):
    """CycleGAN's block."""

    def __init__(self, width: int) -> None:
        super().__init__()
        layers = [nn.ReflectionPad2d(1), nn.Conv2d(width, width, 3), nn.InstanceNorm2d(width)]
        again = [nn.ReflectionPad2d(1), nn.Conv2d(width, width, 3), nn.InstanceNorm2d(width)]
        self.conv_block = nn.Sequential(*layers, nn.ReLU(inplace=True), *again)

    def forward(self, x: Tensor) -> Tensor:
        """Return the sum."""
        return x + self.conv_block(x)


class Model(nn.Module):
    """A network that is a sequence of layers."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.model = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        """Return the result."""
        return self.model(x)


def resnet_generator(blocks: int) -> nn.Module:
    """Return CycleGAN's generator."""
    layers: list[nn.Module] = [nn.ReflectionPad2d(3), nn.Conv2d(3, 64, 7), nn.InstanceNorm2d(64), nn.ReLU(inplace=True)]
    for width in (128, 256):
        layers += [nn.Conv2d(width // 2, width, 3, 2, 1), nn.InstanceNorm2d(width), nn.ReLU(inplace=True)]
    layers += [Residual(256) for _ in range(blocks)]
    for width in (128, 64):
        layers += [nn.ConvTranspose2d(2 * width, width, 3, 2, 1, 1), nn.InstanceNorm2d(width), nn.ReLU(inplace=True)]
    return Model(*layers, nn.ReflectionPad2d(3), nn.Conv2d(64, 3, 7), nn.Tanh())


class Level(nn.Module):
    """A level of the U-Net."""

    def __init__(self, outer: int, inner: int, within: Optional[nn.Module]) -> None:
        super().__init__()
        layers = [nn.LeakyReLU(0.2), halve(outer, inner, False)]
        layers += [nn.BatchNorm2d(inner), within] if within is not None else []
        received = inner if within is None else 2 * inner
        self.model = nn.Sequential(*layers, nn.ReLU(), double(received, outer, False), nn.BatchNorm2d(outer))

    def forward(self, x: Tensor) -> Tensor:
        """Return the input and the result, joined."""
        return torch.cat([x, self.model(x)], 1)


class UNet(nn.Module):
    """Pix2Pix' generator for 256 pixels."""

    def __init__(self) -> None:
        super().__init__()
        level = Level(512, 512, None)
        for outer, inner in ((512, 512), (512, 512), (512, 512), (256, 512), (128, 256), (64, 128)):
            level = Level(outer, inner, level)
        self.model = Model(halve(3, 64, False), level, nn.ReLU(), double(128, 3), nn.Tanh())

    def forward(self, x: Tensor) -> Tensor:
        """Return the images."""
        return self.model(x)


def patch_discriminator() -> nn.Module:
    """Return the discriminator of 70 x 70 patches."""
    layers = [halve(3, 64), leaky()]
    for width, stride in ((128, 2), (256, 2), (512, 1)):
        layers += [nn.Conv2d(width // 2, width, 4, stride, 1), nn.InstanceNorm2d(width), leaky()]
    return Model(*layers, nn.Conv2d(512, 1, 4, 1, 1))


def dc_generator() -> nn.Module:
    """Return DCGAN's generator."""
    layers: list[nn.Module] = [nn.ConvTranspose2d(100, 512, 4, bias=False), nn.BatchNorm2d(512), nn.ReLU(inplace=True)]
    for width in (256, 128, 64):
        layers += [double(2 * width, width, False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
    return Model(*layers, double(64, 3, False), nn.Tanh())


def dc_discriminator() -> nn.Module:
    """Return DCGAN's discriminator."""
    layers = [halve(3, 64, False), leaky()]
    for width in (128, 256, 512):
        layers += [halve(width // 2, width), nn.BatchNorm2d(width), leaky()]
    return Model(*layers, nn.Conv2d(512, 1, 4))


class Encoder(nn.Module):
    """STGAN's encoder."""

    def __init__(self) -> None:
        super().__init__()
        sizes = (3, 64, 128, 256, 512, 1024)
        self.levels = nn.ModuleList(
            nn.Sequential(halve(a, b, False), nn.BatchNorm2d(b), leaky()) for a, b in zip(sizes, sizes[1:])
        )


class Unit(nn.Module):
    """STGAN's selective transfer unit."""

    def __init__(self, state: int, width: int) -> None:
        super().__init__()
        self.upsample = double(state, width)
        self.reset, self.update, self.candidate = (nn.Conv2d(2 * width, width, 3, 1, 1) for _ in range(3))

    def forward(self, features: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the selected maps and the next state."""
        state = self.upsample(state)
        both = torch.cat([features, state], 1)
        kept = torch.sigmoid(self.reset(both)) * state
        update = torch.sigmoid(self.update(both))
        candidate = torch.tanh(self.candidate(torch.cat([features, kept], 1)))
        return (1 - update) * state + update * candidate, kept


class Decoder(nn.Module):
    """STGAN's decoder."""

    def __init__(self) -> None:
        super().__init__()
        sizes = ((1037, 1024), (1549, 512), (781, 256), (397, 128))
        self.stages = nn.ModuleList(
            nn.Sequential(double(a, b, False), nn.BatchNorm2d(b), nn.ReLU(inplace=True)) for a, b in sizes
        )
        self.exit = double(205, 3)


class STGANGenerator(nn.Module):
    """STGAN's generator for 13 attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.units = nn.ModuleList(Unit(a + 13, b) for a, b in ((1024, 512), (512, 256), (256, 128), (128, 64)))
        self.decoder = Decoder()

    def forward(self, x: Tensor, difference: Tensor) -> Tensor:
        """Return the edited images."""

        def with_wanted(*maps: Tensor) -> Tensor:
            return torch.cat([*maps, difference[:, :, None, None].expand(-1, -1, *maps[0].shape[2:])], 1)

        maps = []
        for level in self.encoder.levels:
            x = level(x)
            maps.append(x)
        state = x = with_wanted(maps[-1])
        for unit, features, stage in zip(self.units, reversed(maps[:-1]), self.decoder.stages):
            selected, kept = unit(features, state)
            state = with_wanted(kept)
            x = with_wanted(stage(x), selected)
        return torch.tanh(self.decoder.exit(x))


class STGANDiscriminator(nn.Module):
    """STGAN's discriminator for 13 attributes."""

    def __init__(self, size: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for a, b in ((3, 64), (64, 128), (128, 256), (256, 512), (512, 1024)):
            layers += [halve(a, b), nn.LeakyReLU(0.2)]
        self.trunk = nn.Sequential(*layers)
        features = 1024 * (size // 32) ** 2
        self.score, self.classes = (
            nn.Sequential(nn.Linear(features, 1024), nn.LeakyReLU(0.2), nn.Linear(1024, outputs)) for outputs in (1, 13)
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return scores and logits."""
        x = self.trunk(x).flatten(1)
        return self.score(x), self.classes(x)


def load(network: nn.Module, weights: dict[str, Any]) -> nn.Module:
    """Give a network our weights.

    Args:
        network: one of these.
        weights: name to array; instance normalisations' scales and shifts, which are 1 and 0, have no place in PyTorch.
    """
    named = {}
    for name, array in weights.items():
        name = name.replace("._mean", ".running_mean").replace("._variance", ".running_var")
        named[name] = torch.from_numpy(array.T.copy() if array.ndim == 2 else array)
    missing, _ = network.load_state_dict(named, strict=False)
    assert all(name.endswith("num_batches_tracked") for name in missing), missing
    return network.to(memory_format=torch.channels_last)
