"""Predictors against the live layer: handles, lists, clones, threads, 16 bits."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.inference import (
    Config,
    DataType,
    PlaceType,
    PrecisionType,
    Predictor,
    PredictorPool,
    convert_to_mixed_precision,
    create_predictor,
)
from core.inference import predictor as predictor_module
from core.inference.predictor import _as_declared
from core.quantization.post_training import PostTraining
from core.static import InputSpec


class Two(nn.Layer):
    """Two inputs of different types, and results in a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(9, 16), nn.Linear(16, 16)

    def forward(self, x: Any, ids: Any) -> Any:
        rows = self.head(self.table(ids).mean(axis=1) + x)
        return {"rows": rows, "sums": [rows.sum(axis=1), x]}


@pytest.fixture(scope="module")
def live() -> Any:
    core.seed(1)
    layer = Two()
    layer.eval()
    return layer


@pytest.fixture(scope="module")
def folder(live: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("predictor") / "two")
    specs = [InputSpec([None, 16], name="x"), InputSpec([None, None], "int64", name="ids", examples={1: (3, 5)})]
    core.jit.save(live, path, specs, class_names=["a"])
    return path


def inputs(seed: int, batch: int = 2, length: int = 3) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [
        generator.standard_normal((batch, 16)).astype(np.float32),
        generator.integers(0, 9, (batch, length)),
    ]


def expected(live: Any, arrays: list[np.ndarray]) -> list[np.ndarray]:
    result = live(*[core.to_tensor(array) for array in arrays])
    return [tensor.numpy() for tensor in (result["rows"], *result["sums"])]


def filled(predictor: Predictor, arrays: list[np.ndarray]) -> list[np.ndarray]:
    for name, array in zip(predictor.get_input_names(), arrays):
        predictor.get_input_handle(name).copy_from_cpu(array)
    predictor.run()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]


def assert_alike(got: list[np.ndarray], wanted: list[np.ndarray], atol: float = 1e-5) -> None:
    assert len(got) == len(wanted)
    for one, two in zip(got, wanted):
        assert one.dtype == two.dtype
        np.testing.assert_allclose(one, two, rtol=0, atol=atol)


@pytest.mark.parametrize("optimized", [True, False])
def test_handles(folder: str, live: Any, optimized: bool) -> None:
    config = Config(f"{folder}.pdmodel", f"{folder}.pdiparams")
    config.switch_ir_optim(optimized)
    predictor = create_predictor(config)
    assert predictor.get_input_names() == ["x", "ids"]
    assert predictor.get_output_names() == ["output.rows", "output.sums.0", "output.sums.1"]
    x, ids = [predictor.get_input_handle(name) for name in predictor.get_input_names()]
    rows = predictor.get_output_handle("output.rows")
    assert (x.shape(), ids.type(), rows.shape(), rows.type()) == ([-1, 16], DataType.INT64, [], DataType.FLOAT32)
    arrays = inputs(1)
    x.reshape([2, 16])
    assert x.shape() == [2, 16] and rows.lod() == []
    x.copy_from_cpu(arrays[0])
    ids.copy_from_cpu(arrays[1])
    wanted = expected(live, arrays)
    for array in arrays:
        array[...] = 0  # what was copied stays
    assert predictor.run() is None
    assert_alike([rows.copy_to_cpu()], wanted[:1])
    assert (rows.shape(), rows.type()) == ([2, 16], DataType.FLOAT32)
    rows.copy_to_cpu()[...] = 7
    assert_alike([rows.copy_to_cpu()], wanted[:1])
    assert_alike(filled(predictor, inputs(2, 5, 4)), expected(live, inputs(2, 5, 4)))


def test_lists_of_tensors(folder: str, live: Any) -> None:
    predictor = create_predictor(Config(folder))
    results = predictor.run([core.to_tensor(array) for array in inputs(3)])
    assert results is not None and all(isinstance(result, core.Tensor) for result in results)
    assert_alike([result.numpy() for result in results], expected(live, inputs(3)))
    assert_alike([predictor.get_output_handle("output.rows").copy_to_cpu()], expected(live, inputs(3))[:1])
    for given in (inputs(3), core.ones([2, 16])):
        with pytest.raises(TypeError, match="takes a list of Tensors, or nothing where the input handles are filled"):
            predictor.run(given)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="1 inputs given, but the program has 2: x, ids"):
        predictor.run([core.ones([2, 16])])


def test_integers_of_another_size(folder: str, live: Any) -> None:
    predictor = create_predictor(Config(folder))
    arrays = inputs(11)
    for dtype in ("int32", "uint8"):
        assert_alike(filled(predictor, [arrays[0], arrays[1].astype(dtype)]), expected(live, arrays))
    found = predictor.run([core.to_tensor(arrays[0]), core.to_tensor(arrays[1].astype("int32"))])
    assert_alike([tensor.numpy() for tensor in found or ()], expected(live, arrays))
    assert _as_declared(np.array([2**31 - 1]), core.int32).dtype == np.int32
    for given, dtype in ((np.array([2**31]), core.int32), (np.array([-1]), core.uint8), (np.ones(2), core.float32)):
        assert _as_declared(given, dtype) is given  # and the program refuses it


def test_shared_tensors(folder: str, live: Any) -> None:
    predictor = create_predictor(Config(folder))
    arrays = inputs(4)
    tensor = core.to_tensor(arrays[0])
    x, ids = predictor.get_input_handle("x"), predictor.get_input_handle("ids")
    x.share_external_data(tensor)
    ids.copy_from_cpu(arrays[1])
    assert (x.shape(), x.type()) == ([2, 16], DataType.FLOAT32)
    predictor.run()
    tensor.set_value(arrays[0] * 2)
    predictor.run()
    found = predictor.get_output_handle("output.rows").copy_to_cpu()
    assert_alike([found], expected(live, [arrays[0] * 2, arrays[1]])[:1])


def test_misuse_is_one_line(folder: str) -> None:
    predictor = create_predictor(Config(folder))
    x, rows = predictor.get_input_handle("x"), predictor.get_output_handle("output.rows")
    with pytest.raises(RuntimeError, match="the input 'x' has no data: call copy_from_cpu"):
        predictor.run()
    with pytest.raises(RuntimeError, match="the output 'output.rows' has no data yet: call run"):
        rows.copy_to_cpu()
    with pytest.raises(ValueError, match="there is no input 'y'; the inputs are x, ids"):
        predictor.get_input_handle("y")
    with pytest.raises(ValueError, match="there is no output 'rows'; the outputs are output.rows, output.sums.0"):
        predictor.get_output_handle("rows")
    with pytest.raises(TypeError, match="copy_from_cpu of 'x' takes a numpy array, not list"):
        x.copy_from_cpu([[1.0]])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="copy_from_cpu of 'x' does not take elements of type complex64"):
        x.copy_from_cpu(np.zeros(3, np.complex64))
    with pytest.raises(TypeError, match="share_external_data of 'x' takes a Tensor, not ndarray"):
        x.share_external_data(np.zeros(3))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sizes are ints from 0, not"):
        x.reshape([2, -1])
    with pytest.raises(NotImplementedError, match="tensors hold no sequences; pad them, with a mask"):
        x.set_lod([[0, 2]])
    x.set_lod([])
    for method, argument in (("reshape", [1]), ("copy_from_cpu", np.ones(1)), ("share_external_data", core.ones([1]))):
        with pytest.raises(RuntimeError, match=f"{method} of 'output.rows': it is an output, which run"):
            getattr(rows, method)(argument)
    predictor.get_input_handle("ids").copy_from_cpu(np.zeros((2, 3), np.int64))
    x.copy_from_cpu(np.zeros((2, 16)))
    assert x.type() is DataType.FLOAT64
    with pytest.raises(TypeError, match=r"input 'x' must be float32\[any, 16\], not float64\[2, 16\]: convert it"):
        predictor.run()
    x.copy_from_cpu(np.zeros((2, 15), np.float32))
    with pytest.raises(ValueError, match=r"input 'x' must have shape \[any, 16\], not \[2, 15\]"):
        predictor.run()


def test_memory_is_freed_and_the_cache_bounded(folder: str, live: Any) -> None:
    config = Config(folder)
    config.set_mkldnn_cache_capacity(2)
    predictor = create_predictor(config)
    for batch in (1, 2, 3, 4):
        filled(predictor, inputs(batch, batch))
    assert predictor._compiled.number_of_programs == 2
    predictor.clear_intermediate_tensor()
    assert predictor._compiled.number_of_programs == 0
    assert_alike(filled(predictor, inputs(1)), expected(live, inputs(1)))
    assert predictor.try_shrink_memory() == predictor._compiled.number_of_programs == 0
    assert_alike(filled(predictor, inputs(1)), expected(live, inputs(1)))


def test_threads_with_clones_and_with_lists(folder: str, live: Any) -> None:
    predictor = create_predictor(Config(folder))
    batches = enumerate([1, 2, 5, 2, 1, 5])
    cases = [(inputs(seed, batch), expected(live, inputs(seed, batch))) for seed, batch in batches]
    wrong: list[Any] = []

    def work(number: int) -> None:
        own = predictor.clone()
        for round_number in range(30):
            arrays, wanted = cases[(number + round_number) % len(cases)]
            try:
                if number % 2:
                    got = filled(own, arrays)
                else:
                    got = [t.numpy() for t in predictor.run([core.to_tensor(array) for array in arrays]) or ()]
                assert_alike(got, wanted)
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert predictor.clone()._compiled is predictor._compiled


def test_pool(folder: str, live: Any) -> None:
    pool = PredictorPool(Config(folder), 2)
    first, second = pool.retrive(0), pool.retrive(1)
    assert first is not second and first._compiled is second._compiled
    assert_alike(filled(first, inputs(5)), expected(live, inputs(5)))
    assert_alike(filled(second, inputs(6)), expected(live, inputs(6)))
    assert_alike([first.get_output_handle("output.rows").copy_to_cpu()], expected(live, inputs(5))[:1])
    with pytest.raises(ValueError, match="has the predictors 0 to 1, not 2"):
        pool.retrive(2)
    with pytest.raises(ValueError, match="size must be an int from 1, not 0"):
        PredictorPool(Config(folder), 0)


def test_a_gpu_that_is_not_there_is_a_log_line(folder: str, live: Any, caplog: pytest.LogCaptureFixture) -> None:
    if core.device.is_compiled_with_cuda():
        pytest.skip("this engine has CUDA")
    config = Config(folder)
    config.enable_use_gpu(100, 0)
    with caplog.at_level(logging.WARNING, "core.inference"):
        predictor = create_predictor(config)
    assert caplog.messages == ["enable_use_gpu: the installed engine has no CUDA; the predictor runs on the CPU"]
    assert_alike(filled(predictor, inputs(7)), expected(live, inputs(7)))


def test_a_gpu_becomes_the_process_device(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[str] = []
    monkeypatch.setattr(predictor_module, "is_compiled_with_cuda", lambda: True)
    monkeypatch.setattr(predictor_module, "set_device", chosen.append)
    config = Config(folder)
    config.enable_use_gpu(100, 1)
    create_predictor(config)
    assert chosen == ["gpu:1"]


def operators(folder: str) -> dict[str, int]:
    program = core.jit.load(folder).program
    return {node.operator: [meta[1].name for meta in node.metas].count("bfloat16") for node in program.nodes}


@pytest.mark.bfloat16
def test_bfloat16(folder: str, live: Any) -> None:
    config = Config(folder)
    config.enable_mkldnn_bfloat16()
    arrays = inputs(8, 4)
    got, wanted = filled(create_predictor(config), arrays), expected(live, arrays)
    assert_alike(got, wanted, 0.1)
    assert np.abs(got[0] - wanted[0]).max() > 1e-4  # it was in 16 bits
    np.testing.assert_array_equal(got[2], arrays[0])
    config.exp_disable_mixed_precision_ops({"matmul"})
    assert_alike(filled(create_predictor(config), arrays), wanted)


def test_bfloat16_on_another_processor_is_float32(
    folder: str, live: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(predictor_module, "computes_in", lambda precision: False)
    config = Config(folder)
    config.enable_mkldnn_bfloat16()
    with caplog.at_level(logging.WARNING, "core.inference"):
        predictor = create_predictor(config)
    assert [line.partition(" ")[2] for line in caplog.messages] == [
        "does not compute in bfloat16; the predictor uses float32"
    ]
    assert_alike(filled(predictor, inputs(9)), expected(live, inputs(9)))


def test_programs_in_8_bits(folder: str, tmp_path: Path) -> None:
    made = core.nn.Sequential(core.nn.Linear(16, 4))
    made.eval()
    x = inputs(10)[0]
    quantization = PostTraining({"model": made}, "absmax")
    made(core.to_tensor(x))
    quantization.convert()
    core.jit.save(made, tmp_path / "int8", [InputSpec([None, 16], name="x")])
    config = Config(str(tmp_path / "int8"))
    assert not config.mkldnn_int8_enabled()
    config.enable_mkldnn_int8()
    assert config.mkldnn_int8_enabled()
    assert_alike(filled(create_predictor(config), [x]), [made(core.to_tensor(x)).numpy()])
    wide = Config(folder)
    wide.enable_mkldnn_int8()
    with pytest.raises(ValueError, match=r"Config.enable_mkldnn_int8: .*two is no program in 8 bits: export it in 8"):
        create_predictor(wide)
    with pytest.raises(NotImplementedError, match="which operators compute in 8 bits is chosen when a program is exp"):
        wide.enable_mkldnn_int8({"conv2d"})


@pytest.mark.bfloat16
@pytest.mark.parametrize("keep_io_types", [True, False])
def test_conversion(folder: str, live: Any, tmp_path: Path, keep_io_types: bool) -> None:
    target = str(tmp_path / "mixed")
    arguments = (f"{folder}.pdmodel", f"{folder}.pdiparams", f"{target}.pdmodel", f"{target}.pdiparams")
    convert_to_mixed_precision(*arguments, PrecisionType.Bfloat16, PlaceType.CPU, keep_io_types)
    predictor = create_predictor(Config(target))
    assert_alike(filled(predictor, inputs(10)), expected(live, inputs(10)), 0.1)
    loaded = core.jit.load(target)
    wanted = ["float32", "int64"] if keep_io_types else ["bfloat16", "int64"]
    assert [entry.dtype.name for entry in loaded.program.inputs] == wanted
    assert [entry.name for entry in loaded.program.inputs] == ["x", "ids"] and loaded.class_names == ["a"]
    assert set(loaded.state_dict()) == set(live.state_dict())
    assert operators(target)["linear"] == 1
    black = (*arguments, PrecisionType.Bfloat16, PlaceType.CPU, True, {"matmul"})
    convert_to_mixed_precision(*black)
    assert operators(target)["linear"] == 0


def test_conversions_that_cannot_be(folder: str, tmp_path: Path) -> None:
    files = (f"{folder}.pdmodel", f"{folder}.pdiparams", str(tmp_path / "a"), str(tmp_path / "a"))
    with pytest.raises(ValueError, match="the precision is Half or Bfloat16, not PrecisionType.Int8"):
        convert_to_mixed_precision(*files, PrecisionType.Int8, PlaceType.CPU)
    with pytest.raises(NotImplementedError, match="backend must be the current device's, PlaceType.CPU"):
        convert_to_mixed_precision(*files, PrecisionType.Half, PlaceType.XPU)
    with pytest.raises(NotImplementedError, match="does not compute in float16"):
        convert_to_mixed_precision(*files, PrecisionType.Half, PlaceType.CPU)
    with pytest.raises(TypeError, match="there is no argument 'grey_list'"):
        convert_to_mixed_precision(*files, PrecisionType.Half, PlaceType.CPU, grey_list=set())
    assert not (tmp_path / "a").exists()


@pytest.mark.bfloat16
def test_conversions_with_wrong_files(folder: str, tmp_path: Path) -> None:
    into = (PrecisionType.Bfloat16, PlaceType.CPU)
    with pytest.raises(ValueError, match="name two folders, but a program is one"):
        convert_to_mixed_precision(folder, folder, str(tmp_path / "a.pdmodel"), str(tmp_path / "b.pdiparams"), *into)
    with pytest.raises(FileNotFoundError, match="no exported program for 'absent'"):
        convert_to_mixed_precision("absent", "absent", str(tmp_path / "a"), str(tmp_path / "a"), *into)
