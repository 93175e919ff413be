"""What stands in for modules that a model's file imports and that its network never uses."""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, Optional


class Unused:
    """Stands for anything in such a module: it can be made, called, derived from and used as a decorator."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args = args

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unused()


class UnusedModule(types.ModuleType):
    """A module whose every name is :class:`Unused`."""

    __path__: list[str] = []
    __version__ = "9999"  # whatever asks expects a recent one

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unused


class StandIns(MetaPathFinder, Loader):
    """Finds modules that are not installed.

    Args:
        absent: packages or modules that stand-ins replace, wherever they cannot be found.
        other: packages that stand-ins replace even where they are found: ours are of another version than they want.
    """

    def __init__(self, absent: Sequence[str], other: Sequence[str] = ()) -> None:
        self.absent = [*other, *(name for name in absent if "." in name or not _installed(name))]
        self.used: set[str] = set()

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[ModuleSpec]:
        if any(fullname == name or fullname.startswith(f"{name}.") for name in self.absent):
            self.used.add(fullname)
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return UnusedModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Leave the module as it is."""


def _installed(name: str) -> bool:
    return name in sys.modules or importlib.util.find_spec(name.partition(".")[0]) is not None


class Folder(MetaPathFinder):
    """Finds one package in a folder, ahead of anything else that goes by its name."""

    def __init__(self, package: str, parent: Path) -> None:
        self.package = package
        self.parent = parent

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[ModuleSpec]:
        if fullname == self.package:
            return PathFinder.find_spec(fullname, [str(self.parent)])
        if fullname.startswith(f"{self.package}."):
            return PathFinder.find_spec(fullname, path)
        return None
