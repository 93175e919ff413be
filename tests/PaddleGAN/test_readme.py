"""The README's program runs, and its table names every network."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import PaddleGAN

README = Path(PaddleGAN.__file__).with_name("README.md").read_text(encoding="utf-8")


def test_the_program_takes_a_step() -> None:
    names: dict[str, object] = {}
    section = README.split("## A critic's step")[1]
    exec(section.split("```python\n")[1].split("```")[0], names)  # noqa: S102
    loss, critic = names["loss"], names["critic"]
    assert np.isfinite(loss.item())  # type: ignore[attr-defined]
    assert all(parameter.grad is not None for parameter in critic.parameters())  # type: ignore[attr-defined]


def test_the_table_names_every_network() -> None:
    assert [name for name in PaddleGAN.list_models() if f"`{name}`" not in README] == [
        "NLayerDiscriminatorWithClassification"
    ]
