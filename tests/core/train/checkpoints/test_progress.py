"""What a run shows of its progress: the time that is left, and that a first step is compiling."""

from __future__ import annotations

import io
import os
import pty
import re
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import pytest

from core.io import DataLoader
from core.train import Callback, Trainer, TrainOptions
from core.train.logs import console as console_module
from core.train.logs.console import COMPILING, PATIENCE, Console
from core.train.logs.time_left import TimeLeft
from tests.core.train.regression import Points, Regression


class Hands:
    """A clock, and a count of what was compiled, that tests turn."""

    def __init__(self) -> None:
        self.now, self.compilations = 0.0, 0

    def step(self, left: TimeLeft, seconds: float, compiles: bool = False) -> None:
        self.now += seconds
        self.compilations += compiles
        left.step()

    def between(self, left: TimeLeft, seconds: float, compiles: bool = False) -> None:
        self.now += seconds
        self.compilations += compiles
        left.between()

    def time_left(self) -> TimeLeft:
        return TimeLeft(lambda: self.now, lambda: self.compilations)


def test_time_left_counts_neither_the_first_step_nor_others_that_compiled() -> None:
    hands = Hands()
    left = hands.time_left()
    assert left.seconds(380, 20) is None
    hands.step(left, 10.0)
    assert left.seconds(379, 20) is None  # 1:03:10, were it judged by this step
    hands.step(left, 0.1)
    assert left.seconds(378, 20) == pytest.approx(37.8)
    hands.step(left, 25.0, compiles=True)  # a second phase, or a new shape
    assert left.seconds(377, 20) == pytest.approx(37.7)
    hands.step(left, 0.3)
    assert left.seconds(376, 20) == pytest.approx(0.2 * 376)


def test_time_left_counts_evaluations_but_for_the_first_that_compiles() -> None:
    hands = Hands()
    left = hands.time_left()
    for _ in range(5):
        hands.step(left, 1.0)
    hands.between(left, 30.0, compiles=True)
    assert left.seconds(10, 2) == pytest.approx(10.0)
    hands.between(left, 4.0)
    assert left.seconds(5, 1) == pytest.approx(5.0 + 4.0)
    hands.between(left, 6.0, compiles=True)  # as where weights are folded anew for each evaluation
    assert left.seconds(5, 1) == pytest.approx(5.0 + 5.0)
    assert left.seconds(0, 0) == 0.0


def test_time_left_follows_a_machine_that_becomes_slower() -> None:
    hands = Hands()
    left = hands.time_left()
    for _ in range(5000):
        hands.step(left, 0.1)
    for _ in range(1000):
        hands.step(left, 0.4)
    assert left.seconds(100, 0) == pytest.approx(40.0, rel=0.02)


def test_where_every_step_compiles_they_count() -> None:
    hands = Hands()
    left = hands.time_left()
    for _ in range(40):
        hands.step(left, 2.0, compiles=True)
    assert left.seconds(10, 0) == pytest.approx(20.0)


class Slowly(Regression):
    """Where something is traced, the clock goes on by 100 seconds; an epoch's last batch has a shape of its own."""

    def __init__(self, hands: Hands) -> None:
        super().__init__(splits=["train", "valid"])
        self.hands = hands

    def loader(self, split: str) -> Optional[DataLoader]:
        return DataLoader(Points(24), batch_size=7 if split == "train" else 24) if split in self.splits else None

    def loss(self, inputs: Any, targets: Any) -> tuple[Any, Mapping[str, Any]]:
        self.hands.now += 100.0
        return super().loss(inputs, targets)

    def predict(self, inputs: Any, targets: Any) -> Sequence[Any]:
        self.hands.now += 100.0
        return super().predict(inputs, targets)


class Listening(Callback):
    """A step takes a second, an evaluation three; notes what is said to be left."""

    def __init__(self, hands: Hands) -> None:
        self.hands = hands
        self.left: list[Optional[float]] = []

    def on_step_begin(self, trainer: Trainer) -> None:
        if trainer.progress.step:
            self.left.append(trainer.console.seconds_left)
        self.hands.now += 1.0

    def on_evaluate_begin(self, trainer: Trainer, split: str) -> None:
        self.hands.now += 3.0


def test_a_trainer_knows_which_steps_compiled() -> None:
    hands = Hands()
    listening = Listening(hands)
    console = Console(quiet=True, clock=lambda: hands.now)
    options = TrainOptions(epochs=3, tensorboard=False)
    Trainer(Slowly(hands), options, None, 3, [listening], console).fit()
    assert hands.now == 3 * (4 + 3) + 3 * 100  # two shapes of the loss and one of the prediction were traced
    expected = [None, 10, 9, *[8, 7, 6, 5], *[4 + 3, 3 + 3, 2 + 3, 1 + 3]]  # one evaluation compiled, one announced
    assert listening.left == [None if left is None else pytest.approx(left) for left in expected]


class Stream(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def error_stream(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> Stream:
    stream = Stream(terminal)
    monkeypatch.setattr(sys, "stderr", stream)  # in the test itself: pytest sets it anew after the fixtures
    return stream


everywhere = pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "log"])


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it was never shown"
        time.sleep(0.005)


@everywhere
def test_a_first_step_of_more_than_a_second_is_said_to_be_compiling(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = error_stream(terminal, monkeypatch)
    assert PATIENCE == 1.0
    monkeypatch.setattr(console_module, "PATIENCE", 0.01)
    console = Console()
    console.open(4, 0, 1)
    with console.making_step():
        until(lambda: COMPILING in stream.getvalue())
    said = len(stream.getvalue())
    with console.making_step():
        time.sleep(0.05)
    console.step(1, 1, {"loss": 2.5}, 64.0)
    console.line("a line")
    later = stream.getvalue()[said:]
    assert COMPILING not in later
    if terminal:
        assert re.search(r"\rcompiling \(first step\)… +0%\|.*\| 0/4 \[00:\d\d<\?\]", stream.getvalue())
        assert re.search(r"\repoch 1/1 +25%\|.*\| 1/4 \[.*, loss 2.5, 64 samples/s\]$", later)
    else:
        assert stream.getvalue() == COMPILING + "\n"
    console.close()
    assert capsys.readouterr().out == "a line\n"


@everywhere
def test_a_quick_first_step_is_not_said_to_be_compiling(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = error_stream(terminal, monkeypatch)
    monkeypatch.setattr(console_module, "PATIENCE", 600.0)
    console = Console()
    console.open(2, 0, 1)
    for _ in range(2):
        with console.making_step():
            pass
        console.step(1, 1, {"loss": 2.5}, 64.0)
    console.close()
    assert "compiling" not in stream.getvalue()
    if not terminal:
        assert stream.getvalue() == ""  # nothing to tell within ten seconds


@everywhere
def test_an_error_in_the_first_step_ends_what_is_said(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = error_stream(terminal, monkeypatch)
    monkeypatch.setattr(console_module, "PATIENCE", 0.01)
    console = Console()
    console.open(2, 0, 1)
    with pytest.raises(ValueError), console.making_step():
        until(lambda: COMPILING in stream.getvalue())
        raise ValueError
    console.close()
    said = stream.getvalue()
    time.sleep(0.05)
    assert stream.getvalue() == said


def test_a_log_gets_whole_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    stream = error_stream(False, monkeypatch)
    monkeypatch.setattr(console_module, "LINE_SECONDS", 1e-9)
    now = [0.0]
    console = Console(clock=lambda: now[0])
    console.open(380, 0, 20)
    for _ in range(3):
        with console.making_step():
            now[0] += 0.1 if now[0] else 10.0
        console.step(1, 20, {"loss": 2.5}, 64.0)
        console.line("a line")
    console.close()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3 and "\r" not in stream.getvalue()
    assert re.fullmatch(r"epoch 1/20 +0%\|.*\| 1/380 \[00:\d\d<\?, loss 2.5, 64 samples/s\]", lines[0])
    assert re.fullmatch(r"epoch 1/20 +1%\|.*\| 3/380 \[00:\d\d<00:37, loss 2.5, 64 samples/s\]", lines[2])
    assert capsys.readouterr().out == "a line\n" * 3


def test_a_terminal_without_a_size_shows_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = pty.openpty()  # 0 columns, as where a program starts another one in a terminal
    with open(writer, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        console = Console()
        console.open(4, 0, 1)
        console.close()
        shown = os.read(reader, 1000).decode("utf-8")
    os.close(reader)
    assert re.search(r"0%\|.*\| 0/4 \[00:\d\d<\?\]", shown)


def test_a_terminal_shows_the_time_left(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    stream = error_stream(True, monkeypatch)
    now = [0.0]
    console = Console(clock=lambda: now[0])
    console.open(380, 0, 20)
    shown = []
    for _ in range(3):
        with console.making_step():
            now[0] += 0.1 if now[0] else 10.0
        console.step(1, 20, {}, 64.0)
        console.line()  # behind which the bar is written again
        shown.append(re.findall(r"<([^,\]]*)", stream.getvalue())[-1])
    console.close()
    assert shown == ["?", "00:37", "00:37"]
