"""Importing paddlenlp 2.8.1, the peer of several comparisons, without what nothing here calls."""

from __future__ import annotations

import sys
import types


def let_import() -> None:
    """Stand in for the library that paddlenlp downloads with, and load what Paddle crashes after."""
    import zlib  # noqa: F401  # some builds of Paddle crash where it is loaded later

    for name in ("aistudio_sdk", "aistudio_sdk.hub"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["aistudio_sdk"].hub = sys.modules["aistudio_sdk.hub"]  # type: ignore[attr-defined]
    sys.modules["aistudio_sdk.hub"].download = None  # type: ignore[attr-defined]
