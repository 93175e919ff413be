"""Sending messages along a graph's edges, and reducing them where they arrive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, Optional

from PGL.message import EndFeatures, Message, rows_of_edges
from PGL.structure import Structure

_MESSAGES = ("add", "sub", "mul", "div")


class Messaging(Structure):
    """What passes messages in a graph of Tensors."""

    def send(
        self,
        message_func: Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any]],
        src_feat: Optional[Mapping[str, Any]] = None,
        dst_feat: Optional[Mapping[str, Any]] = None,
        edge_feat: Optional[Mapping[str, Any]] = None,
        node_feat: Optional[Mapping[str, Any]] = None,
    ) -> Mapping[str, Any]:
        """Compute a message for each edge.

        Args:
            message_func: gets the features of each edge's source, of its target and of itself, each by name and of
                shape [num_edges, ...]; returns messages by name, Tensors of shape [num_edges, ...].
            src_feat: features of sources by name, Tensors or dictionaries of them.
            dst_feat: features of targets by name.
            edge_feat: features of edges by name.
            node_feat: features of both ends, instead of ``src_feat`` and ``dst_feat``.

        Returns:
            What ``message_func`` returned.

        Raises:
            TypeError: features or messages are no dictionary.
            ValueError: the graph has no Tensors, or features of ends are given twice.
        """
        self._sending("send")
        if node_feat is not None and (src_feat is not None or dst_feat is not None):
            raise ValueError(f"{type(self).__name__}.send: give node_feat, or src_feat and dst_feat, not both")
        given = {"src_feat": src_feat, "dst_feat": dst_feat, "edge_feat": edge_feat, "node_feat": node_feat}
        for name, features in given.items():
            if features is not None and not isinstance(features, Mapping):
                raise TypeError(
                    f"{type(self).__name__}.send: {name} must be Tensors by name, a dict, not {type(features).__name__}"
                )
        sources = EndFeatures(node_feat or src_feat or {}, self, "source")
        targets = EndFeatures(node_feat or dst_feat or {}, self, "target")
        message = message_func(sources, targets, dict(edge_feat or {}))
        if not isinstance(message, Mapping):
            raise TypeError(
                f"{type(self).__name__}.send: the message function must return Tensors by name, a dict, not"
                f" {type(message).__name__}"
            )
        return message

    def recv(self, reduce_func: Callable[[Message], Any], msg: Mapping[str, Any], recv_mode: str = "dst") -> Any:
        """Reduce messages at each node.

        Args:
            reduce_func: gets a :class:`PGL.Message`; returns a Tensor of shape [num_nodes, ...].
            msg: messages by name, as :meth:`send` returns them.
            recv_mode: "dst": they arrive at targets; "src": at sources.

        Returns:
            A Tensor of shape [num_nodes, ...]; 0 for nodes at which nothing arrives, whatever ``reduce_func`` made of
            them.

        Raises:
            TypeError: messages are no dictionary, or ``reduce_func`` is no function.
            ValueError: the graph has no Tensors, or ``recv_mode`` is unknown.
        """
        edges, owner = self._sending("recv"), f"{type(self).__name__}.recv"
        if not isinstance(msg, Mapping):
            raise TypeError(f"{owner}: messages must be Tensors by name, a dict, not {type(msg).__name__}")
        if not callable(reduce_func):
            raise TypeError(f"{owner}: reduce_func must be a function, not {type(reduce_func).__name__}")
        if recv_mode not in ("dst", "src"):
            raise ValueError(f"{owner}: recv_mode must be 'dst' or 'src', not {recv_mode!r}")
        edges = edges if recv_mode == "dst" else edges.transposed
        output = reduce_func(Message(msg, edges))
        from core.operators.creation.creation import zeros_like
        from core.operators.indexing.masking import where

        indptr = edges.incoming.indptr
        reached = (indptr[1:] > indptr[:-1]).reshape([-1] + [1] * (output.ndim - 1))
        return where(reached.expand_as(output), output, zeros_like(output))

    def send_recv(self, feature: Any, reduce_func: str = "sum", out_size: Optional[int] = None) -> Any:
        """Send features of sources along the edges and reduce them; pgl's older name of :meth:`send_u_recv`."""
        return self.send_u_recv(feature, reduce_func, out_size)

    def send_u_recv(self, feature: Any, reduce_op: str = "sum", out_size: Optional[int] = None) -> Any:
        """Send features of sources along the edges and reduce them where they arrive; no message is stored.

        Args:
            feature: a Tensor of shape [sources, ...].
            reduce_op: "sum", "mean", "max" or "min".
            out_size: how many rows the result has, not fewer than the last target that receives something needs; None
                or 0: one for each target.

        Returns:
            A Tensor of shape [targets, ...]; 0 where nothing arrives.

        Raises:
            ValueError: the graph has no Tensors, or a size or the reduction does not fit.
        """
        from core.operators.graphs import message_passing, segment

        edges = self._sending("send_u_recv")
        if feature.is_floating_point():
            output = message_passing.gather_reduce(feature, edges, reduce_op)
        else:
            output = segment.send_u_recv(feature, *self._ends(), reduce_op, edges.num_targets)
        return self._resized(output, out_size)

    def send_ue_recv(
        self,
        feature: Any,
        edge_feature: Any,
        message_op: str = "add",
        reduce_op: str = "sum",
        out_size: Optional[int] = None,
    ) -> Any:
        """Combine features of sources and of edges, and reduce the messages where they arrive.

        Products that are added up are computed in one pass, without messages.

        Args:
            feature: a Tensor of shape [sources, ...].
            edge_feature: a Tensor of shape [edges, ...]; axes behind the first broadcast with those of ``feature``.
            message_op: "add", "sub", "mul" or "div".
            reduce_op: "sum", "mean", "max" or "min".
            out_size: how many rows the result has; see :meth:`send_u_recv`.

        Returns:
            A Tensor of shape [targets, ...]; 0 where nothing arrives.

        Raises:
            ValueError: the graph has no Tensors, or a size, the message or the reduction does not fit.
        """
        from core.operators.graphs import segment
        from core.operators.graphs.message_passing import edge_reduce, gather_multiply_reduce

        edges = self._sending("send_ue_recv")
        if not feature.is_floating_point():
            sources, targets = self._ends()
            received = segment.send_ue_recv(
                feature, edge_feature, sources, targets, message_op, reduce_op, edges.num_targets
            )
            return self._resized(received, out_size)
        weight = _weight(feature, edge_feature) if (message_op, reduce_op) == ("mul", "sum") else None
        if weight is not None:
            return self._resized(gather_multiply_reduce(feature, weight, edges), out_size)
        messages = self.send_ue(feature, edge_feature, message_op)
        return self._resized(edge_reduce(messages, edges, reduce_op), out_size)

    def send_ue(self, feature: Any, edge_feature: Any, message_op: str = "add") -> Any:
        """Combine features of sources and of edges.

        Args:
            feature: a Tensor of shape [sources, ...].
            edge_feature: a Tensor of shape [edges, ...]; axes behind the first broadcast with those of ``feature``.
            message_op: "add", "sub", "mul" or "div".

        Returns:
            A Tensor of shape [edges, ...].

        Raises:
            ValueError: the graph has no Tensors, or the message is unknown.
        """
        self._sending("send_ue")
        return self._combined(rows_of_edges(feature, self, "source"), edge_feature, message_op)

    def send_uv(self, src_feature: Any, dst_feature: Any, message_op: str = "add") -> Any:
        """Combine, for each edge, features of its two ends.

        Args:
            src_feature: a Tensor of shape [sources, ...].
            dst_feature: a Tensor of shape [targets, ...].
            message_op: "add", "sub", "mul" or "div".

        Returns:
            A Tensor of shape [edges, ...].

        Raises:
            ValueError: the graph has no Tensors, or the message is unknown.
        """
        from core.operators.graphs.message_passing import add_ends

        edges = self._sending("send_uv")
        alike = src_feature.shape[1:] == dst_feature.shape[1:] and src_feature.is_floating_point()
        if message_op in ("add", "sub") and alike:
            return add_ends(src_feature, dst_feature if message_op == "add" else -dst_feature, edges)
        return self._combined(
            rows_of_edges(src_feature, self, "source"), rows_of_edges(dst_feature, self, "target"), message_op
        )

    def _sending(self, method: str) -> Any:
        """Return the edges along which messages pass."""
        if not self.is_tensor():
            owner = type(self).__name__
            raise ValueError(
                f"{owner}.{method}: messages are Tensors; turn the graph into Tensors with .tensor() first"
            )
        return self.connections()

    def _ends(self) -> tuple[Any, Any]:
        return self.edges[:, 0], self.edges[:, 1]

    def _combined(self, first: Any, second: Any, message_op: str) -> Any:
        if message_op not in _MESSAGES:
            raise ValueError(
                f"{type(self).__name__}: message_op must be one of {', '.join(_MESSAGES)}, not {message_op!r}"
            )
        while first.ndim < second.ndim:
            first = first.unsqueeze(1)
        while second.ndim < first.ndim:
            second = second.unsqueeze(1)
        if message_op == "add":
            return first + second
        if message_op == "sub":
            return first - second
        return first * second if message_op == "mul" else first / second

    def _resized(self, output: Any, out_size: Optional[int]) -> Any:
        """Return a result with rows cut off where nothing arrived, or with rows of zeros added."""
        size = 0 if out_size is None else int(out_size)
        if size <= 0 or size == output.shape[0]:
            return output
        if size < output.shape[0]:
            needed = int(self.edges[:, 1].max()) + 1 if self.num_edges else 0
            if size < needed:
                raise ValueError(f"{type(self).__name__}: out_size {size} is too small: messages need {needed} rows")
            return output[:size]
        from core.operators.creation.creation import zeros
        from core.operators.shape.joining import concat

        return concat([output, zeros([size - output.shape[0], *output.shape[1:]], output.dtype)], 0)


def _weight(feature: Any, edge_feature: Any) -> Any:
    """Return an edge feature as weights of whole parts of rows, None where it weighs otherwise."""
    if feature.dtype is not edge_feature.dtype or not feature.is_floating_point() or not feature.ndim:
        return None
    shape, extents = list(feature.shape[1:]), list(edge_feature.shape[1:])
    extents = [1] * (len(shape) - len(extents)) + extents  # axes are matched from the right
    kept = len(extents)
    while kept and extents[kept - 1] == 1:
        kept -= 1
    if not edge_feature.ndim or extents[:kept] != shape[:kept] or len(extents) > len(shape):
        return None
    return edge_feature.reshape([edge_feature.shape[0], *extents[:kept]])
