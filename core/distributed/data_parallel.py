"""A layer that is trained by several processes, each with its part of the batch; so far by one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, Optional

from core.distributed.environment import require_one_process
from core.distributed.group import Group
from core.nn import Layer
from core.tensor import Tensor


class DataParallel(Layer):
    """A layer whose gradients are averaged over all processes: over one, they stay what they are.

    Args:
        layers: the layer to train.
        strategy: accepted for Paddle's signature.
        comm_buffer_size: megabytes of gradients that are sent at once; nothing is sent.
        last_comm_buffer_size: the same for the last ones.
        find_unused_parameters: whether some parameters may get no gradient, as they always may here.
        group: the processes; all when it is None.

    Raises:
        NotImplementedError: there are several processes.
        TypeError: ``layers`` is no Layer.
    """

    def __init__(
        self,
        layers: Layer,
        strategy: Any = None,
        comm_buffer_size: int = 25,
        last_comm_buffer_size: float = 1,
        find_unused_parameters: bool = False,
        group: Optional[Group] = None,
    ) -> None:
        require_one_process("DataParallel")
        super().__init__(layers.full_name() + "_data_parallel" if isinstance(layers, Layer) else None)
        if not isinstance(layers, Layer):
            raise TypeError(f"DataParallel: layers must be a Layer, not {type(layers).__name__}")
        self._layers = layers
        self.find_unused_parameters = find_unused_parameters
        self.group = group

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Run the layer.

        Args:
            *inputs: its inputs.
            **kwargs: its further inputs.
        """
        return self._layers(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Do not average the gradients of backward passes within the block."""
        yield

    def scale_loss(self, loss: Tensor) -> Tensor:
        """Return the loss; it needs no scaling.

        Args:
            loss: the loss of this process.
        """
        return loss

    def apply_collective_grads(self) -> None:
        """Average the gradients over all processes: over one, they stay."""

    def state_dict(
        self,
        destination: Optional[dict[str, Any]] = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
    ) -> dict[str, Any]:
        """Return the state of the layer, with the names that it has by itself.

        Args:
            destination: a dictionary to fill; a new one when it is None.
            include_sublayers: whether sublayers are walked too.
            structured_name_prefix: put before every name.
            use_hook: whether hooks from ``register_state_dict_hook`` run.
        """
        return self._layers.state_dict(destination, include_sublayers, structured_name_prefix, use_hook)

    def set_state_dict(
        self, state_dict: Mapping[str, Any], use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Load values into the layer, by the names that it has by itself.

        Args:
            state_dict: name to Tensor or numpy array.
            use_structured_name: match dotted names; otherwise match the parameters' own ``name``.

        Returns:
            (missing names, unexpected names).
        """
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = set_state_dict
    load_dict = set_state_dict
