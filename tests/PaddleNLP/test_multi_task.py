"""Tasks that share an encoder read texts alike, and a step has a batch of one of them."""

from __future__ import annotations

from pathlib import Path

from PaddleNLP.config import TOOLKIT
from tests.PaddleNLP.small import experiment


def test_all_parts_read_by_the_tokeniser_of_the_run(tmp_path: Path) -> None:
    task = TOOLKIT.build_task(TOOLKIT.load(experiment("MultiTask", tmp_path)))
    assert task.facts()[0] == "act: 16 train, 16 valid, 16 test samples"
    loader = task.loader("train")
    assert loader is not None and len(loader) == 2 + 3 + 5 + 3  # batches of 8 of 16, 24, 36 and 24 samples
    assert all(part.tokenizer is task.tokenizer for part in task.parts.values())
    names = set()
    for batch in loader.batches():
        ((name, fields),) = batch.items()
        names.add(name)
        samples = task.parts[name].fields("train")
        for index, ids in zip(fields["index"].numpy().tolist(), fields["input_ids"].numpy()):
            own = samples[index]["input_ids"]
            assert ids[: len(own)].tolist() == own.tolist()
    assert names == {"act", "kind", "match", "names"}
