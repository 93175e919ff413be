"""``paddle.distributed.fleet.meta_parallel.parallel_layers.pp_layers``."""

from core.distributed.fleet.meta_parallel import LayerDesc, PipelineLayer, SharedLayerDesc

__all__ = ["LayerDesc", "PipelineLayer", "SharedLayerDesc"]
