"""The classifier that is trained here, and Inception where its weights are at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from core.io import Dataset
from core.nn import functional as F
from PaddleClas.models.inception_v3 import InceptionV3
from PaddleGAN.metrics import FID, features
from PaddleGAN.metrics.classifier import Classifier
from PaddleGAN.metrics.features import InceptionFeatures, choose_features


class Bars(Dataset):
    """Images with a bright bar, across (class 0) or upright (class 1), and noise."""

    def __init__(self, count: int, seed: int) -> None:
        self.source = np.random.RandomState(seed)
        self.labels = np.arange(count) % 2
        self.images = self.source.uniform(-1, 0, (count, 1, 16, 16)).astype(np.float32)
        for image, label in zip(self.images, self.labels):
            place = self.source.randint(2, 12)
            (image[0] if label == 0 else image[0].T)[place : place + 2] = 1

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return self.images[index], int(self.labels[index])

    def __len__(self) -> int:
        return len(self.labels)


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier(Bars(64, 0), class_num=2, epochs=4, batch_size=16)


def test_a_classifier_learns_and_judges(classifier: Classifier) -> None:
    fresh = Bars(50, 1)
    assert classifier.accuracy(fresh.images, fresh.labels) >= 0.95
    assert classifier.accuracy(core.to_tensor(fresh.images), 1 - fresh.labels) <= 0.05
    assert classifier.predict(fresh.images[:3]).dtype == np.int64


def test_the_same_seed_gives_the_same_classifier(classifier: Classifier) -> None:
    again = Classifier(Bars(64, 0), class_num=2, epochs=4, batch_size=16)
    images = Bars(4, 2).images
    assert np.array_equal(again.features(images), classifier.features(images))


def test_a_classifiers_features_tell_sets_apart(classifier: Classifier) -> None:
    assert classifier.features.description == "a classifier of 2 classes, trained here on 64 Bars images"
    fresh = Bars(40, 3)
    logits = (
        classifier.features(fresh.images) @ classifier.network.fc.weight.numpy() + classifier.network.fc.bias.numpy()
    )
    assert np.array_equal(logits.argmax(axis=1), classifier.predict(fresh.images))
    distances = []
    for other in (Bars(40, 4).images, fresh.images[fresh.labels == 0]):
        metric = FID(classifier.features)
        metric.update(other, fresh.images)
        distances.append(metric.accumulate())
    assert distances[1] > 3 * distances[0]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    core.seed(0)
    path = tmp_path_factory.mktemp("weights") / "inception.pdparams"
    core.save(InceptionV3().state_dict(), str(path))
    return path


def test_inceptions_features_are_the_mean_of_its_last_maps(weights: Path) -> None:
    images = np.random.RandomState(0).randint(0, 256, (2, 299, 299, 3), dtype=np.uint8)
    found = InceptionFeatures(str(weights), batch_size=1)(images)
    assert found.shape == (2, 2048)
    network = InceptionV3(pretrained=str(weights))
    network.eval()
    scaled = (images / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    with core.no_grad():
        maps = network.forward_features(core.to_tensor(scaled.transpose(0, 3, 1, 2).astype(np.float32)))
    expected = F.adaptive_avg_pool2d(maps, 1).numpy()[:, :, 0, 0]
    assert np.allclose(found, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
    grey = InceptionFeatures(str(weights))(images[:1, :64, :64, :1])
    assert grey.shape == (1, 2048) and np.isfinite(grey).all()


def test_the_features_are_inceptions_where_it_is_at_hand(
    monkeypatch: pytest.MonkeyPatch, weights: Path, tmp_path: Path, classifier: Classifier
) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path))
    assert choose_features(classifier) is classifier.features
    with pytest.raises(
        FileNotFoundError, match="put the weights of Inception-v3 at '.*InceptionV3_pretrained.pdparams'"
    ):
        choose_features()
    monkeypatch.setattr(features, "inception_path", lambda: weights)
    assert choose_features(classifier).description == "Inception-v3 of PaddleClas, trained on ImageNet-1k"
