"""Rewriting a function's source so that control flow on tensors can be traced; see docs/control_flow.md."""

from __future__ import annotations

from core.jit.rewrite.calls import call as call
from core.jit.rewrite.calls import ignore_module as ignore_module
from core.jit.rewrite.convert import convert as convert
from core.jit.rewrite.convert import rewritten_source as rewritten_source
