"""TranslatedLayer: an exported folder as a Layer again (paddle.jit.TranslatedLayer)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.jit import forms
from core.jit.exported.interpreter import replay
from core.jit.exported.memory import check_memory
from core.jit.exported.paths import PathLike
from core.jit.exported.program import ExportedProgram, ProgramWeight
from core.jit.exported.reader import read_program
from core.jit.input_spec import InputSpec
from core.jit.static_function import StaticFunction
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import bfloat16
from core.nn.initializer import Assign
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttr
from core.nn.parameter import Parameter
from core.tensor import Tensor

MAXIMUM_CHECKED = 256


class TranslatedLayer(Layer):
    """An exported program that is called like the layer it was made of.

    Its parameters and buffers have the names that they had there, so ``state_dict()`` fits the original layer.
    Gradients flow to inputs and parameters. It computes what the original did in evaluation mode, and only that.

    Args:
        program: What to run.

    Attributes:
        class_names: The class names that were stored with it, or None.
        preprocessing: What was stored as preprocessing, or None.
    """

    def __init__(self, program: ExportedProgram) -> None:
        super().__init__()
        self.program = program
        self.class_names = program.class_names
        self.preprocessing = program.preprocessing
        self._tensors: dict[str, Tensor] = {}  # constants too; a Layer registers no dictionary
        for name, weight in program.weights.items():
            tensor = self._tensors[name] = _tensor(name, weight)
            if isinstance(tensor, Parameter):
                self._parameters[name] = tensor
            elif weight.kind == "buffer":
                self._buffers[name] = tensor
        self.training = False
        self._compiled = StaticFunction(self._replayed)
        self._checked: set[Any] = set()

    @property
    def input_spec(self) -> list[Any]:
        """The arguments that a call takes, with an InputSpec for each tensor."""
        shapes: list[Any] = list(self.program.examples) or [[()] * len(self.program.inputs)]
        specs = iter([_spec(entry, sizes) for entry, *sizes in zip(self.program.inputs, *shapes)])
        return [
            forms.filled(form, [next(specs) for _ in forms.tensor_names(form, name)])
            for name, form in self.program.arguments
        ]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program.

        Args:
            *args: The arguments of the original ``forward``, nested as at export.
            **kwargs: The same by name.

        Raises:
            TypeError: an argument is missing, unknown, no Tensor or nested otherwise.
            OperatorError: a type or shape does not fit, or the program does not hold for these sizes.
        """
        tensors = self._flattened(args, kwargs)
        for tensor, entry in zip(tensors, self.program.inputs):
            wrong = _spec(entry).disagreement(tensor)
            if wrong is not None:
                raise (OperatorError if isinstance(tensor, Tensor) else TypeError)(f"input {entry.name!r}: {wrong}")
        shapes = tuple([tensor._value.meta[0] for tensor in tensors])
        if self.program.cost is not None and shapes not in self._checked:
            check_memory(self.program, shapes, self.program.cost)
            if len(self._checked) >= MAXIMUM_CHECKED:
                self._checked.clear()
            self._checked.add(shapes)
        return forms.filled(self.program.result, self._compiled(*tensors))

    def _flattened(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        names = [name for name, _ in self.program.arguments]
        given = dict(zip(names, args))
        unknown = [name for name in kwargs if name not in names or name in given]
        if len(args) > len(names) or unknown:
            problem = f"the argument {unknown[0]!r}" if unknown else f"{len(args)} arguments"
            raise TypeError(f"{self.program.name} takes {', '.join(names)}; {problem} cannot be given")
        given.update(kwargs)
        tensors = []
        for name, form in self.program.arguments:
            if name not in given and forms.tensor_names(form, name):
                raise TypeError(f"{self.program.name}: the argument {name!r} is missing")
            if name in given:
                tensors += forms.matched(form, given[name], name)
        return tensors

    def _replayed(self, *tensors: Tensor) -> list[Tensor]:
        values = {entry.name: tensor._value for entry, tensor in zip(self.program.inputs, tensors)}
        values.update({name: tensor._value for name, tensor in self._tensors.items()})
        known = replay(self.program, values)
        return [Tensor(known[name]) for name in self.program.outputs]

    def train(self) -> Any:
        """Refuse: the program holds what the layer computes in evaluation mode.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            f"train(): the program of {self.program.name} was exported in evaluation mode; load its state_dict() into"
            " the layer's Python class to train (gradients do flow, as in evaluation mode)"
        )


def load(path: PathLike, **configs: Any) -> TranslatedLayer:
    """Load what :func:`core.jit.save` wrote, without the Python code of the model.

    Args:
        path: The folder.
        **configs: Paddle's options; none of them is built.

    Returns:
        A Layer in evaluation mode.

    Raises:
        FileNotFoundError: it is no exported folder.
        ValueError: a file in it is damaged, or of a newer version.
        NotImplementedError: an option is given.
    """
    for name in configs:
        raise NotImplementedError(f"jit.load: the option {name!r} is not built: leave it out")
    return TranslatedLayer(read_program(path))


def _tensor(name: str, weight: ProgramWeight) -> Tensor:
    if weight.kind != "parameter":
        return Tensor(weight.array, dtype=weight.dtype, stop_gradient=not weight.trainable, name=name)
    numbers = weight.array
    if weight.dtype is bfloat16:
        numbers = np.left_shift(numbers.astype(np.uint32), 16, dtype=np.uint32).view(np.float32)
    attr = ParamAttr(name=name, trainable=weight.trainable)
    return Parameter(numbers.shape, weight.dtype, Assign(numbers), attr)


def _spec(entry: Any, shapes: Sequence[Sequence[int]] = ()) -> InputSpec:
    """Return an input's InputSpec; of the shapes at which the export was checked it takes what open sizes may be."""
    pairs = enumerate(zip(*shapes)) if len(shapes) == 2 else ()
    examples = {axis: (a, b) for axis, (a, b) in pairs if entry.shape[axis] is None and a != b and min(a, b) > 1}
    return InputSpec(entry.shape, entry.dtype, entry.name, examples=examples)
