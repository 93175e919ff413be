"""The one launcher of CUDA kernels: compiles their source at run time, checks arguments, starts threads.

Two back ends compile and run: MXNet's (:class:`MXNetProgram`), for arrays of the engine, and CuPy's
(:class:`CuPyProgram`), for tests on a GPU that the engine's CUDA builds do not serve. A kernel's signature is written
once, in the source.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Protocol

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.engine.compilations import note_compilation

SOURCE = Path(__file__).with_name("message_passing.cu")
THREADS_OF_A_BLOCK = 256
MOST_BLOCKS = 1 << 16
"""Of a launch; where there is more to do, each thread does several things."""

_NUMBERS = {"float32": "float", "float64": "double"}
_TYPES = {"int": "int32", "long long": "int64"}


class Parameter(NamedTuple):
    """One parameter of a kernel.

    Attributes:
        name: Its name.
        type: ``NUMBER`` (float or double), ``int`` or ``long long``.
        array: Whether it is an array; all others are ``long long`` integers.
        constant: Whether the kernel only reads the array.
    """

    name: str
    type: str
    array: bool
    constant: bool


@functools.cache
def signatures() -> dict[str, tuple[Parameter, ...]]:
    """Return the parameters of each kernel, as its source declares them."""
    found = re.findall(r'extern "C" __global__ void (\w+)\(([^)]*)\)', SOURCE.read_text(encoding="utf-8"))
    return {name: tuple(map(_parameter, parameters.split(","))) for name, parameters in found}


def _parameter(text: str) -> Parameter:
    found = re.fullmatch(r"(const )?([\w ]+) (\*?)(\w+)", " ".join(text.split()))
    assert found is not None, text
    constant, kind, star, name = found.groups()
    return Parameter(name, kind, bool(star), bool(constant))


class Program(Protocol):
    """A back end: the source, compiled for ``float`` or ``double``, which is its only argument."""

    def __call__(self, name: str, arguments: Sequence[Any], blocks: int, threads: int) -> None:
        """Start a kernel: so many blocks of so many threads each."""


class MXNetProgram:
    """Runs kernels on arrays of the engine, in order with its own operators.

    Args:
        number: ``float`` or ``double``.

    Raises:
        RuntimeError: The installed engine has no CUDA.
    """

    def __init__(self, number: str) -> None:
        from core.kernels.engine import engine  # CuPy's back end runs where there is none

        if not engine.mx.runtime.Features().is_enabled("CUDA"):
            raise RuntimeError(
                "CUDA kernels cannot be used: the installed mxnet has no CUDA; install a CUDA build (mxnet-cu117, for"
                " GPUs before Hopper)"
            )
        note_compilation()
        self._module = engine.mx.rtc.CudaModule(SOURCE.read_text(encoding="utf-8"), options=(f"-DNUMBER={number}",))
        self._number = number
        self._kernels: dict[str, Any] = {}

    def __call__(self, name: str, arguments: Sequence[Any], blocks: int, threads: int) -> None:
        """Hand a kernel to the engine; it runs when what it reads is there."""
        context = arguments[0].context
        if context.device_type != "gpu":
            raise OperatorError(f"{name}: arrays must live on a GPU, got one on {context}")
        if name not in self._kernels:
            self._kernels[name] = self._module.get_kernel(name, self._signature(name))
        self._kernels[name].launch(arguments, context, (blocks, 1, 1), (threads, 1, 1))

    def _signature(self, name: str) -> str:
        kinds = {"NUMBER": self._number, "int": "int", "long long": "int64_t"}
        return ", ".join(
            f"{'const ' * parameter.constant}{kinds[parameter.type]} {'*' * parameter.array}{parameter.name}"
            for parameter in signatures()[name]
        )


class CuPyProgram:
    """Runs kernels on CuPy's arrays, on its current stream.

    Args:
        number: ``float`` or ``double``.
    """

    def __init__(self, number: str) -> None:
        import cupy  # no part of an installation: only tests on a GPU use it

        self._integer = cupy.int64
        self._module = cupy.RawModule(code=SOURCE.read_text(encoding="utf-8"), options=(f"-DNUMBER={number}",))

    def __call__(self, name: str, arguments: Sequence[Any], blocks: int, threads: int) -> None:
        """Start a kernel; it runs when those before it on the stream are done."""
        given = tuple(self._integer(item) if isinstance(item, int) else item for item in arguments)
        self._module.get_function(name)((blocks,), (threads,), given)


class Launcher:
    """Starts kernels by name; programs are compiled when they are first needed.

    Args:
        compile: Makes the :class:`Program` of a back end for ``float`` or ``double``.
    """

    def __init__(self, compile: Callable[[str], Program] = MXNetProgram) -> None:
        self._compile = functools.cache(compile)

    def __call__(self, name: str, count: int, *arguments: Any) -> None:
        """Start a kernel.

        Args:
            name: Which.
            count: For how many elements; one thread does at least one of them.
            arguments: Flat arrays of the back end without gaps, and integers, in the order of the source.

        Raises:
            OperatorTypeError: An array has another element type than the kernel reads or writes.
        """
        dtype = _dtype(arguments[0])
        if dtype not in _NUMBERS:
            raise OperatorTypeError(f"{name}: kernels compute in float32 or float64, got {dtype}")
        given = []
        for parameter, argument in zip(signatures()[name], arguments):
            wanted = _TYPES.get(parameter.type, dtype)
            if parameter.array and _dtype(argument) != wanted:
                raise OperatorTypeError(f"{name}: {parameter.name} must be {wanted}, got {_dtype(argument)}")
            given.append(argument if parameter.array else int(argument))
        if count:
            blocks = min(-(-count // THREADS_OF_A_BLOCK), MOST_BLOCKS)
            self._compile(_NUMBERS[dtype])(name, given, blocks, THREADS_OF_A_BLOCK)


def _dtype(array: Any) -> str:
    return str(getattr(array.dtype, "__name__", array.dtype))  # the engine names types by numpy's classes
