"""The program of a process that reads damaged files, one after the other, as standard input names them.

It ends at once, by a signal, when a file makes it start a program, and when one takes ten seconds of processor time.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import struct
import sys
from pathlib import Path
from typing import Any, Callable

STARTS = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "subprocess.Popen", "pty.spawn")
SECONDS = 10
GIGABYTE = 1 << 30


class StartedProgramError(BaseException):
    """A file made its reader start a program; no ``except Exception`` hides it."""


def refuse_programs() -> bool:
    """Let no program be started from this process: Python's ways raise, the system's own call ends the process.

    Returns:
        Whether the system accepts that (Linux with seccomp, x86-64).
    """

    def hook(event: str, _: tuple[Any, ...]) -> None:
        if event in STARTS:
            raise StartedProgramError(event)

    sys.addaudithook(hook)
    # Load the number of the system call; execve (59) and execveat (322) end the process, all others are allowed.
    compared = ((0x20, 0, 0, 0), (0x15, 2, 0, 59), (0x15, 1, 0, 322))
    instructions = (*compared, (0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x80000000))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in instructions))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0


def peak_megabytes() -> float:
    """Return the most memory that this process had resident since the last :func:`forget_peak`."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def forget_peak() -> None:
    """Let the peak begin anew."""
    Path("/proc/self/clear_refs").write_text("5")


def _weights(path: Path) -> None:
    from core.weights import read_weights

    read_weights(path)


def _state(path: Path) -> None:
    import core

    core.load(str(path), return_numpy=True)


def _image(path: Path) -> None:
    from core.vision import read_image

    assert read_image(path).dtype == "uint8"


def _config(path: Path) -> None:
    from core.train.config.schema import load_config
    from PaddleClas.config import ClassificationConfig
    from PaddleGAN.config import GANConfig
    from PGL.config import GraphConfig

    schemas: Any = {"PaddleClas": ClassificationConfig, "PaddleGAN": GANConfig, "PGL": GraphConfig}
    load_config(schemas[path.stem.partition("_")[0]], path)


def _program(path: Path) -> None:
    from core.jit import Predictor

    Predictor(path)


def _idx(path: Path) -> None:
    from core.vision.datasets.idx import read_idx

    read_idx(str(path))


def _planetoid(path: Path) -> None:
    from PGL.data import CoraDataset

    CoraDataset(root=str(path))


def _own_graph(path: Path) -> None:
    from PGL.data import EdgeListDataset

    forms = ("npy", "npy", "npz") if (path / "features.npy").exists() else ("csv", "csv", "csv")
    files = {name: f"{name}.{form}" for name, form in zip(("features", "labels", "splits"), forms)}
    EdgeListDataset("edges.csv", **files, renumber=forms[0] == "csv", symmetry_edges=True, root=str(path))


def _own_graphs(path: Path) -> None:
    from PGL.data import TUDataset

    TUDataset(folds=3, root=str(path)).batch([0, 1])


def _text_graph(path: Path) -> None:
    from PGL.data import TextGraphDataset

    TextGraphDataset(root=str(path))


def _triples(path: Path) -> None:
    from PGL.data import TripleListDataset

    TripleListDataset(root=str(path))


def _graph(path: Path) -> None:
    from PGL import Graph

    Graph.load(str(path)).adj_src_index  # noqa: B018


def _archive(path: Path) -> None:
    from core.weights.unpacking import unpack

    unpack(path)


def _boxes(path: Path) -> None:
    import warnings

    from PaddleDetection.data.cityscapes import CityscapesDataset
    from PaddleDetection.data.coco import COCODataset
    from PaddleDetection.data.labelme import LabelmeDataset
    from PaddleDetection.data.transforms.basic import Decode
    from PaddleDetection.data.transforms.boxes import Poly2Mask
    from PaddleDetection.data.voc import VOCDataset
    from PaddleDetection.data.wider_face import WIDERFaceDataset
    from PaddleDetection.data.yolo_text import YOLODataset

    kinds: dict[str, Callable[[], Any]] = {
        "coco": lambda: COCODataset(str(path), "all.json"),
        "labelme": lambda: LabelmeDataset(str(path)),
        "cityscapes": lambda: CityscapesDataset(str(path)),
        "voc": lambda: VOCDataset(str(path), label_list="labels.txt"),
        "yolo": lambda: YOLODataset(str(path), ".", "labels.txt"),
        "wider": lambda: WIDERFaceDataset(str(path), "faces.txt"),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = kinds[path.name]()
    for index in range(len(dataset)):
        sample = Decode()(dataset[index])
        if "gt_poly" in sample:
            Poly2Mask()(sample)


def _texts(path: Path) -> None:
    import warnings

    from core.text import SubwordBPE
    from PaddleNLP.data.registry import DATASETS
    from PaddleNLP.lexical.user_dictionary import UserDictionary, Word
    from PaddleNLP.word_level import WordLevelTokenizer

    if path.suffix == ".bpe":
        SubwordBPE(path).tokenize("abc ab c")
        return
    if path.suffix == ".dic":
        if path.name.startswith("user"):
            UserDictionary.read(path).applied("a bcd", [Word(0, 5, "n")])
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                WordLevelTokenizer(path)("a b c")
        return
    kinds = {
        "squad": "SQuADDataset",
        "cmrc": "SQuADDataset",
        "mrqa": "MRQADataset",
        "dureader": "DuReaderDataset",
        "relations": "RelationDataset",
        "afqmc": "AFQMC",
        "lcqmc": "LCQMC",
        "packed": "LCQMC",
        "toxic": "Toxic",
        "words": "CoNLLUDataset",
        "tags": "CoNLLDataset",
        "joined": "JoinedRows",
        "triples": "TriplesDataset",
        "parallel": "ParallelDataset",
        "lac": "LAC",
        "rows": "PretrainingRows",
        "documents": "DocumentsDataset",
        "state": "DialogueStateDataset",
        "match": "DialogueMatchDataset",
        "turns": "ContextResponseRows",
        "matching": "MatchingPickle",
        "candidates": "DuConvCandidates",
        "replies": "DuConvReplies",
        "posts": "PostReplies",
        "distant": "DistantRelations",
        "passages": "DuReaderPassages",
    }
    settings: dict[str, dict[str, Any]] = {
        "turns": {"end_of_turn": "e", "candidates": 2},
        "candidates": {"candidates": 2, "variant": "match_kn_gene"},
    }
    name = path.name.split(".")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = DATASETS.resolve(kinds[name])(str(path), **settings.get(name, {}))
    for index in range(len(dataset)):
        dataset[index]


def _corpora(path: Path) -> None:
    import warnings

    from core.text import datasets

    name = path.name.partition(".")[0]
    conll = ("conll05st-tests.tar.gz", "wordDict.txt", "verbDict.txt", "targetDict.txt", "emb")
    read: dict[str, Callable[[], Any]] = {
        "aclImdb_v1": lambda: datasets.Imdb(str(path), cutoff=1),
        "simple-examples": lambda: datasets.Imikolov(str(path), window_size=2, min_word_freq=1),
        "wmt14": lambda: datasets.WMT14(str(path), dict_size=9),
        "wmt16": lambda: datasets.WMT16(str(path), src_dict_size=9, trg_dict_size=9),
        "conll05": lambda: datasets.Conll05st(*(str(path / file) for file in conll)),
        "ml-1m": lambda: datasets.Movielens(str(path)),
        "housing": lambda: datasets.UCIHousing(str(path)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = read[name]()
    for index in range(len(dataset)):
        dataset[index]


def _video(path: Path) -> None:
    from core.vision.video import VideoReader
    from core.vision.video_frames import VideoFrames

    for frame in VideoReader(path, maximum_pixels=10**6, maximum_frames=1000):
        assert frame.dtype == "uint8"
    chosen = VideoFrames(path, maximum_pixels=10**6, maximum_frames=1000)
    assert chosen.read([chosen.count - 1])[0].dtype == "uint8"


def _clips(path: Path) -> None:
    from PaddleVideo.data.files import FrameDataset, PickledDataset
    from PaddleVideo.data.sampling import SampleSegments
    from PaddleVideo.data.youtube8m import YouTube8M

    if path.suffix == ".tfrecord":
        features = YouTube8M(str(path), class_num=10, max_frames=3, feature_dims=[4, 2])
        for index in range(len(features)):
            assert len(features[index]) == 4
        return
    if path.name not in ("frames", "pickled"):
        return _intervals(path)
    given = {"file_path": str(path / "list.txt"), "data_prefix": str(path), "transform": SampleSegments(2)}
    data = FrameDataset(**given) if path.name == "frames" else PickledDataset(class_num=3, **given)
    for index in range(len(data)):
        assert data[index][0].dtype == "uint8"


def _intervals(path: Path) -> None:
    from PaddleVideo.data.intervals.activitynet import ActivityNetFeatures
    from PaddleVideo.data.intervals.concepts import ConceptFeatures
    from PaddleVideo.data.intervals.features import read_features
    from PaddleVideo.data.intervals.frame_labels import SegmentedFeatures

    if path.suffix:
        assert read_features(str(path)).values.dtype == "float32"
        return
    folder = str(path)
    if path.name == "annotations":
        data = ActivityNetFeatures(f"{folder}/a.json", folder, "training", 4)
    elif path.name == "concepts":
        data = ConceptFeatures(f"{folder}/list.txt", ["."], folder, 3, 4)
    else:
        data = SegmentedFeatures(f"{folder}/train.bundle", folder, folder, f"{folder}/mapping.txt", 3)
    for index in range(len(data)):
        steps = len(data[index])
        if path.name != "concepts":
            assert data.labels(index, steps).shape == (steps,)


def _trap(path: Path) -> None:
    """Do what a file for the tests of this process says."""
    word = path.read_text()
    if word == "spin":
        while True:
            pass
    if word == "sleep":
        import time

        time.sleep(600)
    if word == "allocate":
        bytearray(9 * GIGABYTE // 4)
    if word == "system":
        os.system("true")  # noqa: S605
    if word == "execve":
        ctypes.CDLL(None).execl(b"/bin/true", b"true", None)
    if word == "crash":
        ctypes.string_at(0)
    if word == "lines":
        raise ValueError("one\ntwo")
    if word == "kind":
        raise IndexError("list index out of range")
    if word == "refused":
        raise ValueError(f"{path}: it is no good")


READERS: dict[str, Callable[[Path], None]] = {
    "weights": _weights,
    "state": _state,
    "image": _image,
    "config": _config,
    "program": _program,
    "idx": _idx,
    "planetoid": _planetoid,
    "graph": _graph,
    "own_graph": _own_graph,
    "own_graphs": _own_graphs,
    "triples": _triples,
    "text_graph": _text_graph,
    "archive": _archive,
    "boxes": _boxes,
    "texts": _texts,
    "corpora": _corpora,
    "video": _video,
    "clips": _clips,
    "trap": _trap,
}
WITH_ENGINE = ("program", "state", "config")


def load(engine: bool) -> None:
    """Load what the readers need, some of which starts programs itself to find its libraries.

    Args:
        engine: whether to load and start the engine, too.
    """
    import scipy.sparse  # noqa: F401
    import sklearn.model_selection  # noqa: F401

    import core.vision
    import core.vision.datasets.idx
    import core.weights
    import core.weights.unpacking
    import PaddleDetection.data.pipeline  # noqa: F401
    import PaddleNLP.data.registry  # noqa: F401
    import PaddleVideo.data.pipeline  # noqa: F401
    import PGL.config
    import PGL.data.text_graph  # noqa: F401

    if engine:
        import PaddleGAN.config  # noqa: F401

        core.ones([1]).numpy()


def main() -> None:
    """Read what standard input names; answer each with one line. The argument says what is loaded before."""
    if sys.argv[1] != "nothing":
        load(engine=sys.argv[1] == "engine")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    print(json.dumps({"trapped": refuse_programs()}), file=answers, flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + 1 + order["seconds"]
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        forget_peak()
        answer: dict[str, Any] = {"message": None, "error": None}
        try:
            READERS[order["kind"]](Path(order["path"]))
        except (ValueError, OSError) as error:
            answer["message"] = str(error)
        except BaseException as error:  # all others are failures, whatever they are
            answer["error"] = f"{type(error).__name__}: {error}"[:300]
        answer["megabytes"] = peak_megabytes()
        if order["kind"] not in WITH_ENGINE and "core.kernels.engine.startup" in sys.modules:
            answer["error"] = answer["error"] or "reading it loaded the engine"
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
