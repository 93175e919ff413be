"""What a class or function takes: the arguments of its signature, checked and described as a config writes them."""

from __future__ import annotations

import fnmatch
import functools
import inspect
import math
import sys
import typing
from typing import Annotated, Any, Callable, TypeVar, Union

import pydantic
from pydantic_core import PydanticCustomError

from core.train.config.yaml_file import shortened

Entry = TypeVar("Entry", bound=Callable[..., Any])

Share = Annotated[float, pydantic.Field(ge=0, le=1)]
"""A probability, or another number from 0 to 1."""

_SHARES = ("prob", "*_prob", "*_threshold", "conf_thresh", "iou_thresh", "fg_thresh", "bg_thresh")
"""How arguments are called that are shares, with the annotation ``float``: probabilities, scores and overlaps."""


@functools.cache
def signature_of(factory: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a class or function, with the types that its annotations stand for.

    Args:
        factory: what is called; of a partial function, what it fixes is no argument any more.
    """
    fixed = factory.keywords if isinstance(factory, functools.partial) else {}
    inner = factory.func if isinstance(factory, functools.partial) else factory
    try:
        types = typing.get_type_hints(inner.__init__ if inspect.isclass(inner) else inner, include_extras=True)
    except (NameError, TypeError):  # a type known to the checker alone, or written for a later Python
        types = {}
    signature = inspect.signature(factory)
    return signature.replace(
        parameters=[
            parameter.replace(annotation=types.get(name, Any))
            for name, parameter in signature.parameters.items()
            if name not in fixed
        ]
    )


def passes_on(*functions: Callable[..., Any]) -> Callable[[Entry], Entry]:
    """Say of an entry function which functions it passes settings on to, besides the class that it builds.

    Args:
        *functions: their arguments with a default are settings.
    """

    def marked(entry: Entry) -> Entry:
        entry.passes_on = functions  # type: ignore[attr-defined]  # functions have no such attribute of their own
        return entry

    return marked


@functools.cache
def entry_signature(entry: Callable[..., Any]) -> inspect.Signature:
    """Return the arguments that an entry function takes, with those that it passes on to the class that it builds.

    Args:
        entry: a function whose return annotation names a class of its module.
    """
    network = getattr(sys.modules[entry.__module__], entry.__annotations__["return"])
    found = {key: one for key, one in signature_of(entry).parameters.items() if one.kind is not one.VAR_KEYWORD}
    for source in (*getattr(entry, "passes_on", ()), *network.__mro__):
        parameters = signature_of(source).parameters
        for key, one in parameters.items():
            if one.default is not one.empty:  # those without a default are what the entry function builds
                found.setdefault(key, one)
        if source in network.__mro__ and all(one.kind is not one.VAR_KEYWORD for one in parameters.values()):
            break
    return inspect.Signature([one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in found.values()])


def ranged(name: str, annotation: Any) -> Any:
    """Return the annotation of an argument: of a plain number whose name says that it is a share, with its range.

    Args:
        name: of the argument.
        annotation: its own; one that is not ``float`` stays.
    """
    return Share if annotation is float and any(fnmatch.fnmatchcase(name, each) for each in _SHARES) else annotation


_OUT_OF_RANGE = ("less_than", "less_than_equal", "greater_than", "greater_than_equal")


def check_argument(owner: str, argument: str, value: Any, annotation: Any) -> None:
    """Check the type of an argument's value, and the range that an annotation may give.

    Args:
        owner: whose argument it is, for messages.
        argument: its name.
        value: what a config gives.
        annotation: a type, or a type that says its range, as ``Annotated[int, pydantic.Field(le=1000)]``; a class that
            pydantic does not know is not checked: its owner judges the value.

    Raises:
        PydanticCustomError: the value is of another type or out of range.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise _wrong(owner, argument, value, "a finite number")
    try:
        adapter: Any = pydantic.TypeAdapter(annotation)
    except pydantic.errors.PydanticSchemaGenerationError:
        return
    try:
        adapter.validate_python(value, strict=True)
    except pydantic.ValidationError as error:
        problem = error.errors(include_url=False)[0]
        in_words = describe_type(annotation)
        if problem["type"] in _OUT_OF_RANGE:
            limit = problem["msg"].replace("Input should be ", "")
            in_words = f"{in_words}, each {limit}" if problem["loc"] else limit
        raise _wrong(owner, argument, value, in_words) from None


def _wrong(owner: str, argument: str, value: Any, expected: str) -> PydanticCustomError:
    return PydanticCustomError(
        "wrong_argument",
        "{owner}: {argument} must be {expected}, not {value}",
        {"owner": owner, "argument": argument, "expected": expected, "value": shortened(value), "key": argument},
    )


def describe_type(annotation: Any) -> str:
    """Return a type in words for people: "integer", "list of numbers", "integer or null".

    Args:
        annotation: a type; a class may say by its attribute ``in_words`` how it is called.
    """
    words = {int: "integer", float: "number", str: "text", bool: "true or false", type(None): "null", Any: "anything"}
    if annotation in words:
        return words[annotation]
    if hasattr(annotation, "in_words"):
        return str(annotation.in_words)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Union:
        return " or ".join(describe_type(argument) for argument in arguments)
    if origin is typing.Literal:
        return " or ".join(map(repr, arguments))
    if origin is typing.Annotated:
        return describe_type(arguments[0])
    if origin is dict:
        return "mapping"
    if origin is not None and arguments:
        return f"list of {describe_type(arguments[0])}"
    return getattr(annotation, "__name__", str(annotation))
