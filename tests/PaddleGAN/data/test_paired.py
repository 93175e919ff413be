"""Pairs and unpaired images: read right, transformed alike, and refused with one clear line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from core.io.randomness import sample_scope
from core.train.config.table import Component
from core.vision.image import write_image
from PaddleGAN.data import PairedDataset, SingleDataset, SplitSection, UnpairedDataset

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


def picture(seed: int, height: int = 8, width: int = 6, channels: int = 3) -> np.ndarray:
    return np.random.RandomState(seed).randint(0, 256, (height, width, channels), dtype=np.uint8)


def components(*entries: dict) -> list[Component]:
    return [Component(**entry) for entry in entries]


TRANSLATION = components(
    {"name": "Resize", "size": [286, 286], "interpolation": "bicubic"},
    {"name": "RandomCrop", "size": 256},
    {"name": "RandomHorizontalFlip"},
    {"name": "ToTensor"},
    {"name": "Normalize", "mean": 0.5, "std": 0.5},
)


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    for name, seed in (("a0", 0), ("a1", 1), ("b0", 2), ("b1", 3)):
        write_image(tmp_path / f"{name}.png", picture(seed))
    (tmp_path / "pairs.txt").write_text("a0.png\tb0.png\r\n\na1.png\tb1.png\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("direction", "seeds"), [("AtoB", (1, 3)), ("BtoA", (3, 1))])
def test_a_list_names_pairs(listed: Path, direction: str, seeds: tuple[int, int]) -> None:
    dataset = PairedDataset(str(listed), str(listed / "pairs.txt"), direction)
    assert len(dataset) == 2
    for image, seed in zip(dataset[1], seeds):
        assert np.array_equal(image, picture(seed))


@pytest.mark.parametrize("direction", ["AtoB", "BtoA"])
def test_halves_side_by_side(tmp_path: Path, direction: str) -> None:
    left, right = picture(0), picture(1)
    write_image(tmp_path / "only.png", np.concatenate([left, right], axis=1))
    dataset = PairedDataset(str(tmp_path), direction=direction)
    first, second = dataset[0]
    assert len(dataset) == 1
    assert np.array_equal(first, left if direction == "AtoB" else right)
    assert np.array_equal(second, right if direction == "AtoB" else left)


def test_a_pair_is_cut_and_mirrored_alike_and_scaled_to_one(tmp_path: Path) -> None:
    image = picture(0, 300, 320)
    write_image(tmp_path / "pair.png", np.concatenate([image, 255 - image], axis=1))
    dataset = PairedDataset(str(tmp_path), transform=SplitSection.composed(TRANSLATION, keys=("image", "image")))
    mirrored = set()
    for index in range(8):
        with sample_scope(0, 0, index):
            first, second = dataset[0]
        assert first.shape == (3, 256, 256) and first.dtype == np.float32
        assert -1 <= first.min() < -0.9 and 0.9 < first.max() <= 1
        # the second is the first's negative up to rounding in the resampling: so it was cut at the same place
        assert np.abs(first + second).max() < 2.5 / 127.5
        mirrored.add(float(first[0, 0, 0]))
    assert len(mirrored) > 4


def test_unpaired_images_are_cut_apart(tmp_path: Path) -> None:
    image = picture(0, 40, 40)
    for kind in "AB":
        (tmp_path / f"train{kind}").mkdir()
        write_image(tmp_path / f"train{kind}" / "x.png", image)
    transform = SplitSection.composed(components({"name": "RandomCrop", "size": 8}))
    dataset = UnpairedDataset(str(tmp_path / "trainA"), str(tmp_path / "trainB"), transform=transform)
    with sample_scope(0, 0, 0):
        first, second = dataset[0]
    assert first.shape == second.shape == (8, 8, 3) and not np.array_equal(first, second)


def test_unpaired_kinds_may_differ_in_number(tmp_path: Path) -> None:
    for kind, count in (("A", 1), ("B", 3)):
        (tmp_path / kind).mkdir()
        for number in range(count):
            write_image(tmp_path / kind / f"{number}.png", picture(10 * number + count))
    in_order = UnpairedDataset(str(tmp_path / "A"), str(tmp_path / "B"), random_b=False)
    assert len(in_order) == 3
    for number in range(3):
        first, second = in_order[number]
        assert np.array_equal(first, picture(1)) and np.array_equal(second, picture(10 * number + 3))
    with pytest.raises(IndexError, match="sample 3 is outside an UnpairedDataset of 3 samples"):
        in_order[3]
    drawn = UnpairedDataset(str(tmp_path / "A"), str(tmp_path / "B"))
    seen = set()
    for index in range(20):
        with sample_scope(0, 0, index):
            seen.add(drawn[0][1].tobytes())
    assert len(seen) == 3


def test_unpaired_lists_are_relative_to_themselves(listed: Path) -> None:
    (listed / "trainA.txt").write_text("a0.png\na1.png\n", encoding="utf-8")
    (listed / "trainB.txt").write_text("b0.png\n", encoding="utf-8")
    first, second = UnpairedDataset(str(listed / "trainA.txt"), str(listed / "trainB.txt"), random_b=False)[1]
    assert np.array_equal(first, picture(1)) and np.array_equal(second, picture(2))


def test_a_folder_of_images_with_grey_among_color(tmp_path: Path) -> None:
    grey = picture(1, channels=1)
    write_image(tmp_path / "0.png", picture(0))
    write_image(tmp_path / "1.png", grey)
    dataset = SingleDataset(str(tmp_path))
    assert np.array_equal(dataset[0][0], picture(0))
    assert np.array_equal(dataset[1][0], np.repeat(grey, 3, axis=2))


def test_one_image_makes_one_batch(tmp_path: Path) -> None:
    write_image(tmp_path / "0.png", picture(0))
    section = SplitSection(
        dataset=Component(name="SingleDataset", root="."), transforms=components({"name": "ToTensor"}), batch_size=4
    )
    batches = list(section.build_loader(section.build_dataset(str(tmp_path)), seed=0))
    assert len(batches) == 1 and list(batches[0][0].shape) == [1, 3, 8, 6]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a0.png b0.png\n", "pairs.txt:1: a line names 2 images with a tab between; this one is 'a0.png b0.png'"),
        ("a0.png\tb0.png\na1.png\t\n", "pairs.txt:2: a line names 2 images with a tab between; this one is 'a1.png'"),
        ("a0.png\tb0.png\tb1.png\n", "pairs.txt:1: a line names 2 images"),
        ("a0.png\tb9.png\n", "pairs.txt:1: no image file '"),
        ("\n\n", "pairs.txt' is empty"),
    ],
)
def test_broken_lists(listed: Path, text: str, message: str) -> None:
    (listed / "pairs.txt").write_text(text, encoding="utf-8")
    with pytest.raises((ValueError, FileNotFoundError), match=re.escape(message)):
        PairedDataset(str(listed), str(listed / "pairs.txt"))


def test_a_list_in_another_encoding(listed: Path) -> None:
    (listed / "pairs.txt").write_bytes("ä.png\tb.png".encode("latin-1"))
    with pytest.raises(ValueError, match=r"pairs\.txt: byte 0 is not UTF-8"):
        PairedDataset(str(listed), str(listed / "pairs.txt"))


def test_missing_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="PairedDataset: no list file '.*none.txt'"):
        PairedDataset(str(tmp_path), str(tmp_path / "none.txt"))
    with pytest.raises(NotADirectoryError, match="UnpairedDataset: no folder 'nowhere'"):
        UnpairedDataset("nowhere", "nowhere")
    with pytest.raises(ValueError, match="SingleDataset: there are no images below"):
        SingleDataset(str(tmp_path))
    with pytest.raises(ValueError, match="PairedDataset: direction must be 'AtoB' or 'BtoA', not 'atob'"):
        PairedDataset(str(tmp_path), direction="atob")


def test_pairs_that_do_not_fit(tmp_path: Path) -> None:
    write_image(tmp_path / "odd.png", picture(0, width=7))
    with pytest.raises(ValueError, match=r"odd\.png' is 7 pixels wide; two images side by side have an even width"):
        PairedDataset(str(tmp_path))[0]
    write_image(tmp_path / "other.png", picture(0, height=9))
    (tmp_path / "pairs.txt").write_text("odd.png\tother.png\n", encoding="utf-8")
    with pytest.raises(ValueError, match="are a pair, but of different sizes: 8x7 and 9x6 pixels"):
        PairedDataset(str(tmp_path), str(tmp_path / "pairs.txt"))[0]


def test_an_image_smaller_than_the_crop_is_named(tmp_path: Path) -> None:
    write_image(tmp_path / "small.png", picture(0))
    transform = SplitSection.composed(components({"name": "RandomCrop", "size": 16}))
    with pytest.raises(ValueError, match=r"small\.png': RandomCrop: the 8x6 image is smaller than 16x16"):
        SingleDataset(str(tmp_path), transform=transform)[0]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets of ../shared/data are not here")
def test_real_pairs_and_kinds() -> None:
    pairs = PairedDataset(str(SHARED / "camvid-pairs" / "train"), direction="BtoA")
    labels, photograph = pairs[0]
    assert len(pairs) == 92 and labels.shape == photograph.shape == (256, 256, 3)
    colorful = [np.ptp(image.astype(int), axis=2).mean() for image in (labels, photograph)]
    assert colorful[0] > 3 * colorful[1]
    kinds = UnpairedDataset(*(str(SHARED / "camvid-dusk2day" / f"train{kind}") for kind in "AB"), random_b=False)
    dusk, day = kinds[10]
    assert len(kinds) == 62 and dusk.mean() < day.mean()
