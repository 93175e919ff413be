"""The examples of docs/control_flow.md run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import core

PAGE = Path(core.__file__).parent.parent / "docs" / "control_flow.md"


def test_the_guides_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    code = "\n\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))
    (tmp_path / "guide_of_control_flow.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    __import__("guide_of_control_flow")
    assert "_jst.if_" in capsys.readouterr().out
