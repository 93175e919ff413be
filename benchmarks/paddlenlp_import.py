"""Importing paddlenlp 2.8.1, the peer of several comparisons, without what nothing here calls."""

from __future__ import annotations

import sys
import types
from importlib.machinery import ModuleSpec, PathFinder
from unittest.mock import MagicMock

UNUSED = (
    *("datasets", "uvicorn", "fastapi", "fastapi.responses", "fastapi.middleware", "fastapi.middleware.cors"),
    *("starlette", "starlette.responses"),
)
"""What it imports for its data sets and its server."""


def let_import() -> None:
    """Stand in for what paddlenlp downloads and installs with, and load what Paddle crashes after."""
    import zlib  # noqa: F401  # some builds of Paddle crash where it is loaded later

    if PathFinder.find_spec("pip") is None:  # to ask all finders for pip would set back setuptools' distutils
        sys.modules["pip"] = types.ModuleType("pip")
    for name in ("aistudio_sdk", "aistudio_sdk.hub"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["aistudio_sdk"].hub = sys.modules["aistudio_sdk.hub"]  # type: ignore[attr-defined]
    sys.modules["aistudio_sdk.hub"].download = None  # type: ignore[attr-defined]
    absent = {name for name in UNUSED if "." not in name and PathFinder.find_spec(name) is None}
    for name in UNUSED:
        if name.split(".")[0] in absent:
            sys.modules.setdefault(name, MagicMock(__spec__=ModuleSpec(name, None), __version__="0"))
