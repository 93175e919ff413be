"""Small networks of the families that users export."""

from __future__ import annotations

from typing import Any, Callable

import PaddleClas
from core import nn
from tests.core.jit.passes.mobile_networks import FAMILIES
from tests.frozen.exported_cases.cases import Case, filled, simple
from tests.frozen.exported_cases.convolutions import in_a_row


def _family(name: str, *shapes: Any, **more: Any) -> Case:
    make: Callable[[], Any] = FAMILIES[name]
    return simple(lambda: filled(make()), *shapes, learns=True, **more)


def _generator() -> Any:
    """Return a generator without biases in front of normalisations: their gradients are rounding alone."""
    without = {"bias_attr": False}
    rows = [nn.Conv2D(3, 8, 7, padding=3, padding_mode="reflect", **without), nn.InstanceNorm2D(8), nn.ReLU()]
    down = [nn.Conv2D(8, 16, 3, stride=2, padding=1, **without), nn.InstanceNorm2D(16), nn.ReLU()]
    bare = nn.InstanceNorm2D(16, weight_attr=False, bias_attr=False)
    up = [nn.Conv2DTranspose(16, 16, 3, 2, 1, 1, **without), bare, nn.LeakyReLU(0.2)]
    return in_a_row(*rows, *down, *up, nn.Conv2D(16, 3, 7, padding=3), nn.Tanh())


def _classifier(name: str) -> Callable[[], Any]:
    return lambda: filled(PaddleClas.create_model(name, class_num=5))


_ANY = (None, 3, None, None)

CASES = {
    "networks": {
        "mobile_v1": _family("MobileNetV1", _ANY, (1, 3, 20, 18), (2, 3, 40, 36)),
        "mobile_v3": _family("MobileNetV3", _ANY, (1, 3, 20, 18), (2, 3, 40, 36), mixed=True),
        "efficient": _family("EfficientNet", _ANY, (1, 3, 20, 18), (2, 3, 40, 36), mixed=True),
        "efficient_fixed": _family("EfficientNet", (2, 3, 40, 36)),
        "se_resnext": _family("SE_ResNeXt", (None, 3, 32, 32), (1, 3, 32, 32), (2, 3, 32, 32)),
        "generator": simple(_generator, _ANY, (1, 3, 16, 16), (1, 3, 40, 40), learns=True, mixed=True),
        "generator_fixed": simple(_generator, (1, 3, 80, 80), learns=True),
        "lenet": simple(_classifier("LeNet"), (None, 1, 28, 28), (2, 1, 28, 28), learns=True),
        "mobile_v3_small": simple(_classifier("MobileNetV3_small_x0_35"), (None, 3, 32, 32), (2, 3, 32, 32)),
    },
}
