"""A small network from training to pictures, videos and an exported program, by the commands and in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.vision.image import read_image, write_image
from core.vision.video import VideoReader, VideoWriter
from core.weights import WeightRecord
from PaddleGAN import export, infer, train
from PaddleGAN.models import pretrained, weights
from PaddleGAN.models.registry import create_generator, entry
from PaddleGAN.restoration import Restorer, open_restorer, restorer
from tests.PaddleGAN.tasks.test_restoration import config


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a small PAN."""
    folder = tmp_path_factory.mktemp("super")
    assert train.main(["-c", str(config(folder))]) == 0
    return folder / "run"


def picture(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(height).integers(0, 256, (height, width, 3), np.uint8)


def test_pictures_and_videos_at_the_shell(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    write_image(tmp_path / "in" / "a.png", picture(20, 31))
    (tmp_path / "in" / "cut.png").write_bytes((tmp_path / "in" / "a.png").read_bytes()[:200])
    with VideoWriter(tmp_path / "clip.mp4", 16, 24, 7.0) as writer:
        for _ in range(3):
            writer.write(picture(16, 24))
    output = tmp_path / "out"
    words = ["restore", str(run), "--images", str(tmp_path / "in"), "--videos", str(tmp_path / "clip.mp4")]
    assert infer.main([*words, "--output", str(output), "--tile", "16", "--overlap", "2"]) == 1
    printed = capsys.readouterr()
    assert "in/cut.png" in printed.err and "wrote to " in printed.out
    assert "a.png, clip.mp4; 1 of the images" in printed.out
    assert read_image(output / "a.png").shape == (40, 62, 3)
    reader = VideoReader(output / "clip.mp4")
    assert (reader.height, reader.width, reader.frames_per_second) == (32, 48, 7.0) and len(list(reader)) == 3
    restored = open_restorer(str(run), tile=16, overlap=2).restore(picture(20, 31))
    np.testing.assert_array_equal(read_image(output / "a.png"), restored)
    with pytest.raises(ValueError, match="none of the 1 inputs could be used"):
        infer.main(["restore", str(run), "--images", str(tmp_path / "in" / "cut.png"), "--output", str(output)])


def test_tiles_of_a_network_that_sees_far_differ_little(run: Path) -> None:
    """PAN of one block looks 12 pixels far; the tiles see that much, and the bytes are those of the whole picture."""
    image = picture(50, 40)
    whole = open_restorer(str(run), tile=64).restore(image).astype(int)
    assert np.abs(open_restorer(str(run), tile=32, overlap=12).restore(image) - whole).max() <= 1
    assert np.abs(open_restorer(str(run), tile=32, overlap=1).restore(image) - whole).max() > 1


@pytest.mark.exhaustive
def test_tiles_of_lesrcnn_give_what_the_whole_picture_does() -> None:
    """It looks 12 pixels far, less than the overlap that is taken where none is said."""
    core.seed(0)
    network, image = entry("LESRCNNGenerator")(scale=2), picture(60, 52)
    whole, tiles = (Restorer(network, tile=side).restore(image).astype(int) for side in (64, 40))
    assert np.abs(tiles - whole).max() <= 1 and whole.std() > 1


@pytest.mark.exhaustive
def test_an_exported_program_takes_any_size(run: Path, tmp_path: Path) -> None:
    assert export.main([str(run), "--output", str(tmp_path / "exported")]) == 0
    predictor = core.jit.Predictor(str(tmp_path / "exported"))
    network = open_restorer(str(run)).network
    for height, width in ((8, 13), (21, 10)):
        pictures = np.random.default_rng(0).uniform(0, 1, (1, 3, height, width)).astype(np.float32)
        with core.no_grad():
            expected = network(core.to_tensor(pictures)).numpy()
        np.testing.assert_allclose(predictor.run(pictures), expected, atol=1e-5)


def small_edvr() -> Any:
    core.seed(0)
    return entry("EDVRNet")(nf=4, groups=2, nframes=3, front_RBs=1, back_RBs=1)


def test_videos_that_cannot_be_restored() -> None:
    network, frames = small_edvr(), [picture(8, 8)] * 3
    with pytest.raises(ValueError, match="the video has 2 frames, fewer than the 3 that the network looks at together"):
        list(Restorer(network, tile=16, overlap=4).restore_video(frames[:2]))
    with pytest.raises(ValueError, match="EDVRNet takes video, 3 frames together, not pictures"):
        Restorer(network).restore(frames[0])
    with pytest.raises(ValueError, match="frame 1 of the video differs from the first one in size: 8x8 and 4x8"):
        list(Restorer(network).restore_video([frames[0], picture(4, 8), frames[1]]))
    with pytest.raises(ValueError, match="tiles of 16 pixels must be larger than twice the overlap of 8"):
        Restorer(network, tile=16, overlap=8)
    with pytest.raises(ValueError, match="a ResnetGenerator restores no pictures"):
        Restorer(entry("ResnetGenerator")(ngf=1, n_blocks=1))
    clips = Restorer(entry("BasicVSRNet")(mid_channels=4, num_blocks=1))
    with pytest.raises(ValueError, match="BasicVSRNet takes pictures of 64 pixels a side or more, not 8x8"):
        list(clips.restore_video(frames))


@pytest.mark.exhaustive
def test_edvr_restores_a_video_and_exports_any_size(tmp_path: Path) -> None:
    network, frames = small_edvr(), [picture(10, 14) for _ in range(4)]
    found = list(Restorer(network, tile=16, overlap=4).restore_video(frames))
    assert len(found) == 4 and all(frame.shape == (40, 56, 3) for frame in found)
    spec = core.static.InputSpec([None, 3, 3, None, None], "float32", examples={3: (8, 16), 4: (12, 20)})
    core.jit.save(network, str(tmp_path / "program"), [spec])
    windows = np.random.default_rng(0).uniform(0, 1, (2, 3, 3, 12, 8)).astype(np.float32)
    with core.no_grad():
        expected = network(core.to_tensor(windows)).numpy()
    np.testing.assert_allclose(core.jit.Predictor(str(tmp_path / "program")).run(windows), expected, atol=1e-5)


def test_official_weights_restore_without_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    core.seed(0)
    settings = {"nf": 4, "unf": 4, "nb": 1, "scale": 2}
    network = entry("PAN")(**settings)
    core.save({"generator": network.state_dict()}, str(tmp_path / "pan.pdparams"))
    record = WeightRecord("https://example.org/pan.pdparams", None, None, None, "MIT", "a test", "none")
    known = {"pan_tiny": weights.Checkpoint("PAN", record, settings)}
    for module in (weights, pretrained, restorer):
        monkeypatch.setattr(module, "CHECKPOINTS", known)
    monkeypatch.setattr(pretrained, "fetch", lambda found: tmp_path / "pan.pdparams")
    write_image(tmp_path / "a.png", picture(12, 9))
    words = ["restore", "pan_tiny", "--output", str(tmp_path / "out")]
    assert infer.main([*words, "--images", str(tmp_path / "a.png")]) == 0
    np.testing.assert_array_equal(read_image(tmp_path / "out" / "a.png"), Restorer(network).restore(picture(12, 9)))
    with pytest.raises(ValueError, match="say what pan_tiny shall restore: --images FILES or --videos FILES"):
        infer.main(words)
    with pytest.raises(ValueError, match="pan.pdparams', generator: .* it lacks 6 entries: upconv2.weight"):
        create_generator("PAN", pretrained="pan_tiny", scale=4)
