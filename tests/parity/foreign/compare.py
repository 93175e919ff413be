"""Whether core's answers are those of the real Paddle."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from cases.case import Case

TOLERANCE = 1e-4  # of the largest output


def check_outputs(answers: Mapping[str, np.ndarray], reference: Mapping[str, np.ndarray], case: Case) -> None:
    """Compare a network's outputs, eager, compiled and exported, and its gradients.

    Raises:
        AssertionError: they differ, or some are missing.
    """
    np.testing.assert_array_equal(answers["shapes"], reference["shapes"])
    ways = ["output", *(["compiled"] if case.compiles else [])]
    ways += ["exported"] if case.compiles and case.exports else []
    for key in (key for key in reference if key.startswith("output")):
        limit = TOLERANCE * max(1.0, np.abs(reference[key]).max())
        for way in ways:
            found = key.replace("output", way)
            error = np.abs(answers[found] - reference[key]).max()
            assert error <= limit, f"{found} is off by {error:.3g}; the limit is {limit:.3g}"
    if case.decode is not None:
        check_decoded(answers, reference)
    if case.gradients:
        check_gradients(answers, reference)


def check_decoded(answers: Mapping[str, np.ndarray], reference: Mapping[str, np.ndarray]) -> None:
    """Compare what a network's outputs were decoded to: boxes, their numbers and masks, in their order."""
    np.testing.assert_array_equal(answers["decoded_shapes"], reference["decoded_shapes"])
    for key in (key for key in reference if key.startswith("decoded") and key != "decoded_shapes"):
        limit = TOLERANCE * max(1.0, np.abs(reference[key]).max(initial=0.0))
        error = np.abs(answers[key] - reference[key]).max(initial=0.0)
        assert error <= limit, f"{key} is off by {error:.3g}; the limit is {limit:.3g}"


def check_training(answers: Mapping[str, np.ndarray], reference: Mapping[str, np.ndarray]) -> None:
    """Compare the losses of three training steps, and the gradients of each.

    Raises:
        AssertionError: they differ.
    """
    limit = max(1e-5 * np.abs(reference["losses"]).max(), 4 * reference["noise"])
    error = np.abs(answers["losses"] - reference["losses"]).max()
    assert error <= limit, f"losses {answers['losses']} are not {reference['losses']}; the limit is {limit:.3g}"
    for step in range(3):
        check_gradients(answers, reference, str(step))


def check_gradients(answers: Mapping[str, np.ndarray], reference: Mapping[str, np.ndarray], step: str = "") -> None:
    """Compare gradients.

    Where rounding turns one ReLU or maximum the other way, all gradients before it change by a little; those behind it
    do not. A wrong derivative would change them by much.

    Raises:
        AssertionError: they differ.
    """
    np.testing.assert_array_equal(answers[f"receivers{step}"], reference[f"receivers{step}"])
    norms, products = reference[f"norms{step}"], reference[f"products{step}"]
    errors = np.abs(answers[f"products{step}"] - products) / np.maximum(norms, 1e-3 * norms.max(initial=1e-30))
    if len(errors):
        worst = answers[f"receivers{step}"][errors.argmax()].decode()
        assert errors.max() <= 0.05, f"the gradient of {worst} is off by {errors.max():.3g} of its length"
        assert np.mean(errors <= 2e-4) >= 0.15, "hardly any gradient is right to rounding"
