"""The choice of what computes an operator: made once for a plan, from a context that follows the thread's modes."""

from __future__ import annotations

import importlib
import json
import shutil
import threading
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit import Predictor, to_static
from core.jit.exported.check import LATE
from core.jit.input_spec import InputSpec
from core.kernels.dispatch import dispatcher, lowering
from core.kernels.dispatch.dispatcher import state
from core.kernels.dispatch.lowering import (
    GRADIENTS,
    LOWERINGS,
    MIXED,
    PLAIN_LAYOUT,
    PROGRAM,
    SYMBOLIC,
    UNKNOWN,
    Call,
    lowered,
)
from core.kernels.dispatch.operator import KERNELS, REGISTRY, HostOperator
from core.kernels.dispatch.trace import Trace
from core.kernels.engine import engine


def test_what_is_lowered_is_declared() -> None:
    for module in LATE:
        importlib.import_module(module)
    assert LOWERINGS and set(LOWERINGS) - set(REGISTRY) == set()


def test_kernels_compute_declared_operators_and_are_none_themselves() -> None:
    assert KERNELS
    for name in KERNELS:
        operator, dot, kind = name.partition(".")
        assert dot and kind and operator in REGISTRY and name not in REGISTRY, name


def test_a_program_that_names_a_kernel_is_refused(tmp_path: Path) -> None:
    core.jit.save(nn.Swish(), tmp_path / "sound", [InputSpec([None, 3], name="x")])
    for name in KERNELS:
        folder = tmp_path / name
        shutil.copytree(tmp_path / "sound", folder)
        content = json.loads((folder / "program.json").read_text())
        content["operations"][0]["operator"] = name
        (folder / "program.json").write_text(json.dumps(content))
        for read in (Predictor, core.jit.load):
            with pytest.raises(ValueError, match="this core has no operator") as caught:
                read(folder)
            assert f"operations[0]: this core has no operator {name!r}" in str(caught.value)
            assert "\n" not in str(caught.value)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """The calls for which the lowering of swish was asked."""
    asked: list[Call] = []
    rule = LOWERINGS["swish"]
    monkeypatch.setitem(LOWERINGS, "swish", lambda call: asked.append(call) or rule(call))  # type: ignore[func-returns-value]
    REGISTRY["swish"].plans.clear()
    return asked


def swish(*shape: int) -> core.Tensor:
    return core.nn.functional.swish(core.ones(shape))


def test_nothing_is_decided_at_a_hit(calls: list[Call]) -> None:
    for _ in range(3):
        swish(3, 5)
    assert [call.shape() for call in calls] == [(3, 5)]
    swish(3, 6)
    assert [call.shape() for call in calls] == [(3, 5), (3, 6)]
    with core.no_grad():
        for _ in range(2):
            swish(3, 5)
    assert [call.context for call in calls] == [GRADIENTS, GRADIENTS, 0]


def test_a_program_is_lowered_when_it_is_built(calls: list[Call]) -> None:
    run = to_static(core.nn.functional.swish)
    for _ in range(3):
        run(core.ones([3, 5]))
    assert [call.context for call in calls] == [GRADIENTS | PROGRAM]


def test_an_exported_program_is_lowered_for_the_sizes_of_a_predictor(calls: list[Call], tmp_path: Path) -> None:
    core.jit.save(nn.Swish(), tmp_path / "m", [InputSpec([None, 3], name="x")])
    operations = json.loads((tmp_path / "m" / "program.json").read_text())["operations"]
    assert [operation["operator"] for operation in operations] == ["swish"]
    calls.clear()  # export checks what it wrote against the live model
    Predictor(tmp_path / "m").run(np.ones((7, 3), "float32"))
    assert all(call.serving for call in calls) and (7, 3) in [call.shape() for call in calls]


def test_another_device_is_decided_for_anew(calls: list[Call], monkeypatch: pytest.MonkeyPatch) -> None:
    many = Call([((100, 100), core.float32)], {}, GRADIENTS, [0])
    assert isinstance(lowered(REGISTRY["swish"], many), HostOperator)
    swish(3, 5)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "_device_state", [2, 0])
        assert not isinstance(lowered(REGISTRY["swish"], many), HostOperator)
    before = len(calls)
    swish(3, 5)
    assert len(calls) == before
    engine.set_device("cpu", 0)
    assert all(not operator.plans for operator in (*REGISTRY.values(), *KERNELS.values()))
    swish(3, 5)
    assert len(calls) == before + 1


@pytest.fixture
def any_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mixed precision as on processors that compute in bfloat16; nothing is computed here."""
    monkeypatch.setattr(importlib.import_module("core.amp.auto_cast"), "is_bfloat16_supported", lambda: True)


def fail() -> None:
    raise ZeroDivisionError


def no_grad(inside: Callable[[], None]) -> None:
    with core.no_grad():
        inside()


def enable_grad(inside: Callable[[], None]) -> None:
    with core.enable_grad():
        inside()


def mixed(inside: Callable[[], None]) -> None:
    with core.amp.auto_cast(dtype="bfloat16"):
        inside()


def tracing(inside: Callable[[], None]) -> None:
    with Trace():
        inside()


def symbolic(inside: Callable[[], None]) -> None:
    with Trace(symbolic=True):
        inside()


def compiling(inside: Callable[[], None]) -> None:
    def traced(x: core.Tensor) -> core.Tensor:
        inside()
        return x

    to_static(traced)(core.ones([1]))


@pytest.mark.usefixtures("any_processor")
@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize(
    ("mode", "context"),
    [
        (no_grad, 0),
        (enable_grad, GRADIENTS),
        (mixed, GRADIENTS | MIXED),
        (tracing, GRADIENTS | PROGRAM),
        (symbolic, GRADIENTS | SYMBOLIC),
        (compiling, GRADIENTS | PROGRAM),
    ],
)
def test_the_context_is_that_of_the_mode_and_returns(
    mode: Callable[[Callable[[], None]], None], context: int, raises: bool
) -> None:
    seen: list[int] = []

    def inside() -> None:
        seen.append(state.context)
        no_grad(lambda: seen.append(state.context))
        seen.append(state.context)
        if raises:
            fail()

    before = state.context
    if raises:
        with pytest.raises(ZeroDivisionError):
            mode(inside)
    else:
        mode(inside)
    assert before == state.context == GRADIENTS
    assert seen == [context, context & ~GRADIENTS, context]


@pytest.mark.usefixtures("any_processor")
def test_each_thread_has_a_context_of_its_own() -> None:
    seen: list[int] = []

    def run() -> None:
        seen.append(state.context)
        dispatcher.set_gradients(False)
        seen.append(state.context)

    with core.amp.auto_cast(dtype="bfloat16"):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        seen.append(state.context)
    assert seen == [GRADIENTS, 0, GRADIENTS | MIXED]


def test_an_operator_is_lowered_once() -> None:
    with pytest.raises(ValueError, match="operator 'swish' is lowered twice"):
        lowering.lowers("swish")(lambda call: None)


def test_symbolic_calls_are_not_lowered() -> None:
    many: Any = Call([((100, 100), core.float32)], {}, SYMBOLIC, [0])
    assert lowered(REGISTRY["swish"], many) is REGISTRY["swish"]


@pytest.mark.parametrize("name", ["uniform", "normal", "randint"])
def test_numbers_are_drawn_where_new_arrays_live(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = lowered(REGISTRY[name], Call([], {"size": (3,)}, 0, []))
    assert operator.engine_attributes([], {"size": (3,)}) == {"size": (3,), "ctx": "cpu(0)"}
    monkeypatch.setattr(engine, "_device_state", [2, 1])
    assert operator.engine_attributes([], {"ctx": "cpu(0)"}) == {"ctx": "gpu(1)"}  # as older exported programs say it


@pytest.mark.usefixtures("engine_computes")
@pytest.mark.parametrize(
    ("shape", "wanted", "context", "memory_format", "copies"),
    [
        ((2, 8), (2, 2, 2, 2), GRADIENTS, UNKNOWN, (False, True)),
        ((2, 8), (2, 2, 2, 2), GRADIENTS, PLAIN_LAYOUT, (False, False)),
        ((2, 8), (2, 2, 2, 2), 0, UNKNOWN, (False, False)),
        ((2, 2, 2, 2), (2, 8), GRADIENTS, UNKNOWN, (False, False)),
        ((1, 2, 2, 2, 2), (2, 8), 0, UNKNOWN, (True, False)),
        ((2, 8), (16,), GRADIENTS, UNKNOWN, None),
        ((0, 2, 2), (0, 4), GRADIENTS, UNKNOWN, None),
    ],
)
def test_reshapes_of_images_stand_between_copies_where_formats_ask_for_them(
    shape: tuple[int, ...], wanted: tuple[int, ...], context: int, memory_format: int, copies: Any
) -> None:
    call = Call([(shape, core.float32)], {"newshape": wanted}, context, [memory_format])
    chosen: Any = lowered(REGISTRY["reshape"], call)
    assert (None if chosen is REGISTRY["reshape"] else (chosen.before, chosen.behind)) == copies


@pytest.mark.parametrize(("rows", "noted"), [(512, True), (2, False)])
def test_a_linear_map_by_rows_notes_that_they_are_in_order(rows: int, noted: bool) -> None:
    weight = core.ones([128, 128])
    weight.stop_gradient = False
    value = core.nn.functional.linear(core.ones([rows, 128]), weight, core.zeros([128]))._value
    assert value.key == ((value.meta, PLAIN_LAYOUT) if noted else value.meta)
