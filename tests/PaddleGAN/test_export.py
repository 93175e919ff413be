"""Exported generators compute what the live ones do, for any number of images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from core.train.checkpoints.store import load_network
from PaddleGAN import create_generator, export


@pytest.mark.parametrize(
    ("name", "expected_text"),
    [
        ("dcgan", "noise float32 [any, 6] to images, -1 to 1"),
        ("cgan", "noise float32 [any, 6] and classes int64 [any] to images, -1 to 1"),
    ],
)
def test_programs(
    name: str, expected_text: str, dcgan_run: Path, cgan_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, conditional = (cgan_run, True) if name == "cgan" else (dcgan_run, False)
    assert export.main([str(run), "--output", str(tmp_path / "exported")]) == 0
    assert expected_text in capsys.readouterr().out
    generator = (
        create_generator("CGANGenerator", input_nz=6, n_class=3, ngf=2)
        if conditional
        else create_generator("DCGenerator28", input_nz=6, ngf=2, fc_dim=8)
    )
    load_network(run / "checkpoints" / "step_00000012", "generator", generator)
    generator.eval()
    predictor = core.jit.Predictor(tmp_path / "exported")
    for count in (1, 5):
        noise = np.random.RandomState(count).randn(count, 6).astype(np.float32)
        inputs = [noise, np.arange(count) % 3] if conditional else [noise]
        live = generator(*map(core.to_tensor, inputs)).numpy()
        np.testing.assert_allclose(predictor.run(inputs), live, rtol=1e-4, atol=1e-5)
