"""What this process is among the others."""

from __future__ import annotations

import os
from typing import Any

from core.distributed.environment import get_rank, get_world_size


class PaddleCloudRoleMaker:
    """Reads from the environment that this process is a worker, and which.

    Args:
        is_collective: whether all processes are workers, as they always are here.
        **kwargs: accepted for Paddle's signature.

    Raises:
        NotImplementedError: the environment makes this process a parameter server.
    """

    def __init__(self, is_collective: bool = False, **kwargs: Any) -> None:
        role = os.environ.get("TRAINING_ROLE", "TRAINER")
        if role != "TRAINER":
            raise NotImplementedError(f"TRAINING_ROLE={role}: there are no parameter servers: start a TRAINER")
        self.is_collective = is_collective

    def worker_index(self) -> int:
        """Return the number of this worker, from 0."""
        return get_rank()

    def worker_num(self) -> int:
        """Return how many workers there are."""
        return get_world_size()

    def is_first_worker(self) -> bool:
        """Return whether this is worker 0."""
        return get_rank() == 0

    def is_worker(self) -> bool:
        """Return True."""
        return True

    def is_server(self) -> bool:
        """Return False."""
        return False
