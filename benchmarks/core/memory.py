"""Memory of compiled programs: what a ResNet-18 occupies for each size of its input, at its peak and afterwards.

    python -m benchmarks.core.memory [--sizes 50] [--batch 4]

Every row is a process of its own that takes two steps at each of several sizes. The columns are megabytes that the
process occupies: at its peak, after the first size, after all of them (freed memory is kept for the next step), after
``device.empty_cache()``, and after it once more when the compiled function is gone. The last rows run through many
sizes; the number of programs that are kept is asserted.
"""

from __future__ import annotations

import argparse
import multiprocessing
from typing import Any, Callable

MEGABYTE = 2**20


def resident() -> float:
    """Return the megabytes of memory that this process occupies."""
    return status("VmRSS")


def status(field: str) -> float:
    """Return a size from the system's account of this process, in megabytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) * 1024 / MEGABYTE


def reset_peak() -> None:
    """Let the system's account of the peak start again."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def measure(connection: Any, training: bool, compiled: bool, sizes: list[int], batch: int) -> None:
    """Run one model through input sizes and send what it occupied, in megabytes above the model alone."""
    import core
    import PaddleClas
    from core.jit.static_function import MAXIMUM_PROGRAMS

    core.seed(0)
    model = PaddleClas.create_model("ResNet18")
    model.train() if training else model.eval()
    function: Any = core.jit.to_static(lambda x: model(x)) if compiled else model

    def step(size: int) -> None:
        x = core.ones([batch, 3, size, size])
        if training:
            function(x).mean().backward()
            model.clear_gradients()
        else:
            with core.no_grad():
                function(x).numpy()

    model(core.ones([1, 3, 32, 32])).mean().backward()  # kernels are loaded and gradients allocated before the start
    model.clear_gradients()
    core.device.empty_cache()
    start = resident()
    reset_peak()
    kept = []
    for size in sizes:
        for _ in range(2):
            step(size)
        core.kernels.engine.engine.wait_all()
        kept.append(resident() - start)
    peak = status("VmHWM") - start
    programs = 0
    if compiled:
        programs = sum(len(candidates) for candidates in function.programs.values())
        assert programs == min(len(sizes), MAXIMUM_PROGRAMS), programs
    core.device.empty_cache()
    given_back = resident() - start
    function = None
    core.device.empty_cache()
    connection.send((programs, peak, kept[0], kept[-1], given_back, resident() - start))


def main() -> None:
    """Print one row per way of running."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, default=50, help="sizes of the long loop (default 50)")
    parser.add_argument("--batch", type=int, default=4, help="images per step (default 4)")
    arguments = parser.parse_args()
    few = [128, 144, 160, 176]
    many = [64 + 4 * i for i in range(arguments.sizes)]
    columns = ("programs", "peak", "one size", "all sizes", "given back", "dropped")
    print(f"{'ResNet-18, megabytes above the model':<40}" + "".join(f"{name:>11}" for name in columns))
    for sizes in (few, many):
        for training in (False, True):
            for compiled in (False, True):
                row = in_new_process(measure, training, compiled, sizes, arguments.batch)
                name = f"{'training' if training else 'inference'}, {'compiled' if compiled else 'eager'}"
                print(
                    f"{name + f', {len(sizes)} sizes':<40}" + "".join(f"{number:>11.0f}" for number in row), flush=True
                )


def in_new_process(function: Callable[..., None], *arguments: Any) -> Any:
    """Return what a function sends through its first argument, a connection, from a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=function, args=(theirs, *arguments))
    process.start()
    theirs.close()
    try:
        result = ours.recv()
    except EOFError:
        raise SystemExit("the measuring process ended; its message is above") from None
    process.join()
    return result


if __name__ == "__main__":
    main()
