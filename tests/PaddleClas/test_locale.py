"""Paths with letters beyond ASCII, in a locale that knows none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.vision import write_image

ROOT = Path(__file__).resolve().parents[2]
CONFIG = """
output: 输出
network: {name: LeNet, class_num: 2}
data:
  train: &split
    dataset: {name: DatasetFolder, root: 训练}
    transforms: [{name: Grayscale}, {name: Resize, size: [28, 28]}, {name: ToTensor}]
    batch_size: 2
  test: *split
optimizer: {name: Adam}
schedule: {name: Constant, learning_rate: 0.001}
train: {epochs: 1, compiled: false}
"""
COMMANDS = """
from PaddleClas import eval, export, infer, train
assert train.main(["-c", "配置.yaml", "--data", "数据"]) == 0
assert eval.main(["输出", "--output", "评估"]) == 0
assert infer.main(["输出", "--demo", "1", "数据/训练/蚂蚁/图.png"]) == 0
assert export.main(["输出"]) == 0
assert infer.main(["输出/exported", "数据/训练/蚂蚁/图.png", "--output", "结果"]) == 0
"""


@pytest.mark.parametrize("locale", ["C", pytest.param("POSIX", marks=pytest.mark.exhaustive)])
def test_all_commands_in_a_locale_without_letters(locale: str, tmp_path: Path) -> None:
    for shade, name in ((30, "蚂蚁"), (90, "bee")):
        folder = tmp_path / "数据" / "训练" / name
        folder.mkdir(parents=True)
        write_image(folder / "图.png", np.full((30, 32, 3), shade, np.uint8))
    (tmp_path / "配置.yaml").write_text(CONFIG, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    environment = {**kept, "LC_ALL": locale, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error::UserWarning", "-c", COMMANDS]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert "wrote 结果/predictions.json" in done.stdout.decode()
    assert "数据/训练/蚂蚁/图.png: " in done.stdout.decode()
    table = (tmp_path / "评估" / "confusion_matrix.csv").read_text(encoding="utf-8")
    assert table.startswith("true \\ predicted,bee,蚂蚁")
