"""Compiling eager code into static programs (paddle.jit).

From Python code to what runs, and which class is what on the way::

    StaticFunction             what to_static returns; keeps a program for each signature
      │ traced (tracing/)
      ├── CompiledProgram      sizes are known: runs as a Segment, or as an Executable where control flow cuts it; each
      │     │                  stretch is a Program of core.kernels.engine.graph, one call of the engine
      │     └── FrozenProgram  without gradients, while its weights do not change: an EngineProgram of what an export
      │                        would contain
      └── SymbolicProgram      sizes are open: operations for any size, nothing is compiled
            │ exported/from_trace
            └── ExportedProgram      plain data, what a folder holds; passes/ rewrite it
                  └── EngineProgram  compiled for given sizes; a Predictor keeps several

    ControlFlowOperator (a branch, a loop) holds Subprograms: operations of the same trace, compiled for each signature.
"""

from __future__ import annotations

from typing import Any

from core.jit.control_flow import functions as _functions  # noqa: F401  # what core.nn loops with
from core.jit.export.save import (
    save as save,
)
from core.jit.rewrite import (
    ignore_module as ignore_module,
)
from core.jit.running.predictor import (
    Predictor as Predictor,
)
from core.jit.static_function import (
    StaticFunction as StaticFunction,
)
from core.jit.static_function import (
    not_to_static as not_to_static,
)
from core.jit.static_function import (
    to_static as to_static,
)
from core.jit.translator import (
    ProgramTranslator as ProgramTranslator,
)
from core.jit.translator import (
    enable_to_static as enable_to_static,
)


def __getattr__(name: str) -> Any:
    if name in ("TranslatedLayer", "load"):  # these need layers; a Predictor does not
        from core.jit.running import translated_layer  # loads core.nn

        return getattr(translated_layer, name)
    raise AttributeError(f"module 'core.jit' has no attribute {name!r}")
