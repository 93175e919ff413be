"""What PGL's configs reach over many seeds: mean and standard deviation of each config's expected number.

    python -m benchmarks.PGL.graph_accuracy FOLDER [--only NAME,NAME] [--seeds 0,1,...,9] [--log FILE] [--threads 1]

FOLDER holds the sets: planetoid-cora, blogcatalog and kg-fb15k237-umls-nations. Each run is that of
``python PGL/train.py -c PGL/configs/NAME.yaml`` with another seed, which for BlogCatalog also draws another half of the
nodes to learn from. The weights are those that were best on the validation nodes; where a set has none, the last ones.
The test nodes are looked at once. With ``--log`` a run that is in the file already is not made again.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "PGL" / "configs"
FOLDERS = {"cora": "planetoid-cora", "blogcatalog": "blogcatalog", "umls": "kg-fb15k237-umls-nations"}


def train(config: str, seed: int, data: Path) -> dict[str, Any]:
    """Train a config with a seed and return what came of it.

    Args:
        config: its name.
        seed: of weights, samples and order.
        data: the folder of the sets.
    """
    from core.train.runner.training import train as run_training
    from PGL.config import TOOLKIT

    root = json.dumps(str(data / FOLDERS[config.partition("_")[0]]))
    changes = [f"seed={seed}", "train.tensorboard=false", f"data.root={root}"]
    if config.startswith("blogcatalog"):
        changes.append(f"data.dataset.seed={seed}")
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        run_training(TOOLKIT, str(CONFIGS / f"{config}.yaml"), [*changes, f"output={folder}/run"])
        said = json.loads((Path(folder) / "run" / "results.json").read_text(encoding="utf-8"))
    numbers = {name: round(value, 6) for name, value in said["results"]["test"].items()}
    return {"config": config, "seed": seed, **numbers, "seconds": round(said["training_seconds"], 1)}


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each config: the expected number's mean and standard deviation, and the mean of the seconds.

    Args:
        rows: what :func:`train` returned.
    """
    lines = [f"{'config':24} {'number':>10} {'seeds':>5} {'mean':>7} {'std':>7} {'seconds':>8}"]
    for config in dict.fromkeys(row["config"] for row in rows):
        (metric,) = yaml.safe_load((CONFIGS / f"{config}.yaml").read_text(encoding="utf-8"))["expect"]["at_least"]
        own = [row for row in rows if row["config"] == config]
        values = [row[metric] for row in own]
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        seconds = statistics.mean(row["seconds"] for row in own)
        lines.append(
            f"{config:24} {metric:>10} {len(own):5} {statistics.mean(values):7.4f} {spread:7.4f} {seconds:8.1f}"
        )
    return lines


def main() -> None:
    """Print and write a line for each run, then the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the sets are")
    parser.add_argument("--only", default="", help="names of configs, separated by commas (default: all)")
    parser.add_argument("--seeds", default="0,1,2,3,4,5,6,7,8,9", help="(default: %(default)s)")
    parser.add_argument("--log", type=Path, help="a file for one JSON object per run")
    parser.add_argument("--threads", type=int, default=1, help="(default: %(default)s)")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)  # before anything loads the engine
    known = sorted(file.stem for file in CONFIGS.glob("*.yaml") if file.stem.partition("_")[0] in FOLDERS)
    names = arguments.only.split(",") if arguments.only else known
    if set(names) - set(known):
        parser.error(f"--only takes {', '.join(known)}")
    rows: list[dict[str, Any]] = []
    if arguments.log is not None and arguments.log.is_file():
        rows = [json.loads(line) for line in arguments.log.read_text(encoding="utf-8").splitlines()]
    made = {(row["config"], row["seed"]) for row in rows}
    for name in names:
        for seed in map(int, arguments.seeds.split(",")):
            if (name, seed) in made:
                continue
            rows.append(train(name, seed, arguments.folder.resolve()))
            print(json.dumps(rows[-1]), flush=True)
            if arguments.log is not None:
                arguments.log.parent.mkdir(parents=True, exist_ok=True)
                with open(arguments.log, "a", encoding="utf-8") as stream:
                    stream.write(f"{json.dumps(rows[-1])}\n")
    print("\n".join(table([row for row in rows if row["config"] in names])))


if __name__ == "__main__":
    main()
