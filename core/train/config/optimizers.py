"""The section ``optimizer`` of a config: an optimizer with its arguments, clipping, parameter groups."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, Optional

import pydantic
from pydantic_core import PydanticCustomError

from core.train.config.parameter_groups import (
    GroupSection,
    LayerDecaySection,
    Setting,
    freeze,
    named_parameters,
    settings_of,
)
from core.train.config.schedules import SCHEDULES
from core.train.config.schema import Section
from core.train.config.signatures import signature_of
from core.train.config.table import Component, Named, Table

_FACTOR = Annotated[float, pydantic.Field(ge=0, lt=1)]
_STRENGTH = Annotated[float, pydantic.Field(ge=0)]
_RANGES: dict[str, Any] = {
    "beta1": _FACTOR,
    "beta2": _FACTOR,
    "momentum": _FACTOR,
    "rho": _FACTOR,
    "epsilon": _STRENGTH,
    "weight_decay": _STRENGTH,
    "lamb_weight_decay": _STRENGTH,
}
"""What a config may give for arguments whose annotations name no range, or that also take Tensors or regularizers."""


def _signature(name: str) -> inspect.Signature:
    signature = signature_of(OPTIMIZERS.resolve(name))
    parameters = []
    for key, parameter in signature.parameters.items():
        kind = _RANGES.get(key, parameter.annotation)
        parameters.append(parameter.replace(annotation=Optional[kind] if parameter.default is None else kind))
    return signature.replace(parameters=parameters)


OPTIMIZERS = Table(
    "optimizer",
    {
        name: f"core.optimizer:{name}"
        for name in ("SGD", "Momentum", "Adam", "AdamW", "Adamax", "Adagrad", "Adadelta", "RMSProp", "Lamb")
    },
    provided=(
        "learning_rate",
        "parameters",
        "grad_clip",
        "name",
        "lr_ratio",
        "apply_decay_param_fun",
        "exclude_from_weight_decay_fn",
    ),
    signature=_signature,
)


class ClipSection(Section):
    """What keeps gradients from being too large; one of its keys."""

    norm: Optional[float] = pydantic.Field(
        None, gt=0, description="the largest norm of the gradients of all parameters together"
    )
    norm_of_each: Optional[float] = pydantic.Field(
        None, gt=0, description="the largest norm of the gradient of each parameter"
    )
    value: Optional[float] = pydantic.Field(None, gt=0, description="the largest magnitude of a gradient's elements")

    @pydantic.model_validator(mode="after")
    def _one(self) -> ClipSection:
        given = [key for key in type(self).model_fields if getattr(self, key) is not None]
        if len(given) != 1:
            keys = ", ".join(type(self).model_fields)
            raise ValueError(f"give one of {keys}, not {' and '.join(given) or 'none of them'}")
        return self

    def build(self) -> Any:
        """Return the clip of core.nn."""
        from core import nn  # loads the engine, which not every process needs

        if self.norm is not None:
            return nn.ClipGradByGlobalNorm(self.norm)
        if self.norm_of_each is not None:
            return nn.ClipGradByNorm(self.norm_of_each)
        return nn.ClipGradByValue(float(self.value or 0))


class OptimizerSection(Component):
    """An optimizer with its arguments, and which parameters learn in a way of their own."""

    in_words: ClassVar[str] = "a name with its arguments"

    clip: Optional[ClipSection] = pydantic.Field(
        default=None, description="keeps gradients from being too large; null: they are taken as they are"
    )
    decay_norm_and_bias: bool = pydantic.Field(
        default=True,
        description="whether weight decay reaches biases, and scales and offsets of normalisation: parameters of at "
        "most one dimension",
    )
    groups: list[GroupSection] = pydantic.Field(
        default=[], description="parameters that learn at a rate or with a decay of their own, or not at all"
    )
    layer_decay: Optional[LayerDecaySection] = pydantic.Field(
        default=None, description="a learning rate that falls from the output to the input; null: one for all layers"
    )

    @pydantic.model_validator(mode="after")
    def _no_rate(self) -> OptimizerSection:
        if "learning_rate" in self.arguments:
            raise PydanticCustomError(
                "wrong_argument",
                "{key} is in the section schedule too: remove it here",
                {"key": "learning_rate"},
            )
        return self


OptimizerChoice = Annotated[OptimizerSection, Named(OPTIMIZERS)]


class Optimized(NamedTuple):
    """What a Phase takes.

    Args:
        parameters: those that learn.
        optimizer: moves them.
        schedule: of the learning rate, and of those of groups.
    """

    parameters: Sequence[Any]
    optimizer: Any
    schedule: Any


def build_optimizer(
    section: Component,
    schedule: Component,
    networks: Mapping[str, Any],
    *,
    steps_per_epoch: int,
    epochs: float,
    prefix: str = "",
) -> Optimized:
    """Return the optimizer that a config asks for, and freeze what is to be frozen.

    Args:
        section: the section ``optimizer``, an :class:`OptimizerSection`, or a plain Component.
        schedule: the section ``schedule``.
        networks: the networks whose parameters learn, by name; patterns of groups fit the names that
            ``named_parameters`` gives, with the network's name before them where there are several networks.
        steps_per_epoch: of the schedule.
        epochs: of the schedule; no whole number where a training by steps ends within an epoch.
        prefix: of the sections' keys in the config, for messages: "generator.".

    Raises:
        ValueError: a pattern fits nothing, nothing is left to train, or a number is out of its range.
    """
    from core.train.config.group_schedules import GroupSchedules  # loads the engine, which not every process needs

    if not isinstance(section, OptimizerSection):
        section = OptimizerSection.model_validate(section.model_dump())
    key = f"{prefix}optimizer"
    settings = settings_of(
        list(named_parameters(networks)), section.groups, section.layer_decay, section.decay_norm_and_bias, key
    )
    freeze(networks, [setting.parameter for setting in settings if setting.frozen])
    learning = [setting for setting in settings if not setting.parameter.stop_gradient]
    if not learning:
        raise ValueError(f"{key}: the network has no parameters to train")
    lengths = {"steps_per_epoch": steps_per_epoch, "epochs": epochs}
    main = _built(SCHEDULES, schedule, f"{prefix}schedule", **lengths)
    own = {
        number: _built(SCHEDULES, group.schedule, f"{key}.groups.{number}.schedule", **lengths)
        for number, group in enumerate(section.groups)
        if group.schedule is not None
    }
    labels = {number: ", ".join(section.groups[number].parameters) for number in own}
    schedules = GroupSchedules(main, {labels[number]: value for number, value in own.items()})
    parameters = [setting.parameter for setting in learning]
    clip = None if section.clip is None else section.clip.build()
    optimizer = _built(OPTIMIZERS, section, key, learning_rate=schedules, parameters=parameters, grad_clip=clip)
    _set_options(optimizer, learning, own)
    optimizer.groups_of_config = GroupsOfConfig(section, settings)
    return Optimized(parameters, optimizer, schedules)


def _built(table: Table, component: Component, key: str, **provided: Any) -> Any:
    try:
        return table.build(component, **provided)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ValueError(f"{key}: {error}") from None


def _set_options(optimizer: Any, learning: Sequence[Setting], schedules: Mapping[int, Any]) -> None:
    from core.optimizer.groups import ParameterOptions  # loads the engine, which not every process needs

    options = {}
    for setting in learning:
        schedule = None if setting.group is None else schedules.get(setting.group)
        if setting.factor != 1.0 or setting.weight_decay is not None or schedule is not None:
            options[setting.parameter.name] = ParameterOptions(setting.factor, schedule, setting.weight_decay)
    optimizer.set_parameter_options(options)


class GroupsOfConfig(NamedTuple):
    """What :func:`describe_groups` says of an optimizer.

    Args:
        section: of the config.
        settings: of all parameters.
    """

    section: OptimizerSection
    settings: Sequence[Setting]


def describe_groups(optimizer: Any) -> list[str]:
    """Return a line for each group of an optimizer: its parameters, their learning rate and weight decay.

    Args:
        optimizer: any; only one of :func:`build_optimizer` whose parameters learn in different ways has lines.
    """
    groups: Optional[GroupsOfConfig] = getattr(optimizer, "groups_of_config", None)
    if groups is None:
        return []
    section, settings = groups
    if not (section.groups or section.layer_decay or not section.decay_norm_and_bias):
        return []
    lines = []
    for number, group in [*enumerate(section.groups), (None, None)]:
        members = [setting for setting in settings if setting.group == number and setting.trainable]
        if members:
            patterns = ", ".join(group.parameters) if group is not None else "all others" if section.groups else "all"
            label = patterns if len(patterns) <= 60 else f"{patterns[:57]}..."
            size = sum(int(setting.parameter.size) for setting in members)
            how = _how_they_learn(optimizer, members, None if group is None else group.schedule)
            lines.append(f"{label}: {len(members)} parameter{'s' * (len(members) > 1)} ({size:,} numbers), {how}")
    return lines


def _how_they_learn(optimizer: Any, members: Sequence[Setting], schedule: Optional[Component]) -> str:
    if members[0].frozen:
        return "frozen"
    parameters = [setting.parameter for setting in members]
    own = "" if schedule is None else f" ({schedule.name}, its own schedule)"
    decays = [optimizer._weight_decay(parameter) for parameter in parameters]
    without = decays.count(0.0)
    decay = "no weight decay" if without == len(decays) else f"weight decay {_range([d for d in decays if d])}"
    rest = f" ({without} without)" if 0 < without < len(decays) else ""
    return f"learning rate {_range(optimizer._learning_rates(parameters).tolist())}{own}, {decay}{rest}"


def _range(values: Sequence[float]) -> str:
    least, most = f"{min(values):.4g}", f"{max(values):.4g}"
    return most if least == most else f"{least} to {most}"
