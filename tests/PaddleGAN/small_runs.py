"""Adversarial experiments that train in a second: small pictures, small networks."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np

from PaddleGAN import train

CONFIGS = Path(__file__).resolve().parents[2] / "PaddleGAN" / "configs"

DCGAN = (
    "generator.network.ngf=2", "generator.network.fc_dim=8", "generator.network.input_nz=6",
    "discriminator.network.ndf=2", "discriminator.network.fc_dim=8",
)  # fmt: skip
CGAN = (
    "generator.network.ngf=2", "generator.network.input_nz=6", "generator.network.n_class=3",
    "discriminator.network.ndf=2", "discriminator.network.n_class=3", "task.mismatched=false", "task.temperature=1.0",
    "data.train.transforms=[{name: ToTensor}, {name: Normalize, mean: 0.5, std: 0.5}]",
)  # fmt: skip
AVERAGED = ("samples.every=2", "train.ema=0.9", "generator.schedule.learning_rate=0.02")
WGAN = (
    "generator.network={name: DeepConvGenerator, latent_dim: 6, output_nc: 1, size: 32, ngf: 2}",
    "discriminator.network={name: WGANCritic, input_nc: 1, image_size: 32, ndf: 2}",
)


def write_blobs(folder: Path, train_count: int = 24, test_count: int = 12) -> Path:
    """Write Fashion-MNIST's four files: a bright square in one of three places, which is the class, and some noise."""
    folder.mkdir(parents=True, exist_ok=True)
    source = np.random.RandomState(0)
    for part, count in (("train", train_count), ("t10k", test_count)):
        labels = (np.arange(count) % 3).astype(np.uint8)
        images = source.randint(0, 40, (count, 28, 28)).astype(np.uint8)
        for image, label in zip(images, labels):
            image[9 * label : 9 * label + 9, 9:18] = 230
        images_header, labels_header = struct.pack(">4i", 2051, count, 28, 28), struct.pack(">2i", 2049, count)
        for name, content in (
            ("images-idx3", images_header + images.tobytes()),
            ("labels-idx1", labels_header + labels.tobytes()),
        ):
            (folder / f"{part}-{name}-ubyte.gz").write_bytes(gzip.compress(content))
    return folder


def options(config: str, data: Path, output: Path, *changes: str) -> list[str]:
    """Return the words of a training command: three epochs of four steps."""
    wanted = (
        f"output={output}", "train.tensorboard=false", "train.epochs=3", "data.train.batch_size=6", "samples.every=1",
        "samples.count=9", "train.checkpoint_every=1", "data.test.batch_size=5", "expect=null", *changes,
    )  # fmt: skip
    words = ["-c", str(CONFIGS / f"{config}.yaml"), "--data", str(data)]
    return [*words, *(word for change in wanted for word in ("-o", change))]


def trained(config: str, data: Path, output: Path, *changes: str) -> Path:
    """Train; return the run's folder."""
    assert train.main(options(config, data, output, *changes)) == 0
    return output
