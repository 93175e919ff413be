"""Good files of every kind that is read here, and how each is damaged by a number."""

from __future__ import annotations

import base64
import gzip
import io
import json
import pickle
import random
import struct
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Optional

import cv2
import numpy as np
from PIL import Image

import core
from core.io.tfrecord import write_records
from core.weights import write_safetensors
from PGL import Graph
from tests import fuzz, hostile_files, hostile_images, hostile_programs
from tests.core.weights.test_mxnet_params import WITH_NUMPY_SHAPES, WITHOUT_NUMPY_SHAPES
from tests.fuzzing import structure
from tests.fuzzing.structure import Mutation
from tests.hostile_images import encoded
from tests.PaddleVideo.data.test_youtube8m import of_frames, of_video
from tests.parity.text import tiny_archives
from tests.PGL.small_sets import write_cora, write_graphs, write_own_graph, write_texts, write_triples
from tests.program_texts import write

ROOT = Path(__file__).resolve().parents[2]
TORCH = ROOT / "tests" / "core" / "weights" / "data"


class Good(NamedTuple):
    """A good file, or a folder of which one file is damaged.

    Attributes:
        name: of the file or folder.
        data: the file's content; that of the file that is damaged.
        mutation: one that knows the format; None: only bytes are changed.
        file: in a folder, the name of this file.
        others: the folder's other files.
        packed: whether it is compressed after it was damaged.
    """

    name: str
    data: bytes
    mutation: Optional[Mutation] = None
    file: Optional[str] = None
    others: Mapping[str, bytes] = {}
    packed: bool = False


def good_files(folder: Path) -> dict[str, list[Good]]:
    """Return good files of each kind.

    Args:
        folder: where some are made.
    """
    weights = _weights(folder)
    return {
        "weights": [good for good in weights if good.name != "a.pdopt"],
        "state": [good for good in weights if not good.name.startswith("f")],
        "image": _images(),
        "config": [_config(*one) for one in CONFIGS],
        "program": _folder(_exported(folder / "program"), {".json": structure.of_json, **SAFETENSORS}),
        "idx": _idx(),
        "planetoid": _folder(write_cora(folder / "cora"), {"": structure.of_pickle, ".index": None}),
        "graph": _folder(_graph(folder / "graph"), {".json": structure.of_json, ".npy": None}),
        "own_graph": [*_own_graphs(folder)],
        "own_graphs": _folder(write_graphs(folder / "graphs", count=6), {".txt": None}),
        "triples": _folder(write_triples(folder / "triples"), {".txt": None}),
        "text_graph": _folder(write_texts(folder / "own_texts"), {".tsv": None}),
        "archive": _archives(),
        "boxes": _boxes(),
        "texts": _texts(),
        "corpora": _corpora(folder / "corpora"),
        "video": _videos(folder),
        "clips": _clips(folder / "clips"),
    }


CONFIGS = (("PaddleClas", "digits_lenet"), ("PaddleGAN", "faces_stgan"), ("PGL", "umls_rotate"))
SAFETENSORS: dict[str, Optional[Mutation]] = {".safetensors": structure.of_safetensors}


def _folder(folder: Path, mutations: Mapping[str, Optional[Mutation]]) -> list[Good]:
    """Return a case for each file of a folder whose suffix, without that of the data set's name, has a mutation."""
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    cases = []
    for name, data in files.items():
        suffix = "" if name.startswith("ind.") and not name.endswith(".index") else Path(name).suffix
        others = {other: content for other, content in files.items() if other != name}
        cases.append(Good(folder.name, data, mutations[suffix], name, others))
    return cases


def _own_graphs(folder: Path) -> list[Good]:
    """Return features, labels, splits and edges of a graph, as text and as arrays."""
    text = _folder(write_own_graph(folder / "own_text"), {".csv": None})
    mutations = {".csv": None, ".npy": None, ".npz": structure.of_zip}
    return [*text, *_folder(write_own_graph(folder / "own_arrays", arrays=True), mutations)]


def _config(toolkit: str, name: str) -> Good:
    data = (ROOT / toolkit / "configs" / f"{name}.yaml").read_bytes()
    return Good(f"{toolkit}_config.yaml", data, structure.of_yaml)


def _weights(folder: Path) -> list[Good]:
    arrays = {"conv.weight": np.arange(120, dtype=np.float32).reshape(4, 3, 10), "step": np.array(7)}
    saved = {**arrays, "StructuredToParameterName@@": {name: f"p_{name}" for name in arrays}}
    write_safetensors(arrays, folder / "arrays.safetensors", {"format": "1"})
    native = (folder / "arrays.safetensors").read_bytes()
    pickles = [pickle.dumps(saved, protocol) for protocol in (2, 4)]
    fluid = struct.pack("<IQI", 0, 0, 0) + struct.pack("<i", 6) + b"\x08\x05\x10\x02\x10\x03" + bytes(24)
    return [
        *(Good("a.pdparams", data, structure.of_pickle) for data in pickles),
        Good("a.pdopt", pickle.dumps({"LR": {"last_epoch": 3}, "moment_0": arrays["step"]}, 2), structure.of_pickle),
        Good("a.safetensors", native, structure.of_safetensors),
        Good("a.params", WITHOUT_NUMPY_SHAPES),
        Good("b.params", WITH_NUMPY_SHAPES),
        Good("fc_w", fluid),
        Good("torch.bin", (TORCH / "archive.bin").read_bytes(), structure.of_zip),
        Good("older.bin", (TORCH / "stream.bin").read_bytes()),
        Good("fluid.tar", _tar({"fluid/fc_w": fluid, "fluid/fc_b": fluid}), structure.of_tar),
    ]


def _images() -> list[Good]:
    pixels = np.random.RandomState(0).randint(0, 256, (8, 12, 3), dtype=np.uint8).repeat(4, axis=0).repeat(4, axis=1)
    picture = Image.fromarray(pixels)
    kinds: list[tuple[str, str, Any, Optional[Mutation]]] = [
        ("a.png", "PNG", picture, structure.of_png),
        ("p.png", "PNG", picture.quantize(16), structure.of_png),
        ("a.jpg", "JPEG", picture, None),
        ("c.jpg", "JPEG", picture.convert("CMYK"), None),
        ("a.gif", "GIF", picture, None),
        ("a.bmp", "BMP", picture, None),
        ("a.webp", "WEBP", picture, None),
        ("a.tiff", "TIFF", picture, None),
        ("a.ppm", "PPM", picture, None),
    ]
    return [Good(name, encoded(format, image), mutation) for name, format, image, mutation in kinds]


def _exported(folder: Path) -> Path:
    core.seed(0)
    network = core.nn.Sequential(core.nn.Conv2D(3, 4, 3), core.nn.ReLU(), core.nn.Flatten(), core.nn.Linear(16, 2))
    core.jit.save(network, folder, [core.static.InputSpec([None, 3, 4, 4], "float32", "images")])
    return folder


def _idx() -> list[Good]:
    images = struct.pack(">4i", 2051, 5, 6, 7) + bytes(range(210))
    labels = struct.pack(">2i", 2049, 5) + bytes(5)
    return [Good("images", images), Good("labels", labels), Good("images.gz", images, packed=True)]


def _graph(folder: Path) -> Path:
    features = {"x": np.arange(12, dtype=np.float32).reshape(6, 2)}
    Graph(edges=[(0, 1), (1, 2), (3, 4), (4, 5)], num_nodes=6, node_feat=features).dump(str(folder))
    return folder


def _tar(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def _archives() -> list[Good]:
    files = {"data/a.txt": b"first", "data/b/c.txt": b"second" * 100}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return [
        Good("a.tar", _tar(files), structure.of_tar),
        Good("a.tar.gz", _tar(files), structure.of_tar, packed=True),
        Good("a.zip", out.getvalue(), structure.of_zip),
    ]


def _boxes() -> list[Good]:
    """Return a data set of each layout of boxes and masks, whose annotations are damaged."""
    image = encoded("PNG", Image.new("RGB", (20, 10)))
    points = [[1.0, 1.0], [8.0, 1.0], [1.0, 6.0]]
    runs = {"size": [10, 20], "counts": [50, 30, 120]}
    text = {"size": [10, 20], "counts": "b1n0h3"}
    common = {"image_id": 7, "category_id": 3, "bbox": [1, 1, 7, 5], "area": 9, "iscrowd": 0}
    masks = [[[value for point in points for value in point]], runs, text]
    coco = {
        "images": [{"id": 7, "file_name": "a.png", "height": 10, "width": 20}],
        "annotations": [{**common, "id": place, "segmentation": mask} for place, mask in enumerate(masks)],
        "categories": [{"id": 3, "name": "cat"}, {"id": 5, "name": "dog"}],
    }
    shape = {"label": "cat", "points": points, "group_id": None, "shape_type": "polygon", "flags": {}}
    pixels = base64.b64encode(encoded("PNG", Image.new("L", (3, 2), 255))).decode()
    mask = {**shape, "points": [[4, 5], [6, 6]], "shape_type": "mask", "mask": pixels}
    labelme = {"imagePath": "a.png", "imageHeight": 10, "imageWidth": 20, "imageData": None, "shapes": [shape, mask]}
    corners = "".join(f"<{side}>{place + 2}</{side}>" for place, side in enumerate(("xmin", "ymin", "xmax", "ymax")))
    size = "<size><width>20</width><height>10</height></size>"
    voc = f"<annotation>{size}<object><name>cat</name><bndbox>{corners}</bndbox></object></annotation>"
    lines = "1 0.5 0.5 0.5 0.4\n0 0.1 0.2 0.6 0.2 0.6 0.8\n"
    faces = "a.png\n2\n1 2 7 5 0 0\n3 3 4 4\n"
    street = {"label": "car", "polygon": [[2, 2], [9, 2], [9, 8]]}
    streets = {"imgHeight": 10, "imgWidth": 20, "objects": [street, {**street, "label": "cargroup"}]}
    city = "gtFine/train/ulm/a_gtFine_polygons.json", {"leftImg8bit/train/ulm/a_leftImg8bit.png": image}
    names = {"labels.txt": b"cat\ndog\n", "a.png": image}
    return [
        Good("coco", json.dumps(coco).encode(), structure.of_json, "all.json", names),
        Good("labelme", json.dumps(labelme).encode(), structure.of_json, "a.json", names),
        Good("cityscapes", json.dumps(streets).encode(), structure.of_json, *city),
        Good("voc", voc.encode(), structure.of_xml, "a.xml", {**names, "trainval.txt": b"a.png a.xml\n"}),
        Good("yolo", lines.encode(), structure.of_numbers, "a.txt", names),
        Good("wider", faces.encode(), structure.of_numbers, "faces.txt", names),
    ]


def _texts() -> list[Good]:
    """Return a data set of texts of each layout."""
    answer = {"text": "ann", "answer_start": 0}
    question = {"id": "1", "question": "who?", "answers": [answer], "is_impossible": False}
    squad = {"data": [{"title": "t", "paragraphs": [{"context": "ann met bob", "qas": [question]}]}]}
    cmrc = [{"context_text": "ann met bob", "qas": [{"query_id": "1", "query_text": "who?", "answers": ["ann"]}]}]
    found = {"text": "ann", "char_spans": [[0, 2]]}
    asked = {"qid": "1", "question": "who?", "answers": ["ann"], "detected_answers": [found]}
    mrqa = {"context": "ann met bob", "qas": [asked]}
    document = {"segmented_paragraphs": [["a"], ["ann", "met", "bob"]], "most_related_para": 1}
    marks = {"answers": ["ann"], "answer_docs": [0], "answer_spans": [[0, 1]]}
    dureader = {"question_id": 1, "question": "who?", "documents": [document], **marks}
    relations = {"text": "ann met bob", "spo_list": [{"predicate": "p", "subject": [0, 3], "object": [8, 11]}]}
    talk = {"goal": [["START", "a", "b"]], "knowledge": [["a", "p", "c d"], ["b", "p", "e"]]}
    talks = {**talk, "conversation": ["do you know a", "no", "a is c d", "and b", "b is e"]}
    asking = {**talk, "history": ["and b"], "response": "b is e", "candidate": ["b is e", "b is c d"]}
    entities = [{"text": name, "label": "PERSON"} for name in ("ann", "bob")]
    mention = {"em1Text": "ann", "em2Text": "bob", "label": "knows", "is_noise": False}
    distant = {"sentText": "ann met bob", "relationMentions": [mention], "entityMentions": entities}
    turns = [{"y": [1, 0], "c": [[3, 28270, 4, 28270], [5]], "r": [[6], [7, 8]]}] * 3
    toxic = 'id,comment_text,toxic,severe_toxic,obscene,threat,insult,identity_hate\n1,"a, ""b""\nc",1,0,0,1,0,0\n'
    words = "\n".join(f"{number}\tw\tw\tNOUN\tNN\t_\t0\troot\t_\t_" for number in (1, 2))
    return [
        *(
            Good(name, json.dumps(content).encode(), structure.of_json)
            for name, content in (
                *(("squad", squad), ("cmrc", cmrc), ("mrqa.jsonl", mrqa), ("dureader.json", dureader)),
                *(("candidates.json", talks), ("replies.json", asking), ("distant.json", distant)),
                ("passages.json", {**dureader, "segmented_question": ["who", "?"]}),
                *(("relations.json", relations), ("afqmc.json", {"sentence1": "a", "sentence2": "b", "label": "0"})),
            )
        ),
        *(
            Good(name, content.encode(), structure.of_numbers)
            for name, content in (
                *(("lcqmc.tsv", "a b\tc d\t1\ne\tf\t0\n"), ("toxic.csv", toxic), ("words.conllu", words + "\n\n")),
                *(("tags.conll", "a B-X\nb I-X\n\nc O\n"), ("joined.tsv", "a\x02b\tn-B\x02n-I\n")),
                *(("rows.txt", "1 5 2;0 0 0;0 1 2;-1 0 -1;1\n" * 2), ("state.txt", "0\ta\x01b\tx y\n0\tc\ty\n")),
                *(("match.txt", "1\ta b\tc\n0\ta b\td\n"), ("documents.txt", "One.\nTwo.\n\nThree.\n")),
                *(("triples.tsv", "a b\tc\td e\n"), ("lac.tsv", "text_a\tlabel\na\x02b\tn-B\x02n-I\n")),
                *(("parallel.tsv", "a b\tc d\ne f@@ g\th\n"), ("merges.bpe", "#version: 0.2\na b\nab c</w>\n")),
                *(("turns.tsv", "a b e c e\td\t1\na\te\t0\n"), ("posts.tsv", "a b\tc\nd\te f\n")),
                *(("user.dic", "# a\n[D:LOC]\na\\ b\nc/n d/v\n"), ("word.dic", "0\ta\n1\tb\n2\tOOV\n")),
            )
        ),
        Good("packed.tsv.gz", b"a b\tc d\t1\n" * 9, structure.of_numbers, packed=True),
        *(Good("matching.pkl", pickle.dumps(turns, protocol), structure.of_pickle) for protocol in (2, 4)),
    ]


def _corpora(folder: Path) -> list[Good]:
    """Return an archive of each data set of paddle.text."""
    folder.mkdir()
    archives = [tiny_archives.imdb, tiny_archives.imikolov, tiny_archives.wmt14, tiny_archives.wmt16]
    paths = [Path(make(folder)) for make in archives]
    archive, *dictionaries = map(Path, tiny_archives.conll05(folder))
    others = {path.name: path.read_bytes() for path in dictionaries}
    movies, houses = Path(tiny_archives.movielens(folder)), Path(tiny_archives.uci_housing(folder))
    return [
        *(Good(path.name, path.read_bytes(), structure.of_text_archive) for path in paths),
        Good("conll05", archive.read_bytes(), structure.of_text_archive, archive.name, others),
        Good(movies.name, movies.read_bytes(), structure.of_zip),
        Good(houses.name, houses.read_bytes(), structure.of_numbers),
    ]


def _videos(folder: Path) -> list[Good]:
    """Return three moving frames in three kinds of file."""
    frames = np.random.RandomState(0).randint(0, 256, (3, 32, 48, 3), dtype=np.uint8)
    videos = []
    for name, code in (("a.mp4", "mp4v"), ("a.avi", "MJPG"), ("a.mkv", "MJPG")):
        writer = cv2.VideoWriter(str(folder / name), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*code), 5.0, (48, 32))
        for frame in frames:
            writer.write(frame)
        writer.release()
        videos.append(Good(name, (folder / name).read_bytes()))
    return videos


def _clips(folder: Path) -> list[Good]:
    """Return a list of folders of frames, a pickle of frames, features of videos, and when actions happen in them."""
    folder.mkdir()
    frame = encoded("JPEG", Image.new("RGB", (8, 8)))
    frames = {f"img_{number:05d}.jpg": frame for number in (1, 2)}
    pickled = pickle.dumps(("clip", 1, [frame, frame]), 2)
    features = np.arange(12, dtype=np.uint8).reshape(3, 4)
    write_records(str(folder / "a.tfrecord"), [of_frames(features, features[:, :2]), of_video()])
    return [
        Good("frames", b". 2 0\n. 1 1\n", None, "list.txt", frames),
        Good("pickled", pickled, structure.of_pickle, "a.pkl", {"list.txt": b"a.pkl\n"}),
        Good("a.tfrecord", (folder / "a.tfrecord").read_bytes(), structure.of_records),
        *_intervals(),
    ]


def _intervals() -> list[Good]:
    """Return files of features, and annotations of each kind."""
    values, array = np.arange(12, dtype=np.float32).reshape(3, 4), io.BytesIO()
    np.save(array, values)
    scores = pickle.dumps({"scores": values[None], "duration": 6.0}, 2)
    action = {"label": "run", "segment": [1.0, 2.5]}
    videos = {"a": {"duration_second": 6.0, "subset": "training", "annotations": [action]}}
    words = {"a.txt": b"cut\nmix\nmix\n", "train.bundle": b"a.txt\n", "a.npy": array.getvalue()}
    return [
        Good("features.npy", array.getvalue()),
        Good("features.pkl", scores, structure.of_pickle),
        Good("annotations", json.dumps(videos).encode(), structure.of_json, "a.json", {"a.pkl": scores}),
        Good("concepts", b"a 3 1 1 0.5 2\n", None, "list.txt", {"a.pkl": scores}),
        Good("steps", b"0 cut\n1 mix\n", None, "mapping.txt", words),
    ]


def damaged(number: int, goods: list[Good], folder: Path) -> Path:
    """Write the damaged file of a number, the same one each time.

    Args:
        number: which one.
        goods: the good files of its kind.
        folder: where to write; it is empty.

    Returns:
        The file, or the folder that it is in.
    """
    good = goods[number % len(goods)]
    source = random.Random(number)
    if good.mutation is not None and source.random() < 0.6:
        data = good.mutation(source, good.data)
    else:
        data = fuzz.mutated(number, [good.data, *(other.data for other in goods)][: 1 + source.randrange(2)])
    return written(good, data, folder)


def written(good: Good, data: bytes, folder: Path) -> Path:
    """Write a file, or the folder that it is in; return its path.

    Args:
        good: the case.
        data: what takes the place of its content.
        folder: where to write.
    """
    path = folder / good.name
    if good.file is None:
        path.write_bytes(gzip.compress(data, mtime=0) if good.packed else data)
        return path
    path.mkdir()
    for name, content in {**good.others, good.file: data}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def bombs(kind: str, folder: Path) -> list[Path]:
    """Write the small files that ask for much: each has to be refused.

    Args:
        kind: "weights", "image", "archive" or "program".
        folder: where to write them.
    """
    written = []
    if kind == "weights":
        written = [make(_made(folder, make.__name__)) for make in (*hostile_files.PICKLES, *hostile_files.WEIGHTS)]
    elif kind == "archive":
        written = [make(_made(folder, make.__name__)) for make in hostile_files.ARCHIVES]
    elif kind == "image":
        for name, make_image in hostile_images.HOSTILE_IMAGES.items():
            written.append(_made(folder, name) / f"{name}.jpg")
            written[-1].write_bytes(make_image())
    else:
        for name, bomb in hostile_programs.BOMBS.items():
            written.append(folder / name)
            write(written[-1], bomb.text())
    return written


def _made(folder: Path, name: str) -> Path:
    (folder / name).mkdir(parents=True)
    return folder / name
