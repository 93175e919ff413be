"""Put each past fault of README.md back into a copy of the code, and run the tests that caught it in the default run.

    python -m tests.past_faults [AREA ...]

The copy is what git has at HEAD, in a temporary folder. It takes a minute or two for each fault: kernels are compiled
anew. A fault that no test catches, or whose place is gone, ends the program with status 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Change(NamedTuple):
    """A text of a file, which has it once, and what takes its place."""

    file: str
    now: str
    then: str


class Fault(NamedTuple):
    """What is changed, and the file or test that fails then."""

    changes: list[Change]
    caught_by: str


FAULTS: Mapping[str, Fault] = {
    "dispatch": Fault(
        [Change("core/operators/_methods.py", "Tensor.__array_ufunc__ = _array_ufunc", "")],
        "core/operators/arithmetic/test_numpy_operands.py",
    ),
    "gradient": Fault(
        [
            Change(
                "core/autograd/rules/pooling.py",
                "apply(primitives.maximum_pooling_backward, gradient, x, **_window(context))",
                "apply(primitives.maximum_pooling_backward, gradient, x, context.outputs[0], Tensor(context.saved),"
                " **_window(context))",
            ),
            Change(
                "core/kernels/layers/pooling.py",
                "        return engine.invoke(self.handle, arrays, plan.attributes)[:1], needs_gradient or None\n",
                "        if not needs_gradient:\n"
                "            return engine.invoke(self.handle, arrays, plan.attributes)[:1], None\n"
                "        shape, dtype = plan.metas[0]\n"
                "        results = [engine.empty(shape, dtype), engine.empty(shape, int32)]\n"
                "        with engine.engine_mode(recording=False, training=True):\n"
                "            engine.invoke(self.handle, arrays, plan.attributes, results)\n"
                "        return results[:1], results[1]\n",
            ),
            Change(
                "core/kernels/layers/pooling.py",
                "        gradient, x = arrays\n        ((shape, dtype),) = infer_pooling(plan.metas, attributes)\n"
                "        output, positions = engine.empty(shape, dtype), engine.empty(shape, int32)\n"
                "        with engine.engine_mode(recording=False, training=True):\n"
                "            engine.invoke(_FORWARD, [x], plan.attributes, [output, positions])\n",
                "        gradient, x, output, positions = arrays\n",
            ),
        ],
        "core/autograd/test_backward.py",
    ),
    "export": Fault(
        [
            Change(
                "core/jit/control_flow/subprogram.py",
                "[trace.capture(value) for value in traced(placeholders)]",
                "traced(placeholders)",
            ),
            Change(
                "core/jit/control_flow/subprogram.py",
                "[value for value, _ in trace.captured]  # what depends on sizes alone",
                "[]",
            ),
            Change(
                "core/jit/control_flow/subprogram.py",
                '("a branch or loop", trace.variables,',
                '("a branch or loop", placeholders,',
            ),
        ],
        "core/jit/export/test_sizes.py",
    ),
    "threads": Fault(
        [
            Change(
                "core/kernels/engine/engine.py",
                "turn if COMPUTES_AT_ONCE else contextlib.nullcontext()",
                "contextlib.nullcontext()",
            )
        ],
        "core/kernels/engine/test_engine_type.py",
    ),
    "checkpoint": Fault(
        [Change("core/optimizer/accumulators.py", "if name not in self._taken and isinstance(", "if False and (")],
        "core/optimizer/test_optimizer.py",
    ),
    "reader": Fault(
        [Change("core/train/config/yaml_file.py", '_Loader.add_constructor("tag:yaml.org,2002:str", _text)', "")],
        "core/train/config/test_config_fuzz.py",
    ),
    "optimizer": Fault(
        [
            Change(
                "core/kernels/optimizer/update_rules.py",
                "rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16",
                "rounded = bits >> 16",
            )
        ],
        "core/optimizer/test_optimizer.py",
    ),
    "PGL": Fault(
        [Change("PGL/storage/features.py", "if not np.isfinite(largest).all():", "if False:")],
        "PGL/test_storage.py",
    ),
    "PaddleClas": Fault(
        [
            Change(
                "core/train/classification/task.py",
                "if found > class_num or (found < class_num and",
                "if found > class_num or (False and",
            )
        ],
        "PaddleClas/test_faults.py",
    ),
    "PaddleGAN": Fault(
        [
            Change(
                "PaddleGAN/tasks/semantic_synthesis.py",
                "        self.vgg_weights = vgg_weights\n",
                "        self.vgg_weights = vgg_weights\n        _ = self.perceptual\n",
            )
        ],
        "PaddleGAN/tasks/test_semantic_synthesis.py",
    ),
}
"""By the area of README.md's table."""


def changed(fault: Fault, root: Path) -> dict[Path, str]:
    """Return the files of a fault as they are with it.

    Raises:
        ValueError: a file does not have the text that is changed, or has it more than once.
    """
    texts: dict[Path, str] = {}
    for change in fault.changes:
        path = root / change.file
        text = texts.get(path) or path.read_text(encoding="utf-8")
        if text.count(change.now) != 1:
            raise ValueError(f"{change.file} has {text.count(change.now)} times {change.now!r}; write the fault anew")
        texts[path] = text.replace(change.now, change.then)
    return texts


def caught(fault: Fault, copy: Path) -> list[str]:
    """Return the tests that fail in a copy of the code with a fault, which is taken out again."""
    texts = changed(fault, copy)
    before = {path: path.read_text(encoding="utf-8") for path in texts}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", f"tests/{fault.caught_by}"]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    found = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True).stdout
    for path, text in before.items():
        path.write_text(text, encoding="utf-8")
    return [line for line in found.splitlines() if line.startswith(("FAILED ", "ERROR "))]


def main() -> None:
    """Print for each fault which tests caught it."""
    areas = sys.argv[1:] or list(FAULTS)
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(copy)], cwd=ROOT, check=True)
        try:
            for area in areas:
                tests = caught(FAULTS[area], copy)
                missed |= not tests
                print(f"{area}: {len(tests)} tests fail" if tests else f"{area}: NOT CAUGHT", flush=True)
                for line in tests[:5]:
                    print("   ", line[:200], flush=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(copy)], cwd=ROOT, check=True)
    raise SystemExit(missed)


if __name__ == "__main__":
    main()
