"""The ranges of arguments that a config could give so large that building the network would fill the memory."""

from __future__ import annotations

from typing import Annotated

import pydantic

MOST_LAYERS = 1000
"""Of a network; each takes memory, and time to compile."""

LayerCount = Annotated[int, pydantic.Field(ge=0, le=MOST_LAYERS)]
"""How many layers a network has."""
