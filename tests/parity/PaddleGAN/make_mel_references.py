"""Write mel spectrograms as ppgan 2.1 makes them, by the functions for sound of transformers, to references/mel.npz.

Not part of the tests: it needs transformers 4 and scipy, the tests need only the file that it wrote:

    python -m tests.parity.PaddleGAN.make_mel_references

The settings are those of ppgan's ``utils/audio_config.py``, the steps those of ``utils/audio.py``, whose librosa
0.7 reflects the sound at its ends; transformers has librosa's filters and windows in numpy.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import signal
from transformers import audio_utils

from tests.parity.recipe import uniform


def sounds() -> dict[str, np.ndarray]:
    """Return sounds of a quarter of a second: noise, a rising tone, silence."""
    time = np.arange(4000) / 16000
    return {
        "noise": uniform("a noise", (4000,), -0.5, 0.5).astype(np.float64),
        "tone": 0.3 * np.sin(2 * np.pi * (300 + 4000 * time) * time),
        "silence": np.zeros(4000),
    }


def main() -> None:
    """Write them."""
    filters = audio_utils.mel_filter_bank(401, 80, 55.0, 7600.0, 16000, norm="slaney", mel_scale="slaney")
    window = audio_utils.window_function(800, "hann")
    answers = {}
    for name, sound in sounds().items():
        emphasised = signal.lfilter([1, -0.97], [1], sound)
        options = {"frame_length": 800, "hop_length": 200, "fft_length": 800, "power": 1.0, "pad_mode": "reflect"}
        bands = audio_utils.spectrogram(emphasised, window, mel_filters=filters, mel_floor=1e-5, **options)
        decibels = 20 * np.log10(bands) - 20
        answers[name] = np.clip(8 * (decibels + 100) / 100 - 4, -4, 4).astype(np.float32)
    np.savez_compressed(Path(__file__).with_name("references") / "mel.npz", **answers)


if __name__ == "__main__":
    main()
