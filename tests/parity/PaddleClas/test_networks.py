"""Every classifier against the official implementation: the same names, the same outputs from the same file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
import PaddleClas
from core.weights import read_pdparams, write_pdparams
from tests.PaddleClas.models.test_models import FAMILY_OF
from tests.parity.recipe import input_images, parameter
from tests.parity.stored import stored_arrays, texts
from tests.sampling import sampled

REFERENCES = Path(__file__).with_name("references")
SMALLEST = (
    *("LeNet", "VGG11", "ResNet18", "ResNet18_vd", "ResNet50_vc", "MobileNetV1_x0_25", "MobileNetV2_x0_25"),
    *("MobileNetV3_small_x0_35", "MobileNetV3_large_x0_35", "ShuffleNetV2_x0_25", "GhostNet_x0_5"),
    *("AlexNet", "SqueezeNet1_1", "GoogLeNet", "ResNeXt50_32x4d"),
    *("SE_ResNet18_vd", "EfficientNetB0", "Res2Net50_26w_4s"),
    *("RegNetX_200MF", "ResNeSt50_fast_1s1x64d"),
    *("InceptionV4", "DPN68", "Xception41"),
    *("ResNeXt101_32x8d_wsl", "PPLCNet_x0_25", "PPLCNetV2_small", "DeiT_tiny_patch16_224"),
    *("SwinTransformer_tiny_patch4_window7_224", "SwinTransformerV2_tiny_patch4_window8_256", "ConvNeXt_tiny"),
    *("RepVGG_A0", "PPHGNet_tiny", "PPHGNetV2_B0", "MobileViT_XXS", "CSPDarkNet53"),
)
WITHOUT_REFERENCE = ("NASNetA_mobile", "NASNetA_large", "PNASNet5_large")
"""Networks that no PaddleClas has: tests/PaddleClas/models/test_nasnet.py compares their cells with NumPy, and
test_nasnet.py beside this file the large ones with a port."""

NAMES = [name for name in PaddleClas.list_models() if name not in WITHOUT_REFERENCE]
LARGE = (
    *("VGG11", "AlexNet", "ResNeXt101_32x8d_wsl", "InceptionV4", "ConvNeXt_tiny", "CSPDarkNet53"),
    *("SwinTransformer_tiny_patch4_window7_224", "SwinTransformerV2_tiny_patch4_window8_256"),
)
MODELS = [pytest.param(name, marks=() if name in SMALLEST and name not in LARGE else pytest.mark.zoo) for name in NAMES]


def stored(name: str) -> dict[str, np.ndarray]:
    return stored_arrays(REFERENCES / f"{name}.npz")


def classes(name: str) -> int:
    return 10 if name == "LeNet" else 1000


def official_state(reference: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    moments = dict(zip(texts(reference["normalisations"]), reference["second_moments"].tolist()))
    shapes = [[int(extent) for extent in shape.split(",")] for shape in texts(reference["shapes"])]
    state = {name: parameter(name, shape, moments) for name, shape in zip(texts(reference["names"]), shapes)}
    for name in state:
        if name.endswith(".relative_coords_table"):  # what Swin's files keep of the offsets in its windows
            line = reference[f"offsets_{name.split('.')[1]}"]
            state[name] = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1)[None]
    return state


def assert_close(actual: np.ndarray, expected: np.ndarray) -> None:
    assert actual.shape == expected.shape
    assert np.abs(actual - expected).max() <= 1e-4 * max(1.0, np.abs(expected).max())


def test_every_model_has_a_reference() -> None:
    missing = [name for name in NAMES if not (REFERENCES / f"{name}.npz").is_file()]
    assert missing == [], "make them: tests/parity/PaddleClas/make_references.py says how"


@pytest.mark.parametrize("name", sampled(NAMES, 3, group=FAMILY_OF.get))
def test_names_shapes_and_order_are_the_official_ones(name: str) -> None:
    reference = stored(name)
    with core.LazyGuard():
        state = PaddleClas.create_model(name, class_num=classes(name)).state_dict()
    assert list(state) == texts(reference["names"])
    assert [",".join(map(str, tensor.shape)) for tensor in state.values()] == texts(reference["shapes"])


@pytest.mark.parametrize("name", MODELS)
def test_outputs_are_the_official_ones(name: str, tmp_path: Path) -> None:
    reference = stored(name)
    state = official_state(reference)
    path = tmp_path / f"{name}.pdparams"
    write_pdparams(state, path, dict(zip(state, texts(reference["global_names"]))))
    model = PaddleClas.create_model(name, class_num=classes(name), pretrained=path)
    path.unlink()
    model.eval()
    images = core.to_tensor(input_images(reference["input_shape"]))
    with core.no_grad():
        answer = model(images)
    outputs = answer if isinstance(answer, list) else [answer]
    assert len(outputs) == (3 if name == "GoogLeNet" else 1)
    for actual, expected in zip(outputs, np.split(reference["output"], len(outputs))):
        assert_close(actual.numpy(), expected)


def test_a_file_that_paddle_wrote_itself() -> None:
    from PaddleClas.models.mobilenet_v1 import MobileNet

    path = REFERENCES / "tiny_mobilenet_v1.pdparams"
    model = MobileNet(scale=0.0625, class_num=10)
    state = core.load(str(path))
    missing, unexpected = model.set_state_dict(state)
    assert (missing, unexpected) == ([], [])
    assert set(read_pdparams(path)) == set(model.state_dict())
    model.eval()
    with core.no_grad():
        output = model(core.to_tensor(input_images((2, 3, 64, 64)))).numpy()
    assert_close(output, stored("tiny_mobilenet_v1")["output"])


@pytest.mark.parametrize("name", ["LeNet", "VGG11", "ResNet18", "MobileNetV2_x0_25"])
def test_the_references_are_sharper_than_the_tolerance(name: str) -> None:
    reference = stored(name)
    output = reference["output"]
    assert reference["noise"] < 0.5e-4 * max(1.0, np.abs(output).max())
    assert output.std() > 0.1
    if len(output) > 1:  # the answer depends on the image, not on the weights alone
        assert np.abs(output[0] - output[1]).max() > 0.1
