"""Places: Paddle's objects that name a device."""

from __future__ import annotations

import re
from typing import Any

from core.kernels.engine import engine


class Place:
    """Where a tensor lives: ``Place(cpu)``, ``Place(gpu:0)``. Places of one device are equal.

    Args:
        kind: ``cpu``, ``gpu`` or ``gpu_pinned``.
        index: which device of that kind.
    """

    __slots__ = ("kind", "index")

    def __init__(self, kind: str = "cpu", index: int = 0) -> None:
        self.kind = kind
        self.index = index

    def is_cpu_place(self) -> bool:
        """Return whether this is the CPU's memory."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """Return whether this is a GPU's memory."""
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        """Return whether this is page-locked memory of the host."""
        return self.kind == "gpu_pinned"

    def is_xpu_place(self) -> bool:
        """Return False: the engine serves CPUs and GPUs."""
        return False

    is_ipu_place = is_custom_place = is_xpu_place

    def gpu_device_id(self) -> int:
        """Return the number of the GPU; -1 for another place, as in Paddle."""
        return self.index if self.kind == "gpu" else -1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and (self.kind, self.index) == (other.kind, other.index)

    def __hash__(self) -> int:
        return hash((self.kind, self.index))

    def __repr__(self) -> str:
        return f"Place({self.kind}{f':{self.index}' if self.kind == 'gpu' else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Place, (self.kind, self.index)


class CPUPlace(Place):
    """The CPU's memory."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("cpu")


class CUDAPlace(Place):
    """A GPU's memory.

    Args:
        id: the number of the GPU.

    Raises:
        ValueError: the number is negative.
    """

    __slots__ = ()

    def __init__(self, id: int = 0) -> None:
        if isinstance(id, bool) or not isinstance(id, int) or id < 0:
            raise ValueError(f"CUDAPlace: the number of a GPU is an int of at least 0, not {id!r}")
        super().__init__("gpu", id)

    def get_device_id(self) -> int:
        """Return the number of the GPU."""
        return self.index


class CUDAPinnedPlace(Place):
    """Page-locked memory of the host, from which a GPU copies faster."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("gpu_pinned")


def current_place() -> Place:
    """Return the place of new tensors."""
    kind, _, index = engine.device_text().rstrip(")").partition("(")
    return Place(kind, int(index))


def place_of(device: Any) -> Place:
    """Return the place that a name (``cpu``, ``gpu``, ``gpu:1``) or a place stands for.

    Raises:
        ValueError: it names none.
    """
    if isinstance(device, Place):
        return device
    found = re.fullmatch(r"(cpu|gpu_pinned|gpu|cuda)(?::(\d+))?", str(device).lower())
    if found is None:
        raise ValueError(f"{device!r} is no device: use 'cpu', 'gpu', 'gpu:N' or a place such as CPUPlace()")
    return Place("gpu" if found[1] == "cuda" else found[1], int(found[2] or 0))


def check_place(device: Any) -> None:
    """Refuse a device on which tensors do not live.

    Args:
        device: ``cpu``, ``gpu:0`` or a place.

    Raises:
        RuntimeError: it is not the current device.
    """
    wanted, current = place_of(device), current_place()
    if wanted != current:
        name = f"gpu:{wanted.index}" if wanted.kind == "gpu" else wanted.kind
        raise RuntimeError(
            f"tensors live on {current}, not on {wanted}: call core.set_device({name!r}) before they are made"
            if wanted.kind != "gpu_pinned"
            else f"tensors live on {current}: the engine has no page-locked memory; leave the place out"
        )
