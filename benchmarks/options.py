"""The options of comparisons whose sides take turns, and what a command line chose of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterable

ROWS = "against whom, separated by commas (default all)"


def add_rows(parser: argparse.ArgumentParser, rows: Iterable[str] = (), only: str = "") -> None:
    """Add what chooses rows.

    Args:
        parser: of the command line.
        rows: those that ``--rows`` takes, all unless it says otherwise; none: there is no such option.
        only: with what a name may begin, as an example; "": there is no option ``--only``.
    """
    if rows:
        parser.add_argument("--rows", default=",".join(rows), help=ROWS)
    if only:
        parser.add_argument("--only", default="", help=f"only rows whose name starts so, such as {only}")


def add_sides(
    parser: argparse.ArgumentParser, rounds: int, threads: int = 2, peers: str = "", paddle: str = ""
) -> None:
    """Add ``--rounds``, ``--threads``, ``--processor``, and the other sides' interpreters.

    Args:
        parser: of the command line.
        rounds: unless it says otherwise.
        threads: likewise.
        peers: what the interpreter of ``--peers`` has; "": there is no such option.
        paddle: likewise.
    """
    for option, packages in (("--peers", peers), ("--paddle", paddle)):
        if packages:
            parser.add_argument(option, default=sys.executable, help=f"the interpreter that has {packages}")
    parser.add_argument(
        "--rounds", type=int, default=rounds, help=f"rounds in which the sides take turns (default {rounds})"
    )
    parser.add_argument("--threads", type=int, default=threads, help=f"threads of each side (default {threads})")
    parser.add_argument("--processor", action="store_true", help="compare the time that processors worked")


def chosen_rows(parser: argparse.ArgumentParser, options: argparse.Namespace, known: Collection[str]) -> list[str]:
    """Return the rows that ``--rows`` names, or leave with what it takes."""
    wanted: list[str] = options.rows.split(",")
    if set(wanted) - set(known):
        parser.error(f"--rows takes {', '.join(known)}")
    return wanted
