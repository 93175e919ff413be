"""Config: what a predictor runs and how (paddle.inference.Config)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Optional, Union

from core.inference.kinds import PrecisionType
from core.inference.settings import add_settings
from core.jit.exported.paths import PathLike
from core.jit.running.predictor import MAXIMUM_PROGRAMS


class Config:
    """Names an exported program and says how to run it.

    What :func:`core.jit.save` writes at ``path`` is a folder; it is named by ``Config(path)`` or, as programs for
    Paddle do, by ``Config(path + ".pdmodel", path + ".pdiparams")``. Settings of Paddle's that need no effect here are
    accepted; those that ask for what core does not have raise NotImplementedError. docs/inference.md lists them.

    Args:
        model: the folder or program file; another Config, to be copied; or nothing, for :meth:`set_model`.
        params_file: the parameter file; "" takes the program's.

    Raises:
        TypeError: something else is given.
    """

    Precision = PrecisionType
    Float32, Int8 = PrecisionType.Float32, PrecisionType.Int8
    Half, Bfloat16 = PrecisionType.Half, PrecisionType.Bfloat16

    def __init__(self, model: Union[PathLike, Config] = "", params_file: PathLike = "") -> None:
        self._model_dir = self._prog_file = self._params_file = ""
        self._gpu = False
        self._gpu_memory, self._gpu_id = 100, 0
        self._gpu_precision = PrecisionType.Float32
        self._bfloat16 = False
        self._int8 = False
        self._threads = 1
        self._mkldnn = True
        self._programs = MAXIMUM_PROGRAMS
        self._optimize, self._memory, self._log = True, False, True
        self._black: frozenset[str] = frozenset()
        self._white: frozenset[str] = frozenset()
        if isinstance(model, Config):
            vars(self).update(vars(model))
        elif model:
            self.set_model(model, *([params_file] if params_file else []))

    # the program

    def set_model(self, model: PathLike, *params_file: PathLike) -> None:
        """Name the program.

        Args:
            model: a folder; or, with ``params_file``, the program file.
            *params_file: the parameter file.

        Raises:
            TypeError: a name is no text.
        """
        names = [_text(name, "set_model") for name in (model, *params_file)]
        if len(names) > 2:
            raise TypeError(f"Config.set_model takes a folder or two files, not {len(names)} names")
        if len(names) == 1:
            self._model_dir, self._prog_file, self._params_file = names[0], "", ""
        else:
            self._model_dir, self._prog_file, self._params_file = "", names[0], names[1]

    def set_prog_file(self, file: PathLike) -> None:
        """Name the program file."""
        self._prog_file = _text(file, "set_prog_file")

    def set_params_file(self, file: PathLike) -> None:
        """Name the parameter file."""
        self._params_file = _text(file, "set_params_file")

    def model_dir(self) -> str:
        """Return the folder that was named, or ""."""
        return self._model_dir

    def prog_file(self) -> str:
        """Return the program file that was named, or ""."""
        return self._prog_file

    def params_file(self) -> str:
        """Return the parameter file that was named, or ""."""
        return self._params_file

    # the device

    def enable_use_gpu(
        self, memory_pool_init_size_mb: int, device_id: int = 0, precision_mode: PrecisionType = PrecisionType.Float32
    ) -> None:
        """Run on a GPU: ``create_predictor`` makes it the process's device; without CUDA a log line says so instead.

        Args:
            memory_pool_init_size_mb: kept for its getter: the engine's pool grows as needed.
            device_id: number of the GPU.
            precision_mode: Float32, or Half for products and convolutions in float16.

        Raises:
            NotImplementedError: another precision is asked for.
        """
        if precision_mode not in (PrecisionType.Float32, PrecisionType.Half):
            raise NotImplementedError(f"Config.enable_use_gpu: a GPU computes in Float32 or Half, not {precision_mode}")
        self._gpu, self._gpu_memory, self._gpu_id = True, int(memory_pool_init_size_mb), int(device_id)
        self._gpu_precision = precision_mode

    def disable_gpu(self) -> None:
        """Run on the current device, the CPU unless ``set_device`` chose another."""
        self._gpu = False

    def use_gpu(self) -> bool:
        """Return whether :meth:`enable_use_gpu` was called."""
        return self._gpu

    def gpu_device_id(self) -> int:
        """Return the GPU's number."""
        return self._gpu_id

    def memory_pool_init_size_mb(self) -> int:
        """Return what :meth:`enable_use_gpu` was given."""
        return self._gpu_memory

    def fraction_of_gpu_memory_for_pool(self) -> float:
        """Return 0.0: the engine's pool grows as needed."""
        return 0.0

    def set_cpu_math_library_num_threads(self, threads: int) -> None:
        """Keep a number for the getter: the engine's threads are ``OMP_NUM_THREADS``, read when the process starts."""
        self._threads = int(threads)

    def cpu_math_library_num_threads(self) -> int:
        """Return what :meth:`set_cpu_math_library_num_threads` was given; 1 before."""
        return self._threads

    # precision

    def enable_mkldnn_bfloat16(self) -> None:
        """Compute products and convolutions in bfloat16, where the processor can; else a log line says so."""
        self._bfloat16 = True

    def enable_mkldnn_int8(self, ops: Optional[Iterable[str]] = None) -> None:
        """Ask for a program in 8 bits; one in float32 is refused when the predictor is made.

        A program that was exported in 8 bits says itself what is rounded and computes so in any predictor.

        Args:
            ops: operators to compute in 8 bits, by Paddle's names; None: all that the program has.

        Raises:
            NotImplementedError: some operators alone are asked for.
        """
        if ops:
            raise NotImplementedError(
                "Config.enable_mkldnn_int8: which operators compute in 8 bits is chosen when a program is exported"
                " (--keep-float leaves layers in float32): leave the list out"
            )
        self._int8 = True

    def mkldnn_int8_enabled(self) -> bool:
        """Return whether :meth:`enable_mkldnn_int8` was called."""
        return self._int8

    def precision(self) -> PrecisionType:
        """Return what the settings ask to compute in."""
        if self._gpu:
            return self._gpu_precision
        return PrecisionType.Bfloat16 if self._bfloat16 else PrecisionType.Float32

    def exp_disable_mixed_precision_ops(self, ops: Iterable[str]) -> None:
        """Name operators that stay in float32, by Paddle's names."""
        self._black = frozenset(ops)

    def exp_enable_mixed_precision_ops(self, ops: Iterable[str]) -> None:
        """Name further operators to compute in 16 bits, by Paddle's names."""
        self._white = frozenset(ops)

    def black_list(self) -> frozenset[str]:
        """Return the operators that stay in float32."""
        return self._black

    def white_list(self) -> frozenset[str]:
        """Return the further operators in 16 bits."""
        return self._white

    # how it is run

    def enable_mkldnn(self) -> None:
        """Say that oneDNN is wanted: on the CPU it always serves."""
        self._mkldnn = True

    def disable_mkldnn(self) -> None:
        """Change what :meth:`mkldnn_enabled` says, and no more: the results are the same within rounding."""
        self._mkldnn = False

    def mkldnn_enabled(self) -> bool:
        """Return which of the two was called last; True before."""
        return self._mkldnn

    def set_mkldnn_cache_capacity(self, capacity: int = 0) -> None:
        """Say for how many combinations of input sizes programs are kept compiled; 0: 8, the default."""
        self._programs = int(capacity) if capacity > 0 else MAXIMUM_PROGRAMS

    def mkldnn_cache_capacity(self) -> int:
        """Return for how many combinations of input sizes programs are kept compiled."""
        return self._programs

    def switch_ir_optim(self, x: bool = True) -> None:
        """Apply the passes over the program and the engine's fusion, or not."""
        self._optimize = bool(x)

    def ir_optim(self) -> bool:
        """Return whether they are applied; True at first."""
        return self._optimize

    def pass_builder(self) -> PassBuilder:
        """Return the list of Paddle's passes, which is empty."""
        return PassBuilder()

    def enable_memory_optim(self, x: bool = True) -> None:
        """Say that memory shall be used again: it always is."""
        self._memory = bool(x)

    def disable_glog_info(self) -> None:
        """Say that nothing shall be logged: nothing is."""
        self._log = False

    def glog_info_disabled(self) -> bool:
        """Return whether :meth:`disable_glog_info` was called."""
        return not self._log

    def use_feed_fetch_ops_enabled(self) -> bool:
        """Return False."""
        return False

    def specify_input_name(self) -> bool:
        """Return True: inputs always have names."""
        return True

    def summary(self) -> str:
        """Return a table of the settings."""
        rows = {
            "model": self._model_dir or self._prog_file,
            "params_file": self._params_file,
            "use_gpu": self._gpu,
            "gpu_device_id": self._gpu_id,
            "precision": self.precision().name,
            "cpu_math_thread": self._threads,
            "enable_mkldnn": self._mkldnn,
            "mkldnn_cache_capacity": self._programs,
            "ir_optim": self._optimize,
            "memory_optim": self._memory,
            "enable_log": self._log,
        }
        texts = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in rows.items()}
        left, right = max(map(len, [*texts, "Option"])), max(map(len, [*texts.values(), "Value"]))
        line = f"+{'-' * (left + 2)}+{'-' * (right + 2)}+"
        body = [f"| {key:<{left}} | {value:<{right}} |" for key, value in {"Option": "Value", **texts}.items()]
        return "\n".join([line, body[0], line, *body[1:], line]) + "\n"


class PassBuilder:
    """The passes of Paddle's that a program goes through: none, whatever is deleted from them."""

    def all_passes(self) -> list[str]:
        """Return []."""
        return []

    def delete_pass(self, pass_name: str) -> None:
        """Accept this without effect.

        Args:
            pass_name: a pass of Paddle's.
        """


def _text(name: Any, setting: str) -> str:
    name = os.fspath(name) if isinstance(name, os.PathLike) else name
    if not isinstance(name, str):
        raise TypeError(f"Config.{setting} takes the name of a file or folder, not {type(name).__name__}")
    return name


add_settings(Config)
