"""Messages against plain numpy, their gradients, and what is refused; tests/parity compares more uses with pgl."""

from __future__ import annotations

import numpy as np
import pytest

import core
import PGL as pgl

EDGES = np.array([(0, 1), (1, 2), (3, 4), (0, 2), (0, 2), (2, 2)])
X = np.array([[1.0, -2.0], [3.0, 0.5], [-4.0, 6.0], [2.0, 2.0], [5.0, 7.0], [9.0, 1.0]], np.float32)
W = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 1.0], [2.0, 2.0], [-1.0, 4.0], [1.5, 1.0]], np.float32)


def graph() -> pgl.Graph:
    return pgl.Graph(EDGES, 6, {"x": X}, {"w": W}).tensor()


def arrived(messages: np.ndarray, reduce=np.sum, ends: np.ndarray = EDGES[:, 1]) -> np.ndarray:
    """Return messages reduced node by node."""
    output = np.zeros((6, *messages.shape[1:]), np.float32)
    for node in set(ends.tolist()):
        output[node] = reduce(messages[ends == node], axis=0)
    return output


def test_softmax_over_the_edges_of_a_node():
    made = graph()
    sent = made.send(lambda s, d, e: {"m": s["x"] * e["w"]}, src_feat=made.node_feat, edge_feat=made.edge_feat)
    messages = X[EDGES[:, 0]] * W
    np.testing.assert_allclose(sent["m"].numpy(), messages)
    found = made.recv(lambda msg: msg.reduce_sum(msg.reduce_softmax(msg["m"]) * msg["m"]), sent)

    def weighted(some, axis):
        weight = np.exp(some - some.max(0))
        return (weight / weight.sum(0) * some).sum(0)

    np.testing.assert_allclose(found.numpy(), arrived(messages, weighted), rtol=1e-5)


def test_nodes_without_messages_are_zero_whatever_the_function_makes_of_them():
    made = graph()
    found = made.recv(lambda msg: msg.reduce_sum(msg["m"]) + 10, {"m": made.edge_feat["w"]})
    wanted = arrived(W) + 10
    wanted[[0, 3, 5]] = 0
    np.testing.assert_allclose(found.numpy(), wanted)


def test_messages_may_arrive_at_sources():
    made = graph()
    found = made.recv(lambda msg: msg.reduce_max(msg["m"]), {"m": made.edge_feat["w"]}, recv_mode="src")
    np.testing.assert_allclose(found.numpy(), arrived(W, np.max, EDGES[:, 0]))


def test_features_are_read_when_they_are_asked_for():
    asked = []

    class Watched(dict):
        def __getitem__(self, key):
            asked.append(key)
            return super().__getitem__(key)

    made = graph()
    made.send(lambda s, d, e: {"m": s["x"] + s["x"]}, node_feat=Watched(x=made.node_feat["x"], y=made.node_feat["x"]))
    assert asked == ["x"]


def test_integer_features_of_ends():
    made = graph()
    sent = made.send(lambda s, d, e: {"m": s["id"] * 10 + d["id"]}, node_feat={"id": made.nodes})
    assert sent["m"].numpy().tolist() == [1, 12, 34, 2, 2, 22]


@pytest.mark.parametrize("shape", [(6,), (6, 1), (6, 3), (6, 3, 1), (6, 3, 3), (6, 1, 3), (6, 1, 1)])
@pytest.mark.parametrize("message", ["mul", "add"])
def test_axes_of_edge_features_are_matched_from_the_right(shape, message):
    draw = np.random.default_rng(0)
    x, weight = draw.normal(size=(6, 3, 3)).astype(np.float32), draw.normal(size=shape).astype(np.float32)
    full = weight.reshape(6, *[1] * (3 - weight.ndim), *shape[1:])
    sent = x[EDGES[:, 0]] * full if message == "mul" else x[EDGES[:, 0]] + full
    found = graph().send_ue_recv(core.to_tensor(x), core.to_tensor(weight), message, "sum")
    np.testing.assert_allclose(found.numpy(), arrived(sent), rtol=1e-5, atol=1e-6)


def test_integers_are_messages_too():
    made = graph()
    ids, weights = core.to_tensor([[1], [2], [3], [4], [5], [6]]), core.to_tensor([[1], [2], [3], [4], [5], [6]])
    assert made.send_u_recv(ids).numpy().ravel().tolist() == [0, 1, 7, 0, 4, 0]
    assert made.send_u_recv(ids, "max").numpy().ravel().tolist() == [0, 1, 3, 0, 4, 0]
    assert made.send_ue_recv(ids, weights, "mul", "sum").numpy().ravel().tolist() == [0, 1, 31, 0, 12, 0]


def test_edge_features_that_do_not_fit_are_refused():
    made = graph()
    for message in ("mul", "add"):
        with pytest.raises(ValueError, match="broadcast"):
            made.send_ue_recv(core.ones([6, 2, 3]), core.ones([6, 2]), message, "sum")


@pytest.mark.parametrize("message", ["add", "sub", "mul", "div"])
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min"])
def test_gradients_reach_nodes_and_edges(message, reduce):
    made = graph()
    x, w = core.to_tensor(X, stop_gradient=False), core.to_tensor(W, stop_gradient=False)
    weights = core.to_tensor(np.arange(12, dtype=np.float32).reshape(6, 2))
    (made.send_ue_recv(x, w, message, reduce) * weights).sum().backward()

    def loss(features, edge_features):
        numpy_message = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[message]
        messages = numpy_message(features[EDGES[:, 0]], edge_features)
        reducer = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}[reduce]
        total = 0.0
        for node in set(EDGES[:, 1].tolist()):
            total += (reducer(messages[EDGES[:, 1] == node], axis=0) * np.arange(12).reshape(6, 2)[node]).sum()
        return total

    for tensor, place in ((x, 0), (w, 1)):
        gradient = np.zeros((6, 2))
        for index in np.ndindex(6, 2):
            step = np.zeros((6, 2))
            step[index] = 1e-4
            values = [X.astype(np.float64), W.astype(np.float64)]
            values[place] = values[place] + step
            above = loss(*values)
            values[place] = values[place] - 2 * step
            gradient[index] = (above - loss(*values)) / 2e-4
        np.testing.assert_allclose(tensor.grad.numpy(), gradient, rtol=1e-3, atol=1e-3)


def test_out_size():
    made = graph()
    whole = arrived(X[EDGES[:, 0]])
    for size in (None, 0, -1, 6):
        np.testing.assert_allclose(made.send_u_recv(made.node_feat["x"], out_size=size).numpy(), whole)
    np.testing.assert_allclose(made.send_recv(made.node_feat["x"], out_size=5).numpy(), whole[:5])
    longer = made.send_ue_recv(made.node_feat["x"], made.edge_feat["w"], "add", "sum", out_size=8).numpy()
    assert longer.shape == (8, 2) and not longer[6:].any()
    with pytest.raises(ValueError, match="Graph: out_size 4 is too small: messages need 5 rows"):
        made.send_u_recv(made.node_feat["x"], out_size=4)


def test_messages_need_tensors():
    made = graph().numpy()
    for call in (
        lambda: made.send(lambda s, d, e: {}),
        lambda: made.recv(lambda msg: msg, {}),
        lambda: made.send_u_recv(X),
        lambda: made.send_ue_recv(X, W),
        lambda: made.send_uv(X, X),
    ):
        with pytest.raises(
            ValueError, match=r"messages are Tensors; turn the graph into Tensors with .tensor\(\) first"
        ):
            call()


def test_what_is_no_message_is_refused():
    made = graph()
    x, w = made.node_feat["x"], made.edge_feat["w"]
    with pytest.raises(
        TypeError, match="Graph.send: the message function must return Tensors by name, a dict, not Tensor"
    ):
        made.send(lambda s, d, e: s["x"], src_feat={"x": x})
    with pytest.raises(TypeError, match="Graph.send: src_feat must be Tensors by name, a dict, not Tensor"):
        made.send(lambda s, d, e: {}, src_feat=x)
    with pytest.raises(ValueError, match="Graph.send: give node_feat, or src_feat and dst_feat, not both"):
        made.send(lambda s, d, e: {}, src_feat={}, node_feat={})
    with pytest.raises(TypeError, match="Graph.recv: messages must be Tensors by name, a dict, not Tensor"):
        made.recv(lambda msg: msg, w)
    with pytest.raises(TypeError, match="Graph.recv: reduce_func must be a function, not str"):
        made.recv("sum", {"w": w})
    with pytest.raises(ValueError, match="Graph.recv: recv_mode must be 'dst' or 'src', not 'both'"):
        made.recv(lambda msg: msg, {"w": w}, "both")
    with pytest.raises(ValueError, match="Graph: message_op must be one of add, sub, mul, div, not 'pow'"):
        made.send_uv(x, x, "pow")
    with pytest.raises(ValueError, match="message_op must be one of add, sub, mul, div, not 'pow'"):
        made.send_ue_recv(x, w, "pow")
    with pytest.raises(ValueError, match="reduce 'median' is unknown"):
        made.send_u_recv(x, "median")
    with pytest.raises(ValueError, match="must have one row for each of 6 sources"):
        made.send_u_recv(x[:3])
