"""An exported model with the passes and the engine's fusion, against the same export without.

    python -m benchmarks.core.exported [--models ResNet50,MobileNetV1] [--batch 8] [--rounds 12] [--threads 2]

Both call a Predictor on the same images in the same process, in turns; the ratio is the median of the rounds' ratios.
"""

from __future__ import annotations

import argparse

from benchmarks.core.sides.exported import repeated
from benchmarks.side import Side, compare


def main() -> None:
    """Print one row for each model, in images per second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="ResNet50", help="names, separated by commas (default ResNet50)")
    parser.add_argument("--batch", type=int, default=8, help="images per call (default 8)")
    parser.add_argument("--rounds", type=int, default=12, help="rounds in which the two take turns (default 12)")
    parser.add_argument("--threads", type=int, default=2, help="threads of the engine (default 2)")
    options = parser.parse_args()
    print(f"{'images/s':25} {'fused':>9} {'unfused':>9} {'ratio':>7}")
    for model in options.models.split(","):
        side = Side(model, repeated, (model, options.batch), options.threads)
        fused, unfused, ratio = compare((side, "fused"), (side, "unfused"), options.rounds, case=model)
        print(f"{model:25} {options.batch / fused:9.1f} {options.batch / unfused:9.1f} {ratio:7.2f}", flush=True)
        side.close()


if __name__ == "__main__":
    main()
