"""Write PaddleDetection/MODELS.md, the table of all detectors, from the manifest, the configs and the networks.

    python -m tools.detector_table

A test compares the file with :func:`table`, so it is always that of the code beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import core
import PaddleDetection
from core.train.config.yaml_file import read_yaml
from PaddleDetection.models.registry import FAMILIES
from PaddleDetection.models.weights import CHECKPOINTS, Checkpoint

ROOT = Path(PaddleDetection.__file__).parent
FILE = ROOT / "MODELS.md"

HEADER = """# The detectors

Figures are percent, as PaddlePaddle published them: AP on COCO's val2017, of boxes and of masks, or VOC's mAP; they
were not measured again here. Parameters are the trainable ones with the number of classes of the first checkpoint, or
the network's default. `python -m tools.detector_table` writes this page.

| model | paper | parameters | checkpoints, with their published figures | configs |
|---|---|---:|---|---|
"""


def table() -> str:
    """Return the page."""
    configs = _configs()
    rows = [_row(name, family, configs.get(name, [])) for family, names in FAMILIES.items() for name in names]
    return HEADER + "\n".join(rows) + "\n"


def parameter_count(name: str) -> int:
    """Return the number of trainable parameters of a detector, which is built without memory."""
    published = next(_checkpoints(name), None)
    with core.LazyGuard():
        model = PaddleDetection.create_model(name, num_classes=published[1].class_count if published else None)
    return sum(parameter.size for parameter in model.parameters() if not parameter.stop_gradient)


def _configs() -> dict[str, list[Path]]:
    """Return the configs of each detector."""
    found: dict[str, list[Path]] = {}
    for path in sorted((ROOT / "configs").rglob("*.yaml")):
        found.setdefault(read_yaml(str(path))[0]["network"]["name"], []).append(path)
    return found


def _checkpoints(network: str) -> Iterator[tuple[str, Checkpoint]]:
    return ((name, checkpoint) for name, checkpoint in CHECKPOINTS.items() if checkpoint.network == network)


def _row(name: str, family: str, configs: list[Path]) -> str:
    files = "<br>".join(_shown(*entry) for entry in _checkpoints(name)) or "none published"
    recipes = "<br>".join(f"[{path.stem}]({path.relative_to(ROOT)})" for path in configs) or "none"
    paper = _paper_of(family)
    return f"| {name} | [{paper}](https://arxiv.org/abs/{paper}) | {parameter_count(name):,} | {files} | {recipes} |"


def _shown(name: str, checkpoint: Checkpoint) -> str:
    figures = ", ".join(f"{kind} {value:.1f}" for kind, value in checkpoint.record.metrics.items())
    return f"[{name}]({checkpoint.record.url}){': ' + figures if figures else ''}"


def _paper_of(family: str) -> str:
    """Return the number of the paper that the header of a family's file names first."""
    text = (ROOT / "models" / "architectures" / f"{family}.py").read_text(encoding="utf-8")
    return re.findall(r"arXiv\s+(\d{4}\.\d{5})", text)[0]


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")
