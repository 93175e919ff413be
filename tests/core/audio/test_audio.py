"""Features of sound and its files: values stored from Paddle 2.6.2, gradients, programs, messages."""

from __future__ import annotations

import io
import wave
from pathlib import Path

import numpy as np
import pytest

import core
from core import audio, signal
from core.audio import features, functional
from core.kernels.dispatch.errors import OperatorError
from tests.core.audio.reference_cases import CASES, FEATURES, SIGNAL, feature
from tests.core.gradient_check import check_gradients

ANSWERS = np.load(Path(__file__).parent / "references.npz")


@pytest.mark.parametrize("name", list(CASES))
def test_values_are_paddles(name: str) -> None:
    found, expected = CASES[name](core).numpy(), ANSWERS[name]
    assert found.shape == expected.shape and found.dtype == expected.dtype
    precision = 1e-9 if expected.dtype in (np.float64, np.complex128) else 2e-6
    if "taylor" in name:  # Paddle computes its coefficients in float32
        precision = 1e-7
    np.testing.assert_allclose(found, expected, rtol=precision, atol=precision * max(np.abs(expected).max(), 1e-9))


@pytest.mark.parametrize("name", list(FEATURES))
def test_features_are_paddles(name: str) -> None:
    expected = ANSWERS[name]
    for compiled in (False, True):
        layer = FEATURES[name](core)
        found = (core.jit.to_static(layer) if compiled else layer)(core.to_tensor(SIGNAL)).numpy()
        assert found.shape == expected.shape and found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())


def test_features_of_float32() -> None:
    layer = features.MFCC(8000, 6, 128, n_mels=8)
    expected = ANSWERS["coefficients"]
    found = layer(core.to_tensor(SIGNAL, dtype="float32"))
    assert found.dtype == "float32" and list(layer.state_dict()) == [
        "dct_matrix",
        "_log_melspectrogram._melspectrogram.fbank_matrix",
        "_log_melspectrogram._melspectrogram._spectrogram.fft_window",
    ]
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-4 * np.abs(expected).max())
    assert feature(core, "spectrogram").shape == [2, 33, 19]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: features.Spectrogram(4, 2, 3, power=2.0, dtype="float64")(x),
        lambda x: features.LogMelSpectrogram(80, 5, 3, n_mels=2, f_min=0.0, power=1.0, dtype="float64")(x),
        lambda x: signal.overlap_add(signal.frame(x.t(), 3, 2, axis=0), 1, axis=0),
    ],
)
def test_gradients(call) -> None:
    check_gradients(call, np.random.default_rng(0).standard_normal((1, 5)))


def test_a_magnitude_of_zero_has_no_gradient() -> None:
    x = core.zeros([1, 20])
    x.stop_gradient = False
    features.Spectrogram(8, 4)(x).sum().backward()
    assert not x.grad.numpy().any()


def test_numbers_are_converted_as_numbers() -> None:
    assert abs(functional.hz_to_mel(500.0) - 7.5) < 1e-9 and abs(functional.hz_to_mel(1000.0) - 15) < 1e-8
    assert abs(functional.mel_to_hz(7.5) - 500) < 1e-9
    for htk in (False, True):
        assert abs(functional.mel_to_hz(functional.hz_to_mel(3000.0, htk), htk) - 3000) < 1e-6


def test_a_file_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    sound = core.to_tensor([[0.0, 0.5, -0.25, 1.5], [0.25, -1.0, 0.75, -2.0]])
    audio.save(path, sound, 8000)
    assert audio.info(path) == (8000, 4, 2, 16, "PCM_S")
    found, rate = audio.load(path)
    assert rate == 8000 and found.dtype == "float32"
    assert found.tolist() == [[0.0, 0.5, -0.25, 32767 / 32768], [0.25, -1.0, 0.75, -1.0]]
    part, _ = audio.load(io.BytesIO(path.read_bytes()), 1, 2, normalize=False, channels_first=False)
    assert part.tolist() == [[16384.0, -32768.0], [-8192.0, 24576.0]]
    audio.save(path, core.to_tensor([[1], [-7]]), 8000, channels_first=False)
    assert audio.load(path, normalize=False)[0].tolist() == [[1.0, -7.0]]
    assert audio.backends.list_available_backends() == ["wave_backend"] == [audio.backends.get_current_backend()]


def test_a_file_that_claims_too_much_gives_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    audio.save(path, core.zeros([1, 10]), 8000)
    content = bytearray(path.read_bytes())
    content[40:44] = (2**31 - 2).to_bytes(4, "little")
    content[4:8] = (2**31 + 40).to_bytes(4, "little")
    path.write_bytes(content)
    assert audio.load(path)[0].shape == [1, 10]


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    path.write_bytes(b"RIFF")
    with pytest.raises(NotImplementedError, match="sound.wav is no WAV file of whole numbers: it is cut off"):
        audio.info(path)
    path.write_bytes(b"no sound at all")
    with pytest.raises(NotImplementedError, match="is no WAV file of whole numbers: file does not start with RIFF id"):
        audio.load(path)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 4)
    assert audio.info(path).bits_per_sample == 8
    with pytest.raises(NotImplementedError, match="has samples of 8 bits: only 16 are read"):
        audio.load(path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: signal.frame(x, 3, 1, axis=1), "frame: axis must be 0 or -1, not 1"),
        (lambda x: signal.frame(x, 21, 1), r"frame_length 21 is more than the samples of x, of shape \[2, 20\]"),
        (lambda x: signal.frame(x, 3, 0), "frame: hop_length must be a positive int, not 0"),
        (lambda x: signal.overlap_add(x, 3), "overlap_add: hop_length 3 is more than the 2 samples of a frame"),
        (lambda x: signal.overlap_add(x[0], 3), "overlap_add: x must have the axes of frames and samples"),
        (lambda x: features.Spectrogram(32)(x), "n_fft must be at most the 20 samples of x, not 32"),
        (lambda x: features.Spectrogram(8, pad_mode="wrap")(x), "pad_mode must be reflect or constant, not 'wrap'"),
        (lambda x: features.Spectrogram(8)(x[0, 0]), "x must be .samples. or .batch, samples."),
        (lambda x: features.Spectrogram(power=0.0), "Spectrogram: power must be positive"),
        (lambda x: features.MFCC(n_mfcc=9, n_mels=8), "MFCC: n_mfcc 9 must be at most n_mels 8"),
        (lambda x: functional.get_window("kaiser", 8), "there is no window 'kaiser': use one of hamming, hann"),
        (lambda x: functional.get_window("gaussian", 8), "gaussian needs parameters: give a tuple such as"),
        (lambda x: functional.get_window(("hann", 1, 2, 3), 8), "hann does not take the parameters"),
        (lambda x: functional.get_window("hann", -1), "win_length must be an int of 0 or more, not -1"),
        (lambda x: functional.power_to_db(x, amin=0.0), "power_to_db: amin must be positive"),
        (lambda x: functional.power_to_db(x, top_db=-1.0), "top_db must not be negative"),
        (lambda x: functional.create_dct(2, 3, "l2"), "norm must be 'ortho' or None, not 'l2'"),
        (lambda x: audio.save("x.wav", x[0], 8000), "src must have the axes of channels and samples"),
        (lambda x: audio.save("x.wav", x, 8000, bits_per_sample=24), "bits_per_sample must be 16, not 24"),
        (lambda x: audio.load("x.wav", -1), "frame_offset -1 and num_frames -1 must not be negative"),
        (lambda x: audio.backends.set_backend("soundfile"), "there is no backend 'soundfile': use 'wave_backend'"),
    ],
)
def test_errors_name_the_mend(call, message) -> None:
    with pytest.raises((OperatorError, ValueError, NotImplementedError), match=message):
        call(core.zeros([2, 20]))
