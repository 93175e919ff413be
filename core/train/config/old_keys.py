"""Keys of earlier versions in configs and overrides: they are moved to their new places before a config is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Union

from core.train.config.yaml_file import ConfigError, KeyPath, dotted


class Moved(NamedTuple):
    """An old key whose value is written in another way at its new place.

    Args:
        key: the new one, with dots.
        convert: old value to new value.
    """

    key: str
    convert: Callable[[Any], Any]


Rewrite = Callable[[Any], tuple[Any, str]]
"""Takes what is under a key; returns what should, and "old -> new", which is empty where nothing is old."""

OldKeys = Mapping[str, Union[str, Moved, Rewrite]]
"""An old key, with dots, to the new one, or a key to what rewrites the old ones of its values; in this order."""


def move_old_keys(values: dict[str, Any], places: dict[KeyPath, str], old_keys: OldKeys) -> list[str]:
    """Bring a config of an earlier version up to date, in place.

    Args:
        values: the config as it was read, overrides included.
        places: for the path of every key the place where it was given, "file:line" or "-o key=value".
        old_keys: what to move where.

    Returns:
        "old -> new" for each key that was moved.

    Raises:
        ConfigError: a file gives a value under an old key, and under the new one.
    """
    lines = []
    for old, target in old_keys.items():
        path: KeyPath = tuple(old.split("."))
        holder: Any = values
        for part in path[:-1]:
            holder = holder.get(part) if isinstance(holder, dict) else None
        if not isinstance(holder, dict) or path[-1] not in holder:
            continue
        if callable(target) and not isinstance(target, (str, Moved)):
            holder[path[-1]], change = target(holder[path[-1]])
            lines += [change] if change else []
            continue
        key, value = (target, holder.pop(path[-1])) if isinstance(target, str) else (target.key, None)
        if isinstance(target, Moved):
            value = target.convert(holder.pop(path[-1]))
        new: KeyPath = tuple(key.split("."))
        moved = {known: places.pop(known) for known in list(places) if known[: len(path)] == path}
        replaces = moved.get(path, "").startswith(f"-o {old}=")
        holder = values
        for part in new[:-1]:
            holder = holder.setdefault(part, {}) if isinstance(holder, dict) else {}
        if replaces and len(new) == len(path):  # an override of the whole section
            holder.pop(new[-1], None)
        _put(holder, new, value, places, {(*new, *known[len(path) :]): place for known, place in moved.items()})
        place = moved.get(path, "")
        lines.append(f"{old} -> {key}" + (f" ({place})" if place.startswith("-o") else ""))
    return lines


def _put(
    holder: dict[Any, Any], path: KeyPath, value: Any, places: dict[KeyPath, str], given: Mapping[KeyPath, str]
) -> None:
    """Put a value where perhaps another one is already: keys of both are kept, and an override wins."""
    part, here, there = path[-1], _place(given, path), _place(places, path)
    if isinstance(holder.get(part), dict) and isinstance(value, dict):
        for key, child in value.items():
            _put(holder[part], (*path, key), child, places, given)
    elif part not in holder or holder[part] == value or here.startswith("-o"):
        holder[part] = value
        places[path] = here
        places.update({known: place for known, place in given.items() if known[: len(path)] == path})
    elif not there.startswith("-o"):
        raise ConfigError(f"{here}: the key {dotted(path)!r} is already set at {there}, under its new name; remove one")


def _place(places: Mapping[KeyPath, str], path: KeyPath) -> str:
    while path and path not in places:
        path = path[:-1]
    return places.get(path, "the config")


def expectations(section: Any) -> tuple[Any, str]:
    """Rewrite ``{accuracy, tolerance}`` and ``{metric, value, tolerance}`` of a section ``expect``.

    Args:
        section: what is under the key.
    """
    old = {"accuracy", "metric", "value", "tolerance"}
    if not isinstance(section, dict) or not old & set(section):
        return section, ""
    kept = {key: value for key, value in section.items() if key not in old}
    name, wanted, tolerance = _single(kept)
    name = section.get("metric", "accuracy" if "accuracy" in section else name)
    wanted = section.get("accuracy", section.get("value", wanted))
    tolerance = section.get("tolerance", tolerance)
    if not isinstance(name, str):
        return section, ""
    new: dict[str, Any] = {"at_least": {name: wanted}}
    if tolerance is not None:
        new = {"near": {name: {"value": wanted, "tolerance": tolerance}}}
    changed = ", ".join(f"expect.{key}" for key in section if key in old)
    return {**kept, **new}, f"{changed} -> expect.{next(iter(new))}.{name}"


def _single(section: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Take the one number of a section ``expect`` out of it: its name, value and tolerance."""
    for kind in ("at_least", "near"):
        numbers = section.get(kind)
        if isinstance(numbers, dict) and len(numbers) == 1:
            ((name, wanted),) = section.pop(kind).items()
            near = wanted if isinstance(wanted, dict) else {"value": wanted}
            return name, near.get("value"), near.get("tolerance")
    return None, None, None
