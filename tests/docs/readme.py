"""The commands and programs that a page asks its reader to run."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "README.md",
    "docs/getting_started.md",
    "PaddleClas/README.md",
    "PaddleDetection/README.md",
    "PaddleNLP/README.md",
    "PGL/README.md",
    "PaddleGAN/README.md",
    "PaddleVideo/README.md",
)
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
_STARTS = ("python", "bash", "sudo", "pip", "pytest", "git", ". ", ".venv", "mkdocs", "tensorboard", "export")


def commands(page: str) -> list[str]:
    """Return a page's command lines, in their order, without comments.

    They are the lines of blocks of bash, and indented lines that begin as commands do.

    Args:
        page: relative to the repository's root.
    """
    text = (ROOT / page).read_text(encoding="utf-8")
    found: list[tuple[int, str]] = []
    for block in _FENCE.finditer(text):
        if block.group(1) == "bash":
            found += [(block.start(), line) for line in _joined(block.group(2))]
    outside = _FENCE.sub(lambda block: "\n" * (block.end() - block.start()), text)  # places stay as they are
    for block in re.finditer(r"(?:^    \S.*\n(?:^     +\S.*\n)*)+", outside, re.M):
        lines = [line.strip() for line in _joined(re.sub(r"^    ", "", block.group(0), flags=re.M))]
        found += [(block.start(), line) for line in lines if line.startswith(_STARTS)]
    return [line for _, line in sorted(found, key=lambda entry: entry[0])]


def _joined(block: str) -> list[str]:
    lines = re.sub(r"\\\n\s*", "", block).splitlines()
    stripped = (re.sub(r"\s+#.*$", "", line) for line in lines if not line.startswith("#"))
    return [re.sub(r"\s+", " ", line).strip() for line in stripped if line.strip()]


def programs(page: str) -> list[str]:
    """Return a page's blocks of Python, those of interactive sessions left out.

    Args:
        page: relative to the repository's root.
    """
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = [block.group(2) for block in _FENCE.finditer(text) if block.group(1) == "python"]
    return [block for block in blocks if not block.startswith(">>>")]
