"""The examples and the list of refusals in docs/onnx.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.onnx.table import REFUSED

TEXT = (Path(__file__).parents[3] / "docs" / "onnx.md").read_text(encoding="utf-8")


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for example in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(example, namespace)  # noqa: S102 - our own page
    assert [file.name for file in tmp_path.iterdir()] == ["digits.onnx"]


def test_what_the_page_calls_refused_is_refused() -> None:
    table = TEXT[TEXT.index("| refused | |") :]
    named = {
        name
        for line in table.splitlines()
        if line.startswith("|") and "| the rest |" not in line
        for name in re.findall(r"`(\w+)`", line)
    }
    assert named - {"det"} <= set(REFUSED)
