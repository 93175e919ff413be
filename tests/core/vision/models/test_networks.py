"""What networks promise beside the official answers: they train, their weights survive a file, bad input is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import core.vision
from core import nn
from core.vision import models
from core.vision.models.resnet import BasicBlock, BottleneckBlock
from core.vision.models.vgg import make_layers

SMALLEST: dict[str, tuple[Any, dict[str, Any], tuple[int, ...]]] = {
    "LeNet": (models.LeNet, {"num_classes": 4}, (2, 1, 28, 28)),
    "VGG": (
        lambda **arguments: models.VGG(make_layers([4, "M", 8, "M"], batch_norm=True), **arguments),
        {"num_classes": 0},
        (2, 3, 32, 32),
    ),
    "ResNet": (models.resnet18, {"num_classes": 4}, (4, 3, 64, 64)),
    "MobileNetV1": (models.mobilenet_v1, {"scale": 0.25, "num_classes": 4}, (4, 3, 64, 64)),
    "MobileNetV2": (models.mobilenet_v2, {"scale": 0.25, "num_classes": 4}, (4, 3, 64, 64)),
    "MobileNetV3Small": (models.mobilenet_v3_small, {"scale": 0.5, "num_classes": 4}, (4, 3, 64, 64)),
    "ShuffleNetV2": (models.shufflenet_v2_x0_25, {"num_classes": 4}, (4, 3, 64, 64)),
    "SqueezeNet": (models.squeezenet1_1, {"num_classes": 4}, (4, 3, 64, 64)),
    "MobileNetV3Large": (models.mobilenet_v3_large, {"scale": 0.5, "num_classes": 4}, (4, 3, 64, 64)),
    "DenseNet": (models.densenet121, {"num_classes": 4, "dropout": 0.1}, (4, 3, 64, 64)),
    "AlexNet": (models.alexnet, {"num_classes": 4}, (2, 3, 224, 224)),
    "InceptionV3": (models.inception_v3, {"num_classes": 4}, (2, 3, 107, 107)),
    "GoogLeNet": (models.googlenet, {"num_classes": 4}, (2, 3, 224, 224)),
}
"""The smallest member of each family, or a smaller one made of its parts; its arguments, and a small batch."""

LARGE = ("ResNet", "MobileNetV3Large", "DenseNet", "AlexNet", "InceptionV3", "GoogLeNet")
CASES = [pytest.param(name, marks=pytest.mark.zoo if name in LARGE else ()) for name in SMALLEST]


def made(name: str) -> tuple[nn.Layer, core.Tensor]:
    build, arguments, shape = SMALLEST[name]
    core.seed(1)
    images = np.random.RandomState(0).standard_normal(shape).astype("float32")
    return build(**arguments), core.to_tensor(images)


def heads(answer: Any) -> list[core.Tensor]:
    return answer if isinstance(answer, list) else [answer]


@pytest.mark.parametrize("name", CASES)
def test_a_network_trains_and_its_weights_survive_a_file(name: str, tmp_path: Path) -> None:
    model, images = made(name)
    core.add_n([head.square().mean() for head in heads(model(images))]).backward()
    for key, parameter in model.named_parameters():
        if parameter.stop_gradient:  # running statistics
            continue
        assert parameter.grad is not None and np.isfinite(parameter.grad.numpy()).all(), key
        if parameter.grad.ndim > 1:  # scales and offsets may be undone by the next batch normalisation
            assert np.abs(parameter.grad.numpy()).max() > 0, key
    core.save(model.state_dict(), str(tmp_path / "weights.pdparams"))  # with running statistics that have moved
    build, arguments, _ = SMALLEST[name]
    with core.LazyGuard():
        again = build(**arguments)
    assert again.set_state_dict(core.load(str(tmp_path / "weights.pdparams"))) == ([], [])
    again.materialize()
    model.eval()
    again.eval()
    with core.no_grad():
        for found, expected in zip(heads(again(images)), heads(model(images))):
            np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.parametrize(
    ("network", "arguments", "shape"),
    [
        (models.mobilenet_v1, {"scale": 0.25}, [2, 256, 2, 2]),
        (models.mobilenet_v2, {"scale": 0.25}, [2, 1280, 2, 2]),
        (models.mobilenet_v3_small, {"scale": 0.5}, [2, 288, 2, 2]),
        (models.shufflenet_v2_x0_25, {}, [2, 512, 2, 2]),
        (models.squeezenet1_1, {}, [2, 512, 3, 3]),
    ],
)
def test_without_pooling_and_head_a_network_gives_its_feature_maps(
    network: Any, arguments: dict[str, Any], shape: list[int]
) -> None:
    images = core.zeros([2, 3, 64, 64])
    with core.no_grad():
        assert network(num_classes=0, with_pool=False, **arguments)(images).shape == shape
        pooled = network(num_classes=-1, **arguments)(images)
    assert pooled.shape == ([2, shape[1]] if network is models.squeezenet1_1 else [2, shape[1], 1, 1])


def test_a_smaller_googlenet_gives_the_maps_of_its_three_places() -> None:
    images = core.zeros([1, 3, 96, 96])
    maps = [[1, 1024, 2, 2], [1, 512, 5, 5], [1, 528, 5, 5]]
    with core.no_grad():
        assert [x.shape for x in models.googlenet(num_classes=0, with_pool=False)(images)] == maps
        pooled = models.googlenet(num_classes=0)(images)
    assert [x.shape for x in pooled] == [[1, 1024, 1, 1], [1, 512, 1, 1], [1, 528, 1, 1]]
    with core.LazyGuard():
        unpooled = models.googlenet(num_classes=3, with_pool=False)
    with pytest.raises(ValueError, match="^GoogLeNet: the heads take averaged feature maps: with_pool=Fal"):
        unpooled(images)


def test_dropout_of_new_maps_acts_in_training_alone() -> None:
    core.seed(3)
    layer = models.densenet.DenseLayer(4, 2, bottleneck=2, dropout=0.5)
    images = core.rand([1, 4, 8, 8])
    zeros = (layer(images).numpy()[:, 4:] == 0).mean()
    layer.eval()
    assert 0.3 < zeros < 0.7 and (layer(images).numpy()[:, 4:] == 0).mean() < 0.01


class Wide(BottleneckBlock):
    """A block whose 3 x 3 convolution is another layer, as networks of others that start from ResNet have."""

    def __init__(self, inplanes: int, planes: int, *arguments: Any, **options: Any) -> None:
        super().__init__(inplanes, planes, *arguments, **options)
        self.conv2 = nn.Conv2D(planes, planes, 5, self.stride, padding=2)


class FewBlocks(models.ResNet):
    def __init__(self) -> None:
        super().__init__(block=Wide, depth=50, num_classes=3)
        self.inplanes = 64
        self.layer1 = self._make_layer(Wide, 64, 1)
        self.layer2 = self._make_layer(Wide, 128, 1, stride=2)
        self.layer3 = self._make_layer(Wide, 256, 1, stride=2, dilate=True)
        self.layer4 = self._make_layer(Wide, 512, 2)


def test_resnet_can_be_derived_from() -> None:
    with core.LazyGuard():
        network = FewBlocks()
    assert [len(stage) for stage in (network.layer1, network.layer2, network.layer3, network.layer4)] == [1, 1, 1, 2]
    assert network.layer2[0].conv2.weight.shape == [128, 128, 5, 5] and network.layer2[0].downsample is not None
    assert network.layer3[0].stride == 1 and network.dilation == 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: models.ResNet(BasicBlock, 51), "^ResNet has 18, 34, 50, 101, 152 layers, not 51$"),
        (lambda: BasicBlock(4, 4, dilation=2), "^BasicBlock: dilation must be 1, not 2; BottleneckBlock takes others$"),
        (lambda: models.DenseNet(120), "^DenseNet has 121, 161, 169, 201, 264 layers, not 120$"),
        (lambda: models.SqueezeNet("1.2"), "^SqueezeNet: version must be '1.0' or '1.1', not '1.2'$"),
        (lambda: models.ShuffleNetV2(0.7), "^ShuffleNetV2: scale must be one of 0.25, 0.33, 0.5, 1.0, 1.5, 2.0, not 0"),
        (lambda: models.ShuffleNetV2(act="tanh"), "^ShuffleNetV2: act must be 'relu', 'swish' or None, not 'tanh'$"),
        (lambda: models.ShuffleNetV2(act=["relu"]), "not \\['relu'\\]$"),
        (lambda: models.MobileNetV1(0.03), "^MobileNetV1: scale must be at least 1/32, not 0.03: a layer would hav"),
        (lambda: models.mobilenet_v2(scale=-1), "^MobileNetV2: scale must be positive, not -1$"),
        (lambda: models.mobilenet_v3_large(scale=0), "^MobileNetV3Large: scale must be positive, not 0$"),
        (lambda: models.LeNet(num_classes="ten"), "^LeNet: num_classes must be a whole number, not 'ten'$"),
        (lambda: models.vgg11(num_classes=2.5), "^VGG: num_classes must be a whole number, not 2.5$"),
        (lambda: models.mobilenetv2.InvertedResidual(4, 4, 3, 2), "^InvertedResidual: stride must be 1 or 2, not 3$"),
    ],
)
def test_wrong_arguments_are_one_line(build: Any, message: str) -> None:
    with core.LazyGuard(), pytest.raises((ValueError, TypeError, NotImplementedError), match=message) as caught:
        build()
    assert "\n" not in str(caught.value)


def test_the_networks_are_names_of_core_vision() -> None:
    assert core.vision.models is models
    for name in models.__all__:
        assert getattr(core.vision, name) is getattr(models, name)
    with pytest.raises(AttributeError, match="^core.vision has no attribute 'resnet19'$"):
        core.vision.resnet19  # noqa: B018
    assert {"models", "ops", "transforms"} <= set(dir(core.vision))


def test_naming_submodules_does_not_load_the_engine() -> None:
    code = (
        "import sys, core.vision\n"
        "from core.vision import datasets, decoding, error_stream, formats, image, inputs, transforms\n"
        "assert not hasattr(core.vision, '__wrapped__')\n"
        "assert not {'mxnet', 'core.kernels', 'core.vision.models'} & set(sys.modules), sorted(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_modules_and_functions_of_one_name_are_found_as_in_paddle() -> None:
    with core.install_as_paddle():
        import paddle
        from paddle.vision.models import alexnet, resnet
        from paddle.vision.models._utils import _make_divisible
        from paddle.vision.models.googlenet import GoogLeNet
        from paddle.vision.models.utils import _make_divisible as of_earlier_releases

        assert alexnet is paddle.vision.alexnet is models.alexnet and callable(alexnet)
        assert resnet is paddle.vision.models.resnet and resnet.BottleneckBlock is BottleneckBlock
        assert paddle.vision.models.googlenet is models.googlenet and GoogLeNet is models.GoogLeNet
        assert [_make_divisible(7), _make_divisible(20, 4, 24), of_earlier_releases(30)] == [8, 24, 32]
        with pytest.raises(ImportError, match="core has no paddle.vision.models.resnet19"):
            from paddle.vision.models import resnet19  # noqa: F401
