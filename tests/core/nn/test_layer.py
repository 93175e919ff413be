"""Layer: registration, iteration, hooks, modes, representation."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import core
from core import nn


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.scale = self.create_parameter([3])
        self.register_buffer("kept", core.ones([2]))
        self.register_buffer("forgotten", core.zeros([2]), persistable=False)
        self.register_buffer("absent", None)
        self.plain = core.ones([1])

    def forward(self, x):
        return self.first(x) * self.scale


def test_state_has_parameters_and_persistable_buffers_in_order() -> None:
    net = Net()
    assert list(net.state_dict()) == ["scale", "kept", "first.weight", "first.bias"]
    assert list(net.to_static_state_dict()) == ["scale", "kept", "forgotten", "plain", "first.weight", "first.bias"]
    assert net.state_dict()["first.weight"] is net.first.weight
    assert list(net.state_dict(structured_name_prefix="a.")) == ["a.scale", "a.kept", "a.first.weight", "a.first.bias"]
    assert list(net.state_dict(include_sublayers=False)) == ["scale", "kept"]


def test_iteration() -> None:
    net = Net()
    net.again = net.first
    assert [name for name, _ in net.named_parameters()] == ["scale", "first.weight", "first.bias"]
    assert [name for name, _ in net.named_parameters(prefix="p")] == ["p.scale", "p.first.weight", "p.first.bias"]
    assert [name for name, _ in net.named_parameters(include_sublayers=False)] == ["scale"]
    assert [name for name, _ in net.named_buffers()] == ["kept", "forgotten", "plain"]
    assert [name for name, _ in net.named_sublayers()] == ["first"]
    assert [name for name, _ in net.named_sublayers("p", include_self=True)] == ["p", "p.first"]
    assert [name for name, _ in net.named_children()] == ["first"]
    assert net.sublayers() == [net.first]
    assert list(net.children()) == [net.first]
    assert len(net.parameters()) == 3 and len(net.buffers()) == 3


def test_attributes_move_between_stores() -> None:
    net = Net()
    net.value = None
    net.value = net.create_parameter([1])
    assert "value" in dict(net.named_parameters()) and "value" not in net.__dict__
    net.value = None
    assert net.value is None and "value" in net._parameters
    net.kept = core.zeros([3])
    assert net.kept.shape == [3]
    del net.kept
    assert not hasattr(net, "kept")
    net.first = None
    assert net.sublayers() == []


def test_assignment_errors() -> None:
    net = Net()
    with pytest.raises(TypeError, match="assignment to parameter 'scale' should be of type Parameter or None, but got"):
        net.scale = core.zeros([3])
    with pytest.raises(TypeError, match="assignment to sublayer 'first' should be of type Layer or None, but"):
        net.first = 3
    with pytest.raises(TypeError, match="assignment to buffer 'kept' should be of type Tensor or None, but got 'int'"):
        net.kept = 3
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'nothing'"):
        _ = net.nothing


def test_registration_errors() -> None:
    net = Net()
    with pytest.raises(KeyError, match="name of a buffer cannot contain"):
        net.register_buffer("a.b", None)
    with pytest.raises(KeyError, match="name of a parameter cannot be empty"):
        net.add_parameter("", None)
    with pytest.raises(KeyError, match="The buffer 'first' cannot be added"):
        net.register_buffer("first", core.ones([1]))
    with pytest.raises(TypeError, match="buffer 'x' should be a Tensor, but received ndarray"):
        net.register_buffer("x", np.zeros(3))
    with pytest.raises(TypeError, match="parameter 'x' to be added should be a Parameter, but received Tensor"):
        net.add_parameter("x", core.zeros([3]))
    with pytest.raises(TypeError, match="sublayer 'x' should be a Layer, but received int"):
        net.add_sublayer("x", 3)
    with pytest.raises(TypeError, match="name of a buffer should be a string, but received int"):
        net.register_buffer(3, None)


def test_super_init_is_needed() -> None:
    class Forgetful(nn.Layer):
        def __init__(self) -> None:
            self.linear = nn.ReLU()

    with pytest.raises(ValueError, match=r"Forgetful: super\(\).__init__\(\) should be called first"):
        Forgetful()


def test_hooks_replace_inputs_and_outputs_and_can_be_removed() -> None:
    layer = nn.Identity()
    seen = []
    before = layer.register_forward_pre_hook(lambda layer, inputs: inputs[0] * 2)
    after = layer.register_forward_post_hook(lambda layer, inputs, output: output + inputs[0])
    silent = layer.register_forward_post_hook(lambda layer, inputs, output: seen.append(output.item()))
    assert layer(core.to_tensor(3.0)).item() == 12.0
    assert seen == [12.0]
    before.remove()
    before.remove()
    assert layer(core.to_tensor(3.0)).item() == 6.0
    after.remove()
    silent.remove()
    assert layer(core.to_tensor(3.0)).item() == 3.0


def test_pre_hook_may_return_several_inputs() -> None:
    class Add(nn.Layer):
        def forward(self, x, y):
            return x + y

    layer = Add()
    layer.register_forward_pre_hook(lambda layer, inputs: (inputs[1], inputs[1]))
    assert layer(core.to_tensor(1.0), core.to_tensor(4.0)).item() == 8.0


def test_state_dict_hook() -> None:
    layer = nn.Linear(1, 1)
    helper = layer.register_state_dict_hook(lambda state: {f"x_{key}": value for key, value in state.items()})
    assert list(layer.state_dict()) == ["x_weight", "x_bias"]
    assert list(layer.state_dict(use_hook=False)) == ["weight", "bias"]
    helper.remove()
    assert list(layer.state_dict()) == ["weight", "bias"]


def test_modes_and_apply() -> None:
    net = nn.Sequential(nn.Dropout(), nn.Sequential(nn.Dropout()))
    net.eval()
    assert not any(layer.training for layer in net.sublayers(include_self=True))
    net.train()
    assert all(layer.training for layer in net.sublayers(include_self=True))
    order = []
    assert net.apply(lambda layer: order.append(type(layer).__name__)) is net
    assert order == ["Dropout", "Dropout", "Sequential", "Sequential"]


def test_names() -> None:
    with nn.naming.guard():
        net = Net()
        assert net.full_name() == "net_0"
        assert net.first.full_name() == "linear_0"
        assert net.first.weight.name == "linear_0.w_0"
        assert net.first.bias.name == "linear_0.b_0"
        assert nn.Linear(1, 1).full_name() == "linear_1"
        assert nn.Conv2DTranspose(1, 1, 1).full_name() == "conv2d_transpose_0"
        assert nn.PReLU().full_name() == "p_re_lu_0"
        assert nn.Layer("block").full_name() == "block_0"
        batch_norm = nn.BatchNorm2D(2)
        assert [tensor.name for tensor in batch_norm.parameters()] == [
            "batch_norm2d_0.w_0",
            "batch_norm2d_0.b_0",
            "batch_norm2d_0.w_1",
            "batch_norm2d_0.w_2",
        ]
        assert nn.naming.generate("key") == "key_0"
        assert nn.naming.generate_with_ignorable_key("key") == "key_1"
    with nn.naming.guard("x_"):
        assert nn.Linear(1, 1).full_name() == "x_linear_0"


def test_repr() -> None:
    net = nn.Sequential(("a", nn.Linear(2, 3)), ("b", nn.Sequential(nn.ReLU())))
    assert repr(net) == (
        "Sequential(\n  (a): Linear(in_features=2, out_features=3, dtype=float32)\n"
        "  (b): Sequential(\n    (0): ReLU()\n  )\n)"
    )


LSTM_TEXT = """LSTM(2, 3, num_layers=2
  (0): RNN(
    (cell): LSTMCell(2, 3)
  )
  (1): RNN(
    (cell): LSTMCell(3, 3)
  )
)"""
REPRS = {
    "Conv2D(2, 4, kernel_size=[3, 3], padding=1, padding_mode=reflect, data_format=NCHW)": lambda: nn.Conv2D(
        2, 4, 3, padding=1, padding_mode="reflect"
    ),
    "Conv2DTranspose(2, 4, kernel_size=[3, 3], stride=[2, 2], output_padding=1, data_format=NCHW)": (
        lambda: nn.Conv2DTranspose(2, 4, 3, stride=2, output_padding=1)
    ),
    "BatchNorm1D(num_features=3, momentum=0.9, epsilon=1e-05, data_format=NCL, name=x)": lambda: nn.BatchNorm1D(
        3, name="x"
    ),
    "BatchNorm2D(num_features=4, momentum=0.9, epsilon=1e-05)": lambda: nn.BatchNorm2D(4),
    "MaxPool2D(kernel_size=3, stride=2, padding=0)": lambda: nn.MaxPool2D(3, 2),
    "AdaptiveAvgPool2D(output_size=1)": lambda: nn.AdaptiveAvgPool2D(1),
    "AdaptiveMaxPool3D(output_size=2, return_mask=False)": lambda: nn.AdaptiveMaxPool3D(2),
    "Dropout(p=0.3, axis=None, mode=upscale_in_train)": lambda: nn.Dropout(0.3),
    "Pad2D(padding=[1, 1, 1, 1], mode=constant, value=0.0, data_format=NCHW)": lambda: nn.Pad2D(1),
    "Upsample(scale_factor=2, mode=nearest, align_corners=False, align_mode=0, data_format=NCHW)": (
        lambda: nn.Upsample(scale_factor=2)
    ),
    "Embedding(3, 4, padding_idx=1, sparse=False)": lambda: nn.Embedding(3, 4, 1),
    "LayerNorm(normalized_shape=[3, 8], epsilon=1e-05)": lambda: nn.LayerNorm([3, 8]),
    "Softplus(beta=1, threshold=20, name=q)": lambda: nn.Softplus(name="q"),
    "LeakyReLU(negative_slope=0.2)": lambda: nn.LeakyReLU(0.2),
    LSTM_TEXT: (lambda: nn.LSTM(2, 3, 2)),
}


@pytest.mark.parametrize("text", REPRS)
def test_repr_is_paddles(text: str) -> None:
    assert repr(REPRS[text]()) == text


def test_forward_and_backward_are_refused_where_undefined() -> None:
    with pytest.raises(NotImplementedError, match="Layer does not define forward"):
        nn.Layer()(1)
    with pytest.raises(ValueError, match="Layer shouldn't implement backward"):
        nn.Layer().backward()


def test_error_ends_with_the_path_of_layers() -> None:
    with nn.naming.guard():
        net = nn.Sequential(nn.Linear(3, 2))
        with pytest.raises(ValueError, match=r"\[in sequential_0 > linear_0\]"):
            net(core.ones([1, 4]))


def test_gradients_are_cleared() -> None:
    layer = nn.Linear(2, 1)
    layer(core.ones([1, 2])).sum().backward()
    assert layer.weight.grad is not None
    layer.clear_gradients()
    assert layer.weight.grad.tolist() == [[0.0], [0.0]]
    layer.clear_gradients(set_to_zero=False)
    assert layer.weight.grad is None


def test_deepcopy_and_pickle_make_independent_equal_layers() -> None:
    layer = nn.LSTM(2, 3)
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert list(other.state_dict()) == list(layer.state_dict())
        assert other.weight_ih_l0 is other[0].cell.weight_ih
        np.testing.assert_array_equal(other.weight_ih_l0.numpy(), layer.weight_ih_l0.numpy())
        assert not other.weight_ih_l0.stop_gradient
        other.weight_ih_l0.set_value(np.zeros([12, 2], "float32"))
        assert layer.weight_ih_l0.numpy().any()


def test_deepcopy_of_a_layer_with_a_computed_weight() -> None:
    layer = nn.utils.spectral_norm(nn.Linear(2, 3))
    x = core.ones([1, 2])
    layer(x)
    layer.eval()
    other = copy.deepcopy(layer)
    np.testing.assert_array_equal(other(x).numpy(), layer(x).numpy())


def test_create_tensor() -> None:
    tensor = nn.Linear(1, 1).create_tensor(name="extra", persistable=True)
    assert tensor.shape == [1] and tensor.name == "extra" and tensor.persistable
