"""When something is due: arithmetic on epochs, steps and seconds."""

from __future__ import annotations

import pytest

from core.train.config.interval import Interval
from core.train.due import Due


def test_steps_are_counted_from_the_beginning_of_the_run() -> None:
    due = Due(Interval(steps=5), seconds=1e6)
    assert [step for step in range(1, 21) if due.after_step(step, 1e6)] == [5, 10, 15, 20]
    assert not due.after_epoch(1, 12, 1e6) and due.after_epoch(1, 15, 1e6)


def test_epochs_are_due_at_their_ends_alone() -> None:
    due = Due(Interval(epochs=2))
    assert not any(due.after_step(step, 1e9) for step in range(100))
    assert [epoch for epoch in range(1, 7) if due.after_epoch(epoch, epoch, 0.0)] == [2, 4, 6]


def test_minutes_are_counted_since_the_last_time() -> None:
    due = Due(Interval(minutes=2), seconds=1000.0)
    assert not due.after_step(1, 1119.0) and due.after_step(2, 1120.0) and due.after_epoch(1, 2, 1120.0)
    assert due.done(1130.0) is None
    assert not due.after_step(3, 1249.0) and due.after_step(4, 1250.0)


def test_whichever_comes_first() -> None:
    due = Due(Interval(epochs=1, steps=100, minutes=1))
    assert due.after_step(100, 0.0) and due.after_step(3, 60.0) and due.after_epoch(1, 7, 1.0)
    assert not due.after_step(99, 59.0)


def test_what_takes_more_than_a_fiftieth_of_its_minutes_gets_more_of_them() -> None:
    due = Due(Interval(epochs=1, minutes=10), limited=True)
    assert due.done(5.0, took=12.0) is None and due.wait == 600.0
    output = due.done(10.0, took=30.0)
    assert output == "takes 30.0 s: it is done every 25 minutes instead of 10, to take no more than 2% of the time"
    assert not due.after_step(7, 10.0 + 1499.0) and due.after_step(8, 10.0 + 1500.0)
    assert due.after_epoch(1, 8, 11.0)  # ends of epochs stay
    assert due.done(1510.0, took=60.0) is None and due.wait == 3000.0  # said once
    assert due.done(4510.0, took=1.0) is None and due.wait == 600.0


@pytest.mark.parametrize("limited", [False, True])
def test_without_minutes_nothing_is_said(limited: bool) -> None:
    due = Due(Interval(steps=3), limited=limited)
    assert due.done(10.0, took=1000.0) is None
    assert due.after_step(3, 11.0) and not due.after_step(4, 1e12)
