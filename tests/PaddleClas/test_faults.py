# ruff: noqa: E501 -- a table of mistakes reads best with one per line
"""Data, configs and weights that do not fit: each is one line that names the fix, before a run's folder is made."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

import fsspec
import numpy as np
import pytest

import core
from core.vision import write_image
from PaddleClas import create_model, export, train
from PaddleClas import eval as eval_command
from PaddleClas.classifier import open_classifier
from PaddleClas.data import ImageNetDataset
from PaddleClas.data.pipeline import SplitSection

CONFIG = """
output: {folder}/run
network: {{name: LeNet, class_num: 3}}
data:
  root: {folder}/data
  train:
    dataset: {{name: DatasetFolder, root: train}}
    transforms: [{{name: Grayscale}}, {{name: Resize, size: [28, 28]}}, {{name: ToTensor}}]
    batch_size: 4
  test:
    dataset: {{name: DatasetFolder, root: test}}
    transforms: [{{name: Grayscale}}, {{name: Resize, size: [28, 28]}}, {{name: ToTensor}}]
    batch_size: 4
optimizer: {{name: Adam}}
schedule: {{name: Constant, learning_rate: 0.001}}
train: {{epochs: 1, compiled: false, tensorboard: false}}
"""


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """A config, and the data that it names: two pictures of each of three classes, for each split."""
    for split in ("train", "test"):
        for number, name in enumerate(("ant", "bee", "cat")):
            folder = tmp_path / "data" / split / name
            folder.mkdir(parents=True)
            for shade in (0, 40):
                write_image(folder / f"{shade}.png", np.full((30, 32, 3), 70 * number + shade, np.uint8))
    (tmp_path / "config.yaml").write_text(CONFIG.format(folder=tmp_path))
    return tmp_path


def start(experiment: Path, *changes: str) -> int:
    return train.main(["-c", str(experiment / "config.yaml"), *(word for change in changes for word in ("-o", change))])


def message(experiment: Path, *changes: str) -> str:
    """Return the one line with which a run does not begin."""
    before = sorted(experiment.iterdir())
    with pytest.raises((OSError, ValueError)) as caught:
        start(experiment, *changes)
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    assert sorted(experiment.iterdir()) == before
    return text


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("data.root=nowhere", "nowhere'; say where the data is with --data FOLDER"),
        ("data.train.dataset.root=other", "data.train: DatasetFolder: no folder"),
        ("data.train.dataset.root=.", "(test, train) are splits, not classes; name one of them"),
        ("data.train.dataset.root=train/ant", "holds no folders; it should hold one per class"),
        ("data.train.share=[0.9, 1]", "data.train: share [0.9, 1.0] leaves no image of class 'ant', which has 2"),
        ("data.train.share=[0.9, 0.1]", "data.train.share: must be two rising numbers between 0 and 1, as in [0, 0.8], not [0.9, 0.1]"),
        ("data.train.dataset.classes=[cat, bee, ant]", "data.test: class 0 is 'ant', but 'cat' in what the network is trained on"),
        ("network.class_num=2", "data.train has 3 classes, but network.class_num is 2; set network.class_num: 3"),
        ("network.class_num=1000", "data.train has 3 classes, but network.class_num is 1000; set network.class_num: 3"),
        ("network.class_num=99999999999", "network: LeNet: class_num must be less than or equal to 1000000, not 99999999999"),
        ("data.train.transforms=[]", "data.train.transforms must give float32 of shape (channels, height, width), not uint8 of shape (30, 32, 3); end them with ToTensor"),
        ("data.train.transforms.0={name: RandomHorizontalFlip}", "LeNet cannot take the 3 x 28 x 28 images of data.train.transforms: conv2d: the input of shape [1, 3, 28, 28] has 3 channels"),
        ("data.train.transforms.1.size=[1, 1]", "LeNet cannot take the 1 x 1 x 1 images of data.train.transforms: "),
        ("data.train.transforms.1={name: CropImage, size: 28}", ""),
        ("output=/", "-o output=/: output: must name the folder to write, as in runs/first, not '/'"),
        ("output=..", "output: must name the folder to write, as in runs/first, not '..'"),
        ('output="a\\0b"', r"output: must name the folder to write, as in runs/first, not 'a\x00b'"),
        ("output=/dev/null", "cannot make a folder for the run at '/dev/null': it is a file; choose another output folder"),
        ("expect.at_least.accurcay=0.9", "expect.at_least: the evaluation gives accuracy, loss, calibration_error, not 'accurcay'"),
        ("expect.at_least.top5_accuracy=0.9", "expect.at_least: the evaluation gives accuracy, loss, calibration_error, not 'top5_accuracy'"),
        ("seed=5000000000", "seed must be less than 4294967296, not 5000000000"),
        ("data.train.transforms.1={name: Pad, padding: 1000000}", "data.train, first image: pad: an image of 2000030x2000032 pixels is larger than 120,000,000 pixels (CORE_MAXIMUM_PIXELS sets the limit)"),
        ("data.train.transforms.1.size=[1000000000000, 1]", "data.train, first image: resize: an image of 1000000000000x1 pixels is larger than 120,000,000 pixels"),
        ("data.train.transforms.1={name: ResizeImage, size: 100000}", "data.train, first image: resize: an image of 100000x100000 pixels is larger than 120,000,000 pixels"),
        ("data.num_workers=100000", "data.num_workers must be less than or equal to 1024, not 100000"),
        ("train.accumulate=99999999999999999999", "train.accumulate must be less than or equal to 1000000, not 99999999999999999999"),
        ("data.num_workers=-1", "data.num_workers must be greater than or equal to 0, not -1"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(experiment: Path, change: str, expected: str) -> None:
    if expected:
        assert expected in message(experiment, change)
    else:  # the picture is large enough
        assert start(experiment, change) == 0


def test_pictures_that_are_damaged_tiny_or_no_pictures_are_named(experiment: Path) -> None:
    first = experiment / "data" / "train" / "ant" / "0.png"
    whole = first.read_bytes()
    for data, expected in (
        (whole[:-20], "is truncated: it ends after"),
        (b"", "is empty"),
        (b"not a picture", "is not an image file that can be read"),
    ):
        first.write_bytes(data)
        text = message(experiment)
        assert text.startswith("data.train, first image: ") and repr(str(first)) in text and expected in text
    write_image(first, np.zeros((1, 1, 3), np.uint8))
    change = "data.train.transforms.1={name: CropImage, size: 28}"
    expected = "data.train, first image: CropImage: the 1x1 image is smaller than 28x28; resize it first"
    assert message(experiment, change) == expected
    assert start(experiment) == 0  # enlarged, it can be trained on


def test_an_empty_class_is_named(experiment: Path) -> None:
    for file in (experiment / "data" / "train" / "bee").iterdir():
        file.unlink()
    assert message(experiment) == (
        f"data.train: DatasetFolder: there are no images in {str(experiment / 'data' / 'train' / 'bee')!r}; "
        "fill it or remove it"
    )


def test_a_split_with_fewer_classes_must_name_them_all(experiment: Path) -> None:
    folder = experiment / "data" / "test" / "bee"
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    assert message(experiment) == (
        "data.test: class 1 is 'cat', but 'bee' in what the network is trained on; "
        "name the same classes in the same order, as in classes: [ant, bee, cat]"
    )
    assert start(experiment, "data.test.dataset.classes=[ant, bee, cat]") == 0


def test_a_split_with_further_classes_is_refused(experiment: Path) -> None:
    assert message(experiment, "data.test.dataset.classes=[ant, bee, cat, dog]") == (
        "data.test has 4 classes, but network.class_num is 3, as the network is trained on 3 classes; "
        "let data.test.dataset name the same ones, without 'dog'"
    )


def test_evaluation_of_a_config_refuses_a_head_for_other_classes(
    experiment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("PaddleClas.task.NETWORKS", None)  # it is not built
    arguments = ["-c", str(experiment / "config.yaml"), "--output", str(experiment / "evaluation")]
    for class_num in (2, 7):
        expected = f"data.test has 3 classes, but network.class_num is {class_num}; set network.class_num: 3$"
        with pytest.raises(ValueError, match=expected):
            eval_command.main([*arguments, "-o", f"network.class_num={class_num}"])


def test_a_list_without_names_tells_all_classes_only_where_it_is_trained_on(experiment: Path) -> None:
    for split, count in (("train", 3), ("test", 2)):  # no picture of the last class to test
        names = ("ant", "bee", "cat")[:count]
        lines = [f"{split}/{name}/0.png {number}\n" for number, name in enumerate(names)]
        (experiment / "data" / f"{split}.txt").write_text("".join(lines))
    lists = [
        f"data.{split}.dataset={{name: ImageNetDataset, image_root: ., cls_label_path: {split}.txt}}"
        for split in ("train", "test")
    ]
    assert message(experiment, *lists, "network.class_num=1000") == (
        "data.train has 3 classes, but network.class_num is 1000; set network.class_num: 3, "
        "or name all classes in data.train.dataset.class_names_path"
    )
    assert start(experiment, *lists) == 0
    options = [word for change in lists for word in ("-o", change)]
    target = ["--output", str(experiment / "evaluation")]
    assert eval_command.main(["-c", str(experiment / "config.yaml"), *options, *target]) == 0
    (experiment / "data" / "train.txt").write_text(f"train/ant/0.png {'9' * 5000}\n")
    assert "train.txt:1: a class number is less than 1,000,000, not 99999999999999999999" in message(experiment, *lists)


def test_classes_without_images_are_remarked_on(experiment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    classes = [f"data.{split}.dataset.classes=[ant, bee, cat, dog]" for split in ("train", "test")]
    assert start(experiment, "network.class_num=4", *classes) == 0
    assert "note: data.train has no image of the class dog" in capsys.readouterr().out.splitlines()


def test_weights_for_another_number_of_classes(experiment: Path) -> None:
    file = experiment / "ten.safetensors"
    core.save(create_model("LeNet", class_num=10).state_dict(), str(file))
    text = message(experiment, f"network.pretrained={file}")
    assert "fc.2.weight ([84, 10] -> [84, 3])" in text and "pass adapt_head=True to keep a fresh head" in text
    assert start(experiment, f"network.pretrained={file}", "network.adapt_head=true") == 0
    assert "no.pdparams" in message(experiment, "network.pretrained=no.pdparams")


def test_evaluation_refuses_data_that_counts_classes_in_another_way(experiment: Path) -> None:
    assert start(experiment) == 0
    run = str(experiment / "run")
    with pytest.raises(ValueError, match="data.test: class 0 is 'bee', but 'ant' in what the network is trained on"):
        eval_command.main([run, "-o", "data.test.dataset.classes=[bee, ant, cat]"])
    other = experiment / "elsewhere"
    (experiment / "data").rename(other)
    with pytest.raises(NotADirectoryError, match="data.root: no folder .*say where the data is with --data FOLDER"):
        eval_command.main([run])
    assert eval_command.main([run, "--data", str(other)]) == 0
    table = (experiment / "run" / "evaluation_test" / "confusion_matrix.csv").read_text().splitlines()
    assert table[0] == "true \\ predicted,ant,bee,cat" and len(table) == 4
    counts = np.array([row.split(",")[1:] for row in table[1:]], dtype=int)
    assert counts.sum(axis=1).tolist() == [2, 2, 2]
    results = json.loads((experiment / "run" / "evaluation_test" / "results.json").read_text())
    assert results["test"]["accuracy"] == pytest.approx(np.trace(counts) / 6)


def test_a_run_needs_no_data_to_be_exported(experiment: Path) -> None:
    assert start(experiment) == 0
    (experiment / "data").rename(experiment / "elsewhere")
    assert export.main([str(experiment / "run")]) == 0
    assert open_classifier(experiment / "run" / "exported").class_names == ["ant", "bee", "cat"]


def test_data_names_the_folder_and_any_number_of_workers_trains_alike(experiment: Path) -> None:
    (experiment / "data").rename(experiment / "pictures: mine")
    weights = []
    for workers in (0, 2):
        output = experiment / f"run{workers}"
        changes = [f"output={output}", f"data.num_workers={workers}", "data.train.shuffle=true"]
        augmented = "data.train.transforms.1={name: RandomResizedCrop, size: 28}"
        options = [word for change in [*changes, augmented] for word in ("-o", change)]
        config = str(experiment / "config.yaml")
        assert train.main(["-c", config, "--data", str(experiment / "pictures: mine"), *options]) == 0
        weights.append(core.load(str(next((output / "checkpoints").glob("step_*")) / "model.safetensors")))
    for name, value in weights[0].items():
        np.testing.assert_array_equal(value.numpy(), weights[1][name].numpy())


def idx(array: np.ndarray) -> bytes:
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()


def test_idx_files_and_lists_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "images.gz").write_bytes(gzip.compress(idx(np.full((2, 5, 5), 9, np.uint8))))
    (tmp_path / "labels").write_bytes(idx(np.array([1, 0], np.uint8)))
    (tmp_path / "empty").write_bytes(idx(np.zeros((0,), np.uint8)))
    (tmp_path / "no_images").write_bytes(idx(np.zeros((0, 5, 5), np.uint8)))
    section = {"transforms": [], "batch_size": 1}
    files = {"name": "MNIST", "image_path": "images.gz", "label_path": "labels"}
    dataset = SplitSection.model_validate({"dataset": files, **section}).build_dataset(str(tmp_path))
    assert [dataset.label(number) for number in range(2)] == [1, 0] and dataset.image(0).max() == 9
    files = {"name": "MNIST", "image_path": "no_images", "label_path": "empty"}
    with pytest.raises(ValueError, match="MNIST: .*no_images' holds no images"):
        SplitSection.model_validate({"dataset": files, **section}).build_dataset(str(tmp_path))
    (tmp_path / "list.txt").write_bytes(b"caf\xe9.png 0\n")
    with pytest.raises(ValueError, match="list.txt: byte 3 is not UTF-8; save the list as UTF-8 text"):
        ImageNetDataset(str(tmp_path), str(tmp_path / "list.txt"))
    (tmp_path / "list.txt").write_text("a.png -1\n")
    with pytest.raises(ValueError, match="list.txt:1: a line holds a path, a space and a class number, not 'a.png -1'"):
        ImageNetDataset(str(tmp_path), str(tmp_path / "list.txt"))


def test_lists_and_their_pictures_may_be_urls(tmp_path: Path) -> None:
    system = fsspec.filesystem("memory")
    write_image(tmp_path / "picture.png", np.full((3, 4, 3), 90, np.uint8))
    system.pipe("/set/pictures/a.png", (tmp_path / "picture.png").read_bytes())
    system.pipe("/set/list.txt", b"a.png 0\nb.png 1\n")
    part = {"name": "ImageNetDataset", "image_root": "pictures", "cls_label_path": "list.txt"}
    section = SplitSection.model_validate({"dataset": part, "transforms": [], "batch_size": 1})
    dataset = section.build_dataset("memory://set")
    np.testing.assert_array_equal(dataset.image(0), np.full((3, 4, 3), 90))
    with pytest.raises(FileNotFoundError, match="no file 'memory://set/pictures/b.png'"):
        dataset.image(1)
