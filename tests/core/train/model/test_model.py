"""Model.fit, evaluate, predict and their callbacks, against loops written out by hand."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

import core
from core import callbacks, nn
from core.io import DataLoader, Dataset, IterableDataset, TensorDataset
from core.metric import Accuracy
from core.nn import functional as F
from core.train.model.observed_inputs import ObservedInputs

INPUTS = np.random.RandomState(0).randn(40, 5).astype(np.float32)
LABELS = (INPUTS @ np.random.RandomState(1).randn(5, 3)).argmax(1)[:, None]


class Points(Dataset):
    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        return INPUTS[index], LABELS[index]

    def __len__(self) -> int:
        return len(INPUTS)


def new_network() -> Any:
    core.seed(3)
    return nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))


def prepared(rate: Any = 0.1, metrics: Any = None, **options: Any) -> core.Model:
    model = core.Model(new_network())
    optimizer = core.optimizer.SGD(rate, parameters=model.parameters())
    model.prepare(optimizer, nn.CrossEntropyLoss(), Accuracy() if metrics is None else metrics, **options)
    return model


def by_hand(epochs: int, batch_size: int, rate: float = 0.1) -> Any:
    """Return the network trained by a plain loop over the data in order."""
    network = new_network()
    optimizer = core.optimizer.SGD(rate, parameters=network.parameters())
    for _ in range(epochs):
        for start in range(0, 40, batch_size):
            inputs, labels = INPUTS[start : start + batch_size], LABELS[start : start + batch_size]
            F.cross_entropy(network(core.to_tensor(inputs)), core.to_tensor(labels)).backward()
            optimizer.step()
            optimizer.clear_grad()
    return network


def assert_close(first: Any, second: Any) -> None:
    for one, two in zip(first.parameters(), second.parameters()):
        np.testing.assert_allclose(one.numpy(), two.numpy(), rtol=1e-5, atol=1e-6)


def numbers_of(network: Any) -> tuple[float, float]:
    """Return loss and accuracy over all points, in numpy."""
    logits = network(core.to_tensor(INPUTS)).numpy().astype(np.float64)
    logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    return float(-np.take_along_axis(logs, LABELS, 1).mean()), float((logits.argmax(1) == LABELS[:, 0]).mean())


@pytest.mark.parametrize("compiled", [True, False])
def test_fit_is_the_plain_loop(compiled: bool) -> None:
    model = prepared(compiled=compiled)
    model.fit(Points(), batch_size=12, epochs=3, shuffle=False, verbose=0)
    assert_close(model.network, by_hand(3, 12))


def test_accumulated_batches_are_one_large_batch() -> None:
    model = prepared()
    model.fit(Points(), batch_size=6, epochs=2, shuffle=False, verbose=0, accumulate_grad_batches=3)
    assert_close(model.network, by_hand(2, 18))


def test_evaluate_and_predict() -> None:
    model = prepared(metrics=[Accuracy(topk=(1, 2)), core.metric.ConfusionMatrix(3)][:1])
    model.network = by_hand(20, 8)
    loss, accuracy = numbers_of(model.network)
    found = model.evaluate(Points(), batch_size=16, verbose=0)
    assert found["loss"] == [pytest.approx(loss, rel=1e-5)] and found["acc_top1"] == accuracy <= found["acc_top2"]
    assert set(found) == {"loss", "acc_top1", "acc_top2"}
    expected = model.network(core.to_tensor(INPUTS)).numpy()
    (batches,) = model.predict(Points(), batch_size=16, verbose=0)
    assert [len(batch) for batch in batches] == [16, 16, 8]
    (stacked,) = model.predict(TensorDataset([core.to_tensor(INPUTS)]), 16, stack_outputs=True, verbose=0)
    np.testing.assert_allclose(stacked, expected, rtol=1e-5, atol=1e-6)
    assert (
        model.evaluate(Points(), batch_size=8, verbose=0, num_iters=1)["acc_top1"]
        == (expected[:8].argmax(1) == LABELS[:8, 0]).mean()
    )


def test_single_batches() -> None:
    model = prepared()
    network = new_network()
    loss = float(F.cross_entropy(network(core.to_tensor(INPUTS)), core.to_tensor(LABELS)))
    (found,), (accuracy,) = model.train_batch([INPUTS], [LABELS], update=False)
    assert found == pytest.approx(loss, rel=1e-6) and accuracy == numbers_of(network)[1]
    assert_close(model.network, network)
    (again,), _ = model.eval_batch(INPUTS, LABELS)
    assert again == pytest.approx(loss, rel=1e-6)
    model.train_batch(INPUTS, LABELS)  # its gradient comes on top of the first
    assert_close(model.network, by_hand(1, 40, 0.2))
    np.testing.assert_allclose(model.predict_batch(INPUTS)[0], model.network(core.to_tensor(INPUTS)).numpy(), rtol=1e-5)
    plain = prepared(metrics=[])
    assert plain.train_batch(INPUTS, LABELS)[0] == pytest.approx(loss, rel=1e-6)


class Record(callbacks.Callback):
    def __init__(self) -> None:
        super().__init__()
        self.events: list[Any] = []

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("on_"):
            return lambda *arguments: self.events.append((name[3:], *arguments))
        return super().__getattribute__(name)


def test_callbacks_see_every_event() -> None:
    record = Record()
    model = prepared()
    model.fit(Points(), Points(), batch_size=[20, 40], epochs=2, shuffle=False, verbose=0, callbacks=record)
    names = [(event[0], event[1]) if isinstance(event[1], int) else event[0] for event in record.events]
    batch = lambda kind, step: [(f"{kind}_batch_begin", step), (f"{kind}_batch_end", step)]  # noqa: E731
    epoch = lambda n: [  # noqa: E731
        ("epoch_begin", n), *batch("train", 0), *batch("train", 1), ("epoch_end", n),
        "eval_begin", *batch("eval", 0), "eval_end",
    ]  # fmt: skip
    assert names == ["train_begin", *epoch(0), *epoch(1), "train_end"]
    losses = [event[2]["loss"] for event in record.events if event[0] == "train_batch_end"]
    network = new_network()
    assert losses[0] == [pytest.approx(float(F.cross_entropy(network(core.to_tensor(INPUTS[:20])),
                                                             core.to_tensor(LABELS[:20]))), rel=1e-5)]  # fmt: skip
    ends = [event[1] for event in record.events if event[0] == "eval_end"]
    loss, accuracy = numbers_of(model.network)
    assert ends[-1] == {"loss": [pytest.approx(loss, rel=1e-5)], "acc": accuracy}
    assert record.params == {"epochs": 2, "steps": 2, "verbose": 0, "metrics": ["loss", "acc"], "save_dir": None}
    record.events.clear()
    model.predict(Points(), batch_size=40, verbose=0, callbacks=[record])
    assert [event[0] for event in record.events] == [
        "predict_begin", "predict_batch_begin", "predict_batch_end", "predict_end",
    ]  # fmt: skip
    with pytest.raises(TypeError, match="callbacks must be core.callbacks.Callback, not int"):
        model.fit(Points(), verbose=0, callbacks=3)


def test_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    model = prepared()
    model.fit(Points(), Points(), batch_size=20, epochs=1, shuffle=False, log_freq=1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "train: 75 trainable parameters, SGD, learning rate 0.1" and lines[1] == "batch size 20"
    assert "Epoch 1/1" in lines and "Eval begin..." in lines
    steps = [line for line in lines if line.startswith("step ")]
    assert len(steps) == 6 and steps[0].startswith("step 1/2 - loss: ") and " - acc: " in steps[0]
    assert steps[0].endswith("ms/step")


def test_the_last_line_of_an_evaluation_has_its_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    model, record = prepared(), Record()
    found = model.evaluate(Points(), batch_size=20, callbacks=[record])
    assert record.events[-1] == ("eval_end", found)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"step 2/2 - loss: {found['loss'][0]:.4f} - acc: {found['acc']:.4f}")


def test_schedules_move_by_step_or_by_epoch() -> None:
    for callback, expected in ((None, 0.1 * 0.5**4), (callbacks.LRScheduler(False, True), 0.1 * 0.5**2)):
        schedule = core.optimizer.lr.ExponentialDecay(0.1, 0.5)
        model = prepared(schedule)
        model.fit(Points(), batch_size=20, epochs=2, verbose=0, callbacks=callback)
        assert schedule() == pytest.approx(expected)
    with pytest.raises(ValueError, match="choose by_step or by_epoch, not both"):
        callbacks.LRScheduler(True, True)


def test_checkpoints_and_early_stopping(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = prepared(rate=0.0)
    stop = callbacks.EarlyStopping("acc", patience=2)
    model.fit(Points(), Points(), batch_size=40, epochs=9, verbose=0, save_dir=str(tmp_path), save_freq=2,
              callbacks=stop)  # fmt: skip
    assert capsys.readouterr().out == "Epoch 3: Early stopping.\n"
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {f"{stem}.{kind}" for stem in ("0", "2", "final", "best_model") for kind in ("pdparams", "pdopt")}
    other = prepared()
    other.network[0].weight.set_value(np.zeros((5, 8), np.float32))
    other.load(str(tmp_path / "final"))
    assert_close(other.network, model.network)
    other.network = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 4))
    with pytest.raises(ValueError, match=r"final.pdparams' has another shape of '2.weight' \(2 such weights\); pass"):
        other.load(str(tmp_path / "final.pdparams"))
    other.load(str(tmp_path / "final"), skip_mismatch=True, reset_optimizer=True)
    np.testing.assert_array_equal(other.network[0].weight.numpy(), model.network[0].weight.numpy())


def test_the_learning_rate_falls_on_a_plateau(capsys: pytest.CaptureFixture[str]) -> None:
    model = prepared(rate=1e-9)
    plateau = callbacks.ReduceLROnPlateau(factor=0.5, patience=2, cooldown=1, min_lr=3e-10)
    model.fit(Points(), Points(), batch_size=40, epochs=9, verbose=0, callbacks=plateau)
    assert model._optimizer.get_lr() == 3e-10
    assert capsys.readouterr().out.splitlines() == [
        "ReduceLROnPlateau: learning rate 1e-09 -> 5e-10",
        "ReduceLROnPlateau: learning rate 5e-10 -> 3e-10",
    ]
    with pytest.raises(ValueError, match=r"factor must be below 1, not 1.5"):
        callbacks.ReduceLROnPlateau(factor=1.5)
    with pytest.raises(ValueError, match="EarlyStopping: mode must be 'auto', 'min' or 'max', not 'best'"):
        callbacks.EarlyStopping(mode="best")
    with pytest.raises(KeyError, match="EarlyStopping monitors 'f1', but the evaluation gives only loss, acc"):
        model.fit(Points(), Points(), 40, verbose=0, callbacks=callbacks.EarlyStopping("f1"))
    scheduled = prepared(core.optimizer.lr.ExponentialDecay(0.1, 0.5))
    with pytest.raises(TypeError, match="needs an optimizer whose learning rate is a float, not a schedule"):
        scheduled.fit(Points(), Points(), 40, verbose=0, callbacks=plateau)


def test_streams_loaders_and_a_number_of_iterations() -> None:
    class Stream(IterableDataset):
        def __iter__(self) -> Iterator[Any]:
            return iter(zip(INPUTS, LABELS))

    model = prepared()
    model.fit(Stream(), batch_size=8, epochs=1, verbose=0)
    assert_close(model.network, by_hand(1, 8))
    model = prepared()
    model.fit(DataLoader(Points(), batch_size=8), epochs=1, verbose=0)
    assert_close(model.network, by_hand(1, 8))
    record = Record()
    prepared().fit(Points(), batch_size=8, verbose=0, num_iters=7, callbacks=record)
    assert sum(event[0] == "train_batch_end" for event in record.events) == 7


def test_several_inputs_outputs_and_losses() -> None:
    class Two(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Linear(5, 3)

        def forward(self, x: Any, y: Any, scale: Optional[float] = None) -> Any:
            return self.a(x), self.a(y)

    class Both(Dataset):
        def __getitem__(self, index: int) -> Any:
            return INPUTS[index], -INPUTS[index], LABELS[index]

        def __len__(self) -> int:
            return 40

    network = Two()
    model = core.Model(network)
    optimizer = core.optimizer.SGD(0.1, parameters=model.parameters())
    model.prepare(optimizer, lambda one, two, label: [F.cross_entropy(one, label), (two * two).mean()])
    one = network(core.to_tensor(INPUTS), core.to_tensor(-INPUTS))
    expected = [float(F.cross_entropy(one[0], core.to_tensor(LABELS))), float((one[1] * one[1]).mean())]
    assert model.evaluate(Both(), batch_size=40, verbose=0)["loss"] == pytest.approx(expected, rel=1e-5)
    record = Record()
    model.fit(Both(), batch_size=40, verbose=0, callbacks=record)
    (logs,) = [event[2] for event in record.events if event[0] == "train_batch_end"]
    assert logs["loss"] == pytest.approx(expected, rel=1e-5)
    assert len(model.predict(Both(), 40, verbose=0)) == 2


def test_ctrl_c_is_a_keyboard_interrupt() -> None:
    class Press(callbacks.Callback):
        def on_train_batch_end(self, step: int, logs: Any = None) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        prepared().fit(Points(), verbose=0, callbacks=Press())


def test_a_program_without_this_code(tmp_path: Path) -> None:
    model = core.Model(new_network(), inputs=core.static.InputSpec([None, 5], name="points"))
    model.save(str(tmp_path / "program"), training=False)
    loaded = core.jit.load(str(tmp_path / "program"))
    expected = model.network(core.to_tensor(INPUTS)).numpy()
    np.testing.assert_allclose(loaded(core.to_tensor(INPUTS)).numpy(), expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(RuntimeError, match=r"does not know the inputs: fit, evaluate or predict first, or make"):
        core.Model(new_network()).save(str(tmp_path / "other"), training=False)


class Padded(Dataset):
    """Sentences of 4 or 6 words, and a number for each."""

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        words = np.arange(4 if index < 4 else 6, dtype=np.int64) % 7
        return words, INPUTS[index], LABELS[index]

    def __len__(self) -> int:
        return 8


class Reader(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(7, 5), nn.Linear(5, 3)

    def forward(self, words: Any, numbers: Any) -> Any:
        return self.head(self.table(words).mean(axis=1) + numbers)


@pytest.mark.parametrize("how", ["fit", "evaluate", "predict", "train_batch", "eval_batch", "predict_batch"])
def test_a_program_with_the_inputs_that_the_network_was_given(how: str, tmp_path: Path) -> None:
    core.seed(5)
    model = core.Model(Reader())
    model.prepare(core.optimizer.SGD(0.1, parameters=model.parameters()), nn.CrossEntropyLoss())
    batch = [np.zeros((2, 4), np.int64), INPUTS[:2]]
    calls = {
        "fit": lambda: model.fit(Padded(), batch_size=4, shuffle=False, verbose=0),
        "evaluate": lambda: model.evaluate(Padded(), 4, verbose=0),
        "predict": lambda: model.predict(Padded(), 4, verbose=0),
        "train_batch": lambda: model.train_batch(batch, LABELS[:2]),
        "eval_batch": lambda: model.eval_batch(batch, LABELS[:2]),
        "predict_batch": lambda: model.predict_batch(batch),
    }
    calls[how]()
    model.save(str(tmp_path / "reader"), training=False)
    predictor = core.jit.Predictor(str(tmp_path / "reader"))
    length = 4 if how.endswith("batch") else None  # both lengths were seen
    assert [(entry.name, entry.dtype.name, entry.shape) for entry in predictor.inputs] == [
        ("words", "int64", (None, length)), ("numbers", "float32", (None, 5)),
    ]  # fmt: skip
    words = np.ones((3, length or 9), np.int64)
    expected = model.network(core.to_tensor(words), core.to_tensor(INPUTS[:3])).numpy()
    np.testing.assert_allclose(predictor.run([words, INPUTS[:3]]), expected, rtol=1e-5, atol=1e-6)


def test_observed_inputs() -> None:
    observed = ObservedInputs()
    assert observed.specs() is None
    for shape in ([8, 3, 5], [8, 3, 5], [2, 1, 5], [4, 9, 5]):
        observed.add([core.zeros(shape), core.zeros([shape[0]], "int64")])
    first, second = observed.specs() or ()
    assert (first.shape, first.examples, second.shape, second.dtype) == ((-1, -1, 5), {}, (-1,), core.int64)
    observed.add([core.zeros([2, 7])])  # of another kind
    observed.add([core.zeros([2, 3])])
    assert [(spec.shape, spec.examples) for spec in observed.specs() or ()] == [((-1, -1), {1: (7, 3)})]


def test_summary_of_what_the_network_was_given(capsys: pytest.CaptureFixture[str]) -> None:
    model = core.Model(new_network())
    model.predict_batch(INPUTS)
    assert model.summary() == {"total_params": 75, "trainable_params": 75}
    assert "[[1, 5]]" in capsys.readouterr().out


def test_mistakes_are_named() -> None:
    model = core.Model(new_network())
    for call in (lambda: model.fit(Points()), lambda: model.train_batch(INPUTS, LABELS)):
        with pytest.raises(RuntimeError, match=r"call prepare\(optimizer, loss\) first"):
            call()
    with pytest.raises(TypeError, match="loss must be a Layer or a function, not int"):
        model.prepare(loss=3)
    with pytest.raises(TypeError, match="metrics must be core.metric.Metric, not str"):
        model.prepare(metrics="acc")
    with pytest.raises(ValueError, match=r"Model.fit: give train_data"):
        prepared().fit()
    for name in ("VisualDL", "WandbCallback"):
        with pytest.raises(NotImplementedError, match=f"the callback {name} is not supported; the Trainer's runs"):
            getattr(callbacks, name)("x")


def test_summary_of_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    model = core.Model(new_network(), core.static.InputSpec([None, 5]))
    assert model.summary() == {"total_params": 75, "trainable_params": 75} == core.summary(model.network, (1, 5))
    assert core.flops(model.network, [1, 5]) == 5 * 8 + 8 * 3
