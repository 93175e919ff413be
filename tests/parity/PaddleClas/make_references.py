"""Run the official image classifiers on seeded weights and store what they answer.

Not part of the tests: it needs the official implementation, the tests need only the files that it wrote. In a separate
environment of Python 3.10:

    pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3'
    pip install --no-deps paddleclas==2.6.0
    pip install 'opencv-python-headless<4.10' pyyaml tqdm prettytable ujson 'scipy<1.12' 'scikit-learn<1.4' easydict six
    python tests/parity/PaddleClas/make_references.py            # all models, one process each
    python tests/parity/PaddleClas/make_references.py ResNet18   # one of them

It writes ``references/NAME.npz``: ``names``, ``shapes`` and ``global_names`` of the official state, ``trainable`` (the
number of trainable parameters), ``input_shape``, ``normalisations`` and their ``second_moments`` (see recipe.py), the
``output`` in evaluation mode, and ``noise``: by how much the output moves when every weight is moved by one rounding
step, which no implementation can beat. And once, ``references/tiny_mobilenet_v1.pdparams`` with its output: a file that
Paddle itself wrote.
"""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from tests.parity.recipe import input_images, parameter, uniform  # noqa: E402  # zlib crashes when paddle came before

REFERENCES = Path(__file__).with_name("references")
SMALL, ODD = (2, 3, 64, 64), (2, 3, 72, 72)  # 72 halves to 9, 5 and 3: the -vd shortcut meets odd sizes
INPUT_SHAPES = {
    "LeNet": (2, 1, 28, 28),
    **{f"VGG{depth}": (1, 3, 224, 224) for depth in (11, 13, 16, 19)},
    **{f"ResNet{depth}": SMALL for depth in (18, 34, 50, 101, 152)},
    "ResNet50_vc": SMALL,
    **{f"ResNet{depth}_vd": ODD for depth in (18, 34, 50, 101, 152, 200)},
    **{f"MobileNetV1{scale}": SMALL for scale in ("_x0_25", "_x0_5", "_x0_75", "")},
    **{f"MobileNetV2{scale}": SMALL for scale in ("_x0_25", "_x0_5", "_x0_75", "", "_x1_5", "_x2_0")},
    **{
        f"MobileNetV3_{size}_{scale}": SMALL
        for size in ("small", "large")
        for scale in ("x0_35", "x0_5", "x0_75", "x1_0", "x1_25")
    },
    **{f"ShuffleNetV2_{kind}": SMALL for kind in ("x0_25", "x0_33", "x0_5", "x1_0", "x1_5", "x2_0", "swish")},
    **{f"GhostNet_{scale}": SMALL for scale in ("x0_5", "x1_0", "x1_3")},
    **{f"EfficientNetB{number}": ODD for number in ("0_small", *range(8))},
    **{f"Res2Net50_{width}": SMALL for width in ("26w_4s", "14w_8s")},
    **{f"Res2Net{depth}_vd_26w_4s": ODD for depth in (50, 101, 200)},
    **{f"HRNet_W{width}_C": SMALL for width in (18, 30, 32, 40, 44, 48, 64)},
    "SE_HRNet_W64_C": SMALL,
    **{
        f"RegNetX_{size}": SMALL
        for size in (
            "200MF",
            "400MF",
            "600MF",
            "800MF",
            "1600MF",
            "3200MF",
            "4GF",
            "6400MF",
            "8GF",
            "12GF",
            "16GF",
            "32GF",
        )
    },
    **dict.fromkeys(("ResNeSt50_fast_1s1x64d", "ResNeSt50", "ResNeSt101", "ResNeSt200", "ResNeSt269"), SMALL),
    "AlexNet": (2, 3, 224, 224),
    **{f"SqueezeNet1_{version}": SMALL for version in (0, 1)},
    "DarkNet53": SMALL,
    "GoogLeNet": (2, 3, 224, 224),
    **{f"ResNeXt{depth}_{groups}x4d": SMALL for depth in (50, 101, 152) for groups in (32, 64)},
    **{f"ResNeXt{depth}_vd_{groups}x4d": ODD for depth in (50, 101, 152) for groups in (32, 64)},
    **{f"ResNeXt101_32x{width}d_wsl": SMALL for width in (8, 16, 32, 48)},
    "Fix_ResNeXt101_32x48d_wsl": SMALL,
    **{f"SE_ResNet{depth}_vd": ODD for depth in (18, 34, 50)},
    **{f"SE_ResNeXt{depth}_32x4d": SMALL for depth in (50, 101)},
    **dict.fromkeys(("SE_ResNeXt50_vd_32x4d", "SENet154_vd"), ODD),
    **{f"DenseNet{depth}": SMALL for depth in (121, 161, 169, 201, 264)},
    **{f"InceptionV{version}": (2, 3, 107, 107) for version in (3, 4)},
    **{f"DPN{depth}": SMALL for depth in (68, 92, 98, 107, 131)},
    **{f"Xception{depth}": SMALL for depth in (41, 65, 71)},
    **{f"Xception{depth}_deeplab": SMALL for depth in (41, 65)},
}


class Absent(types.ModuleType):
    """A module that paddleclas imports and that its networks never use."""

    __path__: list[str] = []


def official(name: str):
    """Return an official network by name."""
    sys.modules.update({module: Absent(module) for module in ("faiss", "visualdl")})
    import paddle

    if name == "LeNet":
        return paddle.vision.models.LeNet()
    from paddleclas.ppcls.utils import logger

    logger.init_logger()
    from paddleclas.ppcls.arch import backbone

    if name == "tiny_mobilenet_v1":
        from paddleclas.ppcls.arch.backbone.legendary_models.mobilenet_v1 import MODEL_STAGES_PATTERN, MobileNet

        return MobileNet(MODEL_STAGES_PATTERN["MobileNetV1"], scale=0.0625, class_num=10)
    if name == "SE_HRNet_W64_C":  # its entry function looks for an address that its table lacks
        from paddleclas.ppcls.arch.backbone.legendary_models.hrnet import MODEL_STAGES_PATTERN, HRNet

        return HRNet(MODEL_STAGES_PATTERN["HRNet"], width=64, has_se=True)
    return getattr(backbone, name.replace("Fix_", ""))()  # the network of that name has a file, and no function


def fill(network, images: np.ndarray) -> dict[str, float]:
    """Give a network the recipe's weights; return the second moment of what each normalisation receives."""
    import paddle

    moments: dict[str, float] = {}

    def fill_parameters(layer, prefix: str) -> None:
        for key, tensor in layer.state_dict(include_sublayers=False).items():
            tensor.set_value(parameter(prefix + key, tensor.shape, moments))

    def calibrate(name: str):
        def hook(layer, inputs):
            moments[name] = float(np.square(inputs[0].numpy().astype(np.float64)).mean())
            fill_parameters(layer, f"{name}.")

        return hook

    network.eval()
    hooks = []
    for name, layer in network.named_sublayers():
        if hasattr(layer, "_variance"):
            hooks.append(layer.register_forward_pre_hook(calibrate(name)))
        else:
            fill_parameters(layer, f"{name}.")
    with paddle.no_grad():
        network(paddle.to_tensor(images))
    for hook in hooks:
        hook.remove()
    return moments


def answer(network, images: np.ndarray) -> np.ndarray:
    """Return the network's output; where there are several heads, one after another along the first axis."""
    import paddle

    with paddle.no_grad():
        output = network(paddle.to_tensor(images))
    heads = output if isinstance(output, list) else [output]
    return np.concatenate([head.numpy() for head in heads])


def make(name: str) -> None:
    """Write the reference of one model."""
    network = official(name)
    images = input_images(INPUT_SHAPES[name])
    moments = fill(network, images)
    state = network.state_dict()
    output = answer(network, images)
    for key, tensor in state.items():
        towards = np.where(uniform(f"noise {key}", tensor.shape, -1, 1) < 0, -np.inf, np.inf)
        tensor.set_value(np.nextafter(tensor.numpy(), towards.astype(np.float32)))
    noise = float(np.abs(answer(network, images) - output).max())
    trainable = sum(int(np.prod(p.shape)) for p in network.parameters() if not p.stop_gradient)
    REFERENCES.mkdir(exist_ok=True)
    np.savez_compressed(
        REFERENCES / f"{name}.npz",
        names=np.array(list(state), "S"),
        shapes=np.array([",".join(map(str, tensor.shape)) for tensor in state.values()], "S"),
        global_names=np.array([tensor.name for tensor in state.values()], "S"),
        trainable=np.int64(trainable),
        input_shape=np.array(images.shape),
        normalisations=np.array(list(moments), "S"),
        second_moments=np.array(list(moments.values()), np.float64),
        output=output,
        noise=np.float64(noise),
    )
    largest = float(np.abs(output).max())
    print(f"{name}: {trainable:,} parameters, output up to {largest:.3g}, noise {noise:.2g}")
    if noise > 0.5e-4 * max(1.0, largest):
        raise SystemExit(f"{name}: the noise leaves no room for a comparison at 1e-4; the recipe needs a change")


def make_tiny() -> None:
    """Write a small file with Paddle's own ``save``, and what its network answers."""
    import paddle

    network = official("tiny_mobilenet_v1")
    images = input_images(SMALL)
    fill(network, images)
    paddle.save(network.state_dict(), str(REFERENCES / "tiny_mobilenet_v1.pdparams"))
    np.savez_compressed(REFERENCES / "tiny_mobilenet_v1.npz", output=answer(network, images))


def main(names: list[str]) -> None:
    """Make the references of the models named, or of all."""
    if len(names) == 1:
        make_tiny() if names[0] == "tiny_mobilenet_v1" else make(names[0])
        return
    for name in names or [*INPUT_SHAPES, "tiny_mobilenet_v1"]:  # global parameter names collide within one process
        subprocess.run([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
