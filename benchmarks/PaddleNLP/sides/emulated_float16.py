"""PaddleNLP/train.py with ``train.precision: float16`` on processors, where the command refuses it: it gains nothing.

What the operators of mixed precision take and give is rounded to float16, and computed in float32 in between, as a
device does that has float16: only its speed is not shown. Arguments are those of PaddleNLP/train.py.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from unittest import mock

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../../../..")

from PaddleNLP import train


@contextlib.contextmanager
def emulated() -> Iterator[None]:
    """Let mixed precision take this processor for one that computes in float16, within a block."""
    with contextlib.ExitStack() as stack:
        for name in ("core.amp.auto_cast", "core.train.precision"):
            module = importlib.import_module(name)
            stack.enter_context(mock.patch.object(module, "is_float16_supported", lambda device=None: True))
        yield


if __name__ == "__main__":
    with emulated():
        sys.exit(train.main())
