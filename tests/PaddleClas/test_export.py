"""export.py, and predicting from what it wrote: the numbers of infer.py on the run."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnxruntime import InferenceSession

import core
import PaddleClas
from core.jit import Predictor
from core.kernels.engine import requirements
from core.train.config.table import Component
from core.train.runner.exporting import write_program
from core.vision import write_image
from PaddleClas import export as export_command
from PaddleClas import exporting, infer, train
from PaddleClas.classifier import Classifier, ExportedClassifier
from PaddleClas.data import Digits

ROOT = Path(__file__).resolve().parents[2]
CONFIG = str(ROOT / "PaddleClas" / "configs" / "digits_lenet.yaml")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("runs") / "digits"
    changes = [f"output={output}", "train.epochs=1", "expect.at_least.accuracy=0.1"]
    assert train.main(["-c", CONFIG, *(argument for change in changes for argument in ("-o", change))]) == 0
    return output


@pytest.fixture(scope="module")
def exported(run: Path) -> Path:
    assert export_command.main([str(run)]) == 0
    return run / "exported"


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    dataset = Digits("test")
    (tmp_path / "photos").mkdir()
    for i in range(6):
        write_image(tmp_path / "photos" / f"digit_{i}.png", dataset.image(i))
    return tmp_path / "photos"


def test_the_folder_holds_program_preprocessing_and_class_names(
    run: Path, exported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predictor = Predictor(exported)
    assert predictor.class_names == json.loads((run / "classes.json").read_text())
    assert [part["name"] for part in predictor.preprocessing] == ["Grayscale", "Resize", "ToTensor", "Normalize"]
    assert [entry.shape for entry in predictor.inputs] == [(None, 1, 28, 28)]
    assert export_command.main([str(run), "--checkpoint", "newest", "--output", str(run / "again")]) == 0
    output = capsys.readouterr().out
    assert f"wrote {run}/again: images float32 [any, 1, 28, 28] to 10 classes" in output and "equal" in output


def test_infer_gives_the_same_numbers_from_the_export(run: Path, exported: Path, photos: Path, tmp_path: Path) -> None:
    records = []
    for source, output in ((run, tmp_path / "live"), (exported, tmp_path / "from_export")):
        assert infer.main([str(source), str(photos), "--top", "10", "--output", str(output)]) == 0
        records.append(json.loads((output / "predictions.json").read_text()))
    assert len(records[0]) == 6
    for live, ours in zip(*records):
        assert live["names"] == ours["names"]
        np.testing.assert_allclose(ours["probabilities"], live["probabilities"], rtol=0, atol=1e-6)
    images = [Digits("test").image(i) for i in range(20)]
    for live, ours in zip(Classifier(run).predict(images, 10), ExportedClassifier(exported).predict(images, 10)):
        assert live.classes == ours.classes
        np.testing.assert_allclose(ours.probabilities, live.probabilities, rtol=0, atol=1e-6)


def test_in_8_bits_it_says_the_same_of_nearly_all_images(
    run: Path, exported: Path, photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = tmp_path / "small"
    assert export_command.main([str(run), "--int8", "--output", str(small)]) == 0
    assert "5 of 5 layers in 8 bits; calibrated by percentile on 179 samples" in capsys.readouterr().out
    found = json.loads((small / "quantization.json").read_text())["compared"]["test"]
    assert abs(found["float32"]["accuracy"] - found["int8"]["accuracy"]) < 0.01
    sizes = [(folder / "weights.safetensors").stat().st_size for folder in (small, exported)]
    assert sizes[0] <= 0.28 * sizes[1]
    assert infer.main([str(small), str(photos), "--output", str(tmp_path / "seen")]) == 0
    images = [Digits("test").image(i) for i in range(100)]
    both = zip(Classifier(run).predict(images, 1), ExportedClassifier(small).predict(images, 1))
    assert sum(live.classes[0] == ours.classes[0] for live, ours in both) >= 98


def test_heat_maps_need_the_run(exported: Path, photos: Path) -> None:
    with pytest.raises(ValueError, match="--grad-cam needs the folder of a run: an exported program has no gradients"):
        infer.main([str(exported), str(photos), "--grad-cam"])


def test_predictions_of_an_exported_folder_stand_beside_it(exported: Path, photos: Path) -> None:
    before = sorted(path.name for path in exported.iterdir())
    assert infer.main([str(exported), str(photos / "digit_0.png")]) == 0
    assert (Path(f"{exported}_predictions") / "predictions.json").is_file()
    assert sorted(path.name for path in exported.iterdir()) == before


def test_a_model_with_a_weight_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = PaddleClas.create_model("MobileNetV1_x0_25", class_num=5)
    core.save(model.state_dict(), str(tmp_path / "mine.pdparams"))
    arguments = ["--model", "MobileNetV1_x0_25", "--weights", str(tmp_path / "mine.pdparams"), "--class-num", "5"]
    assert export_command.main([*arguments, "--output", str(tmp_path / "out")]) == 0
    assert "images float32 [any, 3, 224, 224] to 5 classes" in capsys.readouterr().out
    classifier = ExportedClassifier(tmp_path / "out")
    image = np.random.default_rng(0).integers(0, 256, (300, 280, 3), np.uint8)
    model.eval()
    wanted = model(core.to_tensor(np.asarray(classifier.transform(image))[None])).numpy()
    got = classifier.logits(np.asarray(classifier.transform(image))[None])
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-5)
    assert classifier.class_names == ["0", "1", "2", "3", "4"]


def test_an_onnx_file_gives_the_logits_of_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = run / "with_onnx"
    assert export_command.main([str(run), "--onnx", "--output", str(target)]) == 0
    assert f"wrote {target}/model.onnx, " in capsys.readouterr().out
    live = Classifier(run)
    images = np.stack([live.preprocess(Digits("test").image(i)) for i in range(5)])
    session = InferenceSession(str(target / "model.onnx"), providers=["CPUExecutionProvider"])
    for batch in (images, images[:1]):
        (logits,) = session.run(None, {"images": batch})
        np.testing.assert_allclose(logits, live.logits(batch), rtol=0, atol=1e-4 * np.abs(logits).max())
    np.testing.assert_allclose(Predictor(target).run(images), live.logits(images), rtol=0, atol=1e-5)
    assert export_command.main([str(run), "--output", str(target)]) == 0
    assert not (target / "model.onnx").exists()  # it would not be that of the program beside it


def test_an_onnx_file_for_images_of_any_size(tmp_path: Path) -> None:
    core.seed(0)
    network = PaddleClas.create_model("MobileNetV1_x0_25", class_num=5)
    parts = [{"name": "NormalizeImage", "order": ""}, {"name": "ToCHWImage"}]
    transforms = [Component.model_validate(part) for part in parts]
    write_program(exporting.classifier_program(network, transforms, list("abcde")), tmp_path / "out", onnx=True)
    network.eval()
    session = InferenceSession(str(tmp_path / "out" / "model.onnx"), providers=["CPUExecutionProvider"])
    for size in ((64, 96), (70, 33)):
        images = np.random.default_rng(0).normal(size=(2, 3, *size)).astype(np.float32)
        (logits,) = session.run(None, {"images": images})
        wanted = network(core.to_tensor(images)).numpy()
        np.testing.assert_allclose(logits, wanted, rtol=0, atol=1e-4 * max(1, np.abs(wanted).max()))


def test_onnx_without_its_packages_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    requirements.check.cache_clear()
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "onnxruntime" else found(name))
    command = r"the package onnxruntime is not installed; run: .* -m pip install 'onnxruntime>=1.16'$"
    with pytest.raises(requirements.PackageError, match=command):
        export_command.main.parse(["run", "--onnx"])


def test_sizes_that_the_preprocessing_leaves_open_stay_open() -> None:
    parts = [{"name": "ToTensor"}, {"name": "Normalize", "mean": 0.5, "std": 0.5}]
    transforms = [Component.model_validate(part) for part in parts]
    assert exporting.input_shape(transforms) == [None, 3, None, None]


def test_mistakes_are_named(run: Path, exported: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is not the folder of a run: it has no config.yaml"):
        export_command.main([str(tmp_path)])
    with pytest.raises(FileNotFoundError, match="holds no checkpoint 'step_9'"):
        export_command.main([str(run), "--checkpoint", "step_9"])
    with pytest.raises(ValueError, match="--demo needs the folder of a run: an exported one holds no images"):
        infer.main([str(exported), "--demo", "1"])
    with pytest.raises(ValueError, match="unknown model 'ResNet51'; the nearest are"):
        export_command.main(["--model", "ResNet51", "--output", str(tmp_path / "out")])
    core.jit.save(core.nn.Linear(2, 2), tmp_path / "linear", [core.ones([1, 2])])
    with pytest.raises(ValueError, match="was not exported by PaddleClas/export.py: it has no preprocessing"):
        ExportedClassifier(tmp_path / "linear")
    core.jit.save(
        core.nn.Linear(2, 2),
        tmp_path / "linear",
        [core.ones([1, 2])],
        preprocessing=[{"name": "os"}],
        class_names=["a"],
    )
    with pytest.raises(ValueError, match="the preprocessing in .*linear' cannot be built: .*unknown transform 'os'"):
        ExportedClassifier(tmp_path / "linear")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give either the folder of a run, or a model's name with --model"),
        (["run", "--model", "LeNet"], "give either the folder of a run, or a model's name with --model"),
        (["run", "--weights", "w"], "--weights belongs to --model"),
        (["--model", "LeNet"], "--model needs --output FOLDER"),
        (["--model", "LeNet", "--output", "o", "--int8"], "--int8 needs a run, whose data calibrates"),
        (["run", "--calibration", "kl"], "--calibration belongs to --int8"),
    ],
)
def test_usage_mistakes(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        export_command.main.parse(arguments)
    assert left.value.code == 2
    assert message in capsys.readouterr().err


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "PaddleClas" / "export.py"), "--help"], capture_output=True, text=True, check=True
    )
    assert "core.jit.Predictor(" in done.stdout and "runs/digits_resnet18/exported" in done.stdout
