"""bfloat16 on real images: training in it works, and predictions in it are those in float32."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleClas
from core.train import load_config
from PaddleClas.config import ClassificationConfig

ROOT = Path(__file__).resolve().parents[2]
FASHION = ROOT.parent / "shared" / "data" / "fashion-mnist-sample"
CONFIGS = ROOT / "PaddleClas" / "configs"


def arrays(config: str, split: str, *changes: str) -> tuple[np.ndarray, np.ndarray]:
    """Return all images and labels of a config's split."""
    chosen = load_config(ClassificationConfig, CONFIGS / f"{config}.yaml", list(changes))
    dataset = chosen.data.split(split).build_dataset(chosen.data.root)
    pairs = [dataset[index] for index in range(len(dataset))]
    return np.stack([np.asarray(image) for image, *_ in pairs]), np.array([int(label) for _, label, *_ in pairs])


def trained(images: np.ndarray, labels: np.ndarray, name: str, epochs: int) -> Any:
    """Return a network that was trained in bfloat16."""
    core.seed(7)
    model = PaddleClas.create_model(name, class_num=10)
    steps = epochs * (len(images) // 32)
    schedule = core.optimizer.lr.PolynomialDecay(1e-3, steps, 0.0)
    optimizer = core.optimizer.Adam(schedule, parameters=model.parameters())

    @core.jit.to_static
    def loss(x: core.Tensor, y: core.Tensor) -> core.Tensor:
        return core.nn.functional.cross_entropy(model(x), y)

    generator = np.random.default_rng(0)
    for _ in range(epochs):
        order = generator.permutation(len(images))
        for start in range(0, len(order) - 31, 32):
            chosen = order[start : start + 32]
            with core.amp.auto_cast(dtype="bfloat16"):
                value = loss(core.to_tensor(images[chosen]), core.to_tensor(labels[chosen]))
            value.backward()
            optimizer.step()
            optimizer.clear_grad(set_to_zero=False)
            schedule.step()
    model.eval()
    return model


def predictions(model: Any, images: np.ndarray, mixed: bool) -> np.ndarray:
    forward = core.jit.to_static(lambda x: model(x).astype("float32"))
    found = []
    for start in range(0, len(images), 50):
        with core.no_grad(), core.amp.auto_cast(mixed, dtype="bfloat16"):
            found.append(forward(core.to_tensor(images[start : start + 50])).numpy().argmax(1))
    return np.concatenate(found)


@pytest.mark.bfloat16
@pytest.mark.parametrize(
    ("config", "name", "epochs"),
    [
        ("digits_lenet", "LeNet", 8),
        pytest.param("digits_resnet18", "ResNet18", 2, marks=pytest.mark.exhaustive),
    ],
)
def test_digits_are_told_apart_in_16_bits_as_in_32(config: str, name: str, epochs: int) -> None:
    images, labels = arrays(config, "train")
    model = trained(images[:640], labels[:640], name, epochs)
    images, labels = arrays(config, "test")
    exact, low = predictions(model, images, False), predictions(model, images, True)
    assert (exact == labels).mean() > 0.9
    assert (exact == low).mean() >= 0.99
    assert abs((low == labels).mean() - (exact == labels).mean()) <= 0.01


@pytest.mark.exhaustive
@pytest.mark.bfloat16
@pytest.mark.skipif(not FASHION.is_dir(), reason="the real data sets of ../shared/data are not here")
def test_clothes_are_told_apart_in_16_bits_as_in_32() -> None:
    root = f"data.root={FASHION}"
    model = trained(*arrays("fashion_mnist_resnet18", "train", root), "ResNet18", epochs=8)
    images, labels = arrays("fashion_mnist_resnet18", "test", root)
    exact, low = predictions(model, images, False), predictions(model, images, True)
    assert (exact == labels).mean() > 0.6
    assert (exact == low).mean() >= 0.99
