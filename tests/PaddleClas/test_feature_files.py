"""``infer.py RUN --features FILE.npy``: vectors of images instead of classes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.vision import write_image
from PaddleClas import export, infer, train
from PaddleClas.classifier import Classifier
from PaddleClas.features import open_encoder

CONFIG = str(Path(__file__).resolve().parents[2] / "PaddleClas" / "configs" / "digits_lenet.yaml")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("runs") / "digits"
    changes = [f"output={output}", "train.epochs=1", "expect=null"]
    assert train.main(["-c", CONFIG, *(argument for change in changes for argument in ("-o", change))]) == 0
    return output


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five pictures, and a file that is none."""
    folder = tmp_path_factory.mktemp("pictures")
    draw = np.random.default_rng(0)
    for number in range(5):
        write_image(folder / f"{number}.png", draw.integers(0, 256, (20 + number, 24, 3), np.uint8))
    (folder / "2a.png").write_bytes(b"not a picture")
    return folder


def test_rows_are_what_the_last_layer_takes(
    run: Path, pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "vectors.npy"
    options = [str(run), str(pictures), "--features", str(file), "--batch-size", "2", "--demo", "1"]
    assert infer.main(options) == 1  # as one file is no picture
    output = capsys.readouterr()
    assert output.out == f"wrote {file}: float32 [6, 84]; 1 of 7 images could not be read\n"
    assert output.err.count("error: ") == 1 and "2a.png" in output.err
    vectors = np.load(file)
    assert vectors.dtype == np.float32 and vectors.shape == (6, 84)
    named = [json.loads(line) for line in file.with_suffix(".jsonl").read_text().splitlines()]
    assert [Path(row["image"]).name for row in named[:5]] == [f"{number}.png" for number in range(5)]
    assert named[0]["true"] is None and named[5]["true"] is not None
    classifier = Classifier(run)
    last = classifier.network.fc[2]
    dataset = classifier.section.build_dataset()
    logits = classifier.logits(classifier.preprocess(dataset.image(0))[None])
    np.testing.assert_allclose(vectors[5] @ last.weight.numpy() + last.bias.numpy(), logits[0], atol=1e-4)
    assert not (run / "predictions").exists()


def test_from_python(run: Path) -> None:
    encoder = open_encoder(run)
    images = np.random.default_rng(1).integers(0, 256, (3, 28, 28, 3), np.uint8)
    vectors = encoder.encode(list(images), batch_size=2)
    assert vectors.shape == (3, encoder.size) == (3, 84)
    np.testing.assert_allclose(encoder.encode(list(images[:, :, :, ::-1]), color="bgr"), vectors, atol=1e-5)


def test_an_exported_folder_has_no_features(run: Path, tmp_path: Path) -> None:
    assert export.main([str(run)]) == 0
    with pytest.raises(ValueError, match="is an exported folder, whose program ends with the classes; features take"):
        open_encoder(run / "exported")
    (run / "exported" / "program.json").write_bytes(b"")
    with pytest.raises(ValueError, match="no program.json that can be read: export it again"):
        open_encoder(run / "exported")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--features", "a.txt"], "name a file that ends in .npy, not 'a.txt'"),
        (["--features", "a.npy", "--grad-cam"], "--features finds none: ask for one of them"),
    ],
)
def test_what_does_not_go_together(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        infer.main(["run", "photo.jpg", *options])
    assert left.value.code == 2 and message in capsys.readouterr().err
