"""Which programs compare speed with other libraries, and what each needs; :mod:`benchmarks.all` runs them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Optional

CLASSIFIERS = "ResNet50,MobileNetV1,MobileNetV3_large_x1_0,EfficientNetB0,SE_ResNeXt50_32x4d,DarkNet53"
TORCH, ONNXRUNTIME, OPENVINO, PADDLE = "peers torch", "peers onnxruntime", "peers openvino", "paddle paddle"
RUN_TIMES = {"onnxruntime": ONNXRUNTIME, "openvino": OPENVINO}


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A program that compares, and what it needs.

    Attributes:
        words: of its command line, beside those that all have.
        rows: what ``--rows`` may name, each with the packages that it needs: "peers torch torchvision", "" for none;
            None: it has no such option.
        needs: packages of the whole program, likewise.
        files: what must be named for it with ``--files``; empty: nothing.
        lacks: which of the options that all have it does not know.
        quick: the words of its row of ``--quick``; None: it has none.
    """

    words: tuple[str, ...] = ()
    rows: Optional[Mapping[str, str]] = None
    needs: tuple[str, ...] = ()
    files: str = ""
    lacks: tuple[str, ...] = ()
    quick: Optional[tuple[str, ...]] = None


COMPARISONS = {
    "PaddleClas.classifiers": Comparison(
        words=("--models", CLASSIFIERS),
        rows={"ours": "", "pytorch": TORCH, "paddle": PADDLE, **RUN_TIMES},
        quick=("--models", "MobileNetV1", "--rows", "onnxruntime", "--only", "forward, exported"),
    ),
    "PaddleClas.resnet50": Comparison(rows={"gluon": "", "eager": ""}, lacks=("paddle",)),
    "core.bert": Comparison(
        rows={"ours": "", "pytorch": TORCH, "compile": TORCH, "paddle": PADDLE, "inference": PADDLE, **RUN_TIMES},
        quick=("--rows", "openvino", "--only", "exported"),
    ),
    "PaddleNLP.encoders": Comparison(
        rows={
            **{"paddle": f"{PADDLE} paddlenlp", **RUN_TIMES},
            **dict.fromkeys(("pytorch", "compile"), f"{TORCH} transformers"),
        },
        quick=("--sizes", "1x16", "--rows", "onnxruntime"),
    ),
    "PaddleNLP.word_speed": Comparison(needs=(TORCH,), files="a file of LAC's form", lacks=("paddle", "threads")),
    "PaddleNLP.translation": Comparison(needs=(f"{TORCH} ctranslate2",), lacks=("paddle",)),
    "PaddleDetection.detectors": Comparison(
        rows={**RUN_TIMES, "paddle": f"{PADDLE} ppdet", "pytorch": f"{TORCH} torchvision"},
        quick=("--models", "yolov3_mobilenet_v1-320", "--rows", "onnxruntime", "--only", "exported"),
    ),
    "PaddleDetection.detector_training": Comparison(
        rows={"unfused": "", "pytorch": f"{TORCH} torchvision", "paddle": f"{PADDLE} ppdet"}
    ),
    "PaddleDetection.region_detectors": Comparison(needs=(f"{TORCH} torchvision",), lacks=("paddle",)),
    "PaddleDetection.reader": Comparison(
        needs=(f"{PADDLE} ppdet",), files="a folder of photographs", lacks=("peers", "threads")
    ),
    "PaddleVideo.recognisers": Comparison(
        rows={
            **RUN_TIMES,
            "paddle": f"{PADDLE} ppvideo",
            **dict.fromkeys(("pytorch", "pytorch_compiled", "pytorch_by_parts"), TORCH),
        },
        quick=("--models", "tsn_r50", "--rows", "openvino", "--only", "exported"),
    ),
    "PaddleVideo.feature_steps": Comparison(
        rows={"composition": "", "pytorch": TORCH, "pytorch_compiled": TORCH, "paddle": f"{PADDLE} ppvideo"},
        words=("--videos", "64", "--frames", "100"),
    ),
    "PaddleVideo.answers": Comparison(
        rows={
            **dict.fromkeys(("pytorch", "pytorch_compiled"), f"{TORCH} av cv2"),
            **{name: f"{needed} av cv2" for name, needed in RUN_TIMES.items()},
        },
        files="a folder of videos",
        lacks=("paddle",),
    ),
    "PaddleVideo.volumes": Comparison(needs=(TORCH,), lacks=("paddle",)),
    "PaddleVideo.decoding": Comparison(needs=("peers av",), files="a folder of videos", lacks=("paddle",)),
    "PaddleGAN.adversarial": Comparison(
        rows={"pytorch": TORCH, "compile": TORCH, "paddle": PADDLE, "inference": PADDLE}
    ),
    "PGL.graph_messages": Comparison(needs=(f"{TORCH} dgl",), lacks=("paddle",)),
    "PGL.graph_sampling": Comparison(needs=(f"{TORCH} torch_geometric",), lacks=("paddle", "threads")),
    "PGL.graph_training": Comparison(
        needs=(f"{TORCH} torch_geometric", f"{PADDLE} pgl"), files="a folder of Planetoid's files"
    ),
    "core.recurrent": Comparison(
        needs=(TORCH,), lacks=("paddle",), words=("--clock",), quick=("--only", "LSTM,650,20,forward", "--clock")
    ),
    "core.invoke": Comparison(needs=(TORCH,), lacks=("paddle", "threads")),
    "core.language_model": Comparison(needs=(TORCH,), lacks=("paddle",)),
    "core.detection_operators": Comparison(needs=(f"{TORCH} torchvision",), lacks=("paddle",)),
    "core.narrow": Comparison(needs=(OPENVINO,), lacks=("paddle",)),
    "core.mixed_precision": Comparison(lacks=("peers", "paddle")),
    "core.exported": Comparison(lacks=("peers", "paddle")),
    "core.ragged_batches": Comparison(needs=(TORCH,), lacks=("paddle", "threads")),
    "core.text_tokenizers": Comparison(needs=(f"{PADDLE} paddlenlp",), files="a text", lacks=("peers", "threads")),
    "core.text_subwords": Comparison(needs=(f"{PADDLE} paddlenlp",), files="a text", lacks=("peers", "threads")),
    "core.loader": Comparison(needs=(PADDLE,), files="a folder of photographs", lacks=("peers", "threads")),
    "core.transforms": Comparison(needs=(PADDLE,), files="a folder of photographs", lacks=("peers", "threads")),
}
"""The programs, by module in ``benchmarks``."""

OURS_ALONE = {
    "PGL.graph_messages_gpu": "needs a GPU",
    "PGL.graph_scale": "needs 100 GB of disk",
    "PaddleClas.accuracy": "compares accuracies, for hours",
    "PaddleClas.end_to_end": "ours alone",
    "PaddleDetection.blood_cells": "compares accuracies, for hours",
    "PaddleNLP.elmo_features": "compares accuracies, for hours",
    "PaddleNLP.fine_tuning": "compares losses",
    "PaddleNLP.dialogue_memory": "compares memory",
    "PaddleNLP.distant_relations": "compares accuracies",
    "PaddleNLP.language_models": "compares perplexities",
    "PaddleNLP.mixed_pretraining": "compares losses",
    "PaddleNLP.single_sentences": "ours alone",
    "PaddleNLP.small_ernie": "compares accuracies, for hours",
    "PaddleNLP.tasks": "compares accuracies, for hours",
    "PaddleVideo.fight_clips": "compares accuracies, for hours",
    "core.checkouts": "compares two checkouts",
    "core.cold_start": "ours alone",
    "core.first_call": "ours alone",
    "core.memory": "ours alone",
    "core.optimizer_update": "ours alone",
    "core.thread_waiting": "ours alone",
    "core.winograd_rounding": "compares errors",
}
"""Programs that docs/benchmarks.md lists and that compare no speed with another library, with the reason."""
