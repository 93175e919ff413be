"""Models that a directory publishes by its ``hubconf.py`` (paddle.hub). That file is a program, and it is run."""

from __future__ import annotations

import builtins
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Callable

_FILE = "hubconf.py"


def _configuration(repo_dir: str, source: str) -> ModuleType:
    """Run a directory's hubconf.py and return it as a module.

    Raises:
        NotImplementedError: the source is not a local directory.
        ValueError: there is no such source.
        FileNotFoundError: the directory has no hubconf.py.
        ModuleNotFoundError: what it says that it depends on is not installed.
    """
    if source in ("github", "gitee"):
        raise NotImplementedError(
            f"hub: source={source!r} would run a program from the network: clone {repo_dir} and use source='local'"
        )
    if source != "local":
        raise ValueError(f"hub: there is no source {source!r}: use 'local'")
    path = Path(repo_dir).expanduser().resolve() / _FILE
    if not path.is_file():
        raise FileNotFoundError(f"hub: {path} does not exist: repo_dir must be a directory with a {_FILE}")
    specification = importlib.util.spec_from_file_location("hubconf", path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.path.insert(0, str(path.parent))
    try:
        specification.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    missing = [name for name in getattr(module, "dependencies", ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(f"hub: {path} needs {', '.join(missing)}: install it")
    return module


def _entry(repo_dir: str, model: str, source: str) -> Callable[..., Any]:
    module = _configuration(repo_dir, source)
    if model not in _names(module):
        raise ValueError(f"hub: {repo_dir} has no model {model!r}: it has {', '.join(_names(module)) or 'none'}")
    found: Callable[..., Any] = getattr(module, model)
    return found


def _names(module: ModuleType) -> builtins.list[str]:
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def list(repo_dir: str, source: str = "github", force_reload: bool = False) -> builtins.list[str]:
    """Return the names of the models that a directory publishes: the public functions of its ``hubconf.py``.

    Args:
        repo_dir: the directory.
        source: ``local``; Paddle's others, ``github`` and ``gitee``, are not built.
        force_reload: accepted for Paddle's signature; the file is read each time.

    Raises:
        NotImplementedError: the source is ``github`` or ``gitee``.
        FileNotFoundError: the directory has no ``hubconf.py``.
        ModuleNotFoundError: what it depends on is not installed.
    """
    return _names(_configuration(repo_dir, source))


def help(repo_dir: str, model: str, source: str = "github", force_reload: bool = False) -> str:
    """Return what a published model's author says about it.

    Args:
        repo_dir: the directory.
        model: the model's name.
        source: ``local``; see :func:`list`.
        force_reload: accepted for Paddle's signature.

    Raises:
        ValueError: there is no such model.
    """
    return _entry(repo_dir, model, source).__doc__ or ""


def load(repo_dir: str, model: str, source: str = "github", force_reload: bool = False, **kwargs: Any) -> Any:
    """Make a published model.

    Args:
        repo_dir: the directory.
        model: the model's name.
        source: ``local``; see :func:`list`.
        force_reload: accepted for Paddle's signature.
        **kwargs: arguments of the model.

    Returns:
        What the model's function returns, usually a Layer.

    Raises:
        ValueError: there is no such model.
    """
    return _entry(repo_dir, model, source)(**kwargs)
