"""How long an exported model takes to load, and its first call after that, against its usual one.

    python -m benchmarks.core.first_call [--models LeNet,MobileNetV1,ResNet50] [--batch 8] [--rounds 5] [--threads 2]

The first ratio is what the Predictor promises: at a size that is warmed up while it loads, the first call takes at most
three times the usual one. The second is for a size that the Predictor sees for the first time.
"""

from __future__ import annotations

import argparse
import statistics

from benchmarks.core.sides.exported import first_calls
from benchmarks.side import Side


def main() -> None:
    """Print one row for each model: medians of milliseconds and of ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="LeNet,MobileNetV1,ResNet50", help="names, separated by commas")
    parser.add_argument("--batch", type=int, default=8, help="images per call (default 8)")
    parser.add_argument("--rounds", type=int, default=5, help="how often the folder is loaded (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="threads of the engine (default 2)")
    options = parser.parse_args()
    print(f"{'milliseconds':15} {'load':>8} {'first':>8} {'usual':>8} {'ratio':>6} {'new size':>9} {'ratio':>6}")
    for model in options.models.split(","):
        side = Side(model, first_calls, (model, options.batch), options.threads)
        rounds = [side.ask("measured") for _ in range(options.rounds)]
        side.close()
        load, first, usual, other = [1000 * statistics.median(column) for column in zip(*rounds)]
        ratios = [statistics.median(r[i] / r[2] for r in rounds) for i in (1, 3)]
        print(
            f"{model:15} {load:8.1f} {first:8.2f} {usual:8.2f} {ratios[0]:6.2f} {other:9.2f} {ratios[1]:6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
