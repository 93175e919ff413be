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
step, which no implementation can beat; of SwinTransformerV2 also ``offsets_STAGE``, one line of the table of offsets
that its files keep. And once, ``references/tiny_mobilenet_v1.pdparams`` with its output: a file that
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
DERIVED = ("relative_position_index", "relative_coords_table", "attn_mask")
"""What follows from the sizes of windows, and is no parameter."""

OF_224, OF_384 = (2, 3, 224, 224), (1, 3, 384, 384)
OF_256 = (1, 3, 256, 256)
OF_112, OF_192 = (2, 3, 112, 112), (1, 3, 192, 192)  # Swin's maps of 7 or 12 patches, and one that is padded
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
    **{f"PPLCNet_x{scale}": SMALL for scale in ("0_25", "0_35", "0_5", "0_75", "1_0", "1_5", "2_0", "2_5")},
    **{f"PPLCNetV2_{size}": SMALL for size in ("small", "base", "large")},
    **dict.fromkeys(("ViT_small_patch16_224", "ViT_base_patch16_224", "ViT_large_patch16_224"), OF_224),
    **dict.fromkeys(("ViT_base_patch16_384", "ViT_base_patch32_384"), OF_384),
    **dict.fromkeys(("ViT_large_patch16_384", "ViT_large_patch32_384"), OF_384),
    **{f"SwinTransformer_{size}_patch4_window7_224": OF_112 for size in ("tiny", "small", "base", "large")},
    **{f"SwinTransformer_{size}_patch4_window12_384": OF_192 for size in ("base", "large")},
    **{
        f"SwinTransformerV2_{size}_patch4_window{window}_256": OF_256
        for size, window in (("tiny", 8), ("tiny", 16), ("small", 8), ("small", 16), ("base", 8), ("base", 16))
    },
    "SwinTransformerV2_large_patch4_window16_256": OF_256,
    **{f"SwinTransformerV2_{size}_patch4_window24_384": OF_384 for size in ("base", "large")},
    **{f"ConvNeXt_{size}": SMALL for size in ("tiny", "small", "base_224", "base_384", "large_224", "large_384")},
    **{f"RepVGG_A{number}": SMALL for number in range(3)},
    **{f"RepVGG_B{kind}": SMALL for kind in ("0", "1", "1g2", "1g4", "2", "2g4", "3", "3g4")},
    "RepVGG_D2se": SMALL,
    **{f"PPHGNet_{size}": SMALL for size in ("tiny", "small", "base")},
    **{f"PPHGNetV2_B{number}": SMALL for number in range(7)},
    **{f"MobileViT_{size}": ODD for size in ("XXS", "XS", "S")},
    "CSPDarkNet53": SMALL,
    **{f"DeiT_{size}_patch16_224": OF_224 for size in ("tiny", "small", "base")},
    **{f"DeiT_{size}_distilled_patch16_224": OF_224 for size in ("tiny", "small", "base")},
    **dict.fromkeys(("DeiT_base_patch16_384", "DeiT_base_distilled_patch16_384"), OF_384),
}


class Absent(types.ModuleType):
    """A module that paddleclas imports and that its networks never use."""

    __path__: list[str] = []


def official(name: str):
    """Return an official network by name."""
    sys.modules.update({module: Absent(module) for module in ("faiss", "visualdl")})
    import paddle

    draw_nothing()
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
    if name.startswith("SwinTransformerV2"):
        mend_swin_v2()
    return getattr(backbone, name.replace("Fix_", ""))()  # the network of that name has a file, and no function


def draw_nothing() -> None:
    """Let initializers write 0: the recipe gives every value, and drawing millions of others takes a while."""
    from paddle.nn.initializer import Constant, kaiming, normal, uniform, xavier

    zero = Constant(0.0)
    for module in (kaiming, normal, uniform, xavier):
        for kind in vars(module).values():
            if isinstance(kind, type) and kind.__module__ == module.__name__:
                kind.forward = lambda self, variable, block=None: zero.forward(variable, block)


def mend_swin_v2() -> None:
    """Join the parts of SwinTransformerV2, whose embedding, blocks and merging stop at undefined names in 2.6.0.

    Attention, MLPs, normalisations and the cutting of windows stay the package's own.
    """
    import paddle
    from paddleclas.ppcls.arch.backbone.model_zoo import swin_transformer_v2 as module

    def embed(self, images):
        return self.norm(self.proj(images).flatten(2).transpose([0, 2, 1]))

    def mask(self):
        height, width = self.input_resolution
        region = np.zeros((height, width), np.int64)
        for axis in (0, 1):
            for border in (-self.window_size, -self.shift_size):
                np.swapaxes(region, 0, axis)[border:] += 3 if axis == 0 else 1
        parts = module.window_partition(paddle.to_tensor(region[None, :, :, None]), self.window_size)
        flat = parts.numpy().reshape(-1, self.window_size**2)
        return paddle.to_tensor(np.where(flat[:, None] == flat[:, :, None], 0, -100).astype(np.float32))

    def block(self, x):
        height, width = self.input_resolution
        channels = x.shape[-1]
        y = x.reshape([-1, height, width, channels])
        if self.shift_size > 0:
            y = paddle.roll(y, shifts=(-self.shift_size,) * 2, axis=(1, 2))
        y = module.window_partition(y, self.window_size).reshape([-1, self.window_size**2, channels])
        y = self.attn(y, mask=mask(self) if self.shift_size > 0 else None)
        y = y.reshape([-1, self.window_size, self.window_size, channels])
        y = module.window_reverse(y, self.window_size, height, width)
        if self.shift_size > 0:
            y = paddle.roll(y, shifts=(self.shift_size,) * 2, axis=(1, 2))
        x = x + self.norm1(y.reshape([-1, height * width, channels]))
        return x + self.norm2(self.mlp(x))

    def merge(self, x):
        height, width = self.input_resolution
        channels = x.shape[-1]
        x = x.reshape([-1, height // 2, 2, width // 2, 2, channels]).transpose([0, 1, 3, 4, 2, 5])
        return self.norm(self.reduction(x.reshape([-1, height * width // 4, 4 * channels])))

    def stage(self, x):
        for layer in self.blocks:
            x = layer(x)
        return x if self.downsample is None else self.downsample(x)

    def features(self, x):
        x = self.patch_embed(x)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x).mean(1)

    module.PatchEmbed.forward = embed
    module.SwinTransformerBlock.forward = block
    module.PatchMerging.forward = merge
    module.BasicLayer.forward = stage
    module.SwinTransformerV2.forward_features = features


def fill(network, images: np.ndarray) -> dict[str, float]:
    """Give a network the recipe's weights; return the second moment of what each normalisation receives."""
    import paddle

    moments: dict[str, float] = {}

    def fill_parameters(layer, prefix: str) -> None:
        for key, tensor in layer.state_dict(include_sublayers=False).items():
            if key not in DERIVED:
                tensor.set_value(parameter(prefix + key, tensor.shape, moments))

    def calibrate(name: str):
        def hook(layer, inputs):
            moments[name] = float(np.square(inputs[0].numpy().astype(np.float64)).mean())
            fill_parameters(layer, f"{name}.")

        return hook

    network.eval()
    fill_parameters(network, "")
    hooks = []
    for name, layer in network.named_sublayers():
        if hasattr(layer, "_variance"):
            hooks.append(layer.register_forward_pre_hook(calibrate(name)))
        else:
            fill_parameters(layer, f"{name}.")
    if hooks:
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
    state = {key: tensor for key, tensor in network.state_dict().items() if not key.endswith(".attn_mask")}
    output = answer(network, images)
    for key, tensor in state.items():
        if key.rpartition(".")[2] in DERIVED:
            continue
        towards = np.where(uniform(f"noise {key}", tensor.shape, -1, 1) < 0, -np.inf, np.inf)
        tensor.set_value(np.nextafter(tensor.numpy(), towards.astype(np.float32)))
    noise = float(np.abs(answer(network, images) - output).max())
    trainable = sum(int(np.prod(p.shape)) for p in network.parameters() if not p.stop_gradient)
    lines = {key.split(".")[1]: tensor.numpy()[0, :, 0, 0] for key, tensor in state.items() if "coords_table" in key}
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
        **{f"offsets_{stage}": line for stage, line in lines.items()},
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
