"""Sequences that are cut among the ranks of the model axis, first axis first; one rank has the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.autograd import PyLayer
from core.distributed.environment import require_one_process
from core.distributed.fleet.meta_parallel.layers import ParallelLinear
from core.distributed.group import Group
from core.nn import Layer
from core.nn.param_attr import ParamAttrLike
from core.operators.creation.creation import assign
from core.tensor import Tensor


def scatter(input: Tensor) -> Tensor:
    """Cut a tensor along its first axis and return this rank's part: one rank's is the whole.

    Args:
        input: any tensor with an axis.
    """
    require_one_process("scatter")
    return assign(input)


def all_gather(input: Tensor) -> Tensor:
    """Join the tensors of all ranks along the first axis.

    Args:
        input: this rank's tensor.
    """
    require_one_process("all_gather")
    return assign(input)


def reduce_scatter(input: Tensor) -> Tensor:
    """Add up the tensors of all ranks and return this rank's part of the sum.

    Args:
        input: this rank's tensor.
    """
    require_one_process("reduce_scatter")
    return assign(input)


class ScatterOp(PyLayer):
    """:func:`scatter`, whose gradient is :func:`all_gather`."""

    @staticmethod
    def forward(ctx: Any, input: Tensor) -> Tensor:
        """Return this rank's part."""
        return scatter(input)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """Join the ranks' gradients."""
        return all_gather(grad)


class GatherOp(PyLayer):
    """:func:`all_gather`, whose gradient is :func:`scatter`."""

    @staticmethod
    def forward(ctx: Any, input: Tensor) -> Tensor:
        """Join the ranks' tensors."""
        return all_gather(input)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """Return this rank's part of the gradient."""
        return scatter(grad)


class AllGatherOp(PyLayer):
    """:func:`all_gather`, whose gradient is :func:`reduce_scatter`."""

    @staticmethod
    def forward(ctx: Any, input: Tensor) -> Tensor:
        """Join the ranks' tensors."""
        return all_gather(input)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """Return this rank's part of the gradients' sum."""
        return reduce_scatter(grad)


class ReduceScatterOp(PyLayer):
    """:func:`reduce_scatter`, whose gradient is :func:`all_gather`."""

    @staticmethod
    def forward(ctx: Any, input: Tensor) -> Tensor:
        """Return this rank's part of the sum."""
        return reduce_scatter(input)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """Join the ranks' gradients."""
        return all_gather(grad)


def mark_as_sequence_parallel_parameter(parameter: Tensor) -> None:
    """Say that a parameter's gradient is to be added up over the ranks.

    Args:
        parameter: the parameter; it gets ``sequence_parallel = True``.
    """
    parameter.sequence_parallel = True  # type: ignore[attr-defined]  # Paddle's mark


def is_sequence_parallel_parameter(parameter: Tensor) -> bool:
    """Return whether :func:`mark_as_sequence_parallel_parameter` has marked a parameter.

    Args:
        parameter: the parameter.
    """
    return bool(getattr(parameter, "sequence_parallel", False))


def create_fused_allreduce_gradient_hook(
    parameter_list: Sequence[Tensor], accumulation_steps: int
) -> Callable[[Tensor], Tensor]:
    """Return a hook that adds gradients up over the ranks: it returns the gradient that it is given.

    Args:
        parameter_list: the parameters.
        accumulation_steps: after how many backward passes.
    """
    require_one_process("create_fused_allreduce_gradient_hook")
    return lambda grad: grad


def create_non_fused_allreduce_gradient_hook(param: Tensor, accumulation_steps: int) -> Callable[[], None]:
    """Return a hook that adds the gradient of a parameter up over the ranks: one rank's stays.

    Args:
        param: the parameter.
        accumulation_steps: after how many backward passes.
    """
    require_one_process("create_non_fused_allreduce_gradient_hook")
    return lambda: None


def register_sequence_parallel_allreduce_hooks(
    model: Layer, accumulation_steps: int, fuse_sequence_parallel_allreduce: bool
) -> None:
    """Let the gradients of marked parameters be added up over the ranks: one rank needs no hooks.

    Args:
        model: the layer that has them.
        accumulation_steps: after how many backward passes.
        fuse_sequence_parallel_allreduce: whether they are sent together.
    """
    require_one_process("register_sequence_parallel_allreduce_hooks")


class ColumnSequenceParallelLinear(ParallelLinear):
    """A linear layer of cut sequences whose ranks hold columns of the weight.

    Args:
        in_features: size of the input's last axis.
        out_features: size of the output's last axis.
        weight_attr: ParamAttr of the weight; XavierUniform by default.
        has_bias: whether there is a bias, which starts at 0.
        gather_output: False.
        fuse_matmul_bias: accepted for Paddle's signature.
        mp_group: the ranks that share the weight; the model axis of ``fleet.init`` when it is None.
        name: accepted for Paddle's signature.

    Raises:
        ValueError: ``gather_output`` is true.
        NotImplementedError: there are several ranks.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: ParamAttrLike = None,
        has_bias: Optional[bool] = None,
        gather_output: bool = True,
        fuse_matmul_bias: bool = False,
        mp_group: Optional[Group] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(in_features, out_features, weight_attr, has_bias, mp_group, name, None)
        if gather_output is not False:
            raise ValueError("ColumnSequenceParallelLinear: gather_output must be False")
        self.gather_output = False
        self.output_size_per_partition = out_features


class RowSequenceParallelLinear(ParallelLinear):
    """A linear layer of cut sequences whose ranks hold rows of the weight.

    Args:
        in_features: size of the input's last axis.
        out_features: size of the output's last axis.
        weight_attr: ParamAttr of the weight; XavierUniform by default.
        has_bias: whether there is a bias, which starts at 0.
        input_is_parallel: True.
        fuse_matmul_bias: accepted for Paddle's signature.
        mp_group: the ranks that share the weight; the model axis of ``fleet.init`` when it is None.
        name: accepted for Paddle's signature.

    Raises:
        ValueError: ``input_is_parallel`` is false.
        NotImplementedError: there are several ranks.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: ParamAttrLike = None,
        has_bias: bool = True,
        input_is_parallel: bool = False,
        fuse_matmul_bias: bool = False,
        mp_group: Optional[Group] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(in_features, out_features, weight_attr, has_bias, mp_group, name, None)
        if input_is_parallel is not True:
            raise ValueError("RowSequenceParallelLinear: input_is_parallel must be True")
        self.input_is_parallel = True
        self.input_size_per_partition = in_features
