"""Sounds and their mel spectrograms, against stored ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile

from PaddleGAN.data.speech import melspectrogram, pieces, read_wave
from tests.parity.recipe import uniform

REFERENCES = Path(__file__).resolve().parents[2] / "parity" / "PaddleGAN" / "references" / "mel.npz"


def sounds() -> dict[str, np.ndarray]:
    time = np.arange(4000) / 16000
    return {
        "noise": uniform("a noise", (4000,), -0.5, 0.5).astype(np.float64),
        "tone": 0.3 * np.sin(2 * np.pi * (300 + 4000 * time) * time),
        "silence": np.zeros(4000),
    }


@pytest.mark.parametrize("name", sounds())
def test_spectrograms_are_the_reference_s(name: str) -> None:
    expected = np.load(REFERENCES)[name]
    found = melspectrogram(sounds()[name])
    assert found.shape == expected.shape == (80, 21) and found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert name != "silence" or (found == -4).all()


def test_waves_of_every_kind(tmp_path: Path) -> None:
    wave = np.round(np.sin(np.arange(1600) / 10) * 100) / 128
    for dtype, scale, shift in ((np.uint8, 128, 128), (np.int16, 2**15, 0), (np.int32, 2**31, 0), (np.float32, 1, 0)):
        wavfile.write(tmp_path / "wave.wav", 16_000, (wave * scale + shift).astype(dtype))
        np.testing.assert_allclose(read_wave(str(tmp_path / "wave.wav")), wave, atol=1e-6)
    wavfile.write(tmp_path / "wave.wav", 16_000, np.stack([wave, 0 * wave], axis=1).astype(np.float32))
    np.testing.assert_allclose(read_wave(str(tmp_path / "wave.wav")), wave / 2, atol=1e-6)
    slow = np.sin(2 * np.pi * 100 * np.arange(8000) / 8000)
    wavfile.write(tmp_path / "wave.wav", 8_000, slow.astype(np.float32))
    found = read_wave(str(tmp_path / "wave.wav"))
    assert len(found) == 16_000
    expected = np.sin(2 * np.pi * 100 * np.arange(16_000) / 16_000)
    np.testing.assert_allclose(found[200:-200], expected[200:-200], atol=5e-3)


def test_sounds_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no sound file .*absent.wav"):
        read_wave(str(tmp_path / "absent.wav"))
    (tmp_path / "song.wav").write_bytes(b"ID3 no wave")
    with pytest.raises(ValueError, match="song.wav' is no WAV file that can be read .*; convert it to WAV of 16 bits"):
        read_wave(str(tmp_path / "song.wav"))
    wavfile.write(tmp_path / "empty.wav", 16_000, np.zeros(0, np.int16))
    with pytest.raises(ValueError, match="empty.wav' (has 0 samples|is no WAV file)"):
        read_wave(str(tmp_path / "empty.wav"))
    wavfile.write(tmp_path / "wrong.wav", 16_000, np.full(9, np.nan, np.float32))
    with pytest.raises(ValueError, match="wrong.wav' has samples that are infinite or not numbers"):
        read_wave(str(tmp_path / "wrong.wav"))
    with pytest.raises(ValueError, match="a sound of 400 samples is too short; it needs more than 400"):
        melspectrogram(np.zeros(400))


def test_pieces() -> None:
    spectrogram = np.arange(80 * 30, dtype=np.float32).reshape(80, 30)
    found = pieces(spectrogram, 25.0)
    starts = [0, 3, 6, 9, 12, 14]  # 3.2 windows a picture; the last piece is the end of the sound
    assert found.shape == (6, 1, 80, 16)
    for piece, start in zip(found[:, 0], starts):
        np.testing.assert_array_equal(piece, spectrogram[:, start : start + 16])
    with pytest.raises(ValueError, match="the sound has 0.19 seconds; it needs 0.20 at least"):
        pieces(spectrogram[:, :15], 25.0)
    with pytest.raises(ValueError, match="there must be a positive number of pictures a second, not 0.0"):
        pieces(spectrogram, 0.0)
