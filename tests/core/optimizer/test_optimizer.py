"""What all optimizers share: parameters and groups, learning rate, which parameters move, half precision, state."""

from __future__ import annotations

import numpy as np
import pytest

from core import optimizer as optimizers
from core.nn.clip import ClipGradBase, ClipGradByGlobalNorm
from core.optimizer import lr
from core.optimizer.groups import ParameterOptions
from core.regularizer import WeightDecayRegularizer
from core.tensor import Tensor

ALL = {
    "SGD": lambda rate, p: optimizers.SGD(rate, p),
    "Momentum": lambda rate, p: optimizers.Momentum(rate, parameters=p),
    "Adam": lambda rate, p: optimizers.Adam(rate, parameters=p),
    "AdamW": lambda rate, p: optimizers.AdamW(rate, parameters=p),
    "Adamax": lambda rate, p: optimizers.Adamax(rate, parameters=p),
    "Adagrad": lambda rate, p: optimizers.Adagrad(rate, parameters=p),
    "Adadelta": lambda rate, p: optimizers.Adadelta(rate, parameters=p),
    "RMSProp": lambda rate, p: optimizers.RMSProp(rate, momentum=0.9, centered=True, parameters=p),
    "Lamb": lambda rate, p: optimizers.Lamb(rate, parameters=p),
}


def parameter(values, name="w", dtype="float32"):
    return Tensor(np.array(values, np.float32), dtype, stop_gradient=False, name=name)


def give(tensor, gradient):
    """Set a gradient of the tensor's type."""
    tensor.grad = Tensor(np.array(gradient, np.float32), tensor.dtype)


def test_frozen_and_unreached_parameters_stay():
    moved, frozen, unreached = (parameter([1.0], name) for name in "abc")
    give(moved, [1.0])
    give(frozen, [1.0])
    frozen.stop_gradient = True
    optimizers.SGD(0.5, [moved, frozen, unreached]).step()
    assert [moved.item(), frozen.item(), unreached.item()] == [0.5, 1.0, 1.0]


def test_step_keeps_the_gradient_and_the_handle():
    w = parameter([1.0, 2.0])
    give(w, [10.0, 0.0])
    memory = w._value.array
    optimizers.SGD(0.5, [w], grad_clip=ClipGradByGlobalNorm(1.0)).step()
    assert w._value.array is memory and not w.stop_gradient
    np.testing.assert_array_equal(w.numpy(), [0.5, 2.0])
    np.testing.assert_array_equal(w.grad.numpy(), [10.0, 0.0])


@pytest.mark.parametrize("set_to_zero", [True, False])
def test_clear_grad(set_to_zero):
    w, other = parameter([1.0]), parameter([1.0], "other")
    give(w, [3.0])
    optimizer = optimizers.SGD(0.5, [w, other])
    optimizer.clear_grad(set_to_zero)
    assert other.grad is None
    assert w.grad.numpy().tolist() == [0.0] if set_to_zero else w.grad is None
    give(w, [3.0])
    optimizer.clear_gradients(set_to_zero=False)
    assert w.grad is None


def test_learning_rate_and_its_schedule():
    w = parameter([0.0])
    give(w, [1.0])
    optimizer = optimizers.SGD(0.5, [w])
    assert optimizer.get_lr() == 0.5
    optimizer.set_lr(2)
    assert optimizer.get_lr() == 2.0
    schedule = lr.StepDecay(1.0, 1, 0.5)
    optimizer.set_lr_scheduler(schedule)
    rates = []
    for _ in range(3):
        optimizer.step()
        rates.append(optimizer.get_lr())
        schedule.step()
    assert rates == [1.0, 0.5, 0.25] and w.item() == -1.75
    with pytest.raises(RuntimeError, match="the learning rate comes from a schedule; use set_lr_scheduler"):
        optimizer.set_lr(0.1)
    with pytest.raises(TypeError, match="set_lr takes a float, not str"):
        optimizer.set_lr("0.1")
    with pytest.raises(TypeError, match="set_lr_scheduler takes an LRScheduler, not float"):
        optimizer.set_lr_scheduler(0.1)


def test_minimize_takes_the_gradients_that_are_there():
    a, b, c = (parameter([1.0], name) for name in "abc")
    loss = (a * 2.0 + b * 3.0 + c * 4.0).sum()
    loss.backward()
    optimizer = optimizers.SGD(0.5, [a, b, c])
    nothing, pairs = optimizer.minimize(loss, parameters=[a, "b"], no_grad_set={"b"})
    assert nothing is None and [p.name for p, _ in pairs] == ["a"] and pairs[0][1].item() == 2.0
    assert [a.item(), b.item(), c.item()] == [0.0, 1.0, 1.0]
    optimizer.minimize(loss)
    assert [a.item(), b.item(), c.item()] == [-1.0, -0.5, -1.0]
    with pytest.raises(TypeError, match="minimize and backward take the loss as a Tensor, not float"):
        optimizer.minimize(1.0)


def test_gradients_may_be_changed_between_backward_and_apply_gradients():
    a, b = parameter([1.0], "a"), parameter([1.0], "b")
    loss = (a * 2.0 + b * 3.0).sum()
    loss.backward()
    optimizer = optimizers.SGD(0.5, [{"params": [a]}, {"params": [b], "learning_rate": 0.1}])
    pairs = optimizer.backward(loss)
    assert [(p.name, g.item()) for p, g in pairs] == [("a", 2.0), ("b", 3.0)]
    assert optimizer.apply_gradients([(p, g * 10.0) for p, g in pairs])[1][1].item() == 30.0
    np.testing.assert_allclose([a.item(), b.item()], [1 - 0.5 * 20, 1 - 0.05 * 30], rtol=1e-6)


def test_lr_ratio_of_adamw_scales_step_and_decay():
    w, v = parameter([1.0]), parameter([1.0], "v")
    give(w, [1.0])
    give(v, [1.0])
    optimizers.AdamW(
        0.1, epsilon=0.0, parameters=[w, v], weight_decay=0.5, lr_ratio=lambda p: 0.5 if p.name == "v" else 1.0
    ).step()
    np.testing.assert_allclose([w.item(), v.item()], [1 - 0.05 - 0.1, 1 - 0.025 - 0.05], rtol=1e-6)


def test_own_clip_and_own_regularizer():
    class Halved(ClipGradBase):
        def _clip(self, gradients):
            return [gradient * 0.5 for gradient in gradients]

    class Pull(WeightDecayRegularizer):
        def __call__(self, param, grad, block=None):
            return param * 0.0 + grad  # doubles what clipping has left

    for clip, expected in ((Halved(), -4.0), (None, -8.0), (ClipGradByGlobalNorm(1.0), -2.0)):
        w = parameter([0.0])
        give(w, [4.0])
        optimizers.SGD(1.0, [w], weight_decay=Pull(), grad_clip=clip).step()
        np.testing.assert_allclose(w.numpy(), [expected], rtol=1e-6)


def test_options_of_single_parameters():
    a, b, c = (parameter([1.0], name) for name in "abc")
    own = lr.ExponentialDecay(0.25, 0.5)
    optimizer = optimizers.SGD(0.5, [a, b, c], weight_decay=1.0, grad_clip=ClipGradByGlobalNorm(6.0))
    optimizer.set_parameter_options({"a": ParameterOptions(0.5), "b": ParameterOptions(0.5, own, 0.0)})
    for step in range(2):
        for tensor, gradient in ((a, 4.0), (b, 8.0), (c, 8.0)):  # their norm is 12, which the clip halves
            give(tensor, [gradient])
        before = [tensor.item() for tensor in (a, b, c)]
        optimizer.step()
        rates = [0.25, 0.125 * 0.5**step, 0.5]
        gradients = [2.0 + before[0], 4.0, 4.0 + before[2]]
        expected = [value - rate * gradient for value, rate, gradient in zip(before, rates, gradients)]
        assert [tensor.item() for tensor in (a, b, c)] == expected
        own.step()


@pytest.mark.parametrize("name", ["AdamW", "Lamb"])
def test_decoupled_decay_of_single_parameters_is_not_in_the_gradient(name):
    with_options, plain = parameter([1.0]), parameter([1.0])
    decay = {"weight_decay": 0.5} if name == "AdamW" else {"lamb_weight_decay": 0.5}
    first = getattr(optimizers, name)(0.1, parameters=[with_options])
    first.set_parameter_options({"w": ParameterOptions(weight_decay=0.5)})
    second = getattr(optimizers, name)(0.1, parameters=[plain], **decay)
    for tensor, optimizer in ((with_options, first), (plain, second)):
        give(tensor, [2.0])
        optimizer.step()
    assert with_options.item() == plain.item()


def test_rescale_grad_multiplies_the_gradient_but_not_the_decay():
    w = parameter([2.0])
    give(w, [4.0])
    optimizers.Momentum(1.0, 0.0, [w], rescale_grad=0.25, weight_decay=0.1).step()
    np.testing.assert_allclose(w.numpy(), [2.0 - (1.0 + 0.2)], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_multi_precision_adds_up_steps_that_half_precision_loses(dtype):
    step = 1e-4  # below half the spacing of float16 at 1, and of bfloat16
    kept, lost = parameter([1.0], "kept", dtype), parameter([1.0], "lost", dtype)
    with_copy = optimizers.SGD(step, [kept], multi_precision=True)
    without = optimizers.SGD(step, [lost])
    for _ in range(200):
        give(kept, [1.0])
        give(lost, [1.0])
        with_copy.step()
        without.step()
    assert kept.dtype == dtype and kept.as_float_numpy()[0] == pytest.approx(0.98, abs=4e-3)
    assert lost.as_float_numpy()[0] == 1.0
    (master,) = with_copy.state_dict()["master_weights"].values()
    assert master.dtype == "float32" and master.item() == pytest.approx(0.98, abs=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_half_precision_follows_float32(name):
    half, single = parameter([1.0, -2.0], "half", "float16"), parameter([1.0, -2.0], "single")
    steps = [ALL[name](0.01, [half]), ALL[name](0.01, [single])]
    for _ in range(3):
        give(half, [0.5, 0.25])
        give(single, [0.5, 0.25])
        for optimizer in steps:
            optimizer.step()
    np.testing.assert_allclose(half.numpy(), single.numpy(), rtol=2e-3)


def run(optimizer, parameters, first, last):
    for step in range(first, last):
        rng = np.random.RandomState(step)
        for p in parameters:
            give(p, rng.randn(*p.shape))
        optimizer.step()
        if not isinstance(optimizer._learning_rate, float):
            optimizer._learning_rate.step()


@pytest.mark.parametrize("loaded_after_a_step", [False, True])
@pytest.mark.parametrize("as_numpy", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_state_continues_bit_for_bit(name, as_numpy, loaded_after_a_step):
    def make(values):
        parameters = [parameter(value, f"p{i}") for i, value in enumerate(values)]
        return parameters, ALL[name](lr.ExponentialDecay(0.1, 0.9), parameters)

    start = [[1.0, 2.0, -3.0], [[0.5], [0.25]]]
    parameters, optimizer = make(start)
    run(optimizer, parameters, 0, 3)
    state = optimizer.state_dict()
    if as_numpy:
        state = {key: value.numpy() if isinstance(value, Tensor) else value for key, value in state.items()}
    state = {key: np.array(value.numpy()) if isinstance(value, Tensor) else value for key, value in state.items()}
    middle = [p.numpy() for p in parameters]
    run(optimizer, parameters, 3, 6)

    again, other = make(start)
    if loaded_after_a_step:
        run(other, again, 7, 8)
    for p, value in zip(again, middle):
        p.set_value(value)
    other.set_state_dict(state)
    run(other, again, 3, 6)
    for one, two in zip(parameters, again):
        np.testing.assert_array_equal(one.numpy(), two.numpy())
    for key, value in optimizer.state_dict().items():
        if isinstance(value, Tensor):
            np.testing.assert_array_equal(value.numpy(), other.state_dict()[key].numpy())
        else:
            assert value == other.state_dict()[key]


def test_state_names_are_paddles():
    w = parameter([1.0, 2.0], "linear_0.w_0")
    optimizer = optimizers.Adam(lr.StepDecay(0.1, 2), parameters=[w])
    assert optimizer.state_dict() == {"LR_Scheduler": {"last_epoch": 0, "last_lr": 0.1}}
    give(w, [1.0, 1.0])
    optimizer.step()
    state = optimizer.state_dict()
    assert {key: value.shape for key, value in state.items() if key != "LR_Scheduler"} == {
        "linear_0.w_0_moment1_0": [2],
        "linear_0.w_0_moment2_0": [2],
        "linear_0.w_0_beta1_pow_acc_0": [1],
        "linear_0.w_0_beta2_pow_acc_0": [1],
    }
    assert state["linear_0.w_0_beta1_pow_acc_0"].item() == pytest.approx(0.81)
    named = optimizers.Momentum(0.1, parameters=[w], name="mine")
    named.step()
    assert list(named.state_dict()) == ["linear_0.w_0_mine_velocity_0"]


def test_state_of_a_later_optimizer_of_paddle_is_found():
    w = parameter([1.0])
    give(w, [0.0])
    optimizer = optimizers.Momentum(1.0, 0.5, [w])
    optimizer.set_state_dict({"w_velocity_3": np.array([4.0], np.float32)})
    optimizer.step()
    assert w.item() == -1.0


@pytest.mark.parametrize("as_numpy", [True, False])
def test_a_state_that_no_step_has_used_yet_is_not_lost(as_numpy):
    """As where a run is continued, and saves before its first step."""

    def make():
        parameters = [parameter([1.0, 2.0], "a"), parameter([3.0], "b")]
        return parameters, optimizers.Adam(0.1, parameters=parameters)

    parameters, first = make()
    run(first, parameters, 0, 3)
    saved = {key: np.array(value.numpy()) for key, value in first.state_dict().items()}
    parameters, second = make()
    second.set_state_dict(saved if as_numpy else {key: Tensor(value) for key, value in saved.items()})
    give(parameters[0], [1.0, 1.0])
    for changed in ((), ("a_moment1_0", "a_moment2_0", "a_beta1_pow_acc_0", "a_beta2_pow_acc_0")):
        found = second.state_dict()
        assert found.keys() == saved.keys()
        for key, value in saved.items():
            assert np.array_equal(found[key].numpy(), value) == (key not in changed), key
        second.step()


def test_state_errors():
    w = parameter([1.0])
    give(w, [0.0])
    optimizer = optimizers.Momentum(1.0, 0.5, [w])
    optimizer.set_state_dict({"v_velocity_0": np.array([4.0], np.float32)})
    with pytest.raises(ValueError, match="the loaded optimizer state has no 'w_velocity_0'; it holds .*'v_velocity_0'"):
        optimizer.step()
    optimizer = optimizers.Momentum(1.0, 0.5, [w])
    optimizer.step()
    with pytest.raises(ValueError, match=r"'w_velocity_0' has shape \[2\], its parameter needs \[1\]"):
        optimizer.set_state_dict({"w_velocity_0": np.zeros(2)})
    optimizer.set_lr_scheduler(lr.StepDecay(0.1, 1))
    with pytest.raises(ValueError, match="the optimizer state has no 'LR_Scheduler'"):
        optimizer.set_state_dict({})


W = parameter([1.0])
ERRORS = [
    (lambda: optimizers.SGD(0.1), ValueError, "an optimizer needs its parameters: give parameters=model.parameters"),
    (lambda: optimizers.SGD(0.1, []), ValueError, "at least one parameter, but parameters is empty"),
    (lambda: optimizers.SGD(0.1, W), TypeError, r"parameters must be a list of Tensors or of dicts .*, not a Tensor"),
    (lambda: optimizers.SGD(0.1, {"params": [W]}), TypeError, "not a dict"),
    (lambda: optimizers.SGD(0.1, [1.0]), TypeError, "an optimizer takes Tensors, not float"),
    (lambda: optimizers.SGD("0.1", [W]), TypeError, "learning_rate must be a float or an LRScheduler, not str"),
    (lambda: optimizers.SGD(0.1, [W, W]), ValueError, "parameter 'w' appears twice in the optimizer"),
    (lambda: optimizers.SGD(0.1, [W, parameter([2.0])]), ValueError, "two parameters are named 'w'"),
    (lambda: optimizers.SGD(0.1, [{"params": [W]}, {"params": W}]), ValueError, "parameter 'w' appears twice"),
    (lambda: optimizers.SGD(0.1, [{"params": {W}}]), TypeError, "must be ordered: give a list instead of a set"),
    (lambda: optimizers.SGD(0.1, [{"lr": 0.1}]), TypeError, "every parameter group must be a dict with 'params'"),
    (
        lambda: optimizers.Momentum(0.1, parameters=[{"params": [W], "lr": 1.0}]),
        ValueError,
        r"Momentum knows no group options \['lr'\]; it knows .*'learning_rate', 'momentum'",
    ),
    (lambda: optimizers.SGD(0.1, [W], weight_decay="x"), TypeError, "weight_decay must be a float, .* not str"),
    (lambda: optimizers.SGD(0.1, [W], grad_clip=1.0), TypeError, "grad_clip must be a ClipGradByValue, .* not float"),
    (lambda: optimizers.Momentum(0.1, None, [W]), ValueError, "momentum must be given"),
    (lambda: optimizers.Adam(0.1, beta1=1.0, parameters=[W]), ValueError, r"beta1 must be in \[0, 1\), but is 1.0"),
    (lambda: optimizers.Adam(0.1, beta2=-1.0, parameters=[W]), ValueError, r"beta2 must be in \[0, 1\), but is -1.0"),
    (lambda: optimizers.Lamb(0.1, epsilon=-1.0, parameters=[W]), ValueError, "epsilon must not be negative, but is -1"),
    (lambda: optimizers.RMSProp(0.1, rho=-1.0, parameters=[W]), ValueError, "rho must not be negative, but is -1.0"),
    (
        lambda: optimizers.AdamW(0.1, parameters=[W], weight_decay=None),
        TypeError,
        "weight_decay must be a float, not NoneType; AdamW decays without a regularizer",
    ),
    (lambda: optimizers.AdamW(0.1, parameters=[W], lr_ratio=0.5), TypeError, "lr_ratio must be callable, not float"),
]


@pytest.mark.parametrize("call, kind, message", ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_abstract_parameter_is_named():
    from core.kernels.dispatch.errors import OperatorError

    w = parameter([1.0])
    give(w, [1.0])
    w._value.held = None
    with pytest.raises(OperatorError, match="w is abstract"):
        optimizers.SGD(0.1, [w]).step()


def test_weights_that_inference_has_rearranged_are_updated_right():
    # oneDNN keeps a convolution's weight in its own layout once inference has used it
    from core.autograd import no_grad
    from core.operators import conv2d

    rng = np.random.RandomState(0)
    w = parameter(rng.randn(64, 32, 3, 3), "conv2d_0.w_0")
    images = Tensor(rng.randn(2, 32, 8, 8).astype(np.float32))
    optimizer = optimizers.Momentum(0.5, 0.9, [w])
    expected, velocity = w.numpy().astype(np.float64), 0.0
    for _ in range(3):
        with no_grad():
            for _ in range(3):
                before = conv2d(images, w, padding=1)
        conv2d(images, w, padding=1).sum().backward()
        velocity = 0.9 * velocity + w.grad.numpy()
        expected = expected - 0.5 * velocity
        optimizer.step()
        optimizer.clear_grad()
        np.testing.assert_allclose(w.numpy(), expected, rtol=1e-4, atol=1e-3)
        with no_grad():
            after = conv2d(images, w, padding=1)
            fresh = conv2d(images, Tensor(w.numpy()), padding=1)
        np.testing.assert_allclose(after.numpy(), fresh.numpy(), rtol=1e-4, atol=1e-2)
        assert np.abs(after.numpy() - before.numpy()).max() > 1
