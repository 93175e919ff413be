"""Names of release 2.0 and of Fluid 1.x against the official networks of that age; their files into today's networks.

The files are written here in the formats' documented layouts, with our own writer of none of them.
"""

from __future__ import annotations

import json
import logging
import pickle
import shutil
import struct
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleClas
from PaddleClas.models.older_names import FLUID, RELEASE_2_0, fluid_names, older_names, renamed
from PaddleClas.models.registry import FAMILIES
from tests.PaddleClas.models import older_names_oracle as oracle
from tests.PaddleClas.models.test_models import FAMILY_OF, small_first
from tests.sampling import sampled

Arrays = Mapping[str, np.ndarray]
ORACLE = json.loads(oracle.TARGET.read_text())
OF_THAT_AGE = [name for name in PaddleClas.list_models() if name in ORACLE["hashes"]]
"""Models with official files of that age; what PaddleClas published later, or never, has one generation of names."""
RENAMED = ("vgg", "resnet", "mobilenet_v1", "mobilenet_v3", "inception_v3", "hrnet")
"""Families that release 2.2 renamed."""
LARGE = (
    *("VGG11", "AlexNet", "DarkNet53", "HRNet_W18_C", "InceptionV3", "InceptionV4", "ResNeSt50_fast_1s1x64d"),
    "ResNeXt101_32x8d_wsl",
)


def _zoo(name: str) -> Any:
    return pytest.mark.zoo if name in LARGE else ()


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path) -> Iterator[None]:
    yield
    shutil.rmtree(tmp_path)  # up to 200 MB a test, which pytest would keep


def abstract(name: str, class_num: int = 3) -> core.nn.Layer:
    with core.LazyGuard():
        return PaddleClas.create_model(name, class_num=class_num)


def shapes(name: str) -> dict[str, tuple[int, ...]]:
    return {key: tuple(tensor.shape) for key, tensor in abstract(name).state_dict().items()}


def tables(name: str, names: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return today's name to the one of the wheel's release 2.0, and to the one of Fluid 1.x."""
    found = {RELEASE_2_0: {key: key for key in names}}
    for label, table in reversed(older_names(name, names)):  # of two versions of ResNet in 2.0 the first is the wheel's
        found[label] = {new: old for old, new in table.items()}
        assert len(found[label]) == len(table)
    return found[RELEASE_2_0], found.get(FLUID, {})


@pytest.mark.parametrize("name", sampled(OF_THAT_AGE, 4, group=FAMILY_OF.get))
def test_every_name_of_every_model_is_that_of_the_official_network(name: str) -> None:
    names = list(shapes(name))
    middle, fluid = tables(name, names)
    rows = [(key, middle[key], fluid.get(key, "")) for key in names]
    if name in ORACLE["whole"]:
        assert sorted(" ".join(row) for row in rows) == sorted(ORACLE["whole"][name])
    assert oracle.fingerprint(rows) == ORACLE["hashes"][name]


def test_models_without_files_of_that_age_have_no_older_names() -> None:
    assert set(ORACLE["hashes"]) <= set(PaddleClas.list_models())
    for name in ("LeNet", "NASNetA_mobile"):
        names = list(shapes(name))
        assert older_names(name, names) == [] and fluid_names(name, names) is None


def test_blocks_of_resnet_have_two_names_in_release_2_0() -> None:
    names = ["blocks.0.short.bn._mean", "blocks.7.conv1.conv.weight"]
    names += ["blocks.8.conv0.bn.bias", "blocks.30.conv2.bn.bias"]
    generations = [table for label, table in older_names("ResNet101", names) if label == RELEASE_2_0]
    named = ["res2a.short._batch_norm._mean", "res4a.conv1._conv.weight", "res4b1.conv0._batch_norm.bias"]
    numbered = ["bb_0_0.short._batch_norm._mean", "bb_2_0.conv1._conv.weight", "bb_2_1.conv0._batch_norm.bias"]
    expected = [[*numbered, "bb_3_0.conv2._batch_norm.bias"], [*named, "res5a.conv2._batch_norm.bias"]]
    assert sorted(list(table) for table in generations) == sorted(expected)


def seeded(name: str) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(0)
    return {key: generator.standard_normal(shape, "float32") for key, shape in shapes(name).items()}


def tensor(array: np.ndarray) -> bytes:
    """Return a float32 array in Fluid's layout, written after its description."""

    def number(value: int) -> bytes:
        low = bytes([value & 127 | (128 if value > 127 else 0)])
        return low + number(value >> 7) if value > 127 else low

    description = b"\x08\x05" + b"".join(b"\x10" + number(extent) for extent in array.shape)
    return struct.pack("<IQIi", 0, 0, 0, len(description)) + description + array.astype("<f4").tobytes()


def write_folder(arrays: Arrays, folder: Path) -> Path:
    for name, array in arrays.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(tensor(array))
    return folder


def write_archive(arrays: Arrays, path: Path) -> Path:
    with tarfile.open(path, "w") as archive:
        archive.add(write_folder(arrays, path.with_suffix("")), path.stem)
    return path


def write_combined(arrays: Arrays, path: Path) -> Path:
    path.write_bytes(b"".join(tensor(arrays[name]) for name in sorted(arrays)))
    return path


def write_pickled(arrays: Arrays, path: Path) -> Path:
    path.write_bytes(pickle.dumps(dict(arrays), protocol=2))
    return path


FORMS = {"folder": write_folder, "net.tar": write_archive, "params": write_combined, "net.pdparams": write_pickled}


def of_fluid(name: str, arrays: Arrays) -> dict[str, np.ndarray]:
    _, fluid = tables(name, list(arrays))
    return {fluid[key]: array for key, array in arrays.items() if key in fluid}


def assert_loads(name: str, path: Path, expected: Arrays, class_num: int = 3) -> None:
    loaded = PaddleClas.create_model(name, class_num=class_num, pretrained=path).state_dict()
    assert list(loaded) == list(expected)
    for key, array in expected.items():
        np.testing.assert_array_equal(loaded[key].numpy(), array, err_msg=key)


SMALLEST = {family: names[0] for family, names in FAMILIES.items() if names[0] in OF_THAT_AGE and family != "resnest"}


@pytest.mark.parametrize("name", small_first(SMALLEST.values(), share=2))
def test_a_folder_of_fluid_loads_into_every_family(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    values = seeded(name)
    folder = write_folder(of_fluid(name, values), tmp_path / f"{name}_pretrained")
    with caplog.at_level(logging.INFO):
        assert_loads(name, folder, values)
    assert f"{name}: {len(values)} of {len(values)} entries of the file have the names of Fluid 1.x" in caplog.text


OF_RELEASE_2_0 = [*(SMALLEST[family] for family in RENAMED), "ResNet18_vd"]


@pytest.mark.parametrize("name", [pytest.param(name, marks=_zoo(name)) for name in OF_RELEASE_2_0])
def test_a_file_of_release_2_0_loads_into_every_renamed_family(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    values = seeded(name)
    middle, fluid = tables(name, list(values))
    file = {middle[key]: array for key, array in values.items()}
    file["StructuredToParameterName@@"] = {middle[key]: fluid[key] for key in values}  # type: ignore[assignment]
    with caplog.at_level(logging.INFO):
        assert_loads(name, write_pickled(file, tmp_path / "net.pdparams"), values)
    assert "entries of the file have the names of PaddleClas 2.0" in caplog.text


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_fluid_file(form: str, tmp_path: Path) -> None:
    values = seeded("MobileNetV1_x0_25")
    assert_loads("MobileNetV1_x0_25", FORMS[form](of_fluid("MobileNetV1_x0_25", values), tmp_path / form), values)


def test_outputs_are_those_of_the_network_that_was_written(tmp_path: Path) -> None:
    model = PaddleClas.create_model("ShuffleNetV2_x0_25", class_num=3)
    values = {key: value.numpy() for key, value in model.state_dict().items()}
    path = write_folder(of_fluid("ShuffleNetV2_x0_25", values), tmp_path / "older")
    loaded = PaddleClas.create_model("ShuffleNetV2_x0_25", class_num=3, pretrained=path)
    images = core.to_tensor(np.random.default_rng(1).standard_normal((2, 3, 64, 64), "float32"))
    model.eval()
    loaded.eval()
    np.testing.assert_array_equal(loaded(images).numpy(), model(images).numpy())


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=_zoo(name) if "Mobile" in name else pytest.mark.zoo) for name in oracle.ANSWERING]
)
def test_a_network_of_release_2_0_answers_the_same_today(name: str, tmp_path: Path) -> None:
    with np.load(oracle.OUTPUTS) as file:
        stored = dict(file)
    values = oracle.seeded({key: tuple(shape) for key, shape in json.loads(str(stored[f"{name} shapes"])).items()})
    path = write_pickled(values, tmp_path / "net.pdparams")
    model = PaddleClas.create_model(name, class_num=oracle.CLASSES, pretrained=path)
    model.eval()
    with core.no_grad():
        answer = model(core.to_tensor(oracle.images(oracle.ANSWERING[name]))).numpy()
    np.testing.assert_allclose(answer, stored[name], rtol=0, atol=1e-4 * np.abs(stored[name]).max())


def test_files_of_today_are_left_as_they_are(caplog: pytest.LogCaptureFixture) -> None:
    values = dict.fromkeys(shapes("ResNet18"), np.zeros(1))
    with caplog.at_level(logging.INFO):
        assert renamed("ResNet18", list(values), values) == values
        assert list(renamed("ResNet18", list(values), {"a": np.zeros(1)})) == ["a"]
    assert not caplog.records


def test_an_entry_under_both_of_its_names_is_refused(tmp_path: Path) -> None:
    values = seeded("MobileNetV1_x0_25")
    older = of_fluid("MobileNetV1_x0_25", values)
    path = write_pickled({**older, "fc.bias": values["fc.bias"] + 1}, tmp_path / "net.pdparams")
    with pytest.raises(ValueError, match="net.pdparams' does not fit the model: the model has no fc7_offset"):
        PaddleClas.create_model("MobileNetV1_x0_25", class_num=3, pretrained=path)


def test_what_training_left_in_a_folder_is_dropped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    name = "MobileNetV1_x0_25"
    values = seeded(name)
    older = of_fluid(name, values)
    trained = [key for key in older if key.endswith(("weights", "offset", "scale"))]
    beside = {f"{key}_velocity_0": older[key] for key in trained}
    beside.update({"learning_rate_0": np.ones(1, "float32"), "@LR_DECAY_COUNTER@": np.ones(1, "float32")})
    with caplog.at_level(logging.INFO):
        assert_loads(name, write_folder({**older, **beside}, tmp_path / "net"), values)
    assert "137 of 222 entries of the file have the names of Fluid 1.x, and 85 are of its training" in caplog.text


@pytest.mark.parametrize("form", FORMS)
def test_another_head_is_adapted_when_asked(form: str, tmp_path: Path) -> None:
    name = "MobileNetV1_x0_25"
    values = seeded(name)
    path = FORMS[form](of_fluid(name, values), tmp_path / form)
    message = r"does not fit the model: 2 entries differ: fc.weight \(\[256, 3\] -> \[256, 5\]\).*pass adapt_head=True"
    with pytest.raises(ValueError, match=message):
        PaddleClas.create_model(name, class_num=5, pretrained=path)
    model = PaddleClas.create_model(name, class_num=5, pretrained=path, adapt_head=True)
    assert model.fc.weight.shape == [256, 5]
    np.testing.assert_array_equal(model.conv.conv.weight.numpy(), values["conv.conv.weight"])


def test_a_folder_of_another_model_is_one_line_with_counts(tmp_path: Path) -> None:
    folder = write_folder(of_fluid("MobileNetV2_x0_25", seeded("MobileNetV2_x0_25")), tmp_path / "net")
    counts = "it lacks 137 entries: .* and 133 more; the model has no .* and 263 more"
    with pytest.raises(ValueError, match=f"net' does not fit the model: .*{counts}"):
        PaddleClas.create_model("MobileNetV1_x0_25", class_num=3, pretrained=folder)
    with pytest.raises(ValueError, match=r"net' does not fit the model: \d+ entries differ: .* and \d+ more") as error:
        PaddleClas.create_model("MobileNetV2_x0_5", class_num=3, pretrained=folder)
    assert "\n" not in str(error.value)
    folder = write_combined(of_fluid("MobileNetV2_x0_25", seeded("MobileNetV2_x0_25")), tmp_path / "params")
    with pytest.raises(ValueError, match="params' holds 267 tensors, but there are 137 names for them"):
        PaddleClas.create_model("MobileNetV1_x0_25", class_num=3, pretrained=folder)


def test_a_truncated_variable_is_named(tmp_path: Path) -> None:
    folder = write_folder(of_fluid("MobileNetV1_x0_25", seeded("MobileNetV1_x0_25")), tmp_path / "net")
    (folder / "fc7_weights").write_bytes((folder / "fc7_weights").read_bytes()[:-4])
    with pytest.raises(ValueError, match="cannot read '.*fc7_weights' as tensors of Paddle: it is truncated"):
        PaddleClas.create_model("MobileNetV1_x0_25", class_num=3, pretrained=folder)


def test_biases_of_regnet_go_into_the_means(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Release 2.0 had a bias before each normalisation: (x + b - mean) is (x - (mean - b))."""
    values = {key: np.abs(array) for key, array in seeded("RegNetX_200MF").items()}
    biases = {
        key.replace("weight", "bias"): np.full(len(array), 0.25, "float32")
        for key, array in values.items()
        if key.endswith("_conv.weight")
    }
    expected = {key: array - np.float32(0.25) if key.endswith("_mean") else array for key, array in values.items()}
    assert_loads("RegNetX_200MF", write_pickled({**values, **biases}, tmp_path / "net.pdparams"), expected)
    older = of_fluid("RegNetX_200MF", values)
    convolution = {key: key.replace("w_0", "b_0") for key in older if ".conv2d." in key}
    older.update({bias: np.full(len(older[key]), 0.25, "float32") for key, bias in convolution.items()})
    assert len(convolution) == len(biases)
    with caplog.at_level(logging.INFO):
        assert_loads("RegNetX_200MF", write_folder(older, tmp_path / "net"), expected)
    assert f"RegNetX_200MF: {len(biases)} biases of convolutions go into the means after them" in caplog.text


@pytest.mark.zoo
def test_biases_that_resnest_did_not_have_are_zero(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    name = "ResNeSt50_fast_1s1x64d"
    expected = {
        key: np.zeros_like(array) if key.endswith(".conv2.conv3.bias") else array for key, array in seeded(name).items()
    }
    older = {key: array for key, array in expected.items() if not key.endswith(".conv2.conv3.bias")}
    assert len(older) == len(expected) - 16
    assert_loads(name, write_pickled(older, tmp_path / "net.pdparams"), expected)
    with caplog.at_level(logging.INFO):
        assert_loads(name, write_folder(of_fluid(name, expected), tmp_path / "net"), expected)
    assert f"{name}: 16 biases that the file does not have are zero" in caplog.text
    del older["layer1.layer1_bottleneck_0.conv2.conv3.weight"]
    with pytest.raises(ValueError, match="it lacks 17 entries"):
        PaddleClas.create_model(name, class_num=3, pretrained=write_pickled(older, tmp_path / "damaged.pdparams"))
