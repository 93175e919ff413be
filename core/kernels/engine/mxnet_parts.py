"""The parts of the mxnet package that the engine needs, imported without all others.

``import mxnet`` makes a Python function of source text for each of 2,500 operators, several times, and loads Gluon,
data sets, drawing and tests: nine tenths of its time go to what is not used here. Here operators are called by their
handles, so only the library, its arrays, symbols and custom operators are imported. A program that imports mxnet
itself, before or after core, has the whole package.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import sys
import types
from typing import Any

_PARTS = ("autograd", "context", "ndarray", "operator", "profiler", "rtc", "runtime", "symbol")
_OF_THE_PACKAGE = ("Context", "cpu", "current_context", "gpu")
"""Names of ``context`` that other parts expect in the package itself while they are imported."""

_NAME = f"{__name__}.mxnet"
"""What the parts are called in the table of modules, where their functions find each other."""


def load() -> Any:
    """Return a package with the parts as attributes; or all of mxnet, where it is loaded.

    Raises:
        ImportError: mxnet is not installed.
    """
    loaded = sys.modules.get("mxnet")
    if loaded is not None:
        return loaded
    spec = importlib.util.find_spec("mxnet")
    if spec is None:
        raise ModuleNotFoundError("No module named 'mxnet'", name="mxnet")
    package = importlib.util.module_from_spec(spec)
    sys.modules["mxnet"] = package
    try:
        _load_parts(package)
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "mxnet"]:
            _rename(sys.modules.pop(name), _NAME + name[len("mxnet") :])
    return package


def _rename(module: types.ModuleType, name: str) -> None:
    """Give a module another name, by which it, and what it imports later, are found."""
    is_package = hasattr(module, "__path__")
    module.__name__, module.__package__ = name, name if is_package else name.rpartition(".")[0]
    assert module.__spec__ is not None
    module.__spec__.name = name
    sys.modules[name] = module


def _load_parts(package: types.ModuleType) -> None:
    base = importlib.import_module("mxnet.base")
    for name in ("_init_op_module", "_init_np_op_module"):  # what makes the functions
        setattr(base, name, _nothing)
    context = importlib.import_module("mxnet.context")
    for name in _OF_THE_PACKAGE:
        setattr(package, name, getattr(context, name))
    base._LIB.MXCustomOpRegister = _nothing  # of an example, which the whole package would register again
    for name in _PARTS:
        importlib.import_module(f"mxnet.{name}")
    del base._LIB.MXCustomOpRegister
    count, names = ctypes.c_uint(), ctypes.POINTER(ctypes.c_char_p)()
    base.check_call(base._LIB.MXListAllOpNames(ctypes.byref(count), ctypes.byref(names)))  # gives older ones kernels


def _nothing(*_: Any, **__: Any) -> int:
    """Stand in for what makes functions of all operators, and registers an example of a custom one."""
    return 0  # the library's word for success


def first_operator(mxnet: Any) -> None:
    """Run an operator of oneDNN's on one element, and wait for it: with the first one the engine starts."""
    base = mxnet.base
    handle = ctypes.c_void_p()
    base.check_call(base._LIB.NNGetOpHandle(b"Activation", ctypes.byref(handle)))
    element = mxnet.ndarray.ndarray.array([[[[0.0]]]])
    invoke = mxnet._ctypes.ndarray._imperative_invoke
    invoke(handle.value, [element], ["act_type"], ["relu"], None, False, False).wait_to_read()
