"""One differentiation rule per primitive operator; importing this package attaches them all."""

from __future__ import annotations

from core.autograd.rules import activation as activation, convolution as convolution, elementwise as elementwise, indexing as indexing, joining as joining, linalg as linalg, normalization as normalization, pooling as pooling, shape as shape
