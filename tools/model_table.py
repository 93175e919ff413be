"""Write PaddleClas/MODELS.md, the table of all classifiers, from the manifest and the networks themselves.

    python -m tools.model_table

A test compares the file with :func:`table`, so it is always that of the code beside it.
"""

from __future__ import annotations

import re
from pathlib import Path

import core
import PaddleClas
from core.weights import WeightRecord
from PaddleClas.models.registry import ALIASES, FAMILIES
from PaddleClas.models.weights import SSLD_WEIGHTS, WEIGHTS

FILE = Path(PaddleClas.__file__).with_name("MODELS.md")

HEADER = """# The classifiers

Top-1 / top-5 are ImageNet-1k validation accuracies in percent, as PaddlePaddle published them for its files; they were
not measured again here. Parameters are the trainable ones, with 1000 classes (LeNet: 10). `python -m tools.model_table`
writes this page.

| model | paper | top-1 / top-5, as published | parameters | weights file |
|---|---|---|---:|---|
"""

DISTILLED = """
## Distilled weights

`create_model(NAME, pretrained=True, use_ssld=True)` takes weights that were distilled from a larger network, with
unlabelled images ([2103.05959](https://arxiv.org/abs/2103.05959)).

| model | top-1 / top-5, as published | weights file |
|---|---|---|
"""

LEFT_OUT = """
## What every network has, and what is left out

Of timm's conveniences every network here has `num_features`, `forward_features`, `forward_head` and
`reset_classifier`, and by `create_model(NAME, features_only=True, out_indices=...)` the feature maps of its stages with
`channels` and `strides`; a ViT or DeiT has one such map, of its patches, and LeNet none. `PaddleClas/infer.py RUN
--features FILE.npy` writes vectors. Not here are timm's `forward_intermediates`, its choice of poolings, and positions
of a ViT that are resized for other images.

Of PaddleClas 2.6's families these are not here: AdaFace, CAE, CSWinTransformer, CvT, DLA, DSNet, EfficientNetV2, ESNet,
FasterNet, the foundation ViTs (BEiTv2, CLIP, EVA, MAE, MoCoV3), HarDNet, LeViT, MicroNet, MixNet, MobileFaceNet,
MobileNetV4, MobileNeXt, MobileViTV2 and V3, NextViT, PeleeNet, PVTv2, RedNet, ReXNet, StarNet, SVTR, TinyNet, TNT,
Twins, UniFormer, VAN, WideResNet; and of families that are here HRNet_W60_C, SE_ResNeXt152_64x4d, the variants for
recognition and PULC, and Swin's weights for the 21,841 classes of ImageNet-22k. SwinTransformerV2 does not run in 2.6.0
itself; the tests join its parts for their references.
"""


def table() -> str:
    """Return the page."""
    rows = [_row(name, family) for family, names in FAMILIES.items() for name in names]
    aliases = [f"| {old} | {new} |" for old, new in ALIASES.items()]
    distilled = [f"| {name} | {_figures(record)} | {_link(record)} |" for name, record in SSLD_WEIGHTS.items()]
    older = "\n## Older names\n\n| name in PaddleClas 1.5 to 2.0 | here |\n|---|---|\n" + "\n".join(aliases) + "\n"
    return HEADER + "\n".join(rows) + "\n" + DISTILLED + "\n".join(distilled) + "\n" + older + LEFT_OUT


def parameter_count(name: str) -> int:
    """Return the number of trainable parameters of a model, which is built without memory."""
    with core.LazyGuard():
        model = PaddleClas.create_model(name, class_num=10 if name == "LeNet" else 1000)
    return sum(parameter.size for parameter in model.parameters() if not parameter.stop_gradient)


def _row(name: str, family: str) -> str:
    record = WEIGHTS.get(name)
    if record is None:
        paper, figures, file = _paper_of(family), "none published", "none published"
    else:
        paper, figures, file = record.paper.rpartition(" ")[2], _figures(record), _link(record)
    identifier = paper.replace("https://arxiv.org/abs/", "")
    return f"| {name} | [{identifier}]({paper}) | {figures} | {parameter_count(name):,} | {file} |"


def _figures(record: WeightRecord) -> str:
    return " / ".join(f"{value:.2f}" for value in record.metrics.values()) or "none published"


def _link(record: WeightRecord) -> str:
    return f"[{record.url.rpartition('/')[2]}]({record.url})"


def _paper_of(family: str) -> str:
    """Return the address of the paper that the header of a family's file names first."""
    text = Path(PaddleClas.__file__).with_name("models").joinpath(f"{family}.py").read_text()
    return re.findall(r"https://[^\s,;)]+", text)[0]


if __name__ == "__main__":
    FILE.write_text(table())
