"""A model that several processes train, by the way in which they share the work; one process does all of it."""

from __future__ import annotations

from typing import Any, Optional

from core.amp import auto_cast
from core.autograd import backward
from core.distributed.fleet.meta_parallel.pipeline_layer import PipelineLayer
from core.distributed.fleet.strategy import DistributedStrategy
from core.distributed.fleet.topology import HybridCommunicateGroup
from core.nn import Layer
from core.tensor import Tensor


class MetaParallelBase(Layer):
    """A layer that runs another one; its parameters' names begin with ``_layers.``.

    Args:
        layers: the layer to train.
        hcg: the groups of processes.
        strategy: settings; the defaults when it is None.

    Raises:
        TypeError: ``layers`` is no Layer.
    """

    def __init__(
        self, layers: Layer, hcg: HybridCommunicateGroup, strategy: Optional[DistributedStrategy] = None
    ) -> None:
        if not isinstance(layers, Layer):
            raise TypeError(f"{type(self).__name__}: layers must be a Layer, not {type(layers).__name__}")
        super().__init__(f"{layers.full_name()}_meta_parallel_base")
        self._layers = layers
        self._hcg = hcg
        self._strategy = DistributedStrategy() if strategy is None else strategy

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Run the layer.

        Args:
            *inputs: its inputs.
            **kwargs: its further inputs.
        """
        return self._layers(*inputs, **kwargs)


class TensorParallel(MetaParallelBase):
    """A model whose weights are spread over the ranks of the model axis; see :class:`MetaParallelBase`."""


class ShardingParallel(MetaParallelBase):
    """A model whose optimizer's state is spread over the ranks; see :class:`MetaParallelBase`."""


class SegmentParallel(MetaParallelBase):
    """A model whose sequences are cut among the ranks; see :class:`MetaParallelBase`."""


class PipelineParallel(MetaParallelBase):
    """A model whose layers run in stages, trained on several small batches before each step of the optimizer.

    ``strategy.pipeline_configs`` says how many (``accumulate_steps``) and their size (``micro_batch_size``).

    Args:
        layers: a PipelineLayer.
        hcg: the groups of processes.
        strategy: settings; the defaults when it is None.

    Raises:
        TypeError: ``layers`` is no PipelineLayer.
    """

    def __init__(
        self, layers: PipelineLayer, hcg: HybridCommunicateGroup, strategy: Optional[DistributedStrategy] = None
    ) -> None:
        if not isinstance(layers, PipelineLayer):
            raise TypeError(f"PipelineParallel: layers must be a PipelineLayer, not {type(layers).__name__}")
        super().__init__(layers, hcg, strategy)
        configs = self._strategy.pipeline_configs  # type: ignore[attr-defined]  # the class above has put one in place of None
        self.micro_batch_size = int(configs["micro_batch_size"])
        self.accumulate_steps = int(configs["accumulate_steps"])
        self.num_stages, self.stage_id = hcg.get_pipe_parallel_world_size(), hcg.get_stage_id()
        self.total_loss: Optional[Tensor] = None

    def is_pipeline_first_stage(self, ignore_virtual: bool = False) -> bool:
        """Return True: one stage has all layers.

        Args:
            ignore_virtual: accepted for Paddle's signature.
        """
        return True

    is_pipeline_last_stage = is_pipeline_first_stage

    def train_batch(self, data: Any, optimizer: Any, lr_scheduler: Any = None, scaler: Any = None) -> Tensor:
        """Train on a batch: a backward pass for each small batch, then one step.

        Args:
            data: (inputs, labels); each a tensor, a list with a tensor for each small batch, or a tuple of those.
                An iterator gives such a pair for each small batch.
            optimizer: what takes the step.
            lr_scheduler: what takes a step afterwards.
            scaler: a GradScaler.

        Returns:
            The mean loss, without a gradient.
        """
        self._layers.train()
        batches = self._small_batches(data)
        self.total_loss = None
        for inputs, labels in batches:
            loss = self._loss(inputs, labels)
            with auto_cast(enable=False):
                backward([scaler.scale(loss) if scaler else loss])
        with auto_cast(enable=False):
            if scaler:
                scaler.step(optimizer)
                scaler.update()
            else:
                optimizer.step()
            optimizer.clear_grad()
            if lr_scheduler:
                lr_scheduler.step()
        assert self.total_loss is not None  # there is at least one small batch
        return self.total_loss

    def eval_batch(self, data: Any, compute_loss: bool = False) -> Any:
        """Run the model on a batch in evaluation mode.

        Args:
            data: as for :meth:`train_batch`.
            compute_loss: return the loss instead of the outputs.

        Returns:
            The mean loss, or a list with the output for each small batch.
        """
        self._layers.eval()
        self.total_loss = None
        outputs = []
        for inputs, labels in self._small_batches(data):
            outputs.append(self._loss(inputs, labels) if compute_loss else self._layers(inputs))
        return self.total_loss if compute_loss else outputs

    def _loss(self, inputs: Any, labels: Any) -> Tensor:
        if self._layers._loss_fn is None:
            raise ValueError("PipelineParallel: the PipelineLayer has no loss_fn")
        loss = self._layers._loss_fn(self._layers(inputs), labels)
        with auto_cast(enable=False):
            if self.accumulate_steps > 1:
                loss = loss / self.accumulate_steps
            self.total_loss = loss.detach() if self.total_loss is None else self.total_loss + loss.detach()
        return loss

    def _small_batches(self, data: Any) -> list[tuple[Any, Any]]:
        if not isinstance(data, (tuple, list)):
            return [next(data) for _ in range(self.accumulate_steps)]
        if len(data) != 2:
            raise ValueError(f"PipelineParallel: data must be inputs and labels, not {len(data)} values")
        return [(self._part(data[0], step), self._part(data[1], step)) for step in range(self.accumulate_steps)]

    def _part(self, values: Any, step: int) -> Any:
        if isinstance(values, tuple):
            return tuple(self._part(value, step) for value in values)
        if isinstance(values, list):
            self._check_size("tensors", len(values), self.accumulate_steps)
            return None if values[step] is None else values[step].detach()
        if values is None:
            return None
        self._check_size("samples", values.shape[0], self.accumulate_steps * self.micro_batch_size)
        return values[step * self.micro_batch_size : (step + 1) * self.micro_batch_size].detach()

    def _check_size(self, what: str, got: int, wanted: int) -> None:
        if got != wanted:
            raise ValueError(
                f"PipelineParallel: the batch has {got} {what}, but accumulate_steps={self.accumulate_steps} and"
                f" micro_batch_size={self.micro_batch_size} need {wanted}"
            )
