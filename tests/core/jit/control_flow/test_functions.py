"""What is rewritten and how: closures, methods, super(), decorators, nested calls, recursion, generators."""

from __future__ import annotations

import functools
import importlib
import inspect
import traceback
from pathlib import Path

import numpy as np
import pytest

import core
from core import nn
from core.jit import ProgramTranslator, enable_to_static, ignore_module, not_to_static, to_static
from core.jit.rewrite import calls
from core.kernels.dispatch.errors import OperatorError
from tests.core.jit.control_flow.control_flow_check import check, run, vector

CASES = [(vector(1, 2),), (vector(-1, -2),), (vector(3, -3),)]
COUNTER = 0


def leaky(x, slope=0.1):
    """A helper with a branch."""
    if x.sum() > 0:
        return x
    return x * slope


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        if result.sum() > 1:
            result = result / 2
        return function(result, **kwargs)

    return wrapper


@twice
def decorated(x):
    return x * 3 if x.max() > 1 else x - 1


def test_functions_that_are_called_are_rewritten() -> None:
    def function(x):
        return leaky(x) + decorated(x) + functools.partial(leaky, slope=0.5)(x)

    check(function, *CASES)


def test_lambdas_comprehensions_and_higher_order_functions() -> None:
    pick = lambda x: x * 2 if x.sum() > 0 else x * 3  # noqa: E731

    def function(x):
        parts = [leaky(x + i) for i in range(3) if i != 1]
        parts += list(map(leaky, [x, -x]))
        return sum(parts, pick(x)) + sum([pick(part) for part in parts], x)

    check(function, *CASES)
    check(lambda x: x + 1 if x.max() > 0 else x - 1, *CASES)


def test_closures_are_read_live() -> None:
    scale, offset = core.to_tensor(2.0), core.to_tensor(1.0)

    def function(x):
        if x.sum() > 0:
            return x * scale
        return x * scale + offset

    compiled = to_static(function)
    x = core.to_tensor(vector(-1, -2))
    assert compiled(x).tolist() == [-1, -3]
    scale.set_value(np.float32(5))
    assert compiled(x).tolist() == [-4, -9]
    factor = 3

    def other(x):
        y = x * factor
        if y.sum() > 0:
            y = y + 1
        return y

    factor = 4
    assert to_static(other)(core.ones([1])).tolist() == [5]


def test_nonlocal_and_global_variables() -> None:
    count = 0

    def function(x):
        global COUNTER
        nonlocal count
        count += 1
        if x.shape[0] == 2:
            COUNTER = count * 10
            count = count + 100
        if x.sum() > 0:
            x = x * count
        return x

    assert to_static(function)(core.to_tensor(vector(1, 2))).tolist() == [101, 202]
    assert (count, COUNTER) == (101, 10)


def test_defaults_keywords_and_unpacking() -> None:
    def function(x, *rest, scale=2.0, **options):
        total = x * scale
        for item in rest:
            if item.sum() > 0:
                total = total + item
        if options.get("negate") and total.sum() > 0:
            total = -total
        return total

    x = core.to_tensor(vector(1, 2))
    compiled = to_static(function)
    for arguments, options in (((x,), {}), ((x, x, -x), {"negate": True}), ((x,), {"scale": 3.0})):
        np.testing.assert_array_equal(compiled(*arguments, **options).numpy(), function(*arguments, **options).numpy())


class Base(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.__hidden = 3.0

    def forward(self, x):
        y = self.linear(x)
        if y.sum() > 0:
            return y * self.__hidden
        return y - 1


class Derived(Base):
    def forward(self, x):
        if x.sum() > 0:
            y = super().forward(x)
        else:
            y = super().forward(-x) * 2
        return self.finish(y)

    def finish(self, y):
        while y.abs().max() < 2:
            y = y * 2
        return y


@pytest.mark.parametrize("decorate", [False, True])
def test_layers_methods_and_super(decorate: bool) -> None:
    core.seed(3)
    layer = Derived()
    parameters = [layer.linear.weight, layer.linear.bias]
    for case in ((vector(1, 2).reshape(1, 2),), (vector(-1, -2).reshape(1, 2),), (vector(0.1, -0.4).reshape(1, 2),)):
        expected = run(layer, case, parameters)
        compiled = to_static(layer) if decorate else to_static(lambda x: layer(x))
        for one, other in zip(expected, run(compiled, case, parameters)):
            np.testing.assert_allclose(other, one, rtol=1e-6, atol=1e-6)
        if decorate:
            layer.forward = layer.forward.function


def test_a_layer_inside_a_container_and_hooks() -> None:
    core.seed(1)
    inner = Derived()
    model = nn.Sequential(inner, nn.ReLU())
    inner.register_forward_post_hook(lambda layer, inputs, output: output + 1 if output.sum() > 0 else output)
    inputs = [(vector(1, 2).reshape(1, 2),), (vector(-1, 2).reshape(1, 2),), (vector(-1, -3).reshape(1, 2),)]
    check(lambda x: model(x), *inputs, parameters=model.parameters())


def test_recursion_inner_functions_and_callable_objects() -> None:
    class Scale:
        def __call__(self, x):
            return x * 2 if x.sum() > 0 else x

        @staticmethod
        def shift(x):
            if x.max() > 0:
                x = x + 1
            return x

        @classmethod
        def both(cls, x):
            return cls.shift(x) * (1 if x.min() > 0 else 2)

    def function(x, depth):
        def inner(y):
            if y.sum() > 0:
                y = y - x
            return y

        if depth == 0:
            return Scale()(inner(x))
        return function(Scale.shift(x), depth - 1) + Scale.both(inner(x))

    check(function, *[(x, 2) for (x,) in CASES])


def test_no_grad_blocks_and_decorators() -> None:
    @core.no_grad()
    def frozen(x):
        return x * 2 if x.sum() > 0 else x * 3

    def function(x):
        with core.no_grad():
            if x.max() > 2:
                scale = x.max()
            else:
                scale = x.min() + 3
        try:
            y = x * scale + frozen(x)
            if y.sum() > 3:
                y = y * x
        finally:
            y = y + 1
        return y

    check(function, *CASES)


def test_return_inside_with_and_try() -> None:
    def function(x):
        with core.no_grad():
            frozen = x * 2
            if x.max() < 0:
                return frozen
        try:
            if x.min() > 0:
                return x * frozen
        except ValueError:
            return x
        else:
            x = x + 1
        return x

    check(function, *CASES)


def test_python_code_keeps_its_meaning() -> None:
    def numbers(limit):
        for i in range(limit):
            if i == 2:
                continue
            yield i

    def function(x, log):
        for i in numbers(5):
            if i > 3:
                log.append("break")
                break
        else:
            log.append("never")
        i = 0
        while i < 3:
            i += 1
            if i == 2:
                continue
            log.append(i)
        else:
            log.append("else")
        try:
            for key in {"a": 1}:
                raise KeyError(key)
        except KeyError as error:
            log.append(error.args[0])
        finally:
            log.append("finally")
        del i
        try:
            log.append(i)  # noqa: F821
        except UnboundLocalError:
            log.append("unbound")
        value = (n := len(log)) and n > 3
        if (m := n + 1) > 4:
            log.append((value, m))
        for n in ():  # noqa: B007
            pass
        with core.no_grad():
            for n in range(2):
                if n == 1:
                    return x, log
        return None

    converted = ProgramTranslator().get_func(function)
    x = core.ones([1])
    assert converted(x, [])[1] == function(x, [])[1]
    inside = []
    to_static(lambda x: converted(x, inside)[0])(x)
    assert inside == function(x, [])[1]


def test_generators_are_left_alone() -> None:
    def rows(x):
        for i in range(3):
            if x.sum() > i:
                yield x * i

    with pytest.raises(OperatorError, match=r"_functions.py:\d+: the value of a tensor cannot be read"):
        to_static(lambda x: list(rows(x)))(core.ones([2]))


def test_functions_left_alone_on_purpose() -> None:
    @not_to_static
    def plain(x):
        return x * 2 if x.sum() > 0 else x

    with pytest.raises(OperatorError, match="cannot be read while"):
        to_static(lambda x: plain(x))(core.ones([2]))
    assert not_to_static()(plain) is plain
    module = inspect.getmodule(leaky)
    ignore_module([module])
    try:
        with pytest.raises(OperatorError, match="cannot be read while"):
            to_static(lambda x: leaky(x))(core.ones([2]))
    finally:
        calls._ignored.discard(module.__name__)


def test_a_function_without_source_runs_as_it_is() -> None:
    scope: dict[str, object] = {}
    exec("def plain(x):\n    return x * 2 if len(x.shape) else x", scope)  # noqa: S102
    assert to_static(scope["plain"])(core.ones([1])).tolist() == [2]
    with pytest.raises(ValueError, match="'plain' has no source that needs rewriting"):
        ProgramTranslator().get_code(scope["plain"])


def test_errors_inside_branches_show_the_users_lines() -> None:
    def function(x):
        if x.sum() > 0:
            for i in range(2):
                if i == 1:
                    x = core.matmul(x, x[:1])
        return x

    with pytest.raises(OperatorError) as caught:
        to_static(function)(core.ones([3]))
    lines = [frame.lineno for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == __file__]
    assert function.__code__.co_firstlineno + 4 in lines


def test_the_switch() -> None:
    seen = []

    def function(x):
        seen.append(type(x._value.array).__name__)
        return x * 2 if x.sum() > 0 else x

    compiled = to_static(function)
    translator = ProgramTranslator()
    assert translator is ProgramTranslator.get_instance()
    enable_to_static(False)
    try:
        assert compiled(core.ones([1])).tolist() == [2] and not compiled.programs
    finally:
        translator.enable(True)
    assert compiled(core.ones([1])).tolist() == [2] and len(compiled.programs) == 1
    assert seen[0] == "NDArray" and seen[-1] == "Symbol"
    with pytest.raises(TypeError, match="enable: expects True or False, got 1"):
        translator.enable(1)


def test_the_rewritten_source_can_be_read() -> None:
    compiled = to_static(leaky)
    assert compiled.code == ProgramTranslator().get_code(leaky)
    compile(compiled.code, "<code>", "exec")
    assert "_jst.if_" in compiled.code and compiled.code.startswith("def leaky(x, slope=0.1):")


def test_an_inner_function_that_changes_a_variable_of_the_outer_one() -> None:
    def function(x):
        def grow():
            nonlocal x
            if x.sum() > 3:
                x = x * 2
            return x

        y = grow()
        if y.max() > 2:
            grow()
        i = 0
        while i < 3 and x.sum() > 0:
            grow()
            i += 1
        return x

    check(function, (vector(1, 2),), (vector(3, 1.5),), (vector(-1, -2),))


def test_variables_bound_inside_conditions() -> None:
    def function(x):
        a = b = 0
        while (n := a + 1) < 5 and x.sum() < 10:
            a = n
            b += 2
            x = x + n
        else:
            b = b + 1
        if (total := x.sum()) > 12 and total < 20:
            x = x - total
        return x * b + (largest if (largest := x.max()) > 2 else x.min())

    check(function, (vector(1, 2),), (vector(3, 1.5),), (vector(-1, -2),), (vector(7, 8),))


@pytest.mark.parametrize("uses_core", [True, False])
def test_an_installed_package_is_rewritten_if_it_works_with_core(
    uses_core: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"installed_package_{uses_core}"
    source = "def shrink(x):\n    return x / 2 if x.sum() > 1 else x\n"
    (tmp_path / f"{name}.py").write_text("from core import nn\n\n" * uses_core + source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(calls, "_INSTALLED", (str(tmp_path),))
    shrink = importlib.import_module(name).shrink
    compiled = to_static(lambda x: shrink(x))
    if uses_core:
        assert compiled(core.ones([2])).tolist() == [0.5, 0.5]
    else:
        with pytest.raises(OperatorError, match=rf"{name}.py:2: the value of a tensor cannot be read"):
            compiled(core.ones([2]))
