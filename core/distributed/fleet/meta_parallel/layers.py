"""Layers whose weights are spread over the ranks of the model axis; on one rank they hold the whole."""

from __future__ import annotations

from typing import Any, Optional

from core.distributed.environment import require_one_process
from core.distributed.fleet.meta_parallel.operators import softmax_with_cross_entropy
from core.distributed.fleet.topology import current_group
from core.distributed.group import Group
from core.nn import Layer
from core.nn import functional as F
from core.nn.initializer import Constant
from core.nn.layer.checks import positive
from core.nn.param_attr import ParamAttrLike
from core.tensor import Tensor


class ParallelLayer(Layer):
    """The base of parallel layers: the ranks that share its weights.

    Args:
        mp_group: the ranks; the model axis of ``fleet.init`` when it is None.
        name: accepted for Paddle's signature.
        name_scope: prefix of the names of its parameters, which are those of the dense layer.

    Raises:
        NotImplementedError: there are several.
    """

    def __init__(self, mp_group: Optional[Group], name: Optional[str], name_scope: Optional[str] = None) -> None:
        super().__init__(name_scope)
        caller = type(self).__name__
        require_one_process(caller)
        current = current_group()
        if mp_group is None and current is not None:
            mp_group = current.get_model_parallel_group()
        self.model_parallel_group = mp_group
        self.world_size = 1 if mp_group is None else mp_group.nranks
        self.rank = 0 if mp_group is None else mp_group.rank
        if self.world_size != 1:
            raise NotImplementedError(f"{caller}: mp_group has {self.world_size} processes, but several are not built")
        self.is_mp = False
        self._name = name


class ParallelLinear(ParallelLayer):
    """The base of parallel linear layers: y = x · W + b.

    Args:
        in_features: size of the input's last axis.
        out_features: size of the output's last axis.
        weight_attr: ParamAttr of the weight.
        has_bias: whether there is a bias, which starts at 0.
        mp_group: the ranks that share the weight.
        name: accepted for Paddle's signature.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: ParamAttrLike,
        has_bias: Optional[bool],
        mp_group: Optional[Group],
        name: Optional[str],
        name_scope: Optional[str] = "linear",
    ) -> None:
        super().__init__(mp_group, name, name_scope)
        positive(type(self).__name__, "in_features", in_features)
        positive(type(self).__name__, "out_features", out_features)
        self.in_features, self.out_features = in_features, out_features
        self._weight_attr = weight_attr
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], Constant(0.0), is_bias=True) if has_bias else None
        self.linear = F.linear

    def forward(self, x: Tensor) -> Tensor:
        """Return x · W + b."""
        return self.linear(x, self.weight, self.bias)


class ColumnParallelLinear(ParallelLinear):
    """A linear layer whose ranks hold columns of the weight.

    Args:
        in_features: size of the input's last axis.
        out_features: size of the output's last axis.
        weight_attr: ParamAttr of the weight; XavierUniform by default.
        has_bias: whether there is a bias, which starts at 0.
        gather_output: whether the ranks' outputs are joined.
        fuse_matmul_bias: accepted for Paddle's signature.
        mp_group: the ranks that share the weight; the model axis of ``fleet.init`` when it is None.
        name: accepted for Paddle's signature.

    Shapes:
        input (..., in_features), output (..., out_features).

    Raises:
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
        super().__init__(in_features, out_features, weight_attr, has_bias, mp_group, name)
        self.gather_output = gather_output
        self.fuse_matmul_bias = fuse_matmul_bias
        self.output_size_per_partition = out_features


class RowParallelLinear(ParallelLinear):
    """A linear layer whose ranks hold rows of the weight.

    Args:
        in_features: size of the input's last axis.
        out_features: size of the output's last axis.
        weight_attr: ParamAttr of the weight; XavierUniform by default.
        has_bias: whether there is a bias, which starts at 0.
        input_is_parallel: whether each rank is given its part of the input.
        fuse_matmul_bias: accepted for Paddle's signature.
        mp_group: the ranks that share the weight; the model axis of ``fleet.init`` when it is None.
        name: accepted for Paddle's signature.

    Shapes:
        input (..., in_features), output (..., out_features).

    Raises:
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
        super().__init__(in_features, out_features, weight_attr, has_bias, mp_group, name)
        self.input_is_parallel = input_is_parallel
        self.fuse_matmul_bias = fuse_matmul_bias
        self.input_size_per_partition = in_features


class VocabParallelEmbedding(ParallelLayer):
    """A table of vectors whose ranks hold rows of it.

    Args:
        num_embeddings: number of rows.
        embedding_dim: size of each row.
        weight_attr: ParamAttr of the table; XavierUniform by default.
        mp_group: the ranks that share the table; the model axis of ``fleet.init`` when it is None.
        name: accepted for Paddle's signature.

    Shapes:
        input (...) of int32 or int64, output (..., embedding_dim).

    Raises:
        NotImplementedError: there are several ranks.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        weight_attr: ParamAttrLike = None,
        mp_group: Optional[Group] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(mp_group, name, "embedding")
        self.num_embeddings = positive("VocabParallelEmbedding", "num_embeddings", num_embeddings)
        self.embedding_dim = positive("VocabParallelEmbedding", "embedding_dim", embedding_dim)
        self.origin_num_embeddings = num_embeddings
        self.vocab_start_index = 0
        self._size = [num_embeddings, embedding_dim]
        self._weight_attr = weight_attr
        self.weight = self.create_parameter(self._size, weight_attr)

    def forward(self, x: Tensor) -> Tensor:
        """Return the rows that x names."""
        return F.embedding(x, self.weight)


class ParallelCrossEntropy(ParallelLayer):
    """The cross entropy of each sample, of scores whose classes are spread over the ranks.

    Args:
        mp_group: the ranks; the model axis of ``fleet.init`` when it is None.
        name: accepted for Paddle's signature.
        ignore_index: samples with this label give 0.

    Shapes:
        input (..., classes), label (...) or (..., 1), output (..., 1).

    Raises:
        NotImplementedError: there are several ranks.
    """

    def __init__(
        self, mp_group: Optional[Group] = None, name: Optional[str] = None, ignore_index: int = -100
    ) -> None:
        super().__init__(mp_group, name)
        self.name = name
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, label: Tensor) -> Any:
        """Return the loss of each sample."""
        return softmax_with_cross_entropy(input, label, self.model_parallel_group, ignore_index=self.ignore_index)
