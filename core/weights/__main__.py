"""``python -m core.weights inspect FILE`` and ``convert IN OUT``: weight files, without running or loading a model."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any, Optional

import numpy

from core.weights.convert import WRITERS, convert
from core.weights.formats.pdparams import NAME_TABLE, read_pickle
from core.weights.messages import one_line, shown
from core.weights.read import file_format, read_bits

_LONGEST_NAME = 200


def describe_value(name: str, value: Any) -> Iterator[tuple[str, str, int]]:
    """Yield (name, description, number of elements) for each leaf of a loaded value."""
    if isinstance(value, dict):
        for key, part in value.items():
            place = one_line(key, _LONGEST_NAME)
            yield from describe_value(one_line(f"{name}/{place}", _LONGEST_NAME) if name else place, part)
    elif isinstance(value, numpy.ndarray):
        yield name, f"{value.dtype} {list(value.shape)}", value.size
    else:
        yield name, shown(value, 60), 0


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
    if kind == "paddle":
        value = read_pickle(path)
    else:
        value, halves = read_bits(path)
    names = value.pop(NAME_TABLE, None) if isinstance(value, dict) else None
    rows = list(describe_value("", value))
    halves = {one_line(name, _LONGEST_NAME) for name in halves}
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
    command.add_argument("file", help=".pdparams, .pdopt, .safetensors, .params, or Fluid's file, tar or folder")
    command = commands.add_parser("convert", help="write the same arrays in another format; names stay as they are")
    command.add_argument("source", help="as for inspect")
    command.add_argument("target", help=f"a new file; its ending says the format: {', '.join(WRITERS)}")
    options = parser.parse_args(arguments)
    try:
        if options.command == "inspect":
            print("\n".join(inspect(options.file)))
        else:
            count = convert(options.source, options.target)
            print(f"{options.target}: {count} arrays")
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
