"""Export in 8 bits: calibrated on a split, and compared on another one with what the run computes in float32."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

import core
from core.io.batch import device_fields, samples_of
from core.jit.exported.reader import read_program
from core.jit.running.predictor import Predictor
from core.jit.static_function import StaticFunction
from core.jit.translator import ProgramTranslator
from core.quantization.folding import fold_batch_normalization
from core.quantization.post_training import PostTraining
from core.train.evaluation_pass import EvaluationPass, progress_bar
from core.train.runner.expectation import numbers_in
from core.train.runner.experiment import open_run
from core.train.runner.exporting import write_program
from core.train.runner.toolkit import Toolkit
from core.weights.atomic import atomic_write
from core.weights.messages import counted

RECORD = "quantization.json"
SENSITIVITY_SAMPLES = 64
"""On how many samples it is measured what each layer alone does."""
CHANGED = 0.01
"""What layers in 8 bits may change together, of the results' squares, where it is chosen which stay in float32."""
TOLERATED = 0.01
"""By how much a number may be worse before something is suggested."""


class Options(NamedTuple):
    """How a run is exported in 8 bits.

    Args:
        algorithm: a key of :data:`core.quantization.post_training.ALGORITHMS`.
        samples: how many calibrate, at most.
        keep_float: how many layers stay in float32: those that change the results most; None: as few as it takes for
            the changes of the others, each measured alone, to add up to no more than :data:`CHANGED`.
        split: what is compared; None: "test", or what the task calibrates on.
    """

    algorithm: str = "percentile"
    samples: int = 1024
    keep_float: Optional[int] = 0
    split: Optional[str] = None


def export_quantized(
    toolkit: Toolkit,
    run: str,
    checkpoint: str = "best",
    overrides: Sequence[str] = (),
    output: Optional[str] = None,
    onnx: bool = False,
    options: Optional[Options] = None,
) -> int:
    """Export what a run has trained with convolutions and linear layers in 8 bits.

    Args:
        toolkit: of the run.
        run: the run's folder.
        checkpoint: which one of the run.
        overrides: changes of keys.
        output: where to write; None: the run's folder "exported_int8".
        onnx: whether to write model.onnx, too.
        options: how; None: as they are by default.

    Returns:
        The exit code.

    Raises:
        ValueError: there is nothing to quantize, or nothing to calibrate on.
    """
    options = options or Options()
    task, folder = open_run(toolkit, run, checkpoint, overrides)
    target = Path(output) if output else folder.path / "exported_int8"
    if options.split is not None:
        task.require_split(options.split)
    split = options.split or ("test" if "test" in task.splits else task.calibration)
    program = task.program()
    fold_batch_normalization(program.network, program.inputs)
    quantization = PostTraining(_exported_networks(task, program.network), options.algorithm)
    with quantization.only([]):
        before = _numbers(EvaluationPass(task, task.config.train.compiled, progress=True)(split))
    task.eval_mode()
    with _eager():
        samples, batches = _calibrate(task, options.samples)
    unreached = quantization.convert()
    record: dict[str, Any] = {"calibration": options.algorithm, "split": task.calibration, "samples": samples}
    every = len(quantization.layers) + len(unreached)
    if options.keep_float != 0:
        with _eager():
            record["sensitivity"] = _keep_in_float(task, quantization, batches, options.keep_float)
    write_program(program, target, onnx, compared="equal, but for single steps of 8 bits")
    where = f"{counted(samples, 'sample')} of the split {task.calibration!r}"
    print(f"{len(quantization.layers)} of {every} layers in 8 bits; calibrated by {options.algorithm} on {where}")
    if unreached:
        print(f"in float32, as no calibration data passes through them: {', '.join(unreached)}")
    print(f"weights: {_share(target):.2f} of float32's size")
    measured = _numbers_of_export(task, program.network, target, split)
    what = "exported" if measured is not None else "the converted network"
    after = _numbers(EvaluationPass(task, False, progress=True)(split)) if measured is None else measured
    print(f"{split}, float32 and 8 bits ({what}):", *_compared(before, after), sep="\n  ")
    _suggest(task, before, after)
    grids = {name: {"scale": scale, "zero_point": zero} for name, (scale, zero) in quantization.grids.items()}
    record |= {"in_float32": unreached, "inputs": grids, "compared": {split: {"float32": before, "int8": after}}}
    with atomic_write(target / RECORD) as stream:
        stream.write((json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    return 0


@contextlib.contextmanager
def _eager() -> Iterator[None]:
    """Run the network's operators one by one inside a ``with`` block.

    What observes its layers must see each call, and a compiled program keeps the layers that it was made from.
    """
    before = ProgramTranslator.enable_to_static
    core.jit.enable_to_static(False)
    try:
        yield
    finally:
        core.jit.enable_to_static(before)


def _exported_networks(task: Any, network: Any) -> dict[str, Any]:
    """Return the networks of a task that are exported, or all where that cannot be seen."""
    program = _layer_of(network)
    inside = {id(layer) for layer in program.sublayers(include_self=True)} if hasattr(program, "sublayers") else set()
    return {name: layer for name, layer in task.networks.items() if id(layer) in inside} or task.networks


def _layer_of(network: Any) -> Any:
    """Return the Layer that is called where a compiled function, or the method of a Layer, is exported."""
    function = network.function if isinstance(network, StaticFunction) else network
    return getattr(function, "__self__", function)


def _calibrate(task: Any, most: int) -> tuple[int, list[Any]]:
    """Run batches of the task's calibration split; return how many samples they had, and the first of them."""
    loader, samples = task.loader(task.calibration), 0
    kept: list[Any] = []
    with core.no_grad(), contextlib.closing(loader.batches()) as batches:
        with contextlib.closing(progress_bar("calibrating", loader)) as bar:
            for batch in batches:
                if sum(samples_of(one) for one in kept) < SENSITIVITY_SAMPLES:
                    kept.append(batch)
                task.predict(*device_fields(batch))
                samples += samples_of(batch)
                bar.update(1)
                if samples >= most:
                    break
    if not samples:
        raise ValueError(f"--int8 calibrates on the split {task.calibration!r}, which has no samples")
    return samples, kept


def _keep_in_float(
    task: Any, quantization: PostTraining, batches: Sequence[Any], count: Optional[int]
) -> dict[str, float]:
    """Put the layers back that change the results most; return what was measured."""

    def predict() -> list[np.ndarray]:
        with core.no_grad():
            results = [result for batch in batches for result in task.predict(*device_fields(batch))]
        return [result.as_float_numpy() for result in results]

    with contextlib.closing(progress_bar("measuring", quantization.layers, "layers")) as bar:
        found = quantization.sensitivity(predict, lambda: bar.update(1))
    chosen = list(found)[: most_sensitive(list(found.values())) if count is None else count]
    if len(chosen) == len(found):
        text = "auto" if count is None else count
        raise ValueError(f"--keep-float {text} leaves nothing to quantize: there are {len(found)} layers")
    quantization.keep_in_float(chosen)
    print(
        "in float32, as these change the results most:" if chosen else "no layer changes the results enough to stay out"
    )
    for name in chosen:
        print(f"  {name}: {found[name]:.1e} of the results' squares")
    return found


def most_sensitive(changes: Sequence[float], changed: float = CHANGED) -> int:
    """Return how many of some layers, the first ones, have to stay in float32.

    Args:
        changes: what each alone changes, of the results' squares, the largest first.
        changed: what those in 8 bits may change together.
    """
    left = np.cumsum(changes[::-1])  # of the last one, the last two, ...
    return len(changes) - int(np.searchsorted(left, changed, "right"))


def _numbers(evaluator: Any) -> dict[str, float]:
    return {} if evaluator is None else {**evaluator.result(), **numbers_in(evaluator.details())}


def _numbers_of_export(task: Any, network: Any, target: Path, split: str) -> Optional[dict[str, float]]:
    """Return the numbers of an evaluation in which the exported program takes the network's place; None where the task
    calls it with something else than the program's inputs."""
    layer = _layer_of(network)
    if not any(layer is own for own in task.networks.values()):
        return None
    with _in_place(layer, Predictor(target)) as calls:
        found = EvaluationPass(task, False, progress=True)(split)
    return _numbers(found) if calls else None


@contextlib.contextmanager
def _in_place(layer: Any, predictor: Predictor) -> Iterator[list[int]]:
    """Let an exported program compute what a layer would; yield a list that grows by each call."""
    calls: list[int] = []

    def forward(*arguments: Any, **_: Any) -> Any:
        calls.append(1)
        tensors = [item for item in arguments if isinstance(item, core.Tensor)]
        results = predictor.run([tensor.as_float_numpy() for tensor in tensors[: len(predictor.inputs)]])
        return _as_tensors(results)

    own = vars(layer).get("forward")
    layer.__dict__["forward"] = forward
    try:
        yield calls
    finally:
        del layer.__dict__["forward"]
        if own is not None:
            layer.__dict__["forward"] = own


def _as_tensors(results: Any) -> Any:
    if isinstance(results, dict):
        return {key: _as_tensors(item) for key, item in results.items()}
    if isinstance(results, (list, tuple)):
        return type(results)([_as_tensors(item) for item in results])
    return core.to_tensor(results) if isinstance(results, np.ndarray) else results


def _compared(before: Mapping[str, float], after: Mapping[str, float]) -> list[str]:
    return [f"{name} {number:.4g} and {after.get(name, float('nan')):.4g}" for name, number in before.items()]


def _suggest(task: Any, before: Mapping[str, float], after: Mapping[str, float]) -> None:
    """Say what may help where the number that the best checkpoint is chosen by has become worse."""
    if task.monitor not in before or task.monitor not in after:
        return
    loss = (before[task.monitor] - after[task.monitor]) * (1 if task.higher_is_better else -1)
    if not loss <= TOLERATED * max(1.0, abs(before[task.monitor])):
        print(f"{task.monitor} is worse by {loss:.4g}: try another --calibration, or --keep-float auto")


def _share(folder: Path) -> float:
    """Return how large a program's weights are in relation to the same ones in float32."""
    weights = [weight.array for weight in read_program(folder).weights.values()]
    return sum(array.nbytes for array in weights) / sum(
        array.size * (4 if array.dtype == np.int8 else array.dtype.itemsize) for array in weights
    )
