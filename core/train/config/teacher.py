"""The section ``teacher`` of a config: a trained network whose answers another one learns to give."""

from __future__ import annotations

import pydantic

from core.train.config.schema import Section
from core.train.config.table import Component


class TeacherSection(Section):
    """A trained network whose answers the trained one learns to give; a toolkit says of which table it is."""

    network: Component = pydantic.Field(description="with its weights, as pretrained")
    weight: pydantic.PositiveFloat = pydantic.Field(1.0, description="of the distance to the teacher's answers")
