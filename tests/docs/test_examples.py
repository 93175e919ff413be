"""The examples of the guides run: each page's Python blocks, one after the other, as one script."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def script(page: Path) -> str:
    """Return the blocks that are statements; those of the interactive prompt are checked with the house."""
    blocks = [block for block in BLOCK.findall(page.read_text()) if not block.startswith(">>>")]
    return "\n\n".join(blocks)


SCRIPTS = {page.name: script(page) for page in sorted(PAGES.glob("*.md"))}


NEEDS = {"mixed_precision.md": [pytest.mark.bfloat16]}


@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS.get(name, ())) for name in SCRIPTS if SCRIPTS[name]])
def test_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what an example saves
    file = tmp_path / f"{Path(name).stem}.py"  # a file, because what is compiled is rewritten from its source
    file.write_text(SCRIPTS[name])
    runpy.run_path(str(file), run_name="__main__")


def test_the_guide_has_the_announcements_examples() -> None:
    text = SCRIPTS["dynamic_to_static.md"]
    for part in ("load_digits", "create_graph=True", "register_forward_pre_hook", "add_n", ".backward()"):
        assert part in text
