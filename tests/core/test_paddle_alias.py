"""``import paddle`` means core while the alias is in place, and nothing else changes."""

from __future__ import annotations

import importlib
import pickle
import shutil
import subprocess
import sys
import types
from pathlib import Path

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


@pytest.mark.filterwarnings("ignore:auto_cast. no effect")  # on a processor that does not compute in bfloat16
def test_a_module_that_goes_by_the_name_of_a_function_does_not_replace_it(alias):
    import paddle
    from paddle.amp.auto_cast import amp_state

    assert callable(paddle.amp.auto_cast) and core.amp.auto_cast is paddle.amp.auto_cast and amp_state() is None
    with paddle.amp.auto_cast(dtype="bfloat16"):
        assert (amp_state() is not None) == core.amp.is_bfloat16_supported()


def test_inner_names_do_what_they_do_in_paddle(alias, tmp_path):
    import paddle
    from paddle.base import core as inner
    from paddle.base.framework import EagerParamBase
    from paddle.dataset.common import md5file
    from paddle.hapi.model import _all_gather
    from paddle.io.dataloader.dataloader_iter import _DataLoaderIterBase
    from paddle.utils.download import _decompress

    (tmp_path / "a.txt").write_text("abc")
    assert md5file(tmp_path / "a.txt") == "900150983cd24fb0d6963f7d28e17f72"
    shutil.make_archive(str(tmp_path / "b"), "zip", tmp_path, "a.txt")
    (tmp_path / "a.txt").unlink()
    assert Path(_decompress(str(tmp_path / "b.zip"))).read_text() == "abc"

    weight = EagerParamBase.from_tensor(tensor=0.5 * paddle.ones(shape=[2]), trainable=True)
    assert isinstance(weight, nn.Parameter) and weight.tolist() == [0.5, 0.5] and not weight.stop_gradient
    assert _all_gather(paddle.ones([2]), 1).tolist() == [1.0, 1.0]

    loader = paddle.io.DataLoader(paddle.io.TensorDataset([paddle.arange(4)]), batch_size=2)
    batches = iter(loader)
    assert isinstance(batches, _DataLoaderIterBase) and batches._batch_sampler is loader.batch_sampler
    assert [batch[0].tolist() for batch in batches] == [[0, 1], [2, 3]]

    state = inner.default_cpu_generator().get_state()
    first = paddle.rand([3]).tolist()
    inner.default_cpu_generator().set_state(state)
    assert paddle.rand([3]).tolist() == first
    paddle.disable_signal_handler()
    assert paddle.int16 != paddle.int32 and paddle.ones([1]).dtype not in (paddle.int16, paddle.bool)
    with pytest.raises(TypeError, match=r"unknown dtype paddle.int16: use one of float32, "):
        paddle.ones([1]).astype(paddle.int16)


def test_what_fluid_had_is_computed_as_it_did(alias):
    import paddle
    from paddle import fluid
    from paddle.fluid.layers.nn import soft_relu

    x = np.arange(-8.0, 8.0, dtype="float32").reshape(1, 1, 4, 4)
    image = paddle.to_tensor(x)
    assert fluid.layers.resize_nearest(image, scale=0.5).numpy()[0, 0].tolist() == x[0, 0][::3, ::3].tolist()
    halved = fluid.layers.resize_nearest(image, out_shape=[2, 2], align_corners=False)
    assert halved.numpy()[0, 0].tolist() == x[0, 0][::2, ::2].tolist()
    np.testing.assert_allclose(soft_relu(image * 10, 5.0).numpy(), np.log1p(np.exp(np.clip(x * 10, -5, 5))), 1e-5)
    np.testing.assert_allclose(fluid.layers.matmul(image, image, True, alpha=0.5)[0, 0], 0.5 * x[0, 0].T @ x[0, 0])
    volume = image.reshape([1, 1, 1, 4, 4])
    assert fluid.layers.pool3d(volume, 1, "avg", 2).reshape([-1]).tolist() == x[0, 0][::2, ::2].ravel().tolist()
    assert fluid.layers.pool3d(volume, global_pooling=True).item() == 7.0
    assert fluid.layers.pool3d(volume, pool_type="avg", global_pooling=True).item() == -0.5
    assert fluid.layers.pool3d(volume, [1, 2, 2], "max", 2).reshape([-1]).tolist() == [-3.0, -1.0, 5.0, 7.0]
    with pytest.raises(ValueError, match="pool3d: pool_type is 'max' or 'avg', not 'sum'"):
        fluid.layers.pool3d(volume, pool_type="sum")
    with pytest.raises(ValueError, match="resize_nearest: give out_shape or scale"):
        fluid.layers.resize_nearest(image)


@pytest.mark.parametrize(
    ("left", "operator", "right", "expected"),
    [
        ("int64", "+", "float32", [6, 5]),
        ("int64", "-", "float32", [4, 1]),
        ("int32", "*", "float32", [5, 6]),
        ("int64", "/", "float32", [5.0, 1.5]),
        ("int32", "//", "float32", [5, 1]),
        ("int64", "%", "float32", [0, 1]),
        ("int64", "**", "float32", [5, 9]),
        ("int64", "==", "float32", [False, False]),
        ("int32", "+", "int64", [6, 5]),
        ("float32", "+", "int64", [6.0, 5.0]),
    ],
)
def test_the_left_type_is_kept_as_paddles_operators_do(left, operator, right, expected):
    code = f"x {operator} y"
    arrays = {"x": core.to_tensor([5, 3]).astype(left), "y": core.to_tensor([1.5, 2.7]).astype(right)}
    with core.install_as_paddle():
        result = eval(code, dict(arrays))  # noqa: S307  # what a user writes
        compiled = core.jit.to_static(lambda x, y: eval(code, {"x": x, "y": y}))(**arrays)  # noqa: S307
    types = {"/": "float32", "==": "bool"}
    assert result.tolist() == expected and result.dtype == types.get(operator, left)
    assert compiled.tolist() == expected
    assert (arrays["x"] + arrays["y"]).dtype == ("int64" if right == "int64" and left != "float32" else "float32")


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
assert "core.kernels.engine.startup" not in sys.modules and "core.nn" not in sys.modules
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
