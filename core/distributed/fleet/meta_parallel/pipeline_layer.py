"""A network as a sequence of layers that are described first and built where they run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Callable, Optional, Union

from core.distributed.environment import get_rank, require_one_process
from core.distributed.fleet.meta_parallel.random_states import get_rng_state_tracker
from core.distributed.fleet.topology import CommunicateTopology
from core.distributed.fleet.utils.log_util import layer_to_str
from core.distributed.fleet.utils.recompute import recompute
from core.nn import Layer, LayerDict
from core.operators.creation.random import get_rng_state, seed, set_rng_state
from core.tensor import Tensor

_FIRST_SEED = 1234


class LayerDesc:
    """A layer that is built later.

    Args:
        layer_func: its class.
        *inputs: arguments of the constructor.
        **kwargs: further ones.

    Raises:
        TypeError: the class is none of layers.

    Example:
        >>> print(LayerDesc(core.nn.Linear, 3, 4, bias_attr=False))
        Linear(3, 4, bias_attr=False)
    """

    def __init__(self, layer_func: Callable[..., Layer], *inputs: Any, **kwargs: Any) -> None:
        if not (isinstance(layer_func, type) and issubclass(layer_func, Layer)):
            raise TypeError(f"LayerDesc: layer_func must be a class of layers, not {layer_func!r}")
        self.layer_func = layer_func
        self.inputs = inputs
        self.kwargs = kwargs

    def build_layer(self) -> Layer:
        """Return the layer."""
        return self.layer_func(*self.inputs, **self.kwargs)

    def __repr__(self) -> str:
        return layer_to_str(self.layer_func.__name__, *self.inputs, **self.kwargs)


class SharedLayerDesc(LayerDesc):
    """A layer that is at several places and has its weights once.

    Args:
        key: its name; descriptions of one name mean one layer.
        layer_func: its class.
        forward_func: what is computed at this place, ``forward_func(layer, input)``; the layer's own when it is None.
        shared_weight_attr: the name of the weight that its places share.
        *inputs: arguments of the constructor.
        **kwargs: further ones.
    """

    def __init__(
        self,
        key: str,
        layer_func: Callable[..., Layer],
        forward_func: Optional[Callable[..., Any]] = None,
        shared_weight_attr: str = "weight",
        *inputs: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(layer_func, *inputs, **kwargs)
        self.layer_name = key
        self.forward_func = forward_func
        self.shared_weight_attr = shared_weight_attr


class PipelineLayer(Layer):
    """Layers one after another, which several processes could share; one process has them all.

    The layer at place i gets the name ``i``, a shared one ``shared_layers.KEY``. Layers are drawn from the seeds
    1234 + i, whatever the seed of the program, so that every process would draw the same.

    Args:
        layers: Layers, descriptions of layers, and functions of one argument.
        num_stages: how many processes share them: 1.
        topology: the grid of processes; it, or the number of stages, must be given.
        loss_fn: computes the loss of the output and a label.
        seg_method: how layers are shared out: ``uniform``, ``layer:NAME`` or a list of places.
        recompute_interval: how many layers in a row keep nothing for the gradient; 0 for all keep.
        recompute_ctx: accepted for Paddle's signature.
        num_virtual_pipeline_stages: 1 or None.

    Raises:
        ValueError: neither stages nor topology are given, or they differ.
        NotImplementedError: there are several stages.
    """

    def __init__(
        self,
        layers: Sequence[Any],
        num_stages: Optional[int] = None,
        topology: Optional[CommunicateTopology] = None,
        loss_fn: Optional[Callable[..., Any]] = None,
        seg_method: Union[str, Sequence[int]] = "uniform",
        recompute_interval: int = 0,
        recompute_ctx: Optional[dict[str, Any]] = None,
        num_virtual_pipeline_stages: Optional[int] = None,
    ) -> None:
        super().__init__()
        require_one_process("PipelineLayer")
        if num_stages is None and topology is None:
            raise ValueError("PipelineLayer: give num_stages or topology")
        self._topo = CommunicateTopology(["data", "pipe", "model"], [1, 1, 1]) if topology is None else topology
        stages = self._topo.get_dim("pipe") if topology is not None else num_stages
        if num_stages is not None and num_stages != stages:
            raise ValueError(f"PipelineLayer: num_stages is {num_stages}, but the topology has {stages} stages")
        if stages != 1 or (num_virtual_pipeline_stages or 1) != 1:
            raise NotImplementedError(
                f"PipelineLayer: {stages} stages of {num_virtual_pipeline_stages or 1} parts, but pipelines of several"
                " processes are not built: use 1"
            )
        self.layers = layers
        self._loss_fn = loss_fn
        self._recompute_interval = recompute_interval
        self.recompute_ctx = recompute_ctx
        self.global_rank = get_rank()
        self._stage_id = 0
        self._num_stages = 1
        self._num_virtual_pipeline_stages = 1
        self._layers_desc = list(layers)
        self._num_layers = len(self._layers_desc)
        if not self._num_layers:
            raise ValueError("PipelineLayer: layers is empty")
        self.segment_parts = [0, self._num_layers]
        self._start_pos, self._end_pos = self.segment_parts
        self.shared_layers = LayerDict()
        self.shared_weight_attrs: dict[str, str] = {}
        self.shared_comm: dict[str, Any] = {}
        self.run_function: list[Callable[..., Any]] = []
        self._build()

    def _build(self) -> None:
        state, streams = get_rng_state(), get_rng_state_tracker().get_states_tracker()
        try:
            for index, layer in enumerate(self._layers_desc):
                seed(_FIRST_SEED + index)
                self.run_function.append(self._built(index, layer))
        finally:
            set_rng_state(state)
            get_rng_state_tracker().set_states_tracker(streams)

    def _built(self, index: int, layer: Any) -> Callable[..., Any]:
        if isinstance(layer, SharedLayerDesc):
            if layer.layer_name not in self.shared_layers:
                self.shared_layers[layer.layer_name] = layer.build_layer()
                self.shared_weight_attrs[layer.layer_name] = layer.shared_weight_attr
            shared = self.shared_layers[layer.layer_name]
            return shared if layer.forward_func is None else partial(layer.forward_func, shared)
        if isinstance(layer, LayerDesc):
            layer = layer.build_layer()
        if isinstance(layer, Layer):
            self.add_sublayer(str(index), layer)
        if not callable(layer):
            raise TypeError(f"PipelineLayer: layers[{index}] must be a layer or a function, not {type(layer).__name__}")
        return layer

    def get_stage_from_index(self, layer_idx: int) -> int:
        """Return the stage that has a layer.

        Args:
            layer_idx: the layer's place.

        Raises:
            ValueError: there is no such place.
        """
        if not 0 <= layer_idx < self._num_layers:
            raise ValueError(f"PipelineLayer: there is no layer {layer_idx} among {self._num_layers}")
        return 0

    def get_num_virtual_stages(self) -> int:
        """Return in how many parts each stage runs: 1."""
        return self._num_virtual_pipeline_stages

    def get_model_chunks(self) -> None:
        """Return the parts of this stage: None, as it runs in one."""

    def allreduce_shared_weight_gradients(self) -> None:
        """Add up the gradients of shared weights over the stages: one stage has added them up."""

    def forward_function(self, start: int, end: int) -> Callable[..., Any]:
        """Return a function that runs some of the layers.

        Args:
            start: the first of them.
            end: the first after them.
        """

        def run(*inputs: Any) -> Any:
            value = inputs[0] if len(inputs) == 1 else inputs
            for layer in self.run_function[start:end]:
                value = layer(value)
            return value

        return run

    def forward(self, input: Any, chunk_id: Optional[int] = None) -> Any:
        """Run the layers, each on what the one before returned.

        Args:
            input: what the first one is given.
            chunk_id: None.

        Raises:
            ValueError: a part is asked for, and there is one.
        """
        if chunk_id is not None:
            raise ValueError("PipelineLayer: chunk_id must be None: the layers run in one part")
        if self._recompute_interval == 0:
            return self.forward_function(0, self._num_layers)(input)
        for start in range(0, self._num_layers, self._recompute_interval):
            end = min(start + self._recompute_interval, self._num_layers)
            inputs = input if isinstance(input, tuple) else (input,)
            run = self.forward_function(start, end)
            input = recompute(run, *inputs) if self._need_recompute(start, end, inputs) else run(*inputs)
        return input

    def _need_recompute(self, start: int, end: int, inputs: Sequence[Any]) -> bool:
        if all(value.stop_gradient for value in inputs if isinstance(value, Tensor)):
            return False
        layers = [layer for layer in self.run_function[start:end] if isinstance(layer, Layer)]
        return any(layer.parameters() for layer in layers)
