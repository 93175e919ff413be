"""``paddle.distributed.communication.group``."""

from core.distributed.communication.tensors import barrier, wait
from core.distributed.group import Group, get_backend, get_group, is_initialized
from core.distributed.group import global_group as _get_global_group

__all__ = ["Group", "_get_global_group", "barrier", "get_backend", "get_group", "is_initialized", "wait"]
