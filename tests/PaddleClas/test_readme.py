"""The README's table of models says what the manifest and the networks say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import core
import PaddleClas
from PaddleClas.models.weights import WEIGHTS

README = (Path(PaddleClas.__file__).parent / "README.md").read_text()
ROWS = {row[0]: row[1:] for row in re.findall(r"^\| (\w+) \| (.+?) \| (.+?) \| ([\d,]+) \| (.+?) \|$", README, re.M)}


def test_every_model_has_its_row() -> None:
    assert list(ROWS) == PaddleClas.list_models()


@pytest.mark.parametrize("name", WEIGHTS)
def test_rows_repeat_the_manifest(name: str) -> None:
    record = WEIGHTS[name]
    paper, figures, _, file = ROWS[name]
    assert record.paper.endswith(re.findall(r"\((.+)\)", paper)[0])
    assert [float(figure) for figure in figures.split(" / ")] == list(record.metrics.values())
    assert re.findall(r"\((.+)\)", file) == [record.url]


@pytest.mark.parametrize("name", ["LeNet", "MobileNetV2_x2_0", "ResNet200_vd"])
def test_rows_count_the_parameters(name: str) -> None:
    with core.LazyGuard():
        model = PaddleClas.create_model(name, class_num=10 if name == "LeNet" else 1000)
    count = sum(parameter.size for parameter in model.parameters() if not parameter.stop_gradient)
    assert ROWS[name][2] == f"{count:,}"
