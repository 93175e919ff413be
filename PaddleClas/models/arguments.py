"""What a config may write beside a network's name: the arguments of its entry function."""

from __future__ import annotations

import functools
import inspect
from typing import Annotated, Union

import pydantic

from core.train.config.signatures import signature_of
from core.vision.datasets.lists import MOST_CLASSES
from PaddleClas.models.pretrained import INQUIRY
from PaddleClas.models.registry import entry_function
from PaddleClas.models.weights import SSLD_WEIGHTS

ClassNum = Annotated[int, pydantic.Field(ge=1, le=MOST_CLASSES)]


@functools.cache
def signature(name: str) -> inspect.Signature:
    """Return the arguments that an entry function takes, without building the network.

    Those that the entry fixes for its class, such as the depth of ResNet18, are none. ``class_num`` has no default, as
    a config says how many classes there are.

    Args:
        name: of the model, as the table has it.
    """
    network, fixed = entry_function(name)(pretrained=INQUIRY)
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [
        inspect.Parameter("class_num", keyword, annotation=ClassNum),
        inspect.Parameter("pretrained", keyword, default=False, annotation=Union[bool, str]),
        inspect.Parameter("adapt_head", keyword, default=False, annotation=bool),
    ]
    if name in SSLD_WEIGHTS:
        own.append(inspect.Parameter("use_ssld", keyword, default=False, annotation=bool))
    further = [
        parameter.replace(kind=keyword)
        for parameter in signature_of(network).parameters.values()
        if parameter.name not in fixed
    ]
    return inspect.Signature([*own, *further])
