"""Does pretraining learn the same in 16 bits? The held-out loss of a small ERNIE, beside float32's.

    python -m benchmarks.PaddleNLP.mixed_pretraining FOLDER --log FILE [--precision bfloat16] [--steps 2000]
    [--small] [--work runs/mixed_pretraining] [--threads 1]
    python -m benchmarks.PaddleNLP.mixed_pretraining FOLDER --log FILE --precision float16 --emulated --small

FOLDER is that of PaddleNLP/configs/pretraining/small_ernie.yaml, with which both trainings begin from the same weights
and see the same batches; losses are scaled, and the factor adapts. Leaves with code 1 where the held-out losses differ
by more than one hundredth of float32's. A device that does not compute in the precision refuses it before training;
with ``--emulated`` a processor rounds to float16 what products take and give, and multiplies in float32, which is slow.
``--small`` trains a network of 2 layers of 64 with 256 tokens a step. What is in the log, or finished in the folder of
``--work``, is not done again.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.runs import ROOT, Log, processor_seconds, trained

CONFIG = "pretraining/small_ernie"
CONFIG_FILE = ROOT / "PaddleNLP" / "configs" / f"{CONFIG}.yaml"
EMULATED = Path(__file__).with_name("sides") / "emulated_float16.py"
SMALL = (
    "network.hidden_size=64",
    "network.num_hidden_layers=2",
    "network.intermediate_size=128",
    "data.train.batching={tokens: 256, buckets: [16, 32, 64, 128]}",
    "data.valid.batching={tokens: 1024, buckets: [16, 32, 64, 128]}",
    "schedule.learning_rate=1.0e-3",
    "schedule.warmup_epochs=0.02",
)
MOST = 0.01
"""How far losses may be apart, as a share of float32's."""


def changes(precision: str, steps: int, small: bool = False) -> list[str]:
    """Return the changes of the config for a training.

    Args:
        precision: of its products.
        steps: how many; it is evaluated behind the last one.
        small: whether the network is a small one.
    """
    found = list(SMALL) if small else []
    found += [f"train.precision={precision}", f"train.steps={steps}", f"train.evaluate_every={{steps: {steps}}}"]
    return found if precision == "float32" else [*found, "train.loss_scaling={init_loss_scaling: 65536.0}"]


def main() -> int:
    """Print and write a line for each training, then the difference; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the sets are")
    parser.add_argument("--precision", choices=("bfloat16", "float16"), default="bfloat16")
    parser.add_argument("--steps", type=int, default=2000, help="of each training (default 2000)")
    parser.add_argument("--small", action="store_true", help="a network of 2 layers of 64, 256 tokens a step")
    parser.add_argument("--emulated", action="store_true", help="compute in float16 where there is no float16")
    parser.add_argument("--work", type=Path, default=Path("runs/mixed_pretraining"), help="for runs")
    parser.add_argument("--log", type=Path, help="a file for one JSON object per training")
    parser.add_argument("--threads", type=int, default=1, help="threads of the engine (default 1)")
    options = parser.parse_args()
    if options.emulated and options.precision != "float16":
        parser.error("--emulated is for --precision float16")
    log, ending = Log(options.log), "_small" if options.small else ""
    ran = f"{options.steps} steps{', small' if options.small else ''}"
    for precision in (options.precision, "float32"):  # the one that may be refused comes first
        run = f"{precision}, {ran}"
        if run in log:
            continue
        words = [CONFIG, "--data", str(options.folder.resolve())]
        for change in changes(precision, options.steps, options.small):
            words += ["-o", change]
        folder = options.work.resolve() / f"{precision}_{options.steps}{ending}"
        program = str(EMULATED) if options.emulated and precision == "float16" else "train.py"
        trained("PaddleNLP", folder, words, options.threads, program)
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        figures = {key: results["results"]["valid"][key] for key in ("loss", "accuracy")}
        seconds = {"seconds": results["training_seconds"], "processor_seconds": processor_seconds(folder)}
        log.add({"run": run, **figures, **seconds})
    rows = [row for row in log.rows if row["run"].endswith(f", {ran}")]
    losses = {row["run"].split(",")[0]: row["loss"] for row in rows}
    apart = abs(losses[options.precision] / losses["float32"] - 1)
    print(f"held-out losses differ by {apart:.2%} of float32's; at most {MOST:.0%} is expected")
    return int(apart > MOST)


if __name__ == "__main__":
    sys.exit(main())
