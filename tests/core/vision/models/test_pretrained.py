"""Published weights: fetched once, checked, loaded; another head stays fresh; what cannot be had is one line."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.vision import models
from core.vision.models import squeezenet

ADDRESS = "https://example.org/models/squeezenet1_1.pdparams"


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, core.Tensor]:
    """Publish weights of SqueezeNet 1.1 for five classes on a mirror; return them."""
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "mirror"))
    path = tmp_path / "mirror" / "example.org" / "models" / "squeezenet1_1.pdparams"
    path.parent.mkdir(parents=True)
    core.seed(5)
    state = models.squeezenet1_1(num_classes=5).state_dict()
    core.save(state, str(path))
    entry = (ADDRESS, hashlib.md5(path.read_bytes()).hexdigest())
    monkeypatch.setitem(squeezenet.model_urls, "squeezenet1_1", entry)
    return state


def same(network: Any, state: dict[str, core.Tensor]) -> list[str]:
    """Return the names of a network's values that are those of a state."""
    values = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    return [name for name in values if np.array_equal(values[name], state[name].numpy())]


def test_the_published_weights_are_loaded(published: dict[str, core.Tensor], tmp_path: Path) -> None:
    network = models.squeezenet1_1(pretrained=True, num_classes=5)
    assert same(network, published) == list(published)
    assert (tmp_path / "home/weights/example.org/models/squeezenet1_1.pdparams").is_file()
    assert same(core.vision.squeezenet1_1(pretrained=1, num_classes=5), published) == list(published)


def test_another_number_of_classes_keeps_a_fresh_head(published: Any, caplog: pytest.LogCaptureFixture) -> None:
    rest = [name for name in published if not name.startswith("_conv9")]
    with caplog.at_level(logging.WARNING):
        network = models.squeezenet1_1(pretrained=True, num_classes=7)
    assert same(network, published) == rest and network._conv9.weight.shape == [7, 512, 1, 1]
    assert "fresh: _conv9.weight ([5, 512, 1, 1] -> [7, 512, 1, 1])" in caplog.text
    assert np.isfinite(network(core.zeros([1, 3, 64, 64])).numpy()).all()
    assert same(models.squeezenet1_1(pretrained=True, num_classes=0), published) == rest


def test_weights_of_another_network_are_refused(published: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(squeezenet.model_urls, "squeezenet1_0", squeezenet.model_urls["squeezenet1_1"])
    with pytest.raises(ValueError, match=r"does not fit the model: \d entr.*_conv.weight \(\[64, 3, 3, 3\] -> \[96, 3"):
        models.squeezenet1_0(pretrained=True)


def test_a_damaged_file_is_refused(published: Any, tmp_path: Path) -> None:
    (tmp_path / "mirror/example.org/models/squeezenet1_1.pdparams").write_bytes(b"damaged")
    with pytest.raises(ValueError, match="does not have the expected MD5 [0-9a-f]{32}; it was not kept"):
        models.squeezenet1_1(pretrained=True)


def test_without_a_network_the_message_says_where_the_file_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "nothing"))
    place = "home/weights/paddle-hapi.bj.bcebos.com/models/resnet18.pdparams"
    with pytest.raises(ConnectionError, match=f"fetch https://.*resnet18.pdparams elsewhere and put it at .*{place}"):
        models.resnet18(pretrained=True)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: models.vgg11(True), "^no weights are published for vgg11: pass pretrained=False; there are some"),
        (lambda: models.vgg16(True, batch_norm=True), "^no weights are published for vgg16_bn: "),
        (lambda: models.mobilenet_v1(True, scale=0.5), "^no weights are published for mobilenetv1_0.5: .*mobilenetv1"),
        (lambda: models.mobilenet_v3_small(True, 0.5), "^no weights are published for mobilenet_v3_small_x0.5: "),
        (lambda: models.resnet50("my.pdparams"), "^resnet50: pretrained must be True or False, not 'my.pdparams'; fo"),
    ],
)
def test_what_is_not_published_is_one_line(build: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        build()


def test_a_scale_may_be_a_whole_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "nothing"))
    with pytest.raises(ConnectionError, match="mobilenetv1_1.0.pdparams"):
        models.mobilenet_v1(pretrained=True, scale=1)
