"""Twelve programs in Paddle's own style run unmodified, and print what they print with paddlepaddle 2.6.2.

Those that train for long run with ``-m exhaustive``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import core
from tests.tutorials.run import PROGRAMS, REFERENCES, printed

KNOWN: dict[str, list[str]] = json.loads(REFERENCES.read_text())
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
KNOWN["amp"][3] = "types: bfloat16 float32 float32"  # on CPUs Paddle 2.6 computes in float32 and warns; core does not
TOLERANCE = {"amp": 2e-3, "dcgan": 5e-3, "mnist_fit": 2e-3}  # steps of training amplify rounding


def test_there_is_an_answer_for_each_program() -> None:
    assert sorted(KNOWN) == PROGRAMS and len(PROGRAMS) == 12


LONG = ("dcgan", "double_gradient", "linear_regression", "mnist_fit", "seq2seq", "transformer")
NEEDS = {"amp": [pytest.mark.bfloat16], **dict.fromkeys(LONG, [pytest.mark.exhaustive])}


@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS.get(name, ())) for name in PROGRAMS])
def test_a_program_prints_what_it_prints_with_paddle(name: str, tmp_path: Path) -> None:
    with core.install_as_paddle():
        lines = printed(name, str(tmp_path))
    texts, wanted = [NUMBER.sub("#", line) for line in lines], [NUMBER.sub("#", line) for line in KNOWN[name]]
    assert texts == wanted
    for line, expected in zip(lines, KNOWN[name]):
        pairs = [(float(ours), float(theirs)) for ours, theirs in zip(NUMBER.findall(line), NUMBER.findall(expected))]
        for ours, theirs in pairs:
            assert ours == pytest.approx(theirs, rel=TOLERANCE.get(name, 1e-3), abs=2e-4), f"{line!r}, not {expected!r}"
