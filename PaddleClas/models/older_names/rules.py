"""What the tables of older names are made of: (regular expression, replacement), and how names end."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Callable, Optional, Union

Replacement = Union[str, Callable[["re.Match[str]"], str]]
Rules = tuple[tuple[str, Replacement], ...]

_WRAPPED = re.compile(r"(.+)\.(?:_conv|conv|_batch_norm|batch_norm|_bn|bn)\Z")


def shifted(template: str, *offsets: int) -> Callable[[re.Match[str]], str]:
    """Return a replacement that puts the groups, numbers each, into a template after adding the offsets.

    Example:
        >>> re.sub(r"layer_(\\d)_(\\d)", shifted("conv{}_{}", 2, 1), "layer_0_3")
        'conv2_4'
    """
    return lambda match: template.format(*[int(text) + step for text, step in zip(match.groups(), offsets)])


def rewritten(name: str, rules: Rules) -> str:
    """Return a name after all rules, one after the other, wherever in it they match."""
    for pattern, replacement in rules:
        name = re.sub(pattern, replacement, name)
    return name


def first_match(name: str, rules: Rules) -> Optional[str]:
    """Return the replacement of the first rule that matches the whole name; None if there is none."""
    for pattern, replacement in rules:
        match = re.fullmatch(pattern, name)
        if match:
            return match.expand(replacement) if isinstance(replacement, str) else replacement(match)
    return None


@dataclasses.dataclass(frozen=True)
class FluidNames:
    """How the parameters of a family were called in Fluid 1.x, derived from their names in release 2.0.

    Args:
        layers: from a layer's name, without the ``._conv`` or ``._batch_norm`` that wraps both, to its name in 1.x.
        parameters: what is made of that name for a weight and for a bias.
        norm: from the name of a convolution in 1.x to that of the batch normalisation after it.
        statistics: what is made of it for scale, offset, mean and variance.
        whole: names that follow no such rule; they are tried first.
    """

    layers: Rules
    parameters: tuple[str, str] = ("{}_weights", "{}_offset")
    norm: Callable[[str], str] = "{}_bn".format
    statistics: tuple[str, str, str, str] = ("{}_scale", "{}_offset", "{}_mean", "{}_variance")
    whole: Rules = ()

    def table(self, names: list[str]) -> Mapping[str, str]:
        """Return name in release 2.0 to name in Fluid 1.x; what did not exist in 1.x is left out."""
        norms = {name[: -len("._mean")] for name in names if name.endswith("._mean")}
        found = {name: self._name(name, norms) for name in names}
        return {name: older for name, older in found.items() if older is not None}

    def _name(self, name: str, norms: set[str]) -> Optional[str]:
        whole = first_match(name, self.whole)
        if whole is not None:
            return whole
        layer, _, kind = name.rpartition(".")
        base = first_match(_WRAPPED.sub(r"\1", layer), self.layers)
        if base is None:
            return None
        if layer in norms:
            return self.statistics[("weight", "bias", "_mean", "_variance").index(kind)].format(self.norm(base))
        return self.parameters[("weight", "bias").index(kind)].format(base)
