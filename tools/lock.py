"""Write the lock files, requirements/{setup,runtime,dev}.txt, from pyproject.toml.

    pip install uv && python tools/lock.py        (Python 3.11 or later)

One resolution serves Python 3.9 to 3.12: where versions differ, a line carries a marker. Every line carries the SHA-256
of the wheels that fit Linux x86-64 and those Pythons, and of nothing else, so pip can neither build from source nor
install a file that is not the one we tested. `setup.txt` holds the pip that installs the others; `dev.txt` holds only
what the tests and linters need beyond `runtime.txt`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import tomllib

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
OLDEST_PYTHON = "3.9"
MINOR_VERSIONS = range(9, 13)
HEADER = "# Written by tools/lock.py; change pyproject.toml and run it again.\n"


def fits(wheel_name: str) -> bool:
    """Tell whether a wheel can be installed on Linux x86-64 (glibc) by one of the supported Pythons.

    Args:
        wheel_name: file name, `name-version(-build)-python-abi-platform.whl`.

    Returns:
        True if it fits.
    """
    python_tags, abi, platforms = wheel_name[: -len(".whl")].split("-")[-3:]
    if platforms != "any" and not ("manylinux" in platforms and "x86_64" in platforms):
        return False
    for tag in python_tags.split("."):
        if tag == "py3":
            return True
        match = re.fullmatch(r"cp3(\d+)", tag)
        if match and abi == "abi3" and int(match[1]) <= MINOR_VERSIONS[-1]:
            return True
        if match and abi == tag and int(match[1]) in MINOR_VERSIONS:
            return True
    return False


def resolve(extra: list[str], scratch: Path) -> list[dict[str, Any]]:
    """Resolve pyproject.toml with uv for every supported Python at once.

    Args:
        extra: more arguments for `uv pip compile`.
        scratch: folder for the intermediate file.

    Returns:
        The `[[packages]]` tables of the pylock.toml that uv wrote.
    """
    output = scratch / "pylock.toml"
    output.unlink(missing_ok=True)
    command = ["uv", "pip", "compile", "pyproject.toml", *extra, "--universal", "--python-version", OLDEST_PYTHON]
    command += ["--only-binary", ":all:", "--no-python-downloads", "--quiet"]
    command += ["--format", "pylock.toml", "--output-file", str(output)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_"))}
    subprocess.run(command, cwd=ROOT, check=True, env=environment)  # uv's default index is the public one
    return tomllib.loads(output.read_text(encoding="utf-8"))["packages"]


def marker_of(package: dict[str, Any]) -> str:
    """Return a package's environment marker without the parts that pyproject.toml promises anyway.

    Args:
        package: one `[[packages]]` table.

    Returns:
        The marker, or an empty string if the package is always needed.
    """
    promised = {
        "python_full_version >= '3.9'",
        "python_full_version < '3.13'",
        "platform_machine == 'x86_64'",
        "sys_platform == 'linux'",
    }
    parts = [part for part in package.get("marker", "").split(" and ") if part and part not in promised]
    return " and ".join(parts)


def lines_of(packages: list[dict[str, Any]]) -> dict[str, str]:
    """Format packages as requirement lines.

    Args:
        packages: `[[packages]]` tables.

    Returns:
        `name==version ; marker` to the full entry, hashes included.

    Raises:
        ValueError: a package has no wheel that fits.
    """
    entries = {}
    for package in packages:
        pin = f"{package['name']}=={package['version']}"
        hashes = set()
        for wheel in package.get("wheels", []):
            if fits(wheel.get("name") or wheel["url"].rsplit("/", 1)[1]):
                hashes.add(wheel["hashes"]["sha256"])
        if not hashes:
            raise ValueError(f"{pin} has no wheel for Linux x86-64; constrain it in pyproject.toml")
        marker = marker_of(package)
        key = f"{pin} ; {marker}" if marker else pin
        entries[key] = " \\\n".join([key, *(f"    --hash=sha256:{digest}" for digest in sorted(hashes))]) + "\n"
    return entries


def main() -> int:
    """Resolve what the code needs, then each extra with that result held fixed; write one file for each.

    Returns:
        The exit status.
    """
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        runtime = lines_of(resolve([], scratch))
        constraints = scratch / "constraints.txt"
        constraints.write_text("\n".join(runtime) + "\n", encoding="utf-8")
        files = {"runtime.txt": runtime}
        for group in ("setup", "dev"):
            everything = lines_of(resolve(["--extra", group, "--constraint", str(constraints)], scratch))
            files[f"{group}.txt"] = {key: entry for key, entry in everything.items() if key not in runtime}
    for file_name, entries in files.items():
        (FOLDER / file_name).write_text(HEADER + "".join(entries.values()), encoding="utf-8")
        print(f"requirements/{file_name}: {len(entries)} pinned versions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
