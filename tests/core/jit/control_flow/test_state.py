"""Buffers, parameters, random numbers and training inside branches and loops; control-flow operators as plain data."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static
from core.jit.control_flow.operators import Conditional, Loop, Subprogram, rebuild
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.trace import Trace
from tests.core.jit.control_flow.control_flow_check import check, run, vector

BATCHES = [
    np.random.default_rng(i).standard_normal((4, 3)).astype("float32") + shift for i, shift in enumerate((1, -1, 2))
]


class Switching(nn.Layer):
    """Batch norm in a branch, dropout in the other, a loop around a second batch norm."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1D(3)
        self.looped = nn.BatchNorm1D(3)
        self.register_buffer("steps", core.zeros([], "int64"))

    def forward(self, x):
        y = self.linear(x)
        if x.mean() > 0:
            y = self.norm(y)
            self.steps.set_value(self.steps + 1)
        else:
            y = y.tanh()
        i = 0
        while i < 2 and y.abs().mean() < 5:
            y = self.looped(y) * 2
            i += 1
        return y * y


def trained(compiled: bool) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    core.seed(7)
    model = Switching()
    call = to_static(lambda x: model(x)) if compiled else model
    optimizer = core.optimizer.SGD(0.1, parameters=model.parameters())
    losses = []
    for batch in BATCHES * 2:
        loss = call(core.to_tensor(batch)).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.numpy())
    with core.no_grad():
        losses.append(call(core.to_tensor(BATCHES[0])).numpy())
    model.eval()
    losses.append(call(core.to_tensor(BATCHES[1])).numpy())
    return losses, {name: tensor.numpy() for name, tensor in model.state_dict().items()}


def test_training_with_batch_norm_in_branches_and_loops() -> None:
    eager, compiled = trained(False), trained(True)
    for one, other in zip(eager[0], compiled[0]):
        np.testing.assert_allclose(other, one, rtol=2e-5, atol=1e-5)
    assert eager[1]["steps"] == 5
    for name, expected in eager[1].items():
        np.testing.assert_allclose(compiled[1][name], expected, rtol=2e-5, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("sign", [1, -1])
def test_random_numbers_are_the_eager_ones(sign: int) -> None:
    def function(x):
        y = x + core.rand([3])
        if x.sum() > 0:
            y = nn.functional.dropout(y, 0.5) + core.randn([3])
        i = 0
        while i < 3:
            y = y + core.rand([3])
            i = i + (1 if x.max() > 0 else 2)
        return y * core.rand([3])

    compiled = to_static(function)
    x = core.to_tensor(sign * vector(1, 2, 3))
    for seed in (1, 2):
        core.seed(seed)
        expected = function(x).numpy()
        core.seed(seed)
        np.testing.assert_allclose(compiled(x).numpy(), expected, rtol=1e-6)
    assert len(compiled.programs) == 1


def test_parameters_used_in_one_branch_only() -> None:
    core.seed(0)
    left, right = nn.Linear(2, 2), nn.Linear(2, 2)
    parameters = [*left.parameters(), *right.parameters()]

    def function(x):
        return left(x) if x.sum() > 0 else right(x)

    check(function, (vector(1, 2).reshape(1, 2),), (vector(-1, -2).reshape(1, 2),), parameters=parameters)


def test_attributes_of_objects_are_variables() -> None:
    class Memory:
        pass

    def function(x):
        memory = Memory()
        memory.value = x
        if x.sum() > 0:
            memory.value = x * 2
            memory.extra = 3
        else:
            memory.extra = 3
        while memory.value.abs().sum() < 20:
            memory.value = memory.value * 2
        return memory.value * memory.extra

    check(function, (vector(1, 2),), (vector(-1, -2),), (vector(20, 1),))


def test_a_buffer_as_condition_is_read_at_each_call() -> None:
    class Gate(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("open", core.to_tensor(True))

        def forward(self, x):
            return x * 2 if self.open else x

    gate = Gate()
    call = to_static(lambda x: gate(x))
    assert call(core.ones([1])).tolist() == [2]
    gate.open.set_value(np.array(False))
    assert call(core.ones([1])).tolist() == [1] and len(call.programs) == 1


def test_second_order_eagerly_through_a_compiled_function_with_regions() -> None:
    def function(x):
        y = x * x * x
        while y.sum() < 100:
            y = y * x
        return y.sum() if y.max() > 10 else y.sum() * 2

    compiled = to_static(function)
    for numbers in ((1.5, 2), (3, 4), (1.2, 2.5)):
        results = []
        for call in (function, compiled):
            x = core.to_tensor(vector(*numbers), stop_gradient=False)
            (first,) = core.grad(call(x), x, create_graph=True)
            (second,) = core.grad(first.square().sum(), x, create_graph=True)
            second.sum().backward()
            results.append([first.numpy(), second.numpy(), x.grad.numpy()])
        for one, other in zip(*results):
            np.testing.assert_allclose(other, one, rtol=1e-4)


def test_two_backwards_through_one_call() -> None:
    def function(x):
        y = x
        while y.sum() < 20:
            y = y * x
        return y.sum()

    for call in (function, to_static(function)):
        x = core.to_tensor(vector(2, 3), stop_gradient=False)
        y = call(x)
        y.backward(retain_graph=True)
        y.backward()
        np.testing.assert_allclose(x.grad.numpy(), 2 * 3 * vector(4, 9))


def test_compiled_inside_compiled() -> None:
    @to_static
    def critic(x):
        if x.sum() > 0:
            return (x * x).sum()
        return (x * x * x).sum()

    def step(x):
        (gradient,) = core.grad(critic(x), x, create_graph=True)
        penalty = gradient.square().sum()
        if penalty > 50:
            penalty = penalty / 2
        return penalty

    cases = [(vector(1, 2),), (vector(-1, -2),), (vector(4, 5),)]
    check(step, *cases, tolerance=1e-5)
    for case in cases:
        eager, inner = run(step, case), run(to_static(step), case)
        for one, other in zip(eager, inner):
            np.testing.assert_allclose(other, one, rtol=1e-5)


def traced_control_flow(kind: type, function) -> object:
    compiled = to_static(function)
    compiled(core.to_tensor(vector(1, 2)))
    ((program,),) = compiled.programs.values()
    (control_flow,) = [o.operator for o in program.operations if isinstance(o.operator, kind)]
    return control_flow


def test_a_region_can_be_rebuilt_from_its_parts() -> None:
    def loop(x):
        while x.sum() < 10:
            x = x * 2
        return x

    control_flow = traced_control_flow(Loop, loop)
    assert sorted(control_flow.subprograms) == ["body", "condition"] and control_flow.settings == {"variables": 1}
    body = control_flow.subprograms["body"]
    assert [operation.operator.name for operation in body.operations]
    programs = {}
    for name, program in control_flow.subprograms.items():
        trace = Trace()
        with trace:
            variables = [trace.input(value.meta, False) for value in program.variables]
            known = {id(old): new for old, new in zip(program.variables, variables)}
            for operation in program.operations:
                given = [known[id(value)] for value in operation.inputs]
                values = dispatcher.invoke(operation.operator, given, operation.attributes)
                known.update(zip([id(value) for value in operation.outputs], values))
        programs[name] = Subprogram(variables, trace.operations, [known[id(value)] for value in program.outputs])
    again = rebuild("loop", programs, control_flow.settings)
    inputs = [core.to_tensor(vector(1, 2))._value, *[core.to_tensor(10.0)._value] * (len(body.variables) - 1)]
    (result,) = again.run(inputs)
    assert core.Tensor(result).tolist() == [4, 8]
    with pytest.raises(ValueError, match="there is no control-flow operator 'loop' with programs"):
        rebuild("loop", {}, {})


def test_one_conditional_for_one_if() -> None:
    def function(x):
        if x.sum() > 0:
            y, z = x * 2, x * 3
            scratch = y * z
        else:
            y, z = x * 4, x * 5
            scratch = "of another type, but nobody needs it"
        assert scratch is not None
        return y + z

    def without(x):
        if x.sum() > 0:
            y = x * 2
            unused = y * 7
            y = y + unused
        else:
            unused = "of another type, but nobody needs it"
            y = x * len(unused)
        return y

    control_flow = traced_control_flow(Conditional, without)
    assert len(control_flow.subprograms["true"].outputs) == 1
    with pytest.raises(ValueError, match="variable 'scratch' is a Tensor"):
        to_static(function)(core.ones([2]))


def test_a_buffer_that_an_operator_made_counts_every_call() -> None:
    count = core.zeros([1])

    @to_static
    def step(x):
        count.update(count + 1)
        return x * 2

    for _ in range(3):
        step(core.ones([1]))
    assert count.item() == 3 and len(step.programs) == 1


def test_no_grad_around_a_branch_detaches_only_what_is_computed_in_it() -> None:
    def function(x):
        a, b = x * 2, x * 3
        with core.no_grad():
            if x.sum() > 0:
                a = b * 1
            else:
                b = a * 1
        return a * x, b * x

    check(function, (vector(1, 2),), (vector(-1, -2),))


def test_second_order_where_one_input_depends_on_another() -> None:
    def product(x, y):
        return (x * y * y).sum()

    for call in (product, to_static(product)):
        x = core.to_tensor([2.0, 3.0], stop_gradient=False)
        (first,) = core.grad(call(x, x * x), x, create_graph=True)  # x ** 5
        np.testing.assert_allclose(first.numpy(), 5 * np.array([2.0, 3.0]) ** 4)
        first.sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), 20 * np.array([2.0, 3.0]) ** 3)


def test_a_program_with_regions_is_freed_with_its_last_reference() -> None:
    def function(x):
        while x.sum() < 10:
            x = x * 2 if x.max() > 1 else x * 3
        return x

    compiled = to_static(function)
    compiled(core.to_tensor(vector(1, 2)))
    ((program,),) = compiled.programs.values()
    operators = [weakref.ref(o.operator) for o in program.operations if o.operator.is_control_flow]
    gc.collect()
    gc.disable()
    try:
        del program, compiled
        assert [operator() for operator in operators] == [None]
    finally:
        gc.enable()
