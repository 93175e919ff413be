"""``import paddle`` means core while the alias is in place, and nothing else changes."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
import types

import numpy as np
import pytest

import core
from core import nn
from core.paddle_alias import installed


@pytest.fixture
def alias():
    with core.install_as_paddle() as alias:
        yield alias


MODEL = """
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle import ParamAttr
from paddle.nn.initializer import Constant
from paddle.regularizer import L2Decay


class Double(nn.Layer):
    def __init__(self):
        super().__init__()
        attribute = ParamAttr(initializer=Constant(2.0), regularizer=L2Decay(0.1))
        self.linear = nn.Linear(1, 1, weight_attr=attribute, bias_attr=False)

    def forward(self, x):
        return F.relu(self.linear(paddle.to_tensor(x)))
"""


@pytest.fixture
def model(alias, tmp_path, monkeypatch):
    (tmp_path / "some_users_model.py").write_text(MODEL)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("some_users_model")
    del sys.modules["some_users_model"]


def test_a_users_file_runs_unmodified(model):
    double = model.Double()
    out = double(np.array([[3.0], [-1.0]], "float32"))
    assert isinstance(out, core.Tensor) and isinstance(double, nn.Layer)
    np.testing.assert_array_equal(out.numpy(), [[6.0], [0.0]])


def test_modules_and_names_are_cores_own(alias):
    import paddle
    import paddle.nn.functional as functional
    import paddle.optimizer.lr as schedules

    import core.optimizer.lr

    assert paddle.nn is nn and functional is nn.functional and schedules is core.optimizer.lr
    assert sys.modules["paddle.nn"] is nn and nn.__name__ == "core.nn" and nn.__spec__.name == "core.nn"
    assert paddle.Tensor is core.Tensor and paddle.concat is core.concat and paddle.float32 is core.float32
    assert set(dir(core)) <= set(dir(paddle))
    assert paddle.__version__ == "2.6.2" and core.__version__ != paddle.__version__


def test_what_is_pickled_holds_no_alias(alias):
    import paddle.regularizer

    packed = pickle.dumps(paddle.regularizer.L2Decay(0.5))
    assert b"paddle" not in packed and str(pickle.loads(packed)) == "L2Decay, coeff=0.500000"


@pytest.mark.parametrize(
    ("statement", "error", "name"),
    [
        ("import paddle.absent", ModuleNotFoundError, "paddle.absent"),
        ("import paddle.absent.deeper", ModuleNotFoundError, "paddle.absent"),
        ("from paddle import absent", ModuleNotFoundError, "paddle.absent"),
        ("from paddle.nn import Absent", ModuleNotFoundError, "paddle.nn.Absent"),
        ("import paddle.nn.absent", ModuleNotFoundError, "paddle.nn.absent"),
        ("from paddle.nn.layer.norm import Absent", ModuleNotFoundError, "paddle.nn.layer.norm.Absent"),
        ("from paddle.base import Absent", ModuleNotFoundError, "paddle.base.Absent"),
        ("import paddle._C_ops as ops; ops.absent", AttributeError, "paddle._C_ops.absent"),
        ("import paddle; paddle.absent", AttributeError, "paddle.absent"),
        ("import paddle; paddle.nn.Absent", AttributeError, "paddle.nn.Absent"),
        ("import paddle; paddle.nn.functional.absent", AttributeError, "paddle.nn.functional.absent"),
    ],
)
def test_a_missing_name_is_one_line_with_the_page(alias, statement, error, name):
    with pytest.raises(error, match=rf"^core has no {name}; docs/foreign_code\.md says what there is$"):
        exec(statement, {})  # noqa: S102  # what a user writes


def test_what_asks_whether_a_name_is_there_gets_an_answer(alias):
    import paddle

    assert not hasattr(paddle, "absent") and not hasattr(paddle.nn, "Absent")
    assert hasattr(paddle, "nn") and hasattr(paddle.nn, "Linear")
    assert getattr(paddle, "__absent__", None) is None


def test_inner_modules_that_model_files_import(alias):
    import paddle
    from paddle import _C_ops
    from paddle.base.param_attr import ParamAttr
    from paddle.nn.layer.layers import Layer, in_declarative_mode

    import core.nn.layer.layers

    assert paddle._C_ops is _C_ops and ParamAttr is core.ParamAttr
    assert paddle.framework.io.EagerParamBase is nn.Parameter and not hasattr(paddle.framework.io, "absent")
    assert paddle.nn.layer.transformer._convert_attention_mask is core.nn.layer.attention.attention_mask
    assert Layer is core.nn.layer.layers.Layer and not in_declarative_mode()
    assert importlib.import_module("paddle.utils.cpp_extension.cpp_extension").CUDA_HOME is None
    seen = []

    @core.jit.to_static
    def traced(x):
        seen.append(in_declarative_mode())
        return x + 1

    assert traced(core.ones([2])).numpy().tolist() == [2, 2] and seen == [True]


def test_modules_need_not_be_imported_one_by_one(alias):
    import paddle

    assert paddle.static.amp is sys.modules["core.static.amp"]
    assert paddle.nn.layer.conv is sys.modules["core.nn.layer.conv"]
    assert issubclass(paddle.incubate.nn.FusedLinear, nn.Layer)


def test_afterwards_paddle_is_gone_and_core_as_it_was():
    before = set(sys.meta_path), dict(vars(nn)), dict(vars(nn.layer.norm)), dict(vars(core.framework))
    with core.install_as_paddle() as alias:
        import paddle.framework.io
        import paddle.nn

        assert paddle.nn is nn and core.install_as_paddle() is alias and installed() is alias
    alias.remove()  # once more does no harm
    after = set(sys.meta_path), dict(vars(nn)), dict(vars(nn.layer.norm)), dict(vars(core.framework))
    assert after == before and installed() is None
    assert not [name for name in sys.modules if name.split(".")[0] == "paddle"]
    with pytest.raises(AttributeError, match="module 'core.nn' has no attribute 'Absent'"):
        nn.Absent  # noqa: B018


def test_refused_when_the_real_one_is_loaded(monkeypatch):
    real = types.ModuleType("paddle")
    real.__file__ = "/elsewhere/paddle/__init__.py"
    monkeypatch.setitem(sys.modules, "paddle", real)
    with pytest.raises(RuntimeError, match="paddle is already imported from /elsewhere/paddle/__init__.py; call core"):
        core.install_as_paddle()
    assert installed() is None


def test_nothing_is_loaded_before_it_is_asked_for():
    code = """
import sys, core
core.install_as_paddle()
import paddle, paddle.io
from paddle.io import Dataset
assert "mxnet" not in sys.modules and "core.nn" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


DATASET = """
import paddle
from paddle.io import Dataset


class Squares(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return paddle.io.get_worker_info().id, index * index
"""


def test_workers_of_a_loader_find_paddle_too(alias, tmp_path, monkeypatch):
    (tmp_path / "some_users_data.py").write_text(DATASET)
    monkeypatch.syspath_prepend(str(tmp_path))
    import some_users_data
    from paddle.io import DataLoader

    loader = DataLoader(some_users_data.Squares(), batch_size=3, num_workers=2)
    batches = [(workers.numpy().tolist(), squares.numpy().tolist()) for workers, squares in loader]
    assert batches == [([0, 0, 0], [0, 1, 4]), ([1, 1, 1], [9, 16, 25])]
    del sys.modules["some_users_data"]
