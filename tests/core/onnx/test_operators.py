"""Walks every public operator: onnxruntime computes what eager code computes, or the export is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

import core
from core import operators
from core.jit import tree
from core.jit.tracing.symbolic import trace_symbolic
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import REGISTRY, ConstantOperator
from core.onnx.check import RuntimeSession, check_model, relative_difference
from core.onnx.convert import convert
from core.onnx.table import CONVERTERS, GRADIENTS, REFUSED
from tests.core.samples import Draw, all_samples, cases
from tests.sampling import sampled

SAMPLES = all_samples()

# the primitives that make the export refuse a public operator; everything else must be exported
RANDOM = {
    "choose_categories", "choose_class_centers", "draw_neighbors", "dropout_draw", "dropout_mask", "gamma", "normal",
    "poisson", "randint", "shuffle", "uniform",
}  # fmt: skip
FACTORISATIONS = {
    "cholesky", "eig", "eigh", "inverse", "lu", "matrix_rank", "pinv", "pivot_permutation", "qr", "slogdet", "solve",
    "svd", "triangular_solve",
}  # fmt: skip
FUNCTIONS = {
    "attend_to_kept", "attend_to_memory", "follow_parents",
    "beam_step", "bessel_i", "choose_tokens", "crf_log_norm", "crf_path_score", "ctc", "erfinv", "exponents",
    "fourier", "fourier_real", "gcd_integers", "lcm_integers", "lgamma", "match_boxes", "matrix_suppression_padded",
    "nextafter",
    "non_maximum_suppression_padded", "peephole_lstm", "polygamma", "rasterize_objects", "region_largest",
    "region_sensitive", "reset_first_gru", "sample_labels", "sparse_pattern", "viterbi",
}  # fmt: skip
EDGES = {
    "add_ends", "dot_ends", "edge_expand", "edge_extreme", "edge_softmax", "edge_sum", "gather_extreme",
    "gather_multiply_add", "gather_multiply_sum", "gather_sum", "group_edges", "segment_runs", "sum_of_winners",
}  # fmt: skip
DATA_DEPENDENT = {
    "bincount", "generate_proposals", "lstsq", "matrix_suppression", "multiclass_suppression",
    "non_maximum_suppression", "nonzero", "renumber_nodes", "repeat_positions", "share_out_proposals", "unique",
    "unique_consecutive",
}  # fmt: skip
READS_VALUES = {"get_rng_state", "tolist"}


@pytest.mark.parametrize(("name", "index"), sampled(cases()))
def test_every_operator_gives_the_eager_values_or_is_refused_by_name(name: str, index: int) -> None:
    args, kwargs = SAMPLES[name][index](Draw())
    tensors, skeleton = tree.flatten((list(args), kwargs))
    arrays = {f"input_{i}": tensor.numpy() for i, tensor in enumerate(tensors)}

    def on_tensors(*given: core.Tensor) -> Any:
        positional, named = tree.unflatten(skeleton, list(given))
        return getattr(operators, name)(*positional, **named)

    with core.no_grad():
        try:
            program = trace_symbolic(on_tensors, tensors)
            model = convert(program, list(arrays), [f"output_{i}" for i in range(len(program.outputs))], {}, 18)
        except OperatorError as error:
            check_refusal(name, str(error))
            return
        check_model(model)
        expected, _ = tree.flatten(on_tensors(*tensors))
    for got, tensor in zip(RuntimeSession(model).run(arrays) if expected else [], expected):
        wanted = tensor.numpy()
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        assert relative_difference(got, wanted) <= 1e-5


def check_refusal(name: str, message: str) -> None:
    if name in READS_VALUES:
        assert "cannot be read while a program is being compiled" in message
    else:
        refused = RANDOM | FACTORISATIONS | FUNCTIONS | EDGES | DATA_DEPENDENT
        assert any(primitive in message for primitive in refused), message
        assert "cannot express" in message or "depends on data" in message


OF_DRAWS = {"drop_elements"}  # what is drawn is refused


def test_the_refused_primitives_are_these_and_the_rest_is_converted() -> None:
    assert set(REFUSED) == RANDOM | FACTORISATIONS | FUNCTIONS | EDGES | DATA_DEPENDENT | {"gradient", "print"}
    assert not set(REFUSED) & set(CONVERTERS)
    gradients = {name for name in REGISTRY if name.endswith(GRADIENTS)}
    stored = {name for name, operator in REGISTRY.items() if isinstance(operator, ConstantOperator)}
    made_at_run_time = {name for name in REGISTRY if "#" in name}  # by layers of the user's own, and by hooks
    rest = set(REGISTRY) - set(CONVERTERS) - set(REFUSED) - gradients - stored - made_at_run_time
    # what no trace contains that is exported: it comes from passes on exported programs, or does not run in such traces
    passes = {"add_and_normalize", "packed_affine", "narrow_affine", "narrow_attention", "channels_last"}
    missing = rest - passes - {"slice_assign", "assign_objects", *OF_DRAWS}
    assert not missing, f"enter them in CONVERTERS or REFUSED of core/onnx/table.py: {sorted(missing)}"
