"""Pairs and windows of pictures of two sizes, their transforms, and what is wrong with files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.io.randomness import sample_scope
from core.vision.image import write_image
from PaddleGAN.data import MovingFaces, REDSDataset, SRDataset, SRFaces, imresize
from PaddleGAN.data.clips import window
from PaddleGAN.data.restoration_transforms import PairedRandomTransposeHW, SRPairedRandomCrop


def write(folder: Path, name: str, height: int, width: int, seed: int = 0) -> np.ndarray:
    """Write a picture of noise; return it."""
    picture = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    folder.mkdir(parents=True, exist_ok=True)
    write_image(folder / name, picture)
    return picture


def test_small_pictures_are_made(tmp_path: Path) -> None:
    picture = write(tmp_path, "a.png", 13, 18)
    small, large = SRDataset(str(tmp_path), scale=4, keep=True)[0]
    np.testing.assert_array_equal(large, picture[:12, :16])
    np.testing.assert_array_equal(small, imresize(picture[:12, :16], 0.25))


def test_small_pictures_are_read_by_name(tmp_path: Path) -> None:
    large = [write(tmp_path / "large", f"{name}.png", 8, 12, seed) for seed, name in enumerate("ba")]
    small = [write(tmp_path / "small", f"{name}x4.png", 2, 3, seed + 5) for seed, name in enumerate("ba")]
    dataset = SRDataset(str(tmp_path / "large"), str(tmp_path / "small"), 4, "{}x4")
    for index, number in enumerate((1, 0)):
        np.testing.assert_array_equal(dataset[index][0], small[number])
        np.testing.assert_array_equal(dataset[index][1], large[number])


def test_what_is_wrong_with_pairs(tmp_path: Path) -> None:
    write(tmp_path / "large", "a.png", 8, 12)
    with pytest.raises(NotADirectoryError, match="SRDataset: no folder '.*small'"):
        SRDataset(str(tmp_path / "large"), str(tmp_path / "small"))
    write(tmp_path / "small", "a.png", 4, 6)
    dataset = SRDataset(str(tmp_path / "large"), str(tmp_path / "small"), 4)
    with pytest.raises(ValueError, match="a.png' has 4x6 pixels, so .* must have 16x24 at scale 4, not 8x12; is it of"):
        dataset[0]
    write(tmp_path / "large", "b.png", 8, 12)
    with pytest.raises(FileNotFoundError, match="large/b.png' has no small picture '.*small/b.png'"):
        SRDataset(str(tmp_path / "large"), str(tmp_path / "small"))
    with pytest.raises(ValueError, match="SRDataset: scale must be from 1 to 16, not 0"):
        SRDataset(str(tmp_path / "large"), scale=0)
    with pytest.raises(ValueError, match="filename_tmpl must have a {} for the name, not be 'x4'"):
        SRDataset(str(tmp_path / "large"), filename_tmpl="x4")
    write(tmp_path / "tiny", "c.png", 3, 9)
    with pytest.raises(ValueError, match="tiny/c.png' has 3x9 pixels, too few for a scale of 4"):
        SRDataset(str(tmp_path / "tiny"))[0]
    cut = (tmp_path / "large" / "a.png").read_bytes()[:150]
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "a.png").write_bytes(cut)
    with pytest.raises(ValueError, match="cut/a.png"):
        SRDataset(str(tmp_path / "cut"))[0]


def marked(scale: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a small picture of pixel numbers, and a large one of which each pixel has that of the small one's."""
    small = np.arange(12 * 16, dtype=np.uint8).reshape(12, 16)[..., None].repeat(3, 2)
    return small, small.repeat(scale, 0).repeat(scale, 1)


@pytest.mark.parametrize("scale", [1, 2, 4])
def test_the_same_square_is_cut_out_of_both(scale: int) -> None:
    pair = marked(scale)
    crop, turn = SRPairedRandomCrop(6 * scale, scale), PairedRandomTransposeHW(keys=("image", "image"))
    corners = set()
    for number in range(12):
        with sample_scope(0, 0, number):
            small, large = turn(crop(pair))
        assert small.shape == (6, 6, 3) and large.shape == (6 * scale, 6 * scale, 3)
        np.testing.assert_array_equal(large[::scale, ::scale], small)
        corners.add((int(small[0, 0, 0]), int(small[0, 1, 0]) - int(small[0, 0, 0])))
    assert len({corner for corner, _ in corners}) > 3 and {step for _, step in corners} == {1, 16}


def test_what_cannot_be_cut() -> None:
    small, large = marked(2)
    with pytest.raises(ValueError, match="the large picture is 24x32, not 4 times the small one's 12x16; are data and"):
        SRPairedRandomCrop(16, 4)((small, large))
    with pytest.raises(ValueError, match="the 24x32 picture is smaller than 26 x 26; choose a smaller gt_patch_size"):
        SRPairedRandomCrop(26, 2)((small, large))
    with pytest.raises(ValueError, match="gt_patch_size must be a multiple of the scale, not 25 and 2"):
        SRPairedRandomCrop(25, 2)


def test_drawn_pairs_and_windows() -> None:
    small, large = SRFaces(3, 32, 2, keep=True)[1]
    np.testing.assert_array_equal(small, imresize(large, 0.5))
    frames, middle = MovingFaces(3, 32, 4, number_frames=3, speed=2, keep=True)[1]
    assert frames.shape == (3, 8, 8, 3)
    np.testing.assert_array_equal(frames[1], imresize(middle, 0.25))
    assert (frames[0] != frames[2]).any()
    with pytest.raises(ValueError, match="SRFaces: size must be a multiple of the scale 3, not 32"):
        SRFaces(1, 32, 3)
    with pytest.raises(ValueError, match="number_frames must be an odd number from 1 to 99, not 4"):
        MovingFaces(1, number_frames=4)
    with pytest.raises(ValueError, match="a multiple of the scale 4 and speed not negative; not 64, -1"):
        MovingFaces(1, speed=-1)


def test_windows_at_the_ends_are_ppgan_s() -> None:
    """The examples of ppgan's get_test_neighbor_frames, padding new_info, and the same at the other end."""
    assert window(0, 5, 100) == [4, 3, 0, 1, 2]
    assert window(1, 5, 100) == [4, 0, 1, 2, 3]
    assert window(50, 5, 100) == [48, 49, 50, 51, 52]
    assert window(99, 5, 100) == [97, 98, 99, 96, 95]


def test_clips_of_frames(tmp_path: Path) -> None:
    frames = {
        clip: [write(tmp_path / "gt" / clip, f"{number:08d}.png", 8, 8, 10 * seed + number) for number in range(5)]
        for seed, clip in enumerate(("000", "001"))
    }
    dataset = REDSDataset(str(tmp_path / "gt"), number_frames=3, without=["000"])
    assert len(dataset) == 5
    given, wanted = dataset[4]
    np.testing.assert_array_equal(wanted, frames["001"][4])
    np.testing.assert_array_equal(given, [imresize(frames["001"][number], 0.25) for number in window(4, 3, 5)])
    drawn = {"interval_list": [2, 9], "random_reverse": True, "training": True}
    training = REDSDataset(str(tmp_path / "gt"), number_frames=3, **drawn)  # type: ignore[arg-type]  # of several types
    orders = set()
    for number in range(8):
        with sample_scope(0, 0, number):
            given, wanted = training[7]  # the middle of five frames is the only one with two on each side
        np.testing.assert_array_equal(wanted, frames["001"][2])
        orders.add(bool((given[0] == imresize(frames["001"][0], 0.25)).all()))
    assert orders == {True, False}


def test_what_is_wrong_with_clips(tmp_path: Path) -> None:
    write(tmp_path / "gt" / "000", "0.png", 8, 8)
    with pytest.raises(ValueError, match="clip '.*gt/000' has 1 frames, fewer than the 5 of a window"):
        REDSDataset(str(tmp_path / "gt"))
    with pytest.raises(ValueError, match="there is no clip '007' in '.*gt'"):
        REDSDataset(str(tmp_path / "gt"), only=["007"])
    with pytest.raises(ValueError, match="there are no clips, which are folders of frames, in '.*000'"):
        REDSDataset(str(tmp_path / "gt" / "000"))
    with pytest.raises(NotADirectoryError, match="REDSDataset: no folder"):
        REDSDataset(str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match="0.png' has no small frame '.*lq/000/0.png'"):
        REDSDataset(str(tmp_path / "gt"), str(tmp_path / "lq"), number_frames=1)
    with pytest.raises(ValueError, match=r"interval_list must have positive numbers, not \[0\]"):
        REDSDataset(str(tmp_path / "gt"), interval_list=[0])
