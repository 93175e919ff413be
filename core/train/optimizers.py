"""The section ``optimizer`` of a config: an optimizer with its arguments, clipping, parameter groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, Optional

import pydantic
from pydantic_core import PydanticCustomError

from core.train.config import Section
from core.train.parameter_groups import (
    GroupSection,
    LayerDecaySection,
    Setting,
    freeze,
    named_parameters,
    settings_of,
)
from core.train.schedules import SCHEDULES
from core.train.table import Component, Named, Table
from core.train.yaml_file import shortened

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
)

DECAYS = ("weight_decay", "lamb_weight_decay")
"""What optimizers call the strength of their weight decay."""


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
        from core import nn

        if self.norm is not None:
            return nn.ClipGradByGlobalNorm(self.norm)
        if self.norm_of_each is not None:
            return nn.ClipGradByNorm(self.norm_of_each)
        return nn.ClipGradByValue(self.value)


class OptimizerSection(Component):
    """An optimizer with its arguments, and which parameters learn in a way of their own."""

    in_words: ClassVar[str] = "a name with its arguments"

    clip: Optional[ClipSection] = pydantic.Field(
        None, description="keeps gradients from being too large; null: they are taken as they are"
    )
    decay_norm_and_bias: bool = pydantic.Field(
        True,
        description="whether weight decay reaches biases, and scales and offsets of normalisation: parameters of at "
        "most one dimension",
    )
    groups: list[GroupSection] = pydantic.Field(
        [], description="parameters that learn at a rate or with a decay of their own, or not at all"
    )
    layer_decay: Optional[LayerDecaySection] = pydantic.Field(
        None, description="a learning rate that falls from the output to the input; null: one for all layers"
    )

    @pydantic.model_validator(mode="after")
    def _decays(self) -> OptimizerSection:
        if "learning_rate" in self.arguments:
            raise PydanticCustomError(
                "wrong_argument",
                "{key} stands in the section schedule, beside this one: remove it here",
                {"key": "learning_rate"},
            )
        for key in DECAYS:
            value = self.arguments.get(key)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if value is not None and not (number and 0 <= value < math.inf):
                raise PydanticCustomError(
                    "wrong_argument",
                    "{owner}: {key} must be a number from 0, not {value}",
                    {"owner": self.name, "key": key, "value": shortened(value)},
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
    epochs: int,
    prefix: str = "",
) -> Optimized:
    """Return the optimizer that a config asks for, and freeze what is to be frozen.

    Args:
        section: the section ``optimizer``, an :class:`OptimizerSection`, or a plain Component.
        schedule: the section ``schedule``.
        networks: the networks whose parameters learn, by name; patterns of groups fit the names that
            ``named_parameters`` gives, with the network's name before them where there are several networks.
        steps_per_epoch: of the schedule.
        epochs: of the schedule.
        prefix: of the sections' keys in the config, for messages: "generator.".

    Raises:
        ValueError: a pattern fits nothing, nothing is left to train, or a number is out of its range.
    """
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
    labels = [", ".join(group.parameters) for group in section.groups]
    schedules = main
    if own:
        from core.train.group_schedules import GroupSchedules

        schedules = GroupSchedules(main, {labels[number]: value for number, value in own.items()})
    parameters = [setting.parameter for setting in learning]
    clip = None if section.clip is None else section.clip.build()
    optimizer = _built(OPTIMIZERS, section, key, learning_rate=schedules, parameters=parameters, grad_clip=clip)
    _set_options(optimizer, learning, own)
    optimizer.settings_of_config = settings, labels
    return Optimized(parameters, optimizer, schedules)


def _built(table: Table, component: Component, key: str, **provided: Any) -> Any:
    try:
        return table.build(component, **provided)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ValueError(f"{key}: {error}") from None


def _set_options(optimizer: Any, learning: Sequence[Setting], schedules: Mapping[Optional[int], Any]) -> None:
    from core.optimizer.groups import ParameterOptions

    plain = ParameterOptions()
    options = {
        setting.parameter.name: ParameterOptions(setting.factor, schedules.get(setting.group), setting.weight_decay)
        for setting in learning
    }
    optimizer.set_parameter_options({name: value for name, value in options.items() if value != plain})
