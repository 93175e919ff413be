"""The comparison of fine-tuning with PyTorch: both sides get what train.py trains with, and the table judges means."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.PaddleNLP import fine_tuning

FRESH = ("network.hidden_size=8", "network.num_hidden_layers=1", "network.intermediate_size=8", "tokenizer.learn=60")


def read(file: Path) -> dict[str, np.ndarray]:
    with np.load(file) as opened:
        return dict(opened)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "chnsenticorp-sample"
    folder.mkdir()
    for name, count in (("train.tsv", 40), ("dev.tsv", 6)):
        rows = [f"{name[0]}房间{place}很{'好' if place % 3 else '差'}\t{int(place % 3 > 0)}" for place in range(count)]
        (folder / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def test_the_other_sides_batches_rates_and_logits(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What PyTorch is given is whole, and of equal epochs the later counts, as in training."""
    seen = {}

    def pytorch(folder: Path, peers: str, threads: int) -> None:
        settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
        batches = [read(folder / f"batch_{number}.npz") for number in range(len(settings["rates"]))]
        seen.update(settings, samples=sum(len(batch["labels"]) for batch in batches))
        assert sorted(batches[0]) == ["attention_mask", "input_ids", "labels", "token_type_ids"]
        for place, end in enumerate(settings["ends"]):
            arrays = {}
            for file in folder.glob("[vt]*_*.npz"):
                labels = read(file)["labels"]
                right = labels if place < 2 else 1 - labels  # the last epoch is wrong everywhere
                arrays[file.stem] = np.eye(2, dtype="float32")[right]
                if place == 0 and file.stem.startswith("test"):
                    arrays[file.stem][:] = 0.5
            np.savez(folder / f"logits_{end}.npz", **arrays)

    monkeypatch.setattr(fine_tuning, "run_pytorch", pytorch)
    one = fine_tuning.SETS["ChnSentiCorp"]
    monkeypatch.setitem(fine_tuning.SETS, "ChnSentiCorp", one._replace(changes=(*one.changes, *FRESH)))
    assert fine_tuning.pytorch_scores("ChnSentiCorp", 3, data, "python", 1) == {"valid": 1.0, "test": 1.0}
    steps = -(-36 // 16) * 3
    assert seen["seed"] == 3 and seen["ends"] == [steps // 3, 2 * steps // 3, steps] and seen["samples"] == 3 * 36
    rates = seen["rates"]
    assert max(rates) == pytest.approx(1e-3, rel=0.4) and rates[-1] < rates[-2] < rates[-3]


def test_the_table_compares_means_with_their_standard_error() -> None:
    rows = []
    for name, other in (("ChnSentiCorp", 0.52), ("Weibo-NER", 0.9)):
        for seed, spread in enumerate((-0.1, 0.0, 0.1)):
            rows += [
                {"run": f"{name} with dropout, ours, seed {seed}", "test": 0.5 + spread},
                {"run": f"{name} with dropout, PyTorch, seed {seed}", "test": other + spread},
            ]
    lines = fine_tuning.table(rows)
    error = (2 * 0.1**2 / 3) ** 0.5
    assert lines[0].endswith(f"0.0200 apart, standard error {error:.4f}: equal")
    assert lines[1].startswith("Weibo-NER: ours 0.5000 ± 0.1000 of 3, PyTorch 0.9000 ± 0.1000 of 3; ")
    assert lines[1].endswith("NOT equal")
