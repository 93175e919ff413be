"""``paddle.distributed.fleet.meta_parallel.pipeline_parallel``."""

from core.distributed.fleet.meta_parallel import PipelineParallel

__all__ = ["PipelineParallel"]
