"""What compiles a kernel: numba, up to LLVM's intermediate language. Machine code is made when Python calls it."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional

from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from core.kernels.engine import compile_lock
from core.kernels.engine.code_library import Kept, KernelLibrary, staying_intermediate
from core.kernels.engine.thread_loops import with_outlined_loops


class Form:
    """A function compiled for certain types: numba's key of it, and what Python calls, once it has."""

    entry: Optional[Callable[..., Any]] = None


class KernelDispatcher(CPUDispatcher):
    """A function, compiled for each combination of types that it is called with.

    Args:
        function: Any that numba compiles; its loops over ``threads`` run on all threads.
        options: Of ``numba.njit``.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        targetoptions = {"nopython": True, "boundscheck": None, "error_model": "numpy", **options}
        super().__init__(function, targetoptions=targetoptions, pipeline_class=KernelCompiler)

    def add_overload(self, result: CompileResult) -> None:
        """Keep a compiled form; Python finds it when it has been entered."""
        self.overloads[tuple(result.signature.args)] = result

    def compile(self, sig: Any) -> Any:
        """Return what Python calls for a signature, a :class:`Form`; at most one process compiles it."""
        with compile_lock.outermost():
            return super().compile(sig)

    def _compile_for_args(self, *arguments: Any, **named: Any) -> Any:
        with compile_lock.outermost():
            found = super()._compile_for_args(*arguments, **named)
            return self._entry(found) if isinstance(found, Form) else found

    def _entry(self, form: Form) -> Callable[..., Any]:
        with global_compiler_lock:
            if form.entry is None:
                result = next(result for result in self.overloads.values() if result.entry_point is form)
                made = result.library.enter(result.fndesc.llvm_cpython_wrapper_name)
                form.entry = self.targetctx.get_executable(result.library, result.fndesc, result.environment)
                self._insert([argument._code for argument in result.signature.args], form.entry, False)
                if made:
                    self._cache.save_overload(result.signature.args, result)
        return form.entry


def _on_a_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class KernelCompiler(CompilerBase):
    """numba's compiler, up to the intermediate language."""

    depth = 0  # of functions that are being compiled, which is one thread's at a time

    def define_pipelines(self) -> list[Any]:
        """Return numba's own passes."""
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]

    def compile_extra(self, func: Any) -> CompileResult:
        """Return the compiled form of a function."""
        if KernelCompiler.depth == 0 and _on_a_terminal():
            name = f"{func.__module__}.{func.__qualname__}"
            print(f"core: compiling {name} for this processor, once", file=sys.stderr, flush=True)
        state = self.state
        state.flags.no_compile = state.flags.no_cfunc_wrapper = True
        codegen = state.targetctx.codegen()
        state.library = KernelLibrary(codegen, func.__qualname__)
        state.library.enable_object_caching()
        KernelCompiler.depth += 1
        try:
            with staying_intermediate(codegen):
                result = super().compile_extra(with_outlined_loops(func, self._body))._replace(entry_point=Form())
        finally:
            KernelCompiler.depth -= 1
        state.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result

    def _body(self, function: Callable[..., Any]) -> KernelDispatcher:
        """Return the body of a loop, which only the kernel calls."""
        fast = self.state.flags.fastmath.flags
        return KernelDispatcher(function, no_cpython_wrapper=True, fastmath=set(fast) if fast else False)


def reduced(result: CompileResult) -> tuple[Any, ...]:
    """Return what can be kept of a compiled form."""
    description = result.fndesc
    description.typemap = description.calltypes = None  # large, and nobody asks any more
    return result.library.kept(), description, result.environment, result.signature


def restored(target: Any, kept: Kept, description: Any, environment: Any, signature: Any) -> CompileResult:
    """Return the compiled form of which something was kept.

    Args:
        target: numba's context of this processor.
        kept, description, environment, signature: What :func:`reduced` returned.
    """
    fields: dict[str, Any] = dict.fromkeys(CompileResult._fields)
    fields.update(
        typing_context=target.typing_context,
        target_context=target,
        library=KernelLibrary.restored(target.codegen(), kept),
        fndesc=description,
        environment=environment,
        signature=signature,
        objectmode=False,
        lifted=(),
        reload_init=[],
        entry_point=Form(),
    )
    return CompileResult(**fields)
