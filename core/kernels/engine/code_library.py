"""The machine code of kernels, made once: for the function that Python enters, with all that it calls.

numba optimises and translates every function by itself, and again as a part of each that calls it: what is innermost in
a parallel kernel of three levels six times. Here a function stays in LLVM's intermediate language until Python calls,
and whatever calls it takes that. So a kernel's code depends on its sources alone, not on what was called before it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.environment import Environment, lookup_environment
from numba.np.ufunc import parallel

STARTS_THREADS = "numba_parallel_for"
"""The function of numba that lets its threads run a loop."""


@contextlib.contextmanager
def staying_intermediate(codegen: Any) -> Iterator[None]:
    """Keep what numba compiles meanwhile in the intermediate language: what it has itself, as np.sort, and closures.

    Args:
        codegen: numba's, of this processor; one thread's at a time.
    """
    if codegen._library_class is KernelLibrary:  # a kernel that another one calls
        yield
        return

    def set_env(name: str, environment: Environment) -> None:
        if codegen._engine.get_global_value_address(name):  # else the kernel sets it that takes the function over
            type(codegen).set_env(codegen, name, environment)

    codegen._library_class, codegen.set_env = KernelLibrary, set_env
    try:
        yield
    finally:
        del codegen._library_class, codegen.set_env


class Kept(NamedTuple):
    """What is kept of a library on disk.

    Args:
        name: Of the library.
        intermediate: What other kernels take.
        machine_code: What Python calls, if it has called it.
        starts_threads: Whether that runs loops on several threads.
        environments: What its functions keep of Python's objects.
    """

    name: str
    intermediate: bytes
    machine_code: Optional[bytes] = None
    starts_threads: bool = False
    environments: Sequence[Environment] = ()


class KernelLibrary(JITCodeLibrary):
    """The code of one form of a function, and of all that it calls."""

    _linked = False
    _kept: Optional[Kept] = None

    @classmethod
    def restored(cls, codegen: Any, kept: Kept) -> KernelLibrary:
        """Return the library that :meth:`kept` was of; its machine code is loaded when the kernel is entered."""
        self = cls(codegen, kept.name)
        self.enable_object_caching()
        self._kept, self._linked = kept, True
        if kept.machine_code is None:
            self._final_module = llvm.parse_bitcode(kept.intermediate)
        return self

    def kept(self) -> Kept:
        """Return what can be kept on disk, with the machine code if there is any yet."""
        intermediate = self._get_module_for_linking().as_bitcode()
        if not self._finalized:
            return Kept(self.name, intermediate)
        environments = [environment for environment in self._environments() if environment.can_cache()]
        return Kept(self.name, intermediate, self._get_compiled_object(), self._starts_threads(), environments)

    @property
    def has_dynamic_globals(self) -> bool:
        """Whether the code holds addresses of this process."""
        variables = self._get_module_for_linking().global_variables
        return any(variable.name.startswith("numba.dynamic.globals") for variable in variables)

    def enter(self, name: str) -> bool:
        """Make, or load, the machine code of a function that Python calls, and of what it calls.

        Returns:
            Whether it was made, rather than loaded.
        """
        if self._kept is not None and self._kept.machine_code is not None:
            self._load(self._kept, name)
            return False
        self._make(name)
        return True

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function that Python can call; 0 where only compiled code calls it."""
        self._link()
        if not self._finalized and any(function.name == name for function in self._final_module.functions):
            self.enter(name)
        return int(super().get_pointer_to_function(name))

    def _optimize_functions(self, module: Any) -> None:
        """Simplify the functions that a module has; numba goes through those that it only names, too."""
        if not hasattr(llvm, "create_pass_builder"):  # numba 0.60, for Python 3.9, has other pass managers
            super()._optimize_functions(module)
            return
        module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _ensure_finalized(self) -> None:
        """Be ready for what calls it, or asks where its machine code is: numba's name for that."""
        self._link()

    def _load(self, kept: Kept, name: str) -> None:
        if kept.starts_threads:
            parallel._launch_threads()
        self._set_compiled_object(kept.machine_code)
        self._finalize_final_module()
        self._codegen._engine._defined_symbols.add(name)
        self._set(kept.environments)

    def _make(self, name: str) -> None:
        self._codegen._check_llvm_bugs()
        self._shared_module = self._get_module_for_linking()
        self._final_module = self._shared_module.clone()  # anew, where Ctrl-C has ended an attempt
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.linkage = "external" if function.name == name else "internal"
        self._optimize_final_module()
        self._final_module.verify()
        if self._starts_threads():
            parallel._launch_threads()
        self._finalize_final_module()
        self._set(self._environments())

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is not None:
            return self._shared_module
        if self._kept is not None and self._kept.machine_code is not None:
            self._shared_module = llvm.parse_bitcode(self._kept.intermediate)
            return self._shared_module
        self._link()
        return self._final_module

    def _link(self) -> None:
        """Take over what is called, in its intermediate form."""
        if self._linked:
            return
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"  # several modules may have it, and drop it where nothing calls it
        self._linked = True

    def _starts_threads(self) -> bool:
        return any(function.name == STARTS_THREADS for function in self._final_module.functions)

    def _environments(self) -> list[Environment]:
        names = [variable.name for variable in self._final_module.global_variables]
        found = [lookup_environment(name) for name in names if name.startswith("_ZN08NumbaEnv")]
        return [environment for environment in found if environment is not None]

    def _set(self, environments: Sequence[Environment]) -> None:
        for environment in environments:
            self._codegen.set_env(environment.env_name, environment)
