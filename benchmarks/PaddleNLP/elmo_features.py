"""Whether a small ELMo's vectors help to find names in Weibo-NER: a tagger on them, and the same from random weights.

    python -m benchmarks.PaddleNLP.elmo_features FOLDER --log benchmarks/PaddleNLP/elmo_features.jsonl
    [--work runs/elmo_features] [--seeds 5] [--steps 3000] [--only TEXT] [--threads 1]

FOLDER holds the sets that PaddleNLP/configs/language_model/small_elmo.yaml names. First that ELMo is pretrained, for so
many steps; then each seed trains the tagger of small_weibo_ner_elmo.yaml on its vectors, of which only the mix of
layers is learned, and the same network from random weights, all of which are learned. F1 is that of the test part.
A run that was stopped goes on where it was, and what is finished in the folder of ``--work`` or in the log is not
done again.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.runs import Log, Part, add_options, processor_seconds, trained

SIDES = ("on its vectors", "from random weights")


def pretrained(folder: Path, work: Path, steps: int, threads: int) -> Path:
    """Return the folder of the pretrained ELMo, which is trained unless that is done."""
    words = ["language_model/small_elmo", "--data", str(folder), "-o", f"train.steps={steps}"]
    return trained("PaddleNLP", work / f"small_elmo_{steps}", words, threads)


def pretraining(folder: Path, work: Path, steps: int, threads: int) -> dict[str, Any]:
    """Return what the pretrained ELMo reached on texts that it has not seen."""
    run = pretrained(folder, work, steps, threads)
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    measured = {f"valid {name}": value for name, value in results["results"]["valid"].items()}
    return {**measured, "seconds": results["training_seconds"], "processor_seconds": processor_seconds(run)}


def tagging(side: str, seed: int, folder: Path, work: Path, steps: int, threads: int) -> dict[str, Any]:
    """Train a tagger, unless that is done; return its F1."""
    elmo = pretrained(folder, work, steps, threads)
    weights = elmo / "checkpoints" / "best" / "model.safetensors"
    random = ["network.pretrained=null", "network.finetune=true"]
    own = [f"network.pretrained={weights}"] if side == SIDES[0] else random
    changes = [*own, f"tokenizer.vocab_file={elmo / 'tokenizer' / 'vocab.txt'}", f"seed={seed}"]
    words = ["language_model/small_weibo_ner_elmo", "--data", str(folder / "weibo-ner")]
    words += [word for change in changes for word in ("-o", change)]
    run = trained("PaddleNLP", work / f"{side.replace(' ', '_')}_{steps}_{seed}", words, threads)
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    measured = {f"{split} f1": results["results"][split]["f1"] for split in ("valid", "test")}
    return {**measured, "processor_seconds": processor_seconds(run)}


def parts(folder: Path, work: Path, options: argparse.Namespace) -> Iterator[Part]:
    """Iterate over the names of all parts, and what makes the figures of each."""
    given = (folder, work, options.steps, options.threads)
    yield f"pretraining, {options.steps} steps", lambda: pretraining(*given)
    for seed in range(options.seeds):
        for side in SIDES:
            name = f"{side}, {options.steps} steps, seed {seed}"
            yield name, lambda side=side, seed=seed: tagging(side, seed, *given)  # type: ignore[misc]


def main() -> None:
    """Print and write a line for each run, then the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the sets are")
    parser.add_argument("--seeds", type=int, default=5, help="how many (default 5)")
    parser.add_argument("--steps", type=int, default=3000, help="of pretraining (default 3000)")
    add_options(parser, "runs/elmo_features")
    options = parser.parse_args()
    log = Log(options.log)
    log.complete(parts(options.folder.resolve(), options.work.resolve(), options), options.only)
    for side in SIDES:
        reached = [row["test f1"] for row in log.rows if row["run"].startswith(f"{side}, {options.steps} steps, ")]
        spread = f" ± {statistics.stdev(reached):.3f}" if len(reached) > 1 else ""
        if reached:
            print(f"{side}: F1 {statistics.mean(reached):.3f}{spread} of {len(reached)} seeds")


if __name__ == "__main__":
    main()
