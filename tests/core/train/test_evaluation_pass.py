"""Evaluations: what is computed beside the next batch, in which order, and how they end."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import core
from core.io import DataLoader, Dataset, IterableDataset
from core.train import Callback, EvaluationPass, Evaluator, Trainer, TrainOptions
from core.train.evaluation_pass import DEPTH
from core.train.logs import console
from core.train.logs.console import Console
from tests.core.train.regression import Points, Regression


class Kept(Evaluator):
    """Keeps all that it is given, and by whom."""

    def __init__(self) -> None:
        self.given: list[Any] = []
        self.fields: list[Any] = []
        self.threads: set[str] = set()

    def update(self, outputs: Any, batch: Sequence[Any]) -> None:
        self.given.append(outputs)
        self.fields.append([field.numpy() for field in batch])
        self.threads.add(threading.current_thread().name)

    def result(self) -> dict[str, float]:
        return {"batches": len(self.given)}


class Plain(Regression):
    """A regression whose evaluator keeps everything."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"batch_size": 5, **options})

    def evaluator(self, split: str) -> Kept:  # type: ignore[override]
        return Kept()


class PostProcessed(Plain):
    """One with post-processing that takes some time.

    Args:
        step: called with the number of the batch, and its arrays.
    """

    def __init__(self, step: Callable[[int, Any], Any] = lambda number, outputs: outputs, **options: Any) -> None:
        super().__init__(**options)
        self.step = step
        self.predicted = 0
        self.begun: list[int] = []
        self.threads: list[str] = []

    def predict(self, *batch: Any) -> Sequence[Any]:
        self.predicted += 1
        return super().predict(*batch)

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> Any:
        self.threads.append(threading.current_thread().name)
        self.begun.append(len(self.begun))
        return self.step(self.begun[-1], outputs)


@contextlib.contextmanager
def no_thread_left() -> Iterator[None]:
    before = threading.enumerate()
    yield
    assert threading.enumerate() == before


def sorted_errors(outputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [np.sort(output, axis=0) * np.float32(3) for output in outputs]


@pytest.mark.parametrize("compiled", [True, False])
def test_post_processing_beside_gives_the_bits_of_one_after_the_other(compiled: bool) -> None:
    with no_thread_left():
        plain = EvaluationPass(Plain(), compiled)("valid")
        task = PostProcessed(lambda number, outputs: (time.sleep(0.003 * (number % 2)), sorted_errors(outputs))[1])
        beside = EvaluationPass(task, compiled)("valid")
    assert len(plain.given) == len(beside.given) == 5
    for one, other, inputs, same in zip(plain.given, beside.given, plain.fields, beside.fields):
        np.testing.assert_array_equal(sorted_errors(one), other)
        np.testing.assert_array_equal(inputs[0], same[0])
    assert task.begun == [0, 1, 2, 3, 4]


def test_one_thread_post_processes_and_the_callers_evaluates() -> None:
    task = PostProcessed()
    evaluator = EvaluationPass(task, True)("valid")
    assert task.threads == ["post-processing_0"] * 5
    assert evaluator.threads == {threading.current_thread().name}
    assert all(layer.training for layer in task.network.sublayers())


def test_without_post_processing_there_is_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("a thread was started")

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", refuse)
    assert len(EvaluationPass(Plain(), True)("valid").given) == 5


def test_a_few_batches_at_most_are_ahead() -> None:
    """The first is held up; prediction goes on to a bound, and evaluation begins when it is let go."""
    free = threading.Event()
    task = PostProcessed(lambda number, outputs: (free.wait(10), outputs)[1])
    seen: list[int] = []

    def watch() -> None:
        while task.predicted < DEPTH + 1:
            time.sleep(0.001)
        time.sleep(0.02)
        seen.append(task.predicted)
        free.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    evaluator = EvaluationPass(task, False)("valid")
    watcher.join()
    assert seen == [DEPTH + 1]
    assert len(evaluator.given) == 5


def test_the_order_of_all_calls_does_not_depend_on_the_threads_speed() -> None:
    def calls(slow: float) -> list[str]:
        found: list[str] = []

        class Listening(Kept):
            def update(self, outputs: Any, batch: Sequence[Any]) -> None:
                found.append(f"update {outputs}")

        class Numbered(PostProcessed):
            def predict(self, *batch: Any) -> Sequence[Any]:
                found.append("predict")
                return super().predict(*batch)

            def evaluator(self, split: str) -> Kept:  # type: ignore[override]
                return Listening()

        EvaluationPass(Numbered(lambda number, outputs: (time.sleep(slow), number)[1]), False)("valid")
        return found

    expected = ["predict"] * 3 + ["update 0", "predict", "update 1", "predict"] + [f"update {n}" for n in (2, 3, 4)]
    assert calls(0.0) == calls(0.005) == expected


def test_an_error_of_post_processing_comes_with_its_origin() -> None:
    def fail(number: int, outputs: Any) -> Any:
        if number == 1:
            raise ValueError(f"batch {number} has no boxes")
        return outputs

    task = PostProcessed(fail)
    with no_thread_left(), pytest.raises(ValueError, match="^batch 1 has no boxes$") as caught:
        EvaluationPass(task, True)("valid")
    assert [entry.name for entry in caught.traceback][-2:] == ["post_process", "fail"]
    assert all(layer.training for layer in task.network.sublayers())
    assert core.is_grad_enabled()


@pytest.mark.parametrize("where", ["before_batch", "predict", "update"])
def test_an_evaluation_that_ends_early_leaves_no_thread(where: str) -> None:
    class Failing(PostProcessed):
        def predict(self, *batch: Any) -> Sequence[Any]:
            if where == "predict" and self.predicted == 3:
                raise KeyboardInterrupt("predict")
            return super().predict(*batch)

        def evaluator(self, split: str) -> Kept:  # type: ignore[override]
            kept = Kept()
            if where == "update":
                kept.update = fail  # type: ignore[method-assign]
            return kept

    def fail(*arguments: Any) -> None:
        raise KeyboardInterrupt("update")

    calls = itertools.count()

    def before_batch() -> None:
        if where == "before_batch" and next(calls) == 3:
            raise KeyboardInterrupt("before_batch")

    task = Failing(lambda number, outputs: (time.sleep(0.01), outputs)[1])
    with no_thread_left(), pytest.raises(KeyboardInterrupt, match=f"^{where}$"):
        EvaluationPass(task, False)("valid", before_batch)
    assert len(task.begun) <= 3


def test_post_processing_may_compute_with_tensors() -> None:
    """It takes its turn, and records no gradient, as the mode of gradients is each thread's own."""
    recorded: list[bool] = []

    def on_tensors(number: int, outputs: Any) -> Any:
        scale = core.to_tensor(np.float32(2), stop_gradient=False)
        result = core.to_tensor(outputs[0]) * scale
        recorded.append(not result.stop_gradient)
        return [result.numpy()]

    plain, beside = EvaluationPass(Plain(), True)("valid"), EvaluationPass(PostProcessed(on_tensors), True)("valid")
    for one, other in zip(plain.given, beside.given):
        np.testing.assert_array_equal(one[0] * np.float32(2), other[0])
    assert recorded == [False] * 5


def test_a_trainer_evaluates_with_post_processing() -> None:
    class TwoOff(Regression):
        def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> Any:
            return [outputs[0] * 0 + batch[1].numpy() + 2]

    class Listening(Callback):
        def on_evaluate_end(self, trainer: Trainer, split: str, values: Mapping[str, float]) -> None:
            found.append((split, values["loss"]))

    found: list[tuple[str, float]] = []
    with no_thread_left():
        Trainer(TwoOff(), TrainOptions(epochs=1), None, callbacks=[Listening()], console=Console(quiet=True)).fit()
    assert found == [("valid", pytest.approx(4))]


class Captioned(Dataset):
    """Points of a plane in a nested field, with a name that no network sees."""

    def __len__(self) -> int:
        return 7

    def __getitem__(self, index: int) -> Any:
        x, y = Points(7)[index]
        return {"x": x}, y, f"point {index}", (np.int64(index),)


class OfCaptioned(PostProcessed):
    def loader(self, split: str) -> DataLoader:
        return DataLoader(Captioned(), batch_size=3)

    def predict(self, inputs: Any, targets: Any, number: Any) -> Sequence[Any]:  # type: ignore[override]
        return [self.network(inputs["x"]), number[0]]

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> Any:
        return list(zip(batch[2], outputs[1].tolist()))

    def evaluator(self, split: str) -> Any:
        kept = Kept()
        kept.update = lambda outputs, batch: kept.given.extend(  # type: ignore[method-assign]
            (*row, name) for row, name in zip(outputs, batch[2])
        )
        return kept


@pytest.mark.parametrize("compiled", [True, False])
def test_fields_for_the_host_go_to_post_processing_and_evaluator_only(compiled: bool) -> None:
    evaluation = EvaluationPass(OfCaptioned(), compiled)
    assert evaluation("valid").given == [(f"point {n}", n, f"point {n}") for n in range(7)]
    if compiled:
        assert len(evaluation._predict.programs) == 2  # type: ignore[attr-defined]  # of three points, and of one


def test_progress_is_lines_in_a_log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    EvaluationPass(Plain(), True, progress=True)("valid")
    assert capsys.readouterr().err == ""  # it took no ten seconds
    monkeypatch.setattr(console, "LINE_SECONDS", 0)
    EvaluationPass(Plain(), True, progress=True)("valid")
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("valid 100%|") and "| 5/5 batches [00:" in lines[-1]
    EvaluationPass(Plain(), True)("valid")
    assert capsys.readouterr().err == ""


def test_progress_of_a_stream_counts_batches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stream(IterableDataset):
        def __iter__(self) -> Iterator[Any]:
            return iter([Points()[index] for index in range(6)])

    class Streamed(Plain):
        def loader(self, split: str) -> DataLoader:
            return DataLoader(Stream(), batch_size=2)

    monkeypatch.setattr(console, "LINE_SECONDS", 0)
    EvaluationPass(Streamed(), True, progress=True)("valid")
    assert capsys.readouterr().err.splitlines()[-1].startswith("valid 3 batches [00:")
