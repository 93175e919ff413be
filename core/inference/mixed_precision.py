"""An exported program in 16 bits: what auto_cast makes of it, operation by operation."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from core.amp import auto_cast, is_bfloat16_supported, is_float16_supported
from core.inference.kinds import PlaceType, PrecisionType
from core.inference.program_files import folder_of, named_folder, same_program
from core.jit import forms
from core.jit.export.inputs import named_arguments
from core.jit.export.save import exported, save
from core.jit.exported.program import ExportedProgram
from core.jit.exported.reader import read_program
from core.jit.input_spec import is_spec
from core.jit.running.translated_layer import TranslatedLayer
from core.kernels.dtypes import BY_NAME, DType, float32
from core.kernels.engine import engine
from core.tensor import Tensor

TYPES = {PrecisionType.Half: "float16", PrecisionType.Bfloat16: "bfloat16"}
_NONE: set[str] = set()  # Paddle's default; nothing is added to it


def computes_in(precision: PrecisionType) -> bool:
    """Return whether the current device computes in a 16-bit type."""
    return is_float16_supported() if precision is PrecisionType.Half else is_bfloat16_supported()


class _Mixed:
    """A loaded program under auto_cast, to be exported again under its own name."""

    def __init__(
        self,
        layer: TranslatedLayer,
        dtype: str,
        keep_io_types: bool,
        black_list: Collection[str],
        white_list: Collection[str],
    ) -> None:
        self.__self__ = layer  # whose parameters are exported
        self.__qualname__ = layer.program.name
        self.dtype = BY_NAME[dtype]
        self.keep_io_types = keep_io_types
        self.lists = set(white_list), set(black_list)

    def __call__(self, *arguments: Any) -> Any:
        with auto_cast(True, *self.lists, dtype=self.dtype.name):
            if self.keep_io_types:
                return self._cast(self.__self__.forward(*arguments), float32)
            return self._cast(self.__self__.forward(*self._cast(arguments, float32)), self.dtype)

    def _cast(self, item: Any, dtype: DType) -> Any:
        form, tensors = forms.form_of(item, lambda part: isinstance(part, Tensor), "a result")
        both = (float32, self.dtype)
        return forms.filled(form, [t.astype(dtype) if t.dtype in both and t.dtype is not dtype else t for t in tensors])

    def arguments(self) -> list[Any]:
        """Return the InputSpecs of a call, nested as its arguments are."""
        form, specs = forms.form_of(self.__self__.input_spec, is_spec, "the inputs")
        for spec in specs:
            spec.dtype = spec.dtype if self.keep_io_types or spec.dtype is not float32 else self.dtype
        filled: list[Any] = forms.filled(form, specs)
        return filled


def in_mixed_precision(
    program: ExportedProgram,
    precision: PrecisionType,
    black_list: Collection[str] = (),
    white_list: Collection[str] = (),
) -> ExportedProgram:
    """Return a program that computes products and convolutions in 16 bits, with the same inputs and results.

    Args:
        program: a program in float32.
        precision: Half or Bfloat16, which the current device computes in.
        black_list: operators that stay in float32.
        white_list: further operators to compute in 16 bits.
    """
    mixed = _Mixed(TranslatedLayer(program), TYPES[precision], True, black_list, white_list)
    names = [name for name, _ in program.arguments]
    arguments, _ = named_arguments(mixed.arguments(), names, program.name)
    made = exported(mixed, arguments, mixed.__self__, program.name)
    made.examples, made.fuse = program.examples, program.fuse
    made.preprocessing, made.class_names = program.preprocessing, program.class_names
    return made


def convert_to_mixed_precision(
    model_file: str,
    params_file: str,
    mixed_model_file: str,
    mixed_params_file: str,
    mixed_precision: PrecisionType,
    backend: PlaceType,
    keep_io_types: bool = True,
    black_list: Collection[str] = _NONE,
    **kwargs: Any,
) -> None:
    """Rewrite a float32 program so that products and convolutions are computed in 16 bits.

    What is computed in 16 bits is what :func:`core.amp.auto_cast` chooses; the weights stay float32 in the file.

    Args:
        model_file: as for :class:`core.inference.Config`.
        params_file: the same program's.
        mixed_model_file: where to write it: ``NAME.pdmodel``, or ``NAME``, for the folder NAME.
        mixed_params_file: the same folder, or "".
        mixed_precision: Bfloat16 for CPUs, Half for GPUs.
        backend: the kind of device that will run it: the current one.
        keep_io_types: inputs and results stay float32; otherwise they are 16-bit.
        black_list: operators that stay in float32, by Paddle's names.
        **kwargs: ``white_list``: further operators to compute in 16 bits.

    Raises:
        TypeError: an argument is unknown.
        ValueError: the precision is no 16-bit one, or the two new files are not of one folder.
        NotImplementedError: the device is of another kind, or does not compute in that type.
        FileNotFoundError: there is no exported program.
    """
    white_list = kwargs.pop("white_list", frozenset())
    if kwargs:
        raise TypeError(f"convert_to_mixed_precision: there is no argument {next(iter(kwargs))!r}")
    if mixed_precision not in TYPES:
        raise ValueError(f"convert_to_mixed_precision: the precision is Half or Bfloat16, not {mixed_precision}")
    here = PlaceType.CPU if engine.device_text().startswith("cpu") else PlaceType.GPU
    if backend is not here:
        raise NotImplementedError(f"convert_to_mixed_precision: backend must be the current device's, {here}")
    if not computes_in(mixed_precision):
        raise NotImplementedError(
            f"convert_to_mixed_precision: {engine.device_text()} does not compute in {TYPES[mixed_precision]}"
        )
    if mixed_params_file and not same_program(mixed_model_file, mixed_params_file):
        raise ValueError(
            f"convert_to_mixed_precision: {mixed_model_file!r} and {mixed_params_file!r} name two folders, but a"
            " program is one"
        )
    program = read_program(folder_of("", model_file, params_file))
    mixed = _Mixed(TranslatedLayer(program), TYPES[mixed_precision], keep_io_types, black_list, white_list)
    extras = {"preprocessing": program.preprocessing, "class_names": program.class_names}
    save(mixed, named_folder(mixed_model_file), mixed.arguments(), **extras)
