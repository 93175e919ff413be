"""Sizes that a trace does not know yet: symbols, arithmetic on them, and the comparisons that code made of them."""
