"""All programs that are stored, by archive."""

from __future__ import annotations

from tests.frozen.exported_cases import activations, convolutions, networks, normalisations, others, products, slopes

CASES = {
    name: cases
    for module in (activations, convolutions, normalisations, products, others, slopes, networks)
    for name, cases in module.CASES.items()
}
