"""Inner names of ``paddle.distributed.parallel_helper``."""

from core.distributed import is_initialized as _is_parallel_ctx_initialized

__all__ = ["_is_parallel_ctx_initialized"]
