"""core.vision.models against the official paddle.vision.models: addresses, parameter names and shapes, and answers.

What the official networks are made of is in ``models.json.xz``, see make_models.py. What they answer is
in ``foreign/references/``, which Paddle's own files that run on core are compared with, too: outputs, eager, compiled
and of an exported program, and gradients, for seeded weights.
"""

from __future__ import annotations

import importlib
import json
import lzma
from pathlib import Path

import numpy as np
import pytest

import core
from core.vision import models
from tests.parity.foreign.test_foreign import CASES, compare, run

OFFICIAL = json.loads(lzma.decompress(Path(__file__).with_name("models.json.xz").read_bytes()))
SMALL = ("vision_LeNet", "vision_mobilenet_v1", "vision_shufflenet_v2_x0_25")
ANSWERING = [
    pytest.param(name, marks=() if name in SMALL else pytest.mark.zoo)
    for name, case in CASES.items()
    if case.toolkit == "paddlepaddle"
]


def test_the_names_are_the_official_ones() -> None:
    assert sorted(models.__all__) == OFFICIAL["exported"]
    entries = {official["name"] for official in OFFICIAL["networks"].values()}
    assert entries >= {name for name in models.__all__ if name.islower()} | {"LeNet"}


@pytest.mark.parametrize("file", OFFICIAL["addresses"])
def test_addresses_and_checksums_are_the_official_ones(file: str) -> None:
    ours = importlib.import_module(f"core.vision.models.{file}").model_urls
    assert {name: list(entry) for name, entry in ours.items()} == OFFICIAL["addresses"][file]


@pytest.mark.parametrize("call", OFFICIAL["networks"])
def test_parameter_names_and_shapes_are_the_official_ones(call: str) -> None:
    official = OFFICIAL["networks"][call]
    with core.LazyGuard():
        network = getattr(models, official["name"])(**official["arguments"])
    state = [(name, "x".join(map(str, tensor.shape))) for name, tensor in network.state_dict().items()]
    assert state == list(official["state"].items())  # in the same order
    trainable = [parameter for parameter in network.parameters() if not parameter.stop_gradient]
    assert sum(int(np.prod(parameter.shape)) for parameter in trainable) == official["parameters"]
    assert [name for name, _ in network.named_children()] == official["children"]


@pytest.mark.parametrize("name", ANSWERING)
def test_answers_are_the_official_ones(name: str) -> None:
    with core.install_as_paddle():  # the cases say paddle.vision.models
        network = CASES[name].build()
        assert type(network).__module__.startswith("core.vision.models.")
        answers = run.run(name, CASES[name])
    compare.check_outputs(answers, np.load(run.REFERENCES / f"{name}.npz"), CASES[name])
