"""The README names what there is."""

from __future__ import annotations

import re
from pathlib import Path

from PGL.config import NETWORKS, TASKS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "PGL" / "README.md").read_text(encoding="utf-8")


def test_commands_configs_and_pictures_exist() -> None:
    files = re.findall(r"PGL/[\w/]+\.(?:py|yaml)", TEXT)
    files += [f"PGL/configs/{name}" for name in re.findall(r"`(\w+\.yaml)`", TEXT)]
    assert len(files) > 8 and all((ROOT / file).is_file() for file in files)
    for link in re.findall(r"\]\((\.\./[^)]+)\)", TEXT):
        assert (ROOT / "PGL" / link).is_file()
    assert (ROOT / "docs" / "images" / "cora_gcn_embeddings.png").stat().st_size < 60_000


def test_every_task_with_its_models_is_in_the_table() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\w, ]+) \|", TEXT, flags=re.M))
    assert list(rows) == list(TASKS.entries)
    for name, models in rows.items():
        assert tuple(models.split(", ")) == tuple(TASKS.resolve(name).models)  # type: ignore[attr-defined]
        assert set(models.split(", ")) <= set(NETWORKS.entries)
