"""What the entry points of all toolkits share: their options, and one line instead of a stack for user mistakes."""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import select
import signal
import sys
import warnings
from pathlib import Path
from typing import Callable, NoReturn, Optional, Union

from core.kernels.engine.requirements import PackageError, check
from core.train.interruption import Terminated, TrainingInterrupted, leaving_in_order

USER_MISTAKES = (ValueError, TypeError, KeyError, OSError, ArithmeticError, NotImplementedError, PackageError)


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


def add_data_option(target: argparse.ArgumentParser) -> None:
    """Add ``--data FOLDER``, which becomes an override as ``-o`` gives them.

    Args:
        target: the parser.
    """
    target.add_argument(
        "--data",
        dest="overrides",
        action="append",
        default=[],
        type=lambda folder: f"data.root={json.dumps(folder)}",
        metavar="FOLDER",
        help="where the data is: sets data.root of the config",
    )


def add_checkpoint_option(target: argparse.ArgumentParser) -> None:
    """Add ``--checkpoint NAME``.

    Args:
        target: the parser.
    """
    names = "which one of the run: best, newest, or a name such as step_00000240 (default: %(default)s)"
    target.add_argument("--checkpoint", default="best", metavar="NAME", help=names)


def add_config_options(parser: argparse.ArgumentParser) -> None:
    """Add ``-o key=value`` and ``--data FOLDER``."""
    add_override_option(parser)
    add_data_option(parser)


def add_run_options(parser: argparse.ArgumentParser, folder: str) -> None:
    """Add the options of a command that uses a run: the run, ``--data``, ``--checkpoint`` and ``--output``.

    Args:
        parser: gets them.
        folder: the default of ``--output``, within the run's.
    """
    parser.add_argument("run", metavar="RUN", help="the folder of a trained run")
    add_config_options(parser)
    add_checkpoint_option(parser)
    add_output_option(parser, f"RUN/{folder}")


def add_output_option(parser: argparse.ArgumentParser, default: str) -> None:
    """Add ``--output FOLDER``.

    Args:
        parser: gets it.
        default: in words.
    """
    parser.add_argument("--output", metavar="FOLDER", help=f"where to write; default: {default}")


def add_count(
    parser: argparse.ArgumentParser, option: str, default: Optional[int], text: str, metavar: str = "N"
) -> None:
    """Add an option whose value is a positive integer.

    Args:
        parser: gets it.
        option: "--count".
        default: what it is where it is not given; None: what ``text`` says, or none.
        text: what it counts.
        metavar: what stands for it in the help.
    """
    shown = f"{text} (default: {default})" if default else text
    parser.add_argument(option, type=positive, default=default, metavar=metavar, help=shown)


def positive(text: str) -> int:
    """Return a positive integer of a command line."""
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive integer")
    return int(text)


def seconds_problem(options: argparse.Namespace, *names: str) -> str:
    """Return what is wrong with options that are times, in words; nothing where each is None or a positive number.

    Args:
        options: of a command line.
        *names: of the options, without dashes.
    """
    for name in names:
        value = getattr(options, name)
        if value is not None and not value > 0:
            return f"--{name} must be more than 0 seconds, not {value:g}"
        if value is not None and math.isinf(value):
            return f"--{name} must be a finite number of seconds, not {value:g}"
    return ""


def folder_of(module_file: str) -> str:
    """Return the folder of a toolkit's commands as it can be typed in the working directory.

    Args:
        module_file: ``__file__`` of one of its modules.
    """
    folder = os.path.dirname(os.path.abspath(module_file))
    relative = os.path.relpath(folder)
    return folder if relative.startswith(os.pardir) else relative


def _without_reader() -> bool:
    """Tell whether nobody reads what this process prints any more, as behind ``| head``; the rest then goes nowhere."""
    gone = []
    for descriptor in (1, 2):
        poll = select.poll()
        poll.register(descriptor, 0)
        if any(event & select.POLLERR for _, event in poll.poll(0)):
            gone.append(descriptor)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in gone:
        os.dup2(nowhere, descriptor)
    return bool(gone)


def _worker_errors() -> tuple[type[BaseException], ...]:
    """Return the error of processes that read data, if there were any: importing it takes half a second."""
    module = sys.modules.get("core.io.workers.pool")
    return () if module is None else (module.WorkerError,)


def _warning(
    message: Union[Warning, str], category: type[Warning], filename: str, lineno: int, line: Optional[str] = None
) -> str:
    """Return a warning as a user reads it: without its place in the code."""
    return f"warning: {' '.join(str(message).split())}\n"


def run(main: Callable[[], int]) -> NoReturn:
    """Run a command and leave the process with its exit code; a mistake of the user's is reported in one line.

    Where nobody reads its output to the end, as in ``train.py --keys | head``, it ends in silence.
    A warning is one line, too.

    Set CORE_TRACEBACK=1 to see where an error came from.

    Args:
        main: the command; returns the exit code.
    """
    if os.environ.get("CORE_TRACEBACK") == "1":
        sys.exit(main())
    warnings.formatwarning = _warning
    try:
        check()
        try:
            with leaving_in_order():
                code = main()
        finally:
            sys.stdout.flush()
    except TrainingInterrupted as interruption:
        print(interruption, file=sys.stderr)
        code = interruption.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = 130
    except Terminated:
        print("terminated", file=sys.stderr)
        code = 143
    except MemoryError as error:
        description = " ".join(["not enough memory;", *str(error).split()]).rstrip(";")
        print(f"error: {description}", file=sys.stderr)
        code = 1
    except USER_MISTAKES as error:
        if isinstance(error, BrokenPipeError) and _without_reader():
            sys.exit(128 + signal.SIGPIPE)
        text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
        print(f"error: {text}", file=sys.stderr)
        code = 1
    except _worker_errors() as error:
        print(f"error: {error}", file=sys.stderr)
        code = 1
    sys.exit(code)


def command_line_of(package: str, command: str) -> str:
    """Return how a command of a toolkit is typed in the working directory: "python PaddleClas/train.py".

    Args:
        package: the toolkit's.
        command: "train".
    """
    found = importlib.util.find_spec(package)
    folders = list(found.submodule_search_locations or []) if found is not None else []
    file = Path(folders[0] if folders else package) / f"{command}.py"
    return f"python {folder_of(str(file))}/{file.name}"
