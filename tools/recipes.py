"""Write PaddleClas/configs/imagenet/: for each classifier with published weights, the recipe that trained them.

    python -m tools.recipes

A test compares the files with :func:`files`, so they are always those of :mod:`tools.recipe_table`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import PaddleClas
from core.weights import Preprocessing, WeightRecord
from PaddleClas.models.weights import SSLD_WEIGHTS, WEIGHTS
from tools.recipe_table import TABLE, Recipe

FOLDER = Path(PaddleClas.__file__).with_name("configs") / "imagenet"

TOLERANCE = 0.003
"""How far from the published accuracy still is as published: seeds alone make differences of some 0.1 %."""

PAGE = """\
{header}
seed: 0
output: runs/{name}

task:
  name: Classification

network:
  name: {model}
  class_num: 1000
  pretrained: false{arguments}

data:
  root: data/ILSVRC2012
  num_workers: 4
  train:
    dataset: {{name: ImageNetDataset, image_root: ".", cls_label_path: train_list.txt}}
    transforms:
{train_transforms}{mix}
    batch_size: {batch_size}
    shuffle: true
  valid:
    dataset: {{name: ImageNetDataset, image_root: ".", cls_label_path: val_list.txt}}
    transforms:
{valid_transforms}
    batch_size: 64

loss:
  name: CrossEntropy
  label_smoothing: {label_smoothing}
{teacher}
optimizer:
{optimizer}
  weight_decay: {weight_decay}

schedule:
{schedule}

train:
  epochs: {epochs}{ema}
{expect}"""


def files() -> dict[str, str]:
    """Return the name of each model, or of its distilled form with the ending _ssld, and the text of its config."""
    return {
        name: config(name, recipe, source, folder)
        for folder, rows in TABLE.items()
        for source, recipe, names in rows
        for name in names.split()
    }


def config(name: str, recipe: Recipe, source: str, folder: str) -> str:
    """Return the text of a config.

    Args:
        name: of the file.
        recipe: the recipe.
        source: where it is published; ``{folder}`` and ``{name}`` stand for the two.
        folder: the folder there.
    """
    model = name[: -len("_ssld")] if name.endswith("_ssld") else name
    record = (WEIGHTS if model == name else SSLD_WEIGHTS)[model]
    preprocessing = record.preprocessing or Preprocessing()
    size = preprocessing.input_size[0]
    interpolation = {} if recipe.interpolation is None else {"interpolation": recipe.interpolation}
    moments = {"mean": list(preprocessing.mean), "std": list(preprocessing.std)}
    normalize = {"name": "NormalizeImage", "scale": "1.0/255.0", **moments, "order": ""}
    erased = {"name": "RandomErasing", "prob": recipe.erasing, "ratio": [0.3, 3.3333], "value": "random"}
    randomly = {"name": "RandAugment", "magnitude": recipe.rand_augment, **interpolation}
    decode: dict[str, Any] = {"name": "DecodeImage"}
    if preprocessing.channel_order == "BGR":
        decode["to_rgb"] = False
    augmented: list[dict[str, Any]] = [
        decode,
        {"name": "RandCropImage", "size": recipe.train_size or size, **recipe.crop, **interpolation},
        {"name": "RandFlipImage"},
        *([{"name": "AutoAugment"}] if recipe.auto_augment else []),
        *([randomly] if recipe.rand_augment is not None else []),
        normalize,
        *([erased] if recipe.erasing else []),
        {"name": "ToCHWImage"},
    ]
    whole = [
        decode,
        {"name": "ResizeImage", "resize_short": preprocessing.resize_short, **interpolation},
        {"name": "CropImage", "size": recipe.valid_size or size},
        normalize,
        {"name": "ToCHWImage"},
    ]
    mixes = [{"name": name, "alpha": alpha} for name, alpha in recipe.mix.items()]
    figures = list(record.metrics.values())
    return PAGE.format(
        header=_header(name, record, recipe, source.format(folder=folder, name=recipe.published_for or name)),
        name=name,
        model=model,
        arguments=f"\n{_section(recipe.arguments)}" if recipe.arguments else "",
        train_transforms=_items(augmented),
        mix=f"\n    mix: {_scalar(mixes)}" if mixes else "",
        batch_size=recipe.batch_size,
        valid_transforms=_items(whole),
        label_smoothing=recipe.label_smoothing,
        teacher=_teacher(recipe),
        optimizer=_section(recipe.optimizer),
        weight_decay=_scalar(recipe.weight_decay),
        schedule=_section(recipe.schedule),
        epochs=recipe.epochs,
        ema="" if recipe.ema is None else f"\n  ema: {recipe.ema}",
        expect=_expect(figures[0]) if figures and not recipe.remark else "",
    )


def _header(name: str, record: WeightRecord, recipe: Recipe, source: str) -> str:
    """Return the comment that begins a config."""
    figures = ", ".join(f"{value:.2f} % top-{k}" for k, value in zip((1, 5), record.metrics.values()))
    reached = f"The published weights have {figures}" if figures else "No accuracy is published for its weights"
    if recipe.remark:
        reached += f"; do not expect that here, as {recipe.remark}"
    own = name.endswith("_ssld") or not recipe.published_for
    taken = "" if own else f", of {recipe.published_for}: none is published for {name} itself"
    paragraphs = [
        f"{name} on ImageNet-1k. Paper: {record.paper}",
        "",
        f"  python PaddleClas/train.py -c PaddleClas/configs/imagenet/{name}.yaml --data FOLDER",
        "",
        "FOLDER holds the pictures, train_list.txt and val_list.txt with lines of a path and a class number from 0.",
        f"Recipe: {source}{taken}.",
        *([f"Left out here: {recipe.left_out}."] if recipe.left_out else []),
        f"{reached}. Not measured here.",
    ]
    lines = [line for text in paragraphs for line in textwrap.wrap(text, 118, drop_whitespace=True) or [""]]
    indented = [f"  {line}" if line.startswith("python ") else line for line in lines]
    return "\n".join(f"# {line}".rstrip() for line in indented)


def _teacher(recipe: Recipe) -> str:
    """Return the section of the network whose answers are learned, and an empty line before it."""
    if recipe.teacher is None:
        return ""
    name, arguments = recipe.teacher
    network = {"name": name, "class_num": 1000, "pretrained": True, **arguments}
    return f"\nteacher:\n  network: {_flow(network)}\n"


def _expect(accuracy: float) -> str:
    near = f"{{accuracy: {{value: {accuracy / 100:.4f}, tolerance: {TOLERANCE}}}}}"
    return f"\nexpect:\n  split: valid\n  near: {near}\n"


def _section(values: Mapping[str, Any]) -> str:
    return "\n".join(f"  {key}: {_scalar(value)}" for key, value in values.items())


def _items(values: list[dict[str, Any]]) -> str:
    return "\n".join(f"      - {_flow(value)}" for value in values)


def _flow(values: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {_scalar(value)}" for key, value in values.items()) + "}"


def _scalar(value: Any) -> str:
    """Return a value as YAML writes it; small numbers as 1.0e-4."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return _flow(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_scalar(item) for item in value) + "]"
    if isinstance(value, float) and 0 < value < 1e-3:
        return f"{value:.1e}".replace("e-0", "e-")
    return f'"{value}"' if value == "" or str(value).startswith("*") else str(value)


def main() -> None:
    """Write all configs, and remove those of models that are none any more."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    texts = files()
    for path in FOLDER.glob("*.yaml"):
        if path.stem not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / f"{name}.yaml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
