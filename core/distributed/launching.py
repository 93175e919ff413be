"""Starting a function or a script as the processes of a run, so far as one."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.distributed.environment import require_one_process


class Context:
    """What :func:`spawn` returns when it does not wait; the function has ended already."""

    processes: list[Any] = []

    def join(self, timeout: Optional[float] = None) -> bool:
        """Wait for the processes; returns True, they have ended.

        Args:
            timeout: how long, in seconds.
        """
        return True


def spawn(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    nprocs: int = -1,
    join: bool = True,
    daemon: bool = False,
    **options: Any,
) -> Context:
    """Run a function as the processes of a run: as one, it is called here.

    Args:
        func: the function; it gets ``args``.
        args: its arguments.
        nprocs: how many processes; -1 for the number of devices, which is one CPU.
        join: wait until they have ended.
        daemon: accepted for Paddle's signature; one process needs no other.
        **options: ``start_method``, ``gpus``, ``ips``, accepted likewise.

    Returns:
        An object with ``join``.

    Raises:
        NotImplementedError: several processes are asked for.
    """
    require_one_process("spawn")
    if nprocs not in (-1, 1):
        raise NotImplementedError(f"spawn: nprocs={nprocs}, but training with several processes is not built: use 1")
    func(*args)
    return Context()


def launch() -> None:
    """Run ``python -m core.distributed.launch [options] SCRIPT [its arguments]`` as one process.

    Raises:
        NotImplementedError: the options ask for several processes.
    """
    parser = argparse.ArgumentParser(prog="core.distributed.launch", description="Runs a training script.")
    parser.add_argument("--nnodes", default="1", help="how many machines: 1")
    parser.add_argument("--nproc_per_node", type=int, default=1, help="how many processes: 1")
    parser.add_argument("--gpus", "--devices", default="", help="the number of one device")
    parser.add_argument("--log_dir", default="log", help="accepted; one process writes to this terminal")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    require_one_process("launch")
    for name, value, count in (
        ("--nnodes", options.nnodes, 1 if options.nnodes in ("1", "1:1") else 2),
        ("--nproc_per_node", options.nproc_per_node, options.nproc_per_node),
        ("--gpus", options.gpus, len(options.gpus.split(","))),
    ):
        if count != 1:
            raise NotImplementedError(f"launch: {name} {value}: training with several processes is not built: use one")
    sys.argv = [options.script, *options.arguments]
    runpy.run_path(options.script, run_name="__main__")
