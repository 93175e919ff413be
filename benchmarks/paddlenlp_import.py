"""Importing paddlenlp 2.8.1, the peer of several comparisons, without what nothing here calls."""

from __future__ import annotations

import importlib.util
import sys
import types


def let_import() -> None:
    """Stand in for what paddlenlp downloads and installs with, and load what Paddle crashes after."""
    import zlib  # noqa: F401  # some builds of Paddle crash where it is loaded later

    if importlib.util.find_spec("pip") is None:
        sys.modules["pip"] = types.ModuleType("pip")
    for name in ("aistudio_sdk", "aistudio_sdk.hub"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["aistudio_sdk"].hub = sys.modules["aistudio_sdk.hub"]  # type: ignore[attr-defined]
    sys.modules["aistudio_sdk.hub"].download = None  # type: ignore[attr-defined]
