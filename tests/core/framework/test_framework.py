"""Modes, flags, ranges of types, old helpers, printing, streams: what is not computing."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core import common_ops_import as common
from core import framework


def test_eager_is_dynamic_and_tracing_is_not() -> None:
    seen = []

    def function(x: core.Tensor) -> core.Tensor:
        seen.append((core.in_dynamic_mode(), framework.in_dynamic_or_pir_mode(), framework.in_pir_mode()))
        return x + 1

    function(core.ones([2]))
    core.jit.to_static(function)(core.ones([2]))
    assert seen == [(True, True, False), (False, False, False)]
    core.disable_static()
    core.disable_static(core.CPUPlace())
    with pytest.raises(NotImplementedError, match="enable_static: programs built statement by statement .*to_static"):
        core.enable_static()
    with pytest.raises(RuntimeError, match=r"not on Place\(gpu:0\)"):
        core.disable_static(core.CUDAPlace(0))


def test_the_namespace_resolves_to_the_same_objects() -> None:
    assert framework.ParamAttr is core.ParamAttr and framework.seed is core.seed and framework.no_grad is core.no_grad
    assert framework.convert_np_dtype_to_dtype_("float32") is core.float32 and framework.dtype is core.dtype
    assert framework.core.VarDesc.VarType.FP32 is core.float32 and framework.core.VarDesc.VarType.INT8 is core.int8
    assert core.tensor.matmul is core.matmul and core.tensor.Tensor is core.Tensor
    assert sorted(dir(framework)) == sorted(framework.__all__)
    assert all(hasattr(framework, name) for name in framework.__all__)
    for module in (framework, core.tensor):
        with pytest.raises(AttributeError, match=f"{module.__name__} has no attribute 'nothing'"):
            _ = module.nothing


def test_a_submodule_that_does_not_exist_is_no_attribute() -> None:
    assert not hasattr(core, "nothing_of_the_kind")
    core.SUBMODULES, before = (*core.SUBMODULES, "nothing_yet"), core.SUBMODULES
    try:
        assert not hasattr(core, "nothing_yet")
    finally:
        core.SUBMODULES = before


def test_one_element_keeps_an_axis_where_the_flag_says_so() -> None:
    x = core.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    sizes = core.jit.to_static(lambda x: core.concat(list(core.shape(x * 1))))
    core.set_flags({"FLAGS_set_to_1d": True})
    try:
        assert core.get_flags("FLAGS_set_to_1d") == {"FLAGS_set_to_1d": True}
        assert [part.shape for part in (x[0, 1], x[1][0], x[0], x.sum())] == [[1], [1], [2], []]
        assert [part.shape for part in x[0]] == [[1], [1]] and x.sum().numpy().tolist() == [10.0]
        assert core.concat(list(core.shape(x))).tolist() == [2, 2] == sizes(x).tolist()
    finally:
        core.set_flags({"FLAGS_set_to_1d": False})
    assert x[0, 1].shape == [] and x.sum().numpy().shape == ()
    with pytest.raises(core.kernels.dispatch.errors.OperatorError, match="0-D tensors have no axis"):
        sizes(x)


def test_flags() -> None:
    core.set_flags({"FLAGS_cudnn_deterministic": True, "FLAGS_check_nan_inf": False})
    assert core.get_flags(["FLAGS_cudnn_deterministic", "FLAGS_check_nan_inf"]) == {
        "FLAGS_cudnn_deterministic": True,
        "FLAGS_check_nan_inf": False,
    }
    core.set_flags({"FLAGS_cudnn_deterministic": False})
    before = core.get_flags("FLAGS_benchmark")["FLAGS_benchmark"]
    core.set_flags({"FLAGS_benchmark": True})
    from core.kernels.engine import engine

    assert engine.SYNCHRONOUS and core.get_flags("FLAGS_benchmark") == {"FLAGS_benchmark": True}
    assert (core.ones([2]) + 1).tolist() == [2.0, 2.0]
    core.set_flags({"FLAGS_benchmark": before})


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: core.set_flags(["a"]), TypeError, "set_flags: flags must be a dict, not list"),
        (lambda: core.set_flags({"FLAGS_no": 1}), ValueError, "set_flags: there is no flag 'FLAGS_no'"),
        (lambda: core.set_flags({"FLAGS_check_nan_inf": 1}), NotImplementedError, "FLAGS_check_nan_inf is not built"),
        (lambda: core.get_flags("FLAGS_no"), ValueError, "get_flags: there is no flag 'FLAGS_no'"),
        (lambda: core.get_flags(3), TypeError, "get_flags: flags must be a name or a list of names, not int"),
        (lambda: core.iinfo("float32"), ValueError, "iinfo: float32 is no integer type: use finfo"),
        (lambda: core.finfo("int8"), ValueError, "finfo: int8 is no floating-point type: use iinfo"),
        (lambda: core.CUDAPlace(-1), ValueError, "CUDAPlace: the number of a GPU is an int of at least 0, not -1"),
        (lambda: core.set_printoptions(precision="a"), TypeError, "precision must be an int, not 'a'"),
        (lambda: core.set_printoptions(edgeitems=0), ValueError, "edgeitems must be at least 1, not 0"),
        (lambda: core.set_printoptions(sci_mode=1), TypeError, "sci_mode must be a bool, not 1"),
        (lambda: core.device.Event(interprocess=True), NotImplementedError, "Event: interprocess=True is not built"),
        (lambda: core.device.Stream("gpu:0"), RuntimeError, r"not on Place\(gpu:0\)"),
        (lambda: core.device.Event().elapsed_time(core.device.Event()), RuntimeError, "with enable_timing=True"),
        (lambda: core.device.cuda.synchronize(0), ValueError, "synchronize: there is no GPU 0: 0 can be used"),
        (lambda: core.device.cuda.memory_reserved(), ValueError, "memory_reserved: there is no GPU 0"),
        (lambda: core.device.cuda.memory_allocated("cpu"), ValueError, "memory_allocated: there is no GPU 'cpu'"),
        (lambda: core.device.cuda.max_memory_allocated(), ValueError, "max_memory_allocated: there is no GPU"),
        (lambda: core.device.cuda.max_memory_reserved(core.CUDAPlace(1)), ValueError, "there is no GPU Place.gpu:1"),
        (lambda: core.device.cuda.get_device_name(), ValueError, "get_device_properties: there is no GPU 0"),
        (lambda: core.device.cuda.get_device_capability(), ValueError, "get_device_properties: there is no GPU 0"),
        (lambda: framework.LayerHelper("f").append_op(type="f"), NotImplementedError, "there is no operator .f."),
        (
            lambda: framework.LayerHelper("f", x=[core.ones([1]), core.ones([1], "int32")]).input_dtype("x"),
            ValueError,
            r"LayerHelper.'f'.: x has several dtypes: float32, int32",
        ),
        (lambda: framework.LayerHelper("f", input=[]).input(), ValueError, "one tensor is expected, not 0"),
        (
            lambda: framework.LayerHelper("f", act="no").append_activation(None),
            ValueError,
            "there is no activation 'no'",
        ),
    ],
)
def test_errors_name_the_mend(call, kind, message) -> None:
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("name", ["uint8", "int8", "int32", "int64"])
def test_integer_ranges(name: str) -> None:
    found, expected = core.iinfo(getattr(core, name)), np.iinfo(name)
    assert (found.min, found.max, found.bits, found.dtype) == (expected.min, expected.max, expected.bits, name)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_floating_ranges(name: str) -> None:
    found, expected = core.finfo(name), np.finfo(name)
    for part in ("min", "max", "eps", "resolution", "tiny", "smallest_normal"):
        assert getattr(found, part) == float(getattr(expected, part)), part
    assert found.bits == expected.bits and found.dtype == name


def test_ranges_are_written_as_paddle_writes_them() -> None:
    assert repr(core.iinfo("int8")) == "paddle.iinfo(min=-128, max=127, bits=8, dtype=int8)"
    assert repr(core.finfo("bfloat16")) == (
        "paddle.finfo(min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, resolution=0.01, smallest_normal=1.17549e-38,"
        " tiny=1.17549e-38, bits=16, dtype=bfloat16)"
    )


def test_places() -> None:
    import pickle

    assert repr(core.CPUPlace()) == "Place(cpu)" and core.ones([1]).place == core.CPUPlace() != core.CUDAPlace(0)
    assert core.ones([1]).place.is_cpu_place() and not core.ones([1]).place.is_gpu_place()
    place = core.CUDAPlace(1)
    assert repr(place) == "Place(gpu:1)" and place.gpu_device_id() == place.get_device_id() == 1
    assert place.is_gpu_place() and not place.is_xpu_place() and len({place, core.CUDAPlace(1)}) == 1
    assert pickle.loads(pickle.dumps(place)) == place and core.CPUPlace().gpu_device_id() == -1
    assert core.CUDAPinnedPlace().is_cuda_pinned_place() and repr(core.CUDAPinnedPlace()) == "Place(gpu_pinned)"
    assert core.to_tensor([1.0], place=core.CPUPlace()).tolist() == [1.0]
    with pytest.raises(RuntimeError, match=r"tensors live on Place\(cpu\), not on Place\(gpu:0\)"):
        core.to_tensor([1.0], place=core.CUDAPlace(0))


def test_what_the_engine_was_built_with() -> None:
    assert core.device.get_all_device_type() == ["cpu"] and core.device.get_available_device() == ["cpu"]
    assert core.device.get_all_custom_device_type() == core.device.get_available_custom_device() == []
    assert core.device.cuda.device_count() == 0 and core.get_cudnn_version() is None
    for name in ("cuda", "xpu", "ipu", "npu", "mlu", "rocm", "cinn", "distribute"):
        assert getattr(core, f"is_compiled_with_{name}")() is False
    assert not core.is_compiled_with_custom_device("npu")


def test_streams_and_events_keep_the_order_of_operations() -> None:
    start, end = core.device.Event(enable_timing=True), core.device.Event(enable_timing=True)
    stream = core.device.cuda.Stream()
    before = core.device.current_stream()
    start.record()
    with core.device.cuda.stream_guard(stream):
        assert core.device.cuda.current_stream() is stream
        x = core.ones([64, 64]) @ core.ones([64, 64])
        event = stream.record_event()
    assert core.device.current_stream() is before
    before.wait_event(event)
    before.wait_stream(stream)
    end.record(stream)
    end.synchronize()
    stream.synchronize()
    core.device.synchronize()
    core.device.cuda.synchronize()
    assert stream.query() and event.query() and float(x[0, 0]) == 64.0
    assert 0 <= start.elapsed_time(end) < 60e3
    assert core.device.set_stream(stream) is before and core.device.set_stream(before) is stream


def test_tensors_are_printed_as_one_likes() -> None:
    from core.kernels import printing

    kept = dict(printing._options)
    try:
        core.set_printoptions(precision=3, sci_mode=True)
        assert "[1.235e+00, 4.000e+06]" in str(core.to_tensor([1.23456, 4e6]))
        core.set_printoptions(sci_mode=False)
        assert "[1.235, 4000000.000]" in str(core.to_tensor([1.23456, 4e6]))
        core.set_printoptions(threshold=3, edgeitems=1, linewidth=120)
        assert "[0, ..., 9]" in str(core.arange(10))
    finally:
        printing._options.update(kept)


def test_checks_of_arguments_work_while_compiling_only() -> None:
    assert common.convert_dtype(core.int32) == "int32" and common.Variable is core.Tensor

    def check(x: core.Tensor) -> core.Tensor:
        common.check_type(x, "x", core.Tensor, "f")
        common.check_variable_and_dtype(x, "x", ["float32"], "f", "Cast it.")
        return x

    wrong = core.ones([2], "int32")
    assert check(wrong) is wrong
    core.jit.to_static(check)(core.ones([2]))
    with pytest.raises(TypeError, match="f: x must be of float32, not int32. Cast it."):
        core.jit.to_static(check)(wrong)
    with pytest.raises(TypeError, match="f: x must be of .*Tensor.*, not int"):
        core.jit.to_static(lambda x: (common.check_type(3, "x", core.Tensor, "f"), x)[1])(wrong)


def test_layer_helper_makes_parameters() -> None:
    helper = framework.LayerHelper("my_layer", act="relu", param_attr=core.ParamAttr(name="my_weight"))
    weight = helper.create_parameter(helper.param_attr, [2, 3], "float32")
    bias = helper.create_parameter(helper.bias_attr, [3], is_bias=True)
    assert weight.shape == [2, 3] and weight.name == "my_weight" and not weight.stop_gradient
    assert bias.tolist() == [0.0, 0.0, 0.0]
    assert helper.append_activation(core.to_tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]
    x = core.ones([1])
    other = framework.LayerHelper("other", input=x, more=[x, x])
    assert other.append_activation(x) is x and other.input() is x and other.input_dtype("more") == core.float32
    assert other.input_dtype("absent") is None


@pytest.mark.parametrize("compiled", [False, True])
def test_a_layer_applies_an_operator_by_its_name(compiled: bool) -> None:
    class Normalised(core.nn.SpectralNorm):
        def forward(self, x: core.Tensor) -> core.Tensor:
            out = self._helper.create_variable_for_type_inference(self._dtype)
            inputs = {"Weight": x, "U": self.weight_u, "V": [self.weight_v]}
            attributes = {"dim": self._dim, "power_iters": self._power_iters, "eps": self._eps}
            self._helper.append_op(type="spectral_norm", inputs=inputs, outputs={"Out": out}, attrs=attributes)
            return out

    ours, expected = Normalised([3, 4]), core.nn.SpectralNorm([3, 4])
    ours.set_state_dict(expected.state_dict())
    weights = [core.to_tensor(np.arange(12.0, dtype="float32").reshape(3, 4), stop_gradient=False) for _ in range(2)]
    found = (core.jit.to_static(ours) if compiled else ours)(weights[0])
    (found * found).sum().backward()
    wanted = expected(weights[1])
    (wanted * wanted).sum().backward()
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-6)
    np.testing.assert_allclose(weights[0].grad.numpy(), weights[1].grad.numpy(), rtol=1e-5, atol=1e-6)
    assert ours._helper.get_default_dtype() == "float32" and ours._helper.name == ours.full_name()
