"""``import paddle`` means core: a user's model file runs unmodified.

A finder at the front of ``sys.meta_path`` answers for ``paddle`` and everything below it with core's own modules, so
``paddle.nn`` *is* ``core.nn`` and a layer made by either name is an instance of both. Nothing is copied and nothing is
imported before it is asked for. Only the topmost module is an object of its own, because its version is Paddle's. One
rule changes: an integer tensor beside another type keeps its own (:mod:`core.left_types`).
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType, TracebackType
from typing import Any, Callable, Optional

import core.left_types as left_types

PADDLE_VERSION = "2.6.2"
"""The version whose interface core has, and which ``paddle.__version__`` says; programs compare it."""

PAGE = "docs/foreign_code.md"

INTERNALS = "core.internals"
"""The package whose modules stand for those of Paddle that are no public interface and that programs import."""


class _Paddle(ModuleType):
    """The module ``paddle``: whatever it is asked for comes from core."""

    __version__ = PADDLE_VERSION

    def __getattr__(self, name: str) -> Any:
        try:
            found = getattr(importlib.import_module("core"), name)
        except AttributeError:
            if name.startswith("__"):
                raise
            found = _submodule(f"paddle.{name}")
        return importlib.import_module(f"paddle.{name}") if isinstance(found, ModuleType) else found

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(importlib.import_module("core"))})


def _explained(module_name: str, lookup: Optional[Callable[[str], Any]]) -> Callable[[str], Any]:
    """Return a module's ``__getattr__`` for the time that the module goes by its name in Paddle.

    Args:
        module_name: that name.
        lookup: the module's own ``__getattr__``.
    """

    def __getattr__(name: str) -> Any:
        if lookup is not None:
            with contextlib.suppress(AttributeError):  # said below in Paddle's terms
                return lookup(name)
        if name.startswith("__"):
            raise AttributeError(name)
        inner = _module_below(INTERNALS, module_name)
        if inner is not None and name in vars(inner):
            return vars(inner)[name]
        return _submodule(f"{module_name}.{name}")

    return __getattr__


def _submodule(name: str) -> ModuleType:
    """Return a module that is asked for as an attribute before anything imported it; Paddle imports all its own.

    Raises:
        AttributeError: there is none.
    """
    if _core_module(name) is None:
        raise AttributeError(f"core has no {name}; {PAGE} says what there is")
    return importlib.import_module(name)


class _Alias(Loader):
    """Hands out a module of core under its name in Paddle."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return core's module."""
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module, which has run already, with its own specification."""
        module.__spec__ = self.spec


class _Top(Loader):
    """Makes the module ``paddle``."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a new module that refers to core."""
        module = _Paddle("paddle", importlib.import_module("core").__doc__)
        module.__file__ = importlib.import_module("core").__file__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module empty."""


def _core_module(name: str) -> Optional[ModuleType]:
    """Return the module of core that a name such as ``paddle.nn.functional`` means, or None."""
    return _module_below("core", name) or _module_below(INTERNALS, name)


def _module_below(package: str, name: str) -> Optional[ModuleType]:
    """Return the module that has the place in a package of core that a name has in Paddle, or None."""
    own_name = package + name[len("paddle") :]
    parent_name, _, last = name.rpartition(".")
    if not parent_name:
        return importlib.import_module(own_name)
    parent = _module_below(package, parent_name)
    if parent is None:
        return None
    if own_name in sys.modules or PathFinder.find_spec(own_name, getattr(parent, "__path__", [])):
        return importlib.import_module(own_name)
    found = vars(parent).get(last)
    bound_by_an_import = isinstance(found, ModuleType) and found.__name__.startswith(INTERNALS) and package != INTERNALS
    return found if isinstance(found, ModuleType) and not bound_by_an_import else None


_CHANGED = ("__getattr__", "__path__")


class PaddleAlias(MetaPathFinder):
    """What :func:`install_as_paddle` returns; as a context manager it takes the alias back at the end of the block."""

    def __init__(self) -> None:
        self._changed: dict[ModuleType, dict[str, Any]] = {}
        self._fallback = _MissingNames()

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        """Return where ``paddle`` or a module of it comes from, and None for every other module.

        Args:
            fullname: name of the wanted module.
            path: the parent package's folders, unused.
            target: unused.

        Raises:
            ModuleNotFoundError: core has no such module.
        """
        if fullname == "paddle":
            return ModuleSpec("paddle", _Top(), is_package=True)
        if not fullname.startswith("paddle."):
            return None
        module = _core_module(fullname)
        if module is None:
            raise _not_there(fullname, "core" + fullname[len("paddle") :])
        self._explain_missing(module, fullname)
        self._name_shadowed(module, fullname)
        return ModuleSpec(fullname, _Alias(module), is_package=hasattr(module, "__path__"))

    def _explain_missing(self, module: ModuleType, name: str) -> None:
        """Let a module, and those that are names in it, say in Paddle's terms what they lack.

        ``from module import name`` asks finders for a missing name only where the module has a ``__path__``.
        """
        if module in self._changed:
            return
        self._changed[module] = {key: vars(module)[key] for key in _CHANGED if key in vars(module)}
        vars(module)["__getattr__"] = _explained(name, vars(module).get("__getattr__"))
        vars(module).setdefault("__path__", [])
        for key, value in list(vars(module).items()):
            if isinstance(value, ModuleType) and value.__name__ == f"{module.__name__}.{key}":
                self._explain_missing(value, f"{name}.{key}")

    def _name_shadowed(self, package: ModuleType, name: str) -> None:
        """Register the modules of a package whose names in it mean something else, as ``amp.auto_cast`` is a function.

        Python's import would put such a module in the place of the function.
        """
        for key, value in list(vars(package).items()):
            module = sys.modules.get(f"{package.__name__}.{key}")
            if module is not None and module is not value:
                self._explain_missing(module, f"{name}.{key}")
                sys.modules.setdefault(f"{name}.{key}", module)

    def install(self) -> None:
        """Answer for ``paddle`` from now on."""
        sys.meta_path.insert(0, self)
        sys.meta_path.append(self._fallback)
        left_types.kept = True

    def remove(self) -> None:
        """Forget ``paddle``, so that the next import of it finds the real one, or nothing."""
        if self not in sys.meta_path:
            return
        sys.meta_path.remove(self)
        sys.meta_path.remove(self._fallback)
        left_types.kept = False
        names = [name for name in sys.modules if name == "paddle" or name.startswith("paddle.")]
        for name in names:
            self._unbind(name)
        for name in names:
            del sys.modules[name]
        for module, before in self._changed.items():
            for key in _CHANGED:
                vars(module).pop(key, None)
            vars(module).update(before)
        self._changed.clear()

    @staticmethod
    def _unbind(name: str) -> None:
        """Take an inner module out of the public one above it, where Python's import has put it."""
        above, _, last = name.rpartition(".")
        parent, module = sys.modules.get(above), sys.modules[name]
        if parent is not None and module.__name__.startswith(INTERNALS) and not parent.__name__.startswith(INTERNALS):
            vars(parent).pop(last, None)

    def __enter__(self) -> PaddleAlias:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.remove()


class _MissingNames(MetaPathFinder):
    """Asked last: ``from paddle.nn import Absent`` looks for a module ``core.nn.Absent`` before it fails."""

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        parent, _, last = fullname.rpartition(".")
        place = parent[len(INTERNALS if parent.startswith(INTERNALS) else "core") :]
        aliased = parent.startswith("core") and f"paddle{place}" in sys.modules
        if aliased and not last.startswith("__"):
            name = f"paddle{place}.{last}"
            raise _not_there(name, name)
        return None


def _not_there(name: str, searched: str) -> ModuleNotFoundError:
    """Return the error for a missing name. ``from x import y`` swallows one that carries the name it expects."""
    return ModuleNotFoundError(f"core has no {name}; {PAGE} says what there is", name=searched)


def installed() -> Optional[PaddleAlias]:
    """Return the alias that is in place, or None."""
    return next((finder for finder in sys.meta_path if isinstance(finder, PaddleAlias)), None)


def install_as_paddle() -> PaddleAlias:
    """Let ``import paddle`` and imports of its modules and names mean core, here and in the workers of loaders.

    Returns:
        The alias, whose ``remove()`` ends it; ``with core.install_as_paddle():`` ends it after the block. Where it is
        in place already, it is returned again.

    Raises:
        RuntimeError: the real Paddle is loaded.
    """
    alias = installed()
    if alias is not None:
        return alias
    if "paddle" in sys.modules:
        where = getattr(sys.modules["paddle"], "__file__", None) or "somewhere else"
        raise RuntimeError(
            f"paddle is already imported from {where}; call core.install_as_paddle() before anything imports paddle"
        )
    alias = PaddleAlias()
    alias.install()
    return alias
