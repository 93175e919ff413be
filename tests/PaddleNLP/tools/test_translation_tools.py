"""Learning byte pair encoding, and averaging checkpoints, by command."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Callable

import numpy as np
import pytest

from core.weights.formats.safetensors_file import read_safetensors
from PaddleNLP import eval as evaluation
from PaddleNLP.tools import average_checkpoints, learn_bpe
from PaddleNLP.translation.tokenizer import SubwordTokenizer


def test_files_of_a_learnt_encoding_make_a_tokeniser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.en").write_text("low lower lowest, low!\n", encoding="utf-8")
    (tmp_path / "a.de").write_text("tief tiefer\n", encoding="utf-8")
    words = [str(tmp_path / "bpe"), "--size", "60", "--texts", str(tmp_path / "a.en"), str(tmp_path / "a.de")]
    assert learn_bpe.main(words) == 0
    output = capsys.readouterr().out
    assert "codes.bpe: " in output and "vocab.txt: " in output
    tokenizer = SubwordTokenizer(tmp_path / "bpe" / "vocab.txt", tmp_path / "bpe" / "codes.bpe")
    assert tokenizer.text_of(tokenizer.encode_text("tief, lower!")) == "tief, lower!"
    assert tokenizer.pieces("low")[0] == "low"


def test_the_average_is_the_mean_of_the_newest_weights(
    run_of: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    shutil.copytree(run_of("Translation"), run, symlinks=True)
    steps = sorted((run / "checkpoints").glob("step_*"))
    assert average_checkpoints.main([str(run), "--last", "2"]) == 0
    assert f"the mean of {steps[-2].name}, {steps[-1].name}" in capsys.readouterr().out
    one, other, mean = (
        read_safetensors(path / "model.safetensors") for path in (*steps[-2:], run / "checkpoints" / "averaged")
    )
    for name, array in mean.items():
        np.testing.assert_allclose(array, (one[name] + other[name]) / 2, rtol=1e-6, atol=1e-7)
    assert evaluation.main([str(run), "--checkpoint", "averaged"]) == 0
    assert average_checkpoints.main([str(run), "--last", "2"]) == 0  # again, in place of the first
    with pytest.raises(ValueError, match="holds 2 checkpoints, not 9: average fewer, or train with train.keep_check"):
        average_checkpoints.main([str(run), "--last", "9"])
