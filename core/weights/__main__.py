"""``python -m core.weights inspect FILE``: what is in a weight file, without running or loading a model."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any, Optional

import numpy

from core.weights.pdparams import NAME_TABLE, read_pickle
from core.weights.read import file_format, read_weights
from core.weights.safetensors_file import read_safetensors_bits


def describe_value(name: str, value: Any) -> Iterator[tuple[str, str, int]]:
    """Yield (name, description, number of elements) for each leaf of a loaded value."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from describe_value(f"{name}/{key}" if name else str(key), part)
    elif isinstance(value, numpy.ndarray):
        yield name, f"{value.dtype} {list(value.shape)}", value.size
    else:
        text = repr(value)
        yield name, text if len(text) <= 60 else text[:57] + "...", 0


def inspect(path: str) -> list[str]:
    """Return the lines that describe a weight file: its format, one line for each entry, and the totals.

    Args:
        path: the file.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it cannot be read.
    """
    kind = file_format(path)
    halves: set[str] = set()
    value: Any
    if kind == "safetensors":
        value, _, halves = read_safetensors_bits(path)
    else:
        value = read_pickle(path) if kind == "paddle" else read_weights(path)
    names = value.pop(NAME_TABLE, None) if isinstance(value, dict) else None
    rows = list(describe_value("", value))
    rows = [(name, text.replace("uint16", "bfloat16") if name in halves else text, size) for name, text, size in rows]
    width = max([len(row[0]) for row in rows] + [0])
    lines = [f"{path}: {kind} format"]
    lines += [f"  {name:<{width}}  {description}" for name, description, _ in rows]
    total = sum(row[2] for row in rows)
    lines.append(f"{len(rows)} entries, {total:,} numbers" + (", with name table" if names else ""))
    return lines


def main(arguments: Optional[list[str]] = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m core.weights", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("inspect", help="list names, shapes and data types; no code of the file is run")
    command.add_argument("file", help=".pdparams, .pdopt, .safetensors or MXNet .params")
    try:
        print("\n".join(inspect(parser.parse_args(arguments).file)))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
