"""Every config of every toolkit is walked, from training, killed and continued, to predictions of its export."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from PaddleDetection import train as train_detector
from PGL.data import CiteseerDataset, TextGraphDataset, TUDataset
from tests.PaddleDetection.wider_files import write_wider
from tests.PaddleGAN.small_runs import write_blobs
from tests.PaddleGAN.tasks.translations import write_pictures
from tests.PGL.small_sets import write_cora
from tests.walks.cases import (
    ADVERSARIAL,
    FACES,
    GRAPHS,
    OWN_GRAPHS,
    ROOT,
    TRANSLATED,
    UNBOUNDED,
    arrays_of,
    own_graph,
    rotated,
    texts_of,
    write_photos,
    write_weights,
)
from tests.walks.killing import KillingServer
from tests.walks.small_detectors import smaller
from tests.walks.steps import Walk, walk_adversarial, walk_classifier, walk_detector, walk_graph, walk_restorer

pytestmark = pytest.mark.exhaustive

SIDE = 64
"""Of images, pixels, where a network takes such small ones."""
ERNIE = (
    "{name: ernie, hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 8, "
    "max_position_embeddings: 96}"
)
OWN_SIZE = re.compile("AlexNet|GoogLeNet|Inception|SqueezeNet|VGG|Xception")
"""Networks that need images of about the size that their config says."""


def configs(toolkit: str) -> list[Any]:
    """Return the configs of a toolkit, named by their files."""
    return [pytest.param(file, id=file.stem) for file in sorted((ROOT / toolkit / "configs").rglob("*.yaml"))]


@pytest.fixture(scope="module")
def server() -> Iterator[KillingServer]:
    started = KillingServer()
    yield started
    started.close()


@pytest.mark.parametrize("file", configs("PaddleClas"))
def test_a_classifier(file: Path, server: KillingServer, tmp_path: Path) -> None:
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    kind = config["data"]["train"]["dataset"]["name"]
    data: Any = None
    changes = ["data.num_workers=0", "data.train.batch_size=2"]
    if kind == "Digits":
        changes.append("data.train.batch_size=600")
    elif kind in ("MNIST", "FashionMNIST"):
        data = write_blobs(tmp_path / "data", 80, 20)
        changes.append("data.train.batch_size=20")
    else:
        data = _write_photographs(tmp_path / "data", config["data"], kind)
        changes += ["network.class_num=2", *_smaller(config)]
    teacher = (config.get("teacher") or {}).get("network")
    for section, part in (("network", config["network"]), ("teacher.network", teacher or {})):
        if part.get("pretrained") is True:
            weights = write_weights(tmp_path / f"{section}.pdparams", part["name"], 5 if section == "network" else 2)
            changes.append(f"{section}.pretrained={weights}")
            changes += [f"{section}.use_ssld=false"] if "use_ssld" in part else []
    if teacher:
        changes.append("teacher.network.class_num=2")
    photos = write_photos(tmp_path / "photos", classes=1, count=2) / "class_0"
    walk = Walk(server, tmp_path, "PaddleClas", file, data, changes)
    walk_classifier(walk, photos, "test" if "test" in config["data"] else "valid")


def _write_photographs(folder: Path, data: Any, kind: str) -> Path:
    """Write pictures of two classes where a config looks for them."""
    if kind == "ImageNetDataset":
        write_photos(folder, classes=2, count=1, side=SIDE)
        for name in ("train_list.txt", "val_list.txt"):
            (folder / name).write_text("class_0/0.png 0\nclass_1/0.png 1\n")
        return folder
    for root in sorted({section["dataset"]["root"] for section in data.values() if isinstance(section, dict)}):
        write_photos(folder / root, side=SIDE)
    return folder


def _smaller(config: Any) -> list[str]:
    """Return changes by which images are small, where the network takes such."""
    changes = []
    for split in ("train", "valid", "test"):
        for number, transform in enumerate(config["data"].get(split, {}).get("transforms", [])):
            for key in ("size", "resize_short"):
                if isinstance(transform.get(key), int) and not OWN_SIZE.search(config["network"]["name"]):
                    changes.append(f"data.{split}.transforms.{number}.{key}={SIDE}")
    return changes


@pytest.mark.parametrize("file", configs("PGL"))
def test_a_graph_network(file: Path, server: KillingServer, tmp_path: Path) -> None:
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    _, write, changes, near, given, expected = GRAPHS[config["task"]["name"]]
    if file.stem == "citeseer_gcn":
        data, given = write_cora(tmp_path / "data", name="citeseer"), partial(arrays_of, kind=CiteseerDataset)
    else:
        write = write_cora if file.stem.startswith("cora") else OWN_GRAPHS.get(file.stem, write)
        data = write(tmp_path / "data")
    keys = _keys(config) | ({"dataset"} if config["data"]["dataset"]["name"].startswith("Drawn") else set())
    wanted = [change for change in changes if change.split("=")[0].split(".")[-1] in keys]
    if file.stem == "own_graph_gcn":
        given, near = partial(arrays_of, kind=own_graph), "107"
    elif file.stem == "own_graphs_gin":
        given = _first_graphs
    elif file.stem == "own_texts_erniesage":
        given, wanted = _own_texts, ["data.dataset.vocab_file=null", f"network.encoder={ERNIE}", "task.batch_size=2"]
    elif file.stem == "airports_node2vec":
        near = "10013"
    walk = Walk(server, tmp_path, "PGL", file, data, wanted)
    walk_graph(walk, near, given(data), rotated if file.stem.endswith("_rotate") else expected)


def _own_texts(data: Path) -> list[np.ndarray]:
    return texts_of(TextGraphDataset(root=str(data)), 10)


def _first_graphs(data: Path) -> list[np.ndarray]:
    return TUDataset(root=str(data)).batch(np.arange(5))


def _keys(config: Any) -> set[str]:
    return {*config["task"], *config["network"]}


@pytest.mark.parametrize("file", configs("PaddleGAN"))
def test_a_generator(file: Path, server: KillingServer, tmp_path: Path) -> None:
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    _, write, changes, modes = ADVERSARIAL[config["task"]["name"]]
    kind, data, more = config["data"]["train"]["dataset"]["name"], None, []
    if kind == "UnpairedDataset":
        for number, part in enumerate(("trainA", "trainB", "testA", "testB")):
            write_pictures(tmp_path / "data" / part, 4, 32, first=20 * number)
        data = tmp_path / "data"
    elif kind == "PairedDataset":
        data = tmp_path / "data"
        for part in ("train", "val", "test"):
            write_pictures(data / part, 4, 64)
            (data / f"{part}.txt").write_text("".join(f"{part}/0{i}.png\t{part}/0{i + 1}.png\n" for i in range(3)))
    elif write is not None:
        data = write(tmp_path / "data")
    elif kind == "SingleDataset":  # its place is taken by drawn faces, which have labels to judge by
        data = tmp_path
    if kind == "Faces" and config["task"]["name"] == "UnconditionalGAN":
        more = [change.replace("size: 32", "size: 64") for change in FACES]
    elif kind == "UnpairedFaces":
        more = [f"data.{split}.dataset.count=4" for split in ("train", "test")]
    elif kind == "CelebA":
        faces = "{name: Faces, count: 4, size: 180, attributes: [Bangs, Eyeglasses]}"
        more = [f"data.{split}.dataset={faces}" for split in ("train", "valid", "test")]
        more.append("data.valid.batch_size=4")
        data = tmp_path
    if "num_upsampling_layers" in config["generator"]["network"]:
        more = [change.replace("[32, 32]", "[64, 64]") for change in TRANSLATED]
    wanted = [change for change in changes if _fits(change, config)]
    walk = Walk(server, tmp_path, "PaddleGAN", file, data, [*wanted, *more])
    bounded = config["task"]["name"] not in UNBOUNDED
    walk_restorer(walk) if "restore" in modes else walk_adversarial(walk, modes, bounded)


def _fits(change: str, config: Any) -> bool:
    """Whether a network of the config has the argument that a change makes smaller."""
    section, _, argument = change.partition("=")[0].partition(".network.")
    return argument not in ("n_blocks", "num_downs", "fc_dim") or argument in config[section]["network"]


@pytest.mark.parametrize("file", configs("PaddleDetection"))
def test_a_detector_takes_two_steps(file: Path, tmp_path: Path) -> None:
    run, small = tmp_path / "run", tmp_path / file.name
    small.write_text(yaml.safe_dump(smaller(yaml.safe_load(file.read_text(encoding="utf-8")), str(run))))
    assert train_detector.main(["-c", str(small)]) == 0
    assert (run / "checkpoints" / "newest").resolve().name == "step_00000002"
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    losses = [row["loss"] for row in rows if row["split"] == "train"]
    assert losses and np.isfinite(losses).all()
    judged = json.loads((run / "results.json").read_text())["results"]
    numbers = [value for results in judged.values() for name, value in results.items() if name.endswith("AP")]
    assert numbers and all(0 <= number <= 1 for number in numbers)


def test_a_detector_of_faces(server: KillingServer, tmp_path: Path) -> None:
    """WIDER FACE's files, from training to what an export finds."""
    config = yaml.safe_load((ROOT / "PaddleDetection/configs/faces/blazeface_1000e.yaml").read_text())
    config["evaluate"]["face_views"] = False  # more views than training evaluates
    small = tmp_path / "blazeface.yaml"
    small.write_text(yaml.safe_dump(smaller(config, str(tmp_path / "run"), wider=True)))
    data = tmp_path / "data"
    write_wider(data / "dataset" / "wider_face")
    walk = Walk(server, tmp_path, "PaddleDetection", small, data, [])
    walk_detector(walk, data / "dataset/wider_face/WIDER_val/images/0--Parade", "valid")
