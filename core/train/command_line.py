"""What the entry points of all toolkits share: their -o option, and one line instead of a stack for user mistakes."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Callable, NoReturn

from core.train.interruption import TrainingInterrupted

USER_MISTAKES = (ValueError, TypeError, KeyError, OSError, ArithmeticError, NotImplementedError)


def parser(description: str, examples: str) -> argparse.ArgumentParser:
    """Return an argument parser whose help ends with examples.

    Args:
        description: what the command does, in a sentence or two.
        examples: command lines with comments, printed as they are.

    Returns:
        The parser.
    """
    return argparse.ArgumentParser(
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_override_option(target: argparse.ArgumentParser) -> None:
    """Add ``-o key=value``.

    Args:
        target: the parser.
    """
    target.add_argument(
        "-o",
        dest="overrides",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change one key of the config, as in -o train.epochs=5; a number addresses an item of a list; repeatable",
    )


def add_profile_option(target: argparse.ArgumentParser) -> None:
    """Add ``--profile``.

    Args:
        target: the parser.
    """
    target.add_argument(
        "--profile",
        action="store_true",
        help="measure where time goes: data, forward+backward, update, evaluation, checkpoint, engine operators",
    )


def run(main: Callable[[], int]) -> NoReturn:
    """Run a command and leave the process with its exit code; a mistake of the user's is told in one line.

    Set CORE_TRACEBACK=1 to see where an error came from.

    Args:
        main: the command; returns the exit code.
    """
    if os.environ.get("CORE_TRACEBACK") == "1":
        sys.exit(main())
    try:
        code = main()
    except TrainingInterrupted as interruption:
        print(interruption, file=sys.stderr)
        code = interruption.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = 130
    except USER_MISTAKES as error:
        text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
        print(f"error: {text}", file=sys.stderr)
        code = 1
    sys.exit(code)
