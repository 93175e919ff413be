"""Matrices that are mostly zeros, by their rows, and their product with a dense one."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.operators.graphs._edges import Edges, check_edges
from core.operators.graphs.message_passing import gather_multiply_reduce
from core.tensor import Tensor


class SparseRows(NamedTuple):
    """A matrix of which only the numbers that are not 0 are stored: bags of words, say.

    It is a tuple of tensors, so it can be an argument of a compiled function. Where the numbers stand is fixed; the
    numbers are a tensor like any other: ``matrix._replace(values=dropout(matrix.values))``.

    Attributes:
        places: Where the numbers stand: number i is an edge from its column to its row.
        values: [numbers], floating-point, row after row.
    """

    places: Edges
    values: Tensor

    @property
    def shape(self) -> list[int]:
        """The matrix's rows and columns."""
        return [self.places.num_targets, self.places.num_sources]

    @staticmethod
    def from_dense(matrix: np.ndarray) -> SparseRows:
        """Keep what is not 0 of a matrix.

        Args:
            matrix: floating-point [rows, columns].

        Raises:
            OperatorError: it has not two axes.
        """
        matrix = np.asarray(matrix)
        if matrix.ndim != 2:
            raise OperatorError(f"SparseRows: a matrix has two axes, got shape {list(matrix.shape)}")
        rows, columns = np.nonzero(matrix)
        return SparseRows(
            Edges.from_index(columns, rows, matrix.shape[1], matrix.shape[0]), Tensor(matrix[rows, columns])
        )

    @staticmethod
    def from_csr(
        indptr: np.ndarray, indices: np.ndarray, values: np.ndarray, columns: Optional[int] = None
    ) -> SparseRows:
        """Take a matrix in compressed sparse rows, as scipy stores it.

        Args:
            indptr: Integers [rows + 1]: where each row begins.
            indices: Integers [numbers]: the column of each.
            values: floating-point [numbers].
            columns: Number of columns; as many as the indices need when None.

        Raises:
            OperatorError: the three do not fit each other.
            OperatorIndexError: a column does not exist.
        """
        indptr, indices, values = (np.asarray(array) for array in (indptr, indices, values))
        counts = np.diff(indptr)
        fits = indptr.ndim == indices.ndim == 1 and indptr.size and indptr[0] == 0 and indptr[-1] == indices.size
        if not fits or (counts < 0).any() or values.shape != indices.shape:
            raise OperatorError(
                "SparseRows: indptr must rise from 0 to the number of indices, and there must be as many values: got"
                f" {indptr.size} row starts, {indices.size} indices, {values.size} values"
            )
        if columns is None:
            columns = int(indices.max(initial=-1)) + 1
        rows = np.repeat(np.arange(counts.size), counts)
        return SparseRows(Edges.from_index(indices, rows, columns, counts.size), Tensor(values))


def sparse_product(matrix: SparseRows, weight: Tensor) -> Tensor:
    """Multiply a matrix that is mostly zeros by a dense one.

    Args:
        matrix: [rows, columns].
        weight: [columns, D], floating-point, of the type of the matrix's values.

    Returns:
        [rows, D]. Gradients flow to the weight and to the matrix's values.

    Raises:
        OperatorError: the shapes do not fit.
        OperatorTypeError: the matrix is none, or the types differ.
    """
    if not isinstance(matrix, SparseRows):
        raise OperatorTypeError(
            f"sparse_product: matrix must be SparseRows, got {type(matrix).__name__}: use SparseRows.from_dense()"
        )
    check_edges(matrix.places, "sparse_product")
    shape: Any = getattr(weight, "shape", None)
    if shape is not None and (len(shape) != 2 or shape[0] != matrix.shape[1]):
        raise OperatorError(f"sparse_product: matrix {matrix.shape} needs a weight [{matrix.shape[1]}, D], got {shape}")
    return gather_multiply_reduce(weight, matrix.values, matrix.places)


__all__ = ["sparse_product"]
