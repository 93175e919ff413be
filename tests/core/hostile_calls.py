"""Calls every operator with inputs that do not fit; run as a program, in a process of its own.

Each tensor argument of each sample is replaced in turn: size zero, no axes, one axis more, another dtype, NaN and
infinity, indices far outside. The call, its results, and its gradients must either work or raise one clear line at
once. What fails is printed as one JSON line; the case at hand is written to standard error first, so that a crash names
it. Words on the command line are the operators that are called, all when there are none; the option ``--sampled`` takes
one in three of the cases of each operator's first sample.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import core
from core import operators
from core.jit import tree
from core.kernels.engine import engine
from tests.core.samples import Draw, all_samples
from tests.sampling import is_drawn

ALLOWED = (ValueError, TypeError, IndexError, NotImplementedError, RuntimeError)


def replacements(tensor: core.Tensor) -> Iterator[tuple[str, Any]]:
    values = tensor.astype("float32").numpy() if tensor.dtype == "bfloat16" else tensor.numpy()
    floating = tensor.dtype.is_floating

    def like(array: np.ndarray, dtype: Any = None) -> core.Tensor:
        made = core.to_tensor(array, dtype=dtype or tensor.dtype)
        made.stop_gradient = not made.dtype.is_floating
        return made

    yield "no axes", like(np.ones((), values.dtype))
    yield "one axis more", like(values[None])
    if values.ndim:
        yield "first axis empty", like(values[:0])
        yield "last axis empty", like(values[..., :0])
        yield "everything empty", like(np.zeros((0,) * values.ndim, values.dtype))
        yield "one element fewer", like(values[:-1])
    for dtype in ("float16", "float64", "int32", "int64", "uint8", "bool"):
        if tensor.dtype != dtype:
            yield dtype, like(values, dtype)
    if floating:
        yield "NaN", like(np.full_like(values, np.nan))
        yield "infinity", like(np.full_like(values, np.inf))
    elif tensor.dtype.is_integer:
        yield "far outside", like(np.full_like(values, 10**6))
        yield "far below", like(np.full_like(values, -(10**6)))
    yield "None", None
    yield "text", "text"


def attempt(function: Any, args: Any, kwargs: Any) -> str:
    """Return what is wrong with the outcome, or an empty text."""
    try:
        outputs, _ = tree.flatten(function(*args, **kwargs))
    except ALLOWED as error:
        return judge(error)
    except Exception as error:  # noqa: BLE001 - any other exception is the finding
        return f"{type(error).__name__}: {error}"
    try:
        engine.wait_all()
        for output in outputs:
            if output.numpy().shape != tuple(output.shape):
                return f"says shape {output.shape}, holds {output.numpy().shape}"
        heads = [o for o in outputs if not o.stop_gradient and o.dtype.is_floating]
        if heads:
            core.autograd.backward(heads)
            engine.wait_all()
            for tensor in tree.flatten((list(args), kwargs))[0]:
                if tensor.grad is not None and tensor.grad.numpy().shape != tuple(tensor.shape):
                    return f"gradient of shape {tensor.grad.shape} for an input of shape {tensor.shape}"
    except Exception as error:  # noqa: BLE001
        return f"late {type(error).__name__}: {str(error)[:300]}"
    return ""


def judge(error: Exception) -> str:
    text = str(error)
    if "\n" in text or "Check failed" in text or "MXNetError" in type(error).__name__ or "src/" in text:
        return f"unclear {type(error).__name__}: {text[:300]}"
    return "" if len(text) > 10 else f"{type(error).__name__} says only {text!r}"


def cases(only: list[str], sampled: bool = False) -> Iterator[tuple[str, Any, Any, Any]]:
    for name, samples in sorted(all_samples().items()):
        if only and name not in only:
            continue
        for sample in samples[: 1 if sampled else None]:
            args, kwargs = sample(Draw())
            tensors, _ = tree.flatten((list(args), kwargs))
            for position, tensor in enumerate(tensors):
                for label, replacement in replacements(tensor):
                    case = f"{name}, tensor {position}: {label}"
                    if sampled and not is_drawn(case, 3):
                        continue
                    fresh_args, fresh_kwargs = sample(Draw())
                    fresh, skeleton = tree.flatten((list(fresh_args), fresh_kwargs))
                    fresh[position] = replacement  # type: ignore[call-overload]
                    new_args, new_kwargs = tree.unflatten(skeleton, fresh)
                    yield case, getattr(operators, name), new_args, new_kwargs


def main() -> None:
    np.seterr(all="ignore")
    words = sys.argv[1:]
    for label, function, args, kwargs in cases([w for w in words if w != "--sampled"], "--sampled" in words):
        sys.stderr.write(label + "\n")
        sys.stderr.flush()
        wrong = attempt(function, args, kwargs)
        if wrong:
            print(json.dumps([label, wrong]), flush=True)
    sys.stderr.write("done\n")


if __name__ == "__main__":
    main()
