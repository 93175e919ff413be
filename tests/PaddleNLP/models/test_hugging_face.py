"""Files in the layout of Hugging Face's transformers say here what they say there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import core
from PaddleNLP.models.registry import create_model
from tests.parity.PaddleNLP import foreign_cases as cases

ALWAYS = ("ElectraForMaskedLM", "AlbertForQuestionAnswering", "XLNetLMHeadModel", "GPT2LMHeadModel")
CASES = [
    pytest.param(case, id=case.foreign, marks=() if case.foreign in ALWAYS else pytest.mark.zoo) for case in cases.CASES
]


@pytest.mark.parametrize("case", CASES)
def test_a_file_says_what_it_says_there(case: cases.Case, tmp_path: Path) -> None:
    with np.load(cases.FILE) as stored:
        official = {key: value for key, value in stored.items() if key.startswith(f"{case.foreign} ")}
    save_file(cases.weights(cases.shapes(official[f"{case.foreign} names"])), tmp_path / "model.safetensors")
    model = create_model(case.family, case.task, cases.CLASSES, pretrained=tmp_path, **case.ours)
    model.eval()
    found = model(**{name: core.to_tensor(value) for name, value in cases.inputs(case.family).items()})
    kept = cases.inputs(case.family)["attention_mask"] == 1
    every = found if isinstance(found, tuple) else (found,)
    assert len(every) == len(official) - 1
    for index, one in enumerate(every):
        ours, theirs = one.numpy(), official[f"{case.foreign} {index}"]
        assert ours.shape == theirs.shape
        rows = kept if ours.shape[:2] == kept.shape else slice(None)
        assert np.abs(ours - theirs)[rows].max() <= 1e-4 * np.abs(theirs).max()
