"""Makes older_names.json: what release 2.0 and Fluid 1.x called the parameters of the official networks; and
older_outputs.npz: what networks of release 2.0 that were renamed or changed later answer.

The networks of release 2.0 are in the wheel paddlex-2.0.0-py3-none-any.whl (paddlex/ppcls/modeling/architectures). They
give their parameters the names of Fluid 1.x, so that both columns come from building them. Unpack the wheel, and with a
Python that has paddlepaddle 2.6.2, once for each model:

    python older_names_oracle.py dump UNPACKED_WHEEL ResNet50 ROWS/ResNet50.json
    python older_names_oracle.py outputs UNPACKED_WHEEL ResNet18

Release 2.2 left the order of the parameters, as their shapes show; today's names, and the names in 1.x of the networks
that the wheel lacks, are those that the official release 2.6 wrote into tests/parity/PaddleClas/references:

    python tests/PaddleClas/models/older_names_oracle.py combine ROWS
"""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
import zlib
from pathlib import Path

import numpy as np

OUTPUTS = Path(__file__).with_name("older_outputs.npz")
TARGET = Path(__file__).with_name("older_names.json")
REFERENCES = Path(__file__).parents[2] / "parity" / "PaddleClas" / "references"
WHOLE = ("ResNet18", "VGG11", "MobileNetV1_x0_25", "SqueezeNet1_0")
"""Models whose names are kept as they are; of the others the hash of the list is."""

ANSWERING = {
    **{"VGG11": 224, "ResNet18": 64, "ResNet18_vd": 64, "MobileNetV1_x0_25": 64, "MobileNetV3_small_x0_35": 64},
    **{"InceptionV3": 112, "HRNet_W18_C": 64, "RegNetX_200MF": 64, "ResNeSt50_fast_1s1x64d": 64},
}
"""Model of release 2.0 to the side of the image that it is shown."""
CLASSES = 10

Row = tuple[str, str, str]


def fingerprint(rows: list[Row]) -> str:
    """Return the SHA-256 of the sorted rows: today's name, name in 2.0, name in 1.x (empty where there was none)."""
    return hashlib.sha256("\n".join(sorted(" ".join(row) for row in rows)).encode()).hexdigest()


def dump(wheel: str, model: str, target: str) -> None:
    """Write structured name, global name and shape of each parameter that a network of the wheel has."""
    sys.path.insert(0, wheel)
    network = getattr(importlib.import_module("paddlex.ppcls.modeling.architectures"), model)()
    rows = [(name, value.name, list(value.shape)) for name, value in network.state_dict().items()]
    Path(target).write_text(json.dumps(rows))


def seeded(shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Return plausible values for the parameters of a network, each drawn from a seed of its own name."""
    values = {}
    for name, shape in shapes.items():
        generator = np.random.default_rng(zlib.crc32(name.encode()))
        layer, _, kind = name.rpartition(".")
        if kind == "_variance" or (kind == "weight" and f"{layer}._mean" in shapes):
            value = generator.uniform(0.5, 1.5, shape)
        elif kind == "weight":
            value = generator.standard_normal(shape) * (2 / np.prod(shape[1:] if len(shape) == 4 else shape[:1])) ** 0.5
        else:
            value = generator.standard_normal(shape) * 0.1
        values[name] = value.astype("float32")
    return values


def images(side: int) -> np.ndarray:
    """Return two images."""
    return np.random.default_rng(side).standard_normal((2, 3, side, side)).astype("float32")


def outputs(wheel: str, model: str) -> None:
    """Write names, shapes and logits of a network into older_outputs.npz."""
    sys.path.insert(0, wheel)
    import paddle

    stored = dict(np.load(OUTPUTS)) if OUTPUTS.exists() else {}
    network = getattr(importlib.import_module("paddlex.ppcls.modeling.architectures"), model)(class_dim=CLASSES)
    shapes = {name: tuple(value.shape) for name, value in network.state_dict().items()}
    network.set_state_dict(seeded(shapes))
    network.eval()
    stored[model] = network(paddle.to_tensor(images(ANSWERING[model]))).numpy()
    stored[f"{model} shapes"] = np.array(json.dumps(shapes))
    np.savez_compressed(OUTPUTS, **stored)


def combine(folder: str) -> None:
    """Write older_names.json from what dump wrote and from the references."""
    hashes, whole = {}, {}
    for reference in sorted(REFERENCES.glob("*.npz")):
        stored = np.load(reference)
        model, dumped = reference.stem, Path(folder) / f"{reference.stem}.json"
        if "global_names" not in stored or model.islower() or model == "LeNet":
            continue
        rows = _rows(stored, json.loads(dumped.read_text()) if dumped.exists() else None)
        hashes[model] = fingerprint(rows)
        if model in WHOLE:
            whole[model] = [" ".join(row) for row in rows]
    TARGET.write_text(json.dumps({"hashes": hashes, "whole": whole}, indent=0) + "\n")


def _rows(stored: np.lib.npyio.NpzFile, older: list | None) -> list[Row]:
    today, fluid = ([name.decode() for name in stored[key]] for key in ("names", "global_names"))
    shapes = [[int(extent) for extent in shape.decode().split(",")] for shape in stored["shapes"]]
    if older is None:  # no network of a family that was renamed
        numbered = "conv2d_"  # a name that the program gave by itself: of a parameter that 1.x did not have
        return [(name, name, "" if of_1.startswith(numbered) else of_1) for name, of_1 in zip(today, fluid)]
    if [len(shape) for _, _, shape in older] == [len(shape) for shape in shapes]:
        return [(name, of_2, of_1) for name, (of_2, of_1, _) in zip(today, older)]
    known = {of_2: of_1 for of_2, of_1, _ in older}  # RegNetX and ResNeSt: some biases came or went
    return [(name, name, known.get(name, "")) for name in today]


if __name__ == "__main__":
    {"dump": dump, "outputs": outputs, "combine": combine}[sys.argv[1]](*sys.argv[2:])
