"""All programs that are stored, by archive."""

from __future__ import annotations

from tests.frozen.exported_cases import activations, convolutions, kernels, networks, normalisations, others, products

CASES = {
    name: cases
    for module in (activations, convolutions, normalisations, products, others, networks, kernels)
    for name, cases in module.CASES.items()
}
