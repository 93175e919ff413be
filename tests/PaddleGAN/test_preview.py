"""The preview shows what the networks get: the loader's images, both of a pair cut and mirrored alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.drawing.sheets import layout
from core.train.runner.previewing import seen
from core.vision import read_image, write_image
from PaddleGAN import preview
from PaddleGAN.config import TOOLKIT
from PaddleGAN.data import DATASETS
from tests.PaddleGAN.small_runs import CONFIGS


def picture_of(image: np.ndarray) -> np.ndarray:
    """Return a normalised image as bytes, (H, W, 3)."""
    return np.rint((image.transpose(1, 2, 0) + 1) * 127.5).clip(0, 255).astype(np.uint8)


def draw(config: str, target: Path, *words: str) -> np.ndarray:
    assert preview.main(["-c", str(CONFIGS / f"{config}.yaml"), "--output", str(target), *words]) == 0
    return np.asarray(read_image(target))


def test_a_row_has_a_sample_as_the_first_epochs_see_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changes = ("data.train.dataset.count=6",)
    target = tmp_path / "sheet.png"
    picture = draw("faces_attgan", target, "-o", changes[0], "--images", "3", "--versions", "2")
    assert capsys.readouterr().out == f"wrote {target}: 3 samples, 2 versions of each\n"
    config = TOOLKIT.load(CONFIGS / "faces_attgan.yaml", changes)
    dataset, place = config.data.build_dataset("train"), layout(32, 32, 3, 2, False, (), True)
    mirrored = 0
    for epoch in range(2):
        for row, (image, _) in enumerate(seen(dataset, (0, 2, 4), config.seed, epoch)):
            shown = place.picture(picture, row, epoch)
            np.testing.assert_array_equal(shown, picture_of(image))
            mirrored += int((shown != place.picture(picture, row, 0)).any())
    assert 0 < mirrored < 3  # the second epoch drew anew


def test_a_pair_stands_side_by_side_cut_and_mirrored_alike(tmp_path: Path) -> None:
    """The target is the input with its bytes turned round, so that each place of both is known to be the same."""
    folder = tmp_path / "pairs" / "train"
    folder.mkdir(parents=True)
    for number in range(2):
        first = np.random.default_rng(number).integers(0, 256, (64, 64, 3), np.uint8)
        write_image(folder / f"{number}.png", np.concatenate([first, 255 - first], axis=1))
    transforms = "[{name: RandomCrop, size: 48}, {name: RandomHorizontalFlip}, {name: ToTensor}, "
    words = ["-o", f"data.train.transforms={transforms}{{name: Normalize, mean: 0.5, std: 0.5}}]"]
    words += ["--data", str(folder.parent), "--images", "2", "--versions", "4"]
    picture = draw("camvid_pix2pix", tmp_path / "sheet.png", *words)
    place = layout(48, 48, 2, 8, False, (), True)
    versions = set()
    for row in range(2):
        for version in range(4):
            one, other = (place.picture(picture, row, 2 * version + part) for part in (0, 1))
            assert one.shape == (48, 48, 3) and one.std() > 50
            np.testing.assert_array_equal(one, 255 - other)
            versions.add(one.tobytes())
    assert len(versions) > 4  # they are cut in several places


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (["--data", "nowhere"], NotADirectoryError, "data.root: no folder '.*nowhere'; say .* with --data FOLD"),
        (["--data", "."], NotADirectoryError, "data.train: PairedDataset: no folder '.*train'"),
        (["--split", "valid"], ValueError, "the config has no data.valid; it has train, test"),
    ],
)
def test_what_cannot_be_drawn_is_named(
    words: list[str], kind: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=message):
        preview.main(["-c", str(CONFIGS / "camvid_pix2pix.yaml"), *words])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("root", ["https://example.org/sets", "memory://sets/"])
def test_the_root_of_data_may_be_a_url(root: str) -> None:
    for config, expected in (
        ("camvid_pix2pix", {"root": "train"}),
        ("dusk2day_cyclegan", {"root_a": "trainA", "root_b": "trainB"}),
        ("fashion_mnist_cgan", {"image_path": "train-images-idx3-ubyte.gz"}),
    ):
        chosen = TOOLKIT.load(CONFIGS / f"{config}.yaml", [f"data.root={root}"]).data
        found = DATASETS.below(chosen.train.dataset, chosen.root).arguments
        for name, path in expected.items():
            assert found[name] == f"{root.rstrip('/')}/{path}"
