"""Paddle's own ``paddle.vision.models``, run as foreign files."""

from __future__ import annotations

from cases.case import IMAGES, LARGE_IMAGES, Case, made

CASES = {
    f"vision_{name}": Case(
        "paddlepaddle", made(f"paddle.vision.models.{module}", name, num_classes=20, **kwargs), (inputs,)
    )
    for module, name, inputs, kwargs in (
        ("lenet", "LeNet", ("uniform", (2, 1, 28, 28)), {}),
        ("alexnet", "alexnet", LARGE_IMAGES, {}),
        ("vgg", "vgg11", LARGE_IMAGES, {}),
        ("resnet", "resnet18", IMAGES, {}),
        ("resnet", "resnext50_32x4d", IMAGES, {}),
        ("mobilenetv1", "mobilenet_v1", IMAGES, {"scale": 0.25}),
        ("mobilenetv2", "mobilenet_v2", IMAGES, {"scale": 0.25}),
        ("mobilenetv3", "mobilenet_v3_small", IMAGES, {"scale": 0.5}),
        ("densenet", "densenet121", IMAGES, {}),
        ("squeezenet", "squeezenet1_1", IMAGES, {}),
        ("shufflenetv2", "shufflenet_v2_x0_25", IMAGES, {}),
        ("googlenet", "googlenet", LARGE_IMAGES, {}),
        ("inceptionv3", "inception_v3", ("uniform", (1, 3, 160, 160)), {}),
    )
}
