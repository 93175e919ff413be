"""Official weights, by name, in the inference command; files with fresh weights stand for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.vision.image import read_image, write_image
from core.vision.video import VideoReader
from PaddleGAN import infer
from PaddleGAN.models import pretrained
from PaddleGAN.models.registry import entry
from PaddleGAN.models.weights import CHECKPOINTS
from tests.core.vision.video_files import drawn_frames, write_video
from tests.PaddleGAN.talking_files import write_sound


def stand_in(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file with fresh weights be what is downloaded for a checkpoint."""
    checkpoint = CHECKPOINTS[name]
    core.seed(1)
    state: Any = entry(checkpoint.network)(**checkpoint.arguments).state_dict()
    core.save({checkpoint.part: state} if checkpoint.part else state, str(folder / "official.pdparams"))
    monkeypatch.setattr(pretrained, "fetch", lambda record: folder / "official.pdparams")


@pytest.mark.exhaustive
def test_photographs_and_a_video_by_animegan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("animeganv2_hayao", tmp_path, monkeypatch)
    photo = np.random.default_rng(0).integers(0, 256, (40, 300, 3), np.uint8)
    write_image(tmp_path / "photo.png", photo)
    write_video(tmp_path / "clip.mp4", drawn_frames(2, 64, 64))
    words = ["translate", "animeganv2_hayao", "--images", str(tmp_path / "photo.png"), "--videos"]
    assert infer.main([*words, str(tmp_path / "clip.mp4"), "--output", str(tmp_path / "made")]) == 0
    made = read_image(tmp_path / "made" / "photo.png")
    assert made.shape == (256, 288, 3)
    weights = [0.299, 0.587, 0.114]
    assert (made.mean(axis=(0, 1)) @ weights) == pytest.approx(photo.mean(axis=(0, 1)) @ weights, abs=3)
    frames = list(VideoReader(tmp_path / "made" / "clip.mp4"))
    assert len(frames) == 2 and frames[0].shape == (256, 256, 3)


@pytest.mark.exhaustive
def test_a_picture_speaks_by_wav2lip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("wav2lip_hq", tmp_path, monkeypatch)
    write_image(tmp_path / "face.png", np.full((64, 64, 3), 90, np.uint8))
    speech = write_sound(tmp_path / "speech.wav", 0.21)
    words = ["speak", "wav2lip_hq", "--face", str(tmp_path / "face.png"), "--audio", str(speech)]
    assert infer.main([*words, "--box", "0", "0", "64", "64", "--output", str(tmp_path / "made")]) == 0
    assert len(list(VideoReader(tmp_path / "made" / "face.mp4"))) == 2


def test_weights_of_another_mode_and_nothing_to_translate() -> None:
    with pytest.raises(ValueError, match="translate takes the official weights photo2cartoon, animeganv2_hayao, not w"):
        infer.main(["translate", "wav2lip_hq", "--images", "photo.png"])
    with pytest.raises(ValueError, match="say what animeganv2_hayao shall translate: --images FILES or --videos FILES"):
        infer.main(["translate", "animeganv2_hayao"])
