"""Config: names of programs, settings with an effect, without one, and those that are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import core
from core import inference
from core.inference import Config, PrecisionType, create_predictor
from core.inference.program_files import folder_of
from core.inference.settings import HARMLESS, OFF, REFUSED, REFUSED_WHEN_ON

DOCUMENT = Path(__file__).parents[3] / "docs" / "inference.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("config") / "net")
    core.jit.save(core.nn.Linear(4, 3), path, [core.static.InputSpec([None, 4], name="x")])
    return path


def test_the_ways_to_name_a_program(folder: str) -> None:
    in_parts, by_contents = Config(), Config()
    in_parts.set_prog_file(f"{folder}.pdmodel")
    in_parts.set_params_file(f"{folder}.pdiparams")
    by_contents.set_model(f"{folder}/program.json", f"{folder}/weights.safetensors")
    copied = Config(in_parts)
    ways = [Config(folder), Config(f"{folder}.pdmodel", f"{folder}.pdiparams"), Config(Path(folder)), in_parts]
    for config in (*ways, copied, by_contents):
        assert create_predictor(config).get_input_names() == ["x"]
    assert (copied.prog_file(), copied.params_file()) == (f"{folder}.pdmodel", f"{folder}.pdiparams")
    copied.set_model("other")
    assert (copied.model_dir(), copied.prog_file()) == ("other", "")
    assert in_parts.prog_file() == f"{folder}.pdmodel" and Config(folder).model_dir() == folder


def test_wrong_names_are_one_line(folder: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no exported program for 'absent.pdmodel': .*'absent'.* does not"):
        create_predictor(Config("absent.pdmodel", "absent.pdiparams"))
    with pytest.raises(FileNotFoundError, match="the folder .* is something else"):
        create_predictor(Config(str(tmp_path)))
    with pytest.raises(ValueError, match="Config names no model: use Config"):
        create_predictor(Config())
    with pytest.raises(ValueError, match="are not of one program: an exported folder holds both, so name it twice"):
        create_predictor(Config(f"{folder}.pdmodel", f"{folder}_2.pdiparams"))
    (tmp_path / "theirs.pdmodel").write_bytes(b"\x0a\x05")
    with pytest.raises(NotImplementedError, match="theirs.pdmodel' is a program that Paddle wrote; .* core.jit.save"):
        create_predictor(Config(str(tmp_path / "theirs.pdmodel"), str(tmp_path / "theirs.pdiparams")))
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "__model__").write_bytes(b"\x0a\x05")
    with pytest.raises(NotImplementedError, match="is a program that Paddle wrote"):
        folder_of(str(tmp_path / "old"), "", "")
    with pytest.raises(TypeError, match="Config.set_model takes the name of a file or folder, not int"):
        Config(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes a folder or two files, not 3 names"):
        Config().set_model("a", "b", "c")
    with pytest.raises(TypeError, match="create_predictor takes a Config, not str"):
        create_predictor(folder)  # type: ignore[arg-type]


def test_defaults_and_setters() -> None:
    config = Config()
    asked = lambda: (  # noqa: E731
        config.use_gpu(), config.gpu_device_id(), config.memory_pool_init_size_mb(), config.ir_optim(),
        config.cpu_math_library_num_threads(), config.mkldnn_enabled(), config.glog_info_disabled(),
        config.mkldnn_cache_capacity(), config.precision(),
    )  # fmt: skip
    assert asked() == (False, 0, 100, True, 1, True, False, 8, PrecisionType.Float32)
    config.enable_use_gpu(200, 1)
    config.switch_ir_optim(False)
    config.set_cpu_math_library_num_threads(6)
    config.disable_mkldnn()
    config.disable_glog_info()
    config.set_mkldnn_cache_capacity(3)
    config.enable_mkldnn_bfloat16()  # of CPUs
    config.enable_memory_optim()
    assert asked() == (True, 1, 200, False, 6, False, True, 3, PrecisionType.Float32)
    config.disable_gpu()
    config.enable_mkldnn()
    config.set_mkldnn_cache_capacity(0)
    config.exp_disable_mixed_precision_ops({"conv2d"})
    config.exp_enable_mixed_precision_ops({"softmax"})
    assert asked() == (False, 1, 200, False, 6, True, True, 8, PrecisionType.Bfloat16)
    assert (config.black_list(), config.white_list()) == ({"conv2d"}, {"softmax"})
    assert config.fraction_of_gpu_memory_for_pool() == 0.0
    assert not config.use_feed_fetch_ops_enabled() and config.specify_input_name()
    config.enable_use_gpu(100, 0, PrecisionType.Half)
    assert config.precision() is PrecisionType.Half
    with pytest.raises(NotImplementedError, match="a GPU computes in Float32 or Half, not PrecisionType.Int8"):
        config.enable_use_gpu(100, 0, Config.Int8)


def test_summary() -> None:
    config = Config("a.pdmodel", "a.pdiparams")
    config.set_cpu_math_library_num_threads(4)
    lines = config.summary().splitlines()
    assert len({len(line) for line in lines}) == 1 and lines[0] == lines[2] == lines[-1]
    rows = dict([cell.strip() for cell in line.split("|")[1:3]] for line in lines if "|" in line)
    assert rows == {
        "Option": "Value", "model": "a.pdmodel", "params_file": "a.pdiparams", "use_gpu": "false", "gpu_device_id": "0",
        "precision": "Float32", "cpu_math_thread": "4", "enable_mkldnn": "true", "mkldnn_cache_capacity": "8",
        "ir_optim": "true", "memory_optim": "false", "enable_log": "true",
    }  # fmt: skip


@pytest.mark.parametrize("name", [*HARMLESS])
def test_a_harmless_setting_is_accepted_and_documented(name: str) -> None:
    setting: Any = getattr(Config(), name)
    assert setting(False) is None and setting.__name__ == name and setting.__doc__.startswith("Accept this")
    assert f"`{name}`" in DOCUMENT.read_text()


@pytest.mark.parametrize("name", [*REFUSED])
def test_what_core_lacks_is_refused_and_documented(name: str) -> None:
    setting: Any = getattr(Config(), name)
    with pytest.raises(NotImplementedError, match=f"^Config.{name}: core does not have .*: leave the setting out$"):
        setting()
    assert f"`{name}`" in DOCUMENT.read_text()


def test_what_may_be_off_only() -> None:
    config: Any = Config()
    for name, (argument, default, _) in REFUSED_WHEN_ON.items():
        setting = getattr(config, name)
        setting(False)
        setting(**{argument: False})
        for on in ([()] if default else []) + [(True,)]:
            with pytest.raises(NotImplementedError, match=f"Config.{name}: core does not have"):
                setting(*on)
        assert f"`{name}`" in DOCUMENT.read_text()
    config.enable_save_optim_model()
    assert [getattr(config, name)() for name in OFF] == [False] * len(OFF)
    passes = config.pass_builder()
    passes.delete_pass("conv_bn_fuse_pass")
    assert passes.all_passes() == []


def test_kinds_and_versions() -> None:
    values = {kind.name: kind.value for kind in inference.DataType}
    assert values == {
        "FLOAT32": 0, "INT64": 1, "INT32": 2, "UINT8": 3, "INT8": 4, "FLOAT16": 5, "BOOL": 6, "FLOAT64": 7,
    }  # fmt: skip
    assert {kind.name: kind.value for kind in PrecisionType} == {"Float32": 0, "Int8": 1, "Half": 2, "Bfloat16": 3}
    places = {kind.name: kind.value for kind in inference.PlaceType}
    assert places == {"UNK": -1, "CPU": 0, "GPU": 1, "XPU": 2, "CUSTOM": 4}
    assert Config.Precision.Half is Config.Half is PrecisionType.Half
    sizes = [inference.get_num_bytes_of_data_type(kind) for kind in inference.DataType]
    assert sizes == [4, 8, 4, 1, 1, 2, 1, 8]
    with pytest.raises(TypeError, match="expected a DataType, got str"):
        inference.get_num_bytes_of_data_type("float32")  # type: ignore[arg-type]
    assert inference.get_version() == f"version: 2.6.2\ncore: {core.__version__}\n"
    assert inference.get_trt_compile_version() == inference.get_trt_runtime_version() == (0, 0, 0)
