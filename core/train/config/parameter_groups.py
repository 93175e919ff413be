"""Parameter groups of a config: which parameters learn at which rate, which decay, which stay as they are."""

from __future__ import annotations

import fnmatch
import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, Callable, ClassVar, NamedTuple, Optional

import pydantic

from core.train.config.schedules import ScheduleChoice
from core.train.config.schema import Section
from core.train.config.table import nearest_names
from core.train.config.yaml_file import shortened

MOST_NUMBERS = 3
"""The most ``{}`` of one pattern."""


def _checked_patterns(patterns: list[str]) -> list[str]:
    if not patterns:
        raise ValueError("needs at least one shell pattern of parameter names, as in [backbone.*]")
    for pattern in patterns:
        if not 1 <= len(pattern) <= 1000 or pattern.count("{}") > MOST_NUMBERS:
            raise ValueError(
                f"a shell pattern of parameter names has 1 to 1000 characters and at most {MOST_NUMBERS} {{}}, "
                f"not {shortened(pattern)}"
            )
    return patterns


def _checked_layers(layers: list[list[str]]) -> list[list[str]]:
    if not layers:
        raise ValueError("needs at least one layer, as in [embeddings.*, blocks.{}.*, head.*]")
    return layers


Patterns = Annotated[list[str], pydantic.AfterValidator(_checked_patterns)]
Layer = Annotated[Patterns, pydantic.BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]


class GroupSection(Section):
    """Parameters that learn in a way of their own."""

    in_words: ClassVar[str] = "groups"

    parameters: Patterns = pydantic.Field(
        description="shell patterns of names; a parameter belongs to the first group that fits it"
    )
    learning_rate: float = pydantic.Field(1.0, gt=0, description="a factor on the learning rate of the schedule")
    weight_decay: Optional[float] = pydantic.Field(
        None, ge=0, description="in place of the optimizer's; null: the optimizer's"
    )
    schedule: Optional[ScheduleChoice] = pydantic.Field(
        None, description="of the group's own learning rate; null: that of the section schedule"
    )
    frozen: bool = pydantic.Field(
        False, description="keep the parameters as they are; batch norm among them uses its running statistics"
    )

    @pydantic.model_validator(mode="after")
    def _learns_or_not(self) -> GroupSection:
        given = [key for key in ("learning_rate", "weight_decay", "schedule") if key in self.model_fields_set]
        changed = [key for key in given if getattr(self, key) != type(self).model_fields[key].default]
        if self.frozen and changed:
            raise ValueError(f"frozen parameters do not learn: remove {' and '.join(changed)}, or set frozen: false")
        return self


class LayerDecaySection(Section):
    """A learning rate that falls from the output of a network to its input."""

    factor: float = pydantic.Field(gt=0, le=1, description="on the learning rate, from each layer to the one before")
    layers: Annotated[list[Layer], pydantic.AfterValidator(_checked_layers)] = pydantic.Field(
        description="shell patterns from the input to the output, a list of them for one layer; {} matches a number"
    )


class Setting(NamedTuple):
    """How one parameter learns.

    Args:
        name: the parameter's.
        parameter: the parameter.
        group: the number of its group; None: it belongs to none.
        frozen: whether it stays as it is.
        trainable: whether it was before groups froze it.
        factor: on its learning rate.
        weight_decay: its own; None: the optimizer's.
    """

    name: str
    parameter: Any
    group: Optional[int]
    frozen: bool
    trainable: bool
    factor: float
    weight_decay: Optional[float]


def settings_of(
    named: Sequence[tuple[str, Any]],
    groups: Sequence[GroupSection],
    layer_decay: Optional[LayerDecaySection],
    decay_norm_and_bias: bool,
    key: str,
) -> list[Setting]:
    """Return how each parameter of a network learns.

    Args:
        named: names and parameters; those that are not ``trainable`` stay so, whatever groups say.
        groups: the groups of the config.
        layer_decay: of the config.
        decay_norm_and_bias: whether parameters of at most one dimension have weight decay.
        key: of the section in the config, for messages.

    Raises:
        ValueError: a pattern fits nothing, a group is empty, layers leave parameters out, or all parameters are frozen.
    """
    members = _members(named, groups, f"{key}.groups")
    frozen = {name for name, group in members.items() if groups[group].frozen}
    learning = [name for name, parameter in named if name not in frozen and parameter.trainable]
    if frozen and not learning:
        raise ValueError(f"{key}.groups: all parameters are frozen, so that there is nothing to train")
    factors = {} if layer_decay is None else _layer_factors(named, learning, layer_decay, f"{key}.layer_decay")
    settings = []
    for name, parameter in named:
        group = members.get(name)
        section = None if group is None else groups[group]
        decay = None if section is None else section.weight_decay
        if not decay_norm_and_bias and parameter.ndim <= 1:
            decay = 0.0
        factor = (1.0 if section is None else section.learning_rate) * factors.get(name, 1.0)
        settings.append(Setting(name, parameter, group, name in frozen, parameter.trainable, factor, decay))
    return settings


def _members(named: Sequence[tuple[str, Any]], groups: Sequence[GroupSection], key: str) -> dict[str, int]:
    """Return the group of each parameter that belongs to one."""
    names = [name for name, _ in named]
    members: dict[str, int] = {}
    for number, group in enumerate(groups):
        fitting: dict[str, None] = {}
        for pattern in group.parameters:
            found = list(filter(_matcher(pattern), names))
            if not found:
                raise ValueError(f"{key}.{number}.parameters: {_fits_nothing(pattern, names)}")
            fitting.update(dict.fromkeys(found))
        new = [name for name in fitting if name not in members]
        if not new:
            raise ValueError(
                f"{key}.{number}.parameters: {shortened(group.parameters[0])} fits only parameters that groups before "
                "have taken; put this group before them, or remove it"
            )
        members.update(dict.fromkeys(new, number))
        if not group.frozen and not any(parameter.trainable for name, parameter in named if name in fitting):
            raise ValueError(
                f"{key}.{number}.parameters: {shortened(group.parameters[0])} fits only parameters that the network "
                "does not train, such as running statistics; remove the group"
            )
    return members


def _layer_factors(
    named: Sequence[tuple[str, Any]], learning: Collection[str], section: LayerDecaySection, key: str
) -> dict[str, float]:
    """Return the factor of each parameter that belongs to a layer."""
    names = [name for name, _ in named]
    depths: dict[str, int] = {}
    depth = 0
    for number, patterns in enumerate(section.layers):
        numbered: dict[str, tuple[int, ...]] = {}
        for pattern in patterns:
            found = _numbered(pattern, names)
            if not found:
                raise ValueError(f"{key}.layers.{number}: {_fits_nothing(pattern, names)}")
            numbered.update({name: numbers for name, numbers in found.items() if name not in numbered})
        order = {numbers: place for place, numbers in enumerate(sorted(set(numbered.values())))}
        for name, numbers in numbered.items():
            depths.setdefault(name, depth + order[numbers])
        depth += len(order)
    left = [name for name in learning if name not in depths]
    if left:
        more = f" and {len(left) - 3} more" if len(left) > 3 else ""
        raise ValueError(
            f"{key}.layers: no layer has the {'parameters' if left[1:] else 'parameter'} "
            f"{', '.join(left[:3])}{more}; add a pattern for them, as the last one where they belong to the output"
        )
    return {name: section.factor ** (depth - 1 - place) for name, place in depths.items()}


def _numbered(pattern: str, names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the names that fit a pattern, with the numbers that are where it has ``{}``."""
    count = pattern.count("{}")
    matchers: dict[tuple[str, ...], Callable[[str], Any]] = {}
    found = {}
    for name in names:
        for numbers in itertools.product(dict.fromkeys(re.findall("[0-9]+", name)), repeat=count):
            if numbers not in matchers:
                matchers[numbers] = _matcher(_filled(pattern, numbers))
            if matchers[numbers](name):
                found[name] = tuple(map(int, numbers))
                break
    return found


def _filled(pattern: str, numbers: Sequence[str]) -> str:
    """Return a pattern with numbers in the place of ``{}``."""
    parts = pattern.split("{}")
    return "".join(itertools.chain.from_iterable(zip(parts, (*numbers, ""))))


def _matcher(pattern: str) -> Callable[[str], Any]:
    return re.compile(fnmatch.translate(pattern)).match


def _fits_nothing(pattern: str, names: Sequence[str]) -> str:
    near = nearest_names(pattern, names, 3, 0.0)
    return f"{shortened(pattern)} fits no parameter; the nearest are {', '.join(near)}"


def named_parameters(networks: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield names and parameters of networks, each parameter once; of several networks the network's name before each.

    Args:
        networks: Layers by name.
    """
    seen = set()
    for network_name, network in networks.items():
        prefix = f"{network_name}." if len(networks) > 1 else ""
        for name, parameter in network.named_parameters():
            if id(parameter) not in seen:
                seen.add(id(parameter))
                yield f"{prefix}{name}", parameter


def freeze(networks: Mapping[str, Any], parameters: Collection[Any]) -> None:
    """Keep parameters as they are, and let the batch norms that they belong to use their running statistics.

    A batch norm is frozen when all its parameters are; one without any when its running mean is among them.

    Args:
        networks: Layers by name.
        parameters: the parameters.
    """
    from core.nn.layer.batch_norm import BatchNormBase  # loads the engine, which not every process needs

    frozen = {id(parameter) for parameter in parameters}
    for parameter in parameters:
        parameter.stop_gradient = True
    for network in networks.values():
        for layer in network.sublayers(include_self=True):
            if isinstance(layer, BatchNormBase):
                own = {id(value) for value in (layer.weight, layer.bias) if value is not None} or {id(layer._mean)}
                if own <= frozen:
                    layer._use_global_stats = True
