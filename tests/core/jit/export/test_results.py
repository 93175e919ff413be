"""What an exported program makes of results in dicts of classes of their own."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core


class Output(OrderedDict):  # as models of paddlenlp return
    pass


class Model(core.nn.Layer):
    def forward(self, x: Any) -> Any:
        return Output(last=x + 1, states=(x * 2, [x * 3, None]))


def test_it_becomes_a_plain_dict(tmp_path: Path) -> None:
    core.jit.save(Model(), str(tmp_path / "model"), [core.static.InputSpec([None, 2], "float32")])
    found = core.jit.load(str(tmp_path / "model"))(core.ones([3, 2]))
    assert type(found) is dict and list(found) == ["last", "states"]
    assert type(found["states"]) is tuple and found["states"][1][1] is None
    np.testing.assert_array_equal(found["last"].numpy(), np.full((3, 2), 2.0))
    np.testing.assert_array_equal(found["states"][1][0].numpy(), np.full((3, 2), 3.0))


class Strange(core.nn.Layer):
    def forward(self, x: Any) -> Any:
        return {"x": x, "set": {1, 2}}


def test_other_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="the result of Strange holds an object of type set, which a program cannot"):
        core.jit.save(Strange(), str(tmp_path / "model"), [core.static.InputSpec([2, 2], "float32")])
