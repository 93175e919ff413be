"""What a compiled function reads besides its arguments may change: it never runs on a stale number or tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

import core
from core import nn
from core.jit import to_static

ONE = core.ones([])
FACTOR = 2.0
WEIGHT = core.to_tensor(3.0)


def helper(x: core.Tensor) -> core.Tensor:
    return x * FACTOR


def compiled_programs(function: Any) -> int:
    return sum(len(variants) for variants in function.programs.values())


class Settings(nn.Layer):
    """Its forward reads attributes of every kind; others it never reads."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = 2
        self.sign: Any = True
        self.kind = "sum"
        self.sizes = [1, 2]
        self.table = {"shift": 0}
        self.tensor = core.to_tensor(10.0)
        self.register_buffer("buffer", core.to_tensor(100.0))
        self.inner = nn.Dropout(0.0)
        self.epoch = 0

    def forward(self, x: core.Tensor) -> core.Tensor:
        y = x * self.scale + self.table["shift"] + sum(self.sizes) + self.tensor + self.buffer
        y = y if self.sign else -y
        return self.inner(y) if self.kind == "sum" else y * 0


def test_attributes_of_layers() -> None:
    layer = Settings()
    compiled = to_static(Settings())
    changes = [
        lambda m: None,
        lambda m: setattr(m, "scale", 5),
        lambda m: setattr(m, "scale", 5.5),
        lambda m: setattr(m, "sign", False),
        lambda m: m.sizes.append(7),
        lambda m: m.table.update(shift=1000),
        lambda m: setattr(m, "tensor", core.to_tensor(20.0)),
        lambda m: setattr(m, "buffer", core.to_tensor(200.0)),
        lambda m: m.buffer.set_value(core.to_tensor(300.0)),
        lambda m: setattr(m, "kind", "nothing"),
        lambda m: (setattr(m, "kind", "sum"), setattr(m.inner, "p", 1.0)),
        lambda m: setattr(m, "inner", nn.Identity()),
        lambda m: setattr(m, "scale", 2),
    ]
    for change in changes:
        for module in (layer, compiled):
            change(module)
        assert compiled(ONE).item() == layer(ONE).item()


def test_what_is_not_read_makes_no_new_program() -> None:
    layer = to_static(Settings())
    for epoch in range(3):
        layer.epoch = epoch
        layer.note = f"epoch {epoch}"
        layer.tensor = core.to_tensor(float(epoch))  # is read, but as a tensor
        assert layer(ONE).item() == 2 + 3 + 100 + epoch
    assert compiled_programs(layer.forward) == 1


def test_globals_and_functions_of_the_module() -> None:
    global FACTOR, WEIGHT
    compiled = to_static(lambda x: helper(x) * WEIGHT)
    found = [compiled(ONE).item()]
    FACTOR = 4.0
    found.append(compiled(ONE).item())
    WEIGHT = core.to_tensor(5.0)
    found.append(compiled(ONE).item())
    FACTOR, WEIGHT = 2.0, core.to_tensor(3.0)
    found.append(compiled(ONE).item())
    assert found == [6, 12, 20, 6]
    assert compiled_programs(compiled) == 2


def test_closures() -> None:
    power, weight = 2, core.to_tensor(3.0)
    model = nn.Linear(1, 1)

    def function(x: core.Tensor) -> core.Tensor:
        def inner(x: core.Tensor) -> core.Tensor:
            return x**power * weight

        return inner(x) + 0 * model(x.reshape([1, 1])).sum()

    compiled = to_static(function)
    found = [compiled(ONE * 2).item()]
    power = 3
    found.append(compiled(ONE * 2).item())
    weight = core.to_tensor(10.0)
    found.append(compiled(ONE * 2).item())
    model = nn.Linear(1, 2)
    found.append(compiled(ONE * 2).item())
    assert found == [12, 24, 80, 80]
    assert compiled_programs(compiled) == 3


def test_the_object_whose_method_is_compiled() -> None:
    class Scaler:
        def __init__(self) -> None:
            self.factor = 2
            self.weight = core.to_tensor(3.0)

        @to_static
        def run(self, x: core.Tensor) -> core.Tensor:
            return x * self.factor * self.weight

    scaler = Scaler()
    found = [scaler.run(ONE).item()]
    scaler.factor = 5
    found.append(scaler.run(ONE).item())
    scaler.weight = core.to_tensor(7.0)
    found.append(scaler.run(ONE).item())
    assert found == [6, 15, 35]


def test_what_other_methods_read_makes_no_new_program() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.step = 0
            self.factor = 2.0
            self.words = list(range(1000))

        def report(self) -> str:
            return f"step {self.step}"

        def scaled(self, x: core.Tensor) -> core.Tensor:
            return x * self.factor

        @to_static
        def loss(self, x: core.Tensor) -> core.Tensor:
            return self.scaled(x) + len(self.words)

    trainer = Trainer()
    for step in range(3):
        trainer.step = step
        assert trainer.loss(ONE).item() == 1002
    assert trainer.report() == "step 2" and compiled_programs(trainer.loss) == 1
    trainer.factor = 3.0  # is read by a method that the compiled one calls
    assert trainer.loss(ONE).item() == 1003


def test_a_parameter_that_another_one_has_taken_the_place_of() -> None:
    layer = to_static(nn.Linear(2, 1, bias_attr=False))
    x = core.ones([1, 2])
    first = layer.weight
    layer(x).backward()
    layer.weight = core.create_parameter([2, 1], "float32", default_initializer=nn.initializer.Constant(4.0))
    kept = first.grad.numpy()
    output = layer(x)
    output.backward()
    assert output.item() == 8
    np.testing.assert_array_equal(layer.weight.grad.numpy(), np.ones((2, 1)))
    np.testing.assert_array_equal(first.grad.numpy(), kept)
    assert compiled_programs(layer.forward) == 1


def test_tied_weights_that_are_parted() -> None:
    model = nn.Sequential(nn.Linear(2, 2, bias_attr=False), nn.Linear(2, 2, bias_attr=False))
    model[1].weight = model[0].weight
    to_static(model)
    x = core.ones([1, 2])
    model(x)
    model[1].weight = core.create_parameter([2, 2], "float32", default_initializer=nn.initializer.Constant(0.0))
    assert not model(x).numpy().any()


def test_a_buffer_that_the_program_updates_may_be_replaced() -> None:
    class Counter(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", core.zeros([]))

        def forward(self, x: core.Tensor) -> core.Tensor:
            self.count.set_value(self.count + 1)
            return x * 1

    layer = to_static(Counter())
    layer(ONE)
    layer(ONE)
    assert layer.count.item() == 2
    earlier = layer.count
    layer.count = core.to_tensor(10.0)
    layer(ONE)
    assert (layer.count.item(), earlier.item()) == (11, 2)


def test_what_the_function_itself_counts_does_not_compile_it_again() -> None:
    class Counter(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.calls = 0

        def forward(self, x: core.Tensor) -> core.Tensor:
            self.calls += 1
            return x * 1

    layer = to_static(Counter())
    shapes = [[1], [2], [3]]
    for _ in range(3):
        for shape in shapes:
            layer(core.ones(shape))
    assert compiled_programs(layer.forward) <= len(shapes) + 1
    assert layer.calls == compiled_programs(layer.forward)  # Python code runs while a program is traced, and not again


def test_weight_norm_computes_its_weight_anew() -> None:
    core.seed(1)
    layer = nn.utils.weight_norm(nn.Linear(3, 2))
    compiled = to_static(lambda x: layer(x))
    x = core.ones([1, 3])
    for scale in (1.0, 2.0):
        layer.weight_g.set_value(np.full(layer.weight_g.shape, scale, "float32"))
        np.testing.assert_allclose(compiled(x).numpy(), layer(x).numpy(), rtol=1e-6)
    assert compiled_programs(compiled) == 1


def test_what_a_detached_tensor_from_outside_holds_later_is_seen() -> None:
    scale = core.to_tensor(np.float32([1, 2]))
    scale.stop_gradient = False
    number = core.to_tensor(np.float32(3))

    @to_static
    def scaled(x: core.Tensor) -> core.Tensor:
        return x * scale.detach() * float(number.detach())

    x = core.ones([2])
    x.stop_gradient = False
    for step in range(3):
        result = scaled(x)
        np.testing.assert_array_equal(result.numpy(), np.float32([1 + step, 2 + step]) * (3 + step))
        result.sum().backward()
        assert scale.grad is None
        with core.no_grad():
            scale.add_(core.ones([2]))
            number.add_(core.ones([]))
