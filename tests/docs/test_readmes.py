"""The pages that a new user reads: each command and each program in them is run, in a copy of the repository."""

from __future__ import annotations

import functools
import http.server
import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import core
from core.vision import write_image
from PaddleClas.models.weights import SSLD_WEIGHTS, WEIGHTS
from tests.core.vision.video_files import drawn_frames, write_video
from tests.docs.commands.run import Run
from tests.docs.commands.table import TABLE
from tests.docs.readme import PAGES, ROOT, commands, programs
from tests.PaddleGAN.small_runs import write_blobs
from tests.PGL.small_sets import (
    write_airports,
    write_cora,
    write_graphs,
    write_own_graph,
    write_texts,
    write_triples,
)
from tests.walks.cases import write_pairs, write_photos, write_unpaired, write_weights

NOT_COPIED = shutil.ignore_patterns(".git", ".venv*", "runs", "site", "*_cache", "*.log")
IN_ORDER = (
    "PaddleClas/README.md",
    "docs/getting_started.md",
    "README.md",
    "PaddleDetection/README.md",
    "PaddleNLP/README.md",
    "PGL/README.md",
    "PaddleGAN/README.md",
    "PaddleVideo/README.md",
)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_is_in_the_table(page: str) -> None:
    assert commands(page) == [command for command, _ in TABLE[page]], "say in tests/docs/commands how the tests run it"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as a fresh clone has it, with what its pages say that the reader has."""
    folder = tmp_path_factory.mktemp("clone") / "repository"
    shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
    for name in ("folder", "more", "photos"):
        write_photos(folder / "written" / name, classes=1, count=3 if name == "photos" else 2)
        (folder / "written" / name / "class_0").rename(folder / name)
    picture = np.random.default_rng(0).integers(0, 256, (60, 50, 3), np.uint8)
    write_image(folder / "photo.jpg", picture)
    write_photos(folder / "my" / "photos", classes=3)
    (folder / "texts.txt").write_text("床很脏\n面条好吃\n", encoding="utf-8")
    write_photos(folder / "ILSVRC2012", classes=2, count=1)
    for name in ("train_list.txt", "val_list.txt"):
        (folder / "ILSVRC2012" / name).write_text("class_0/0.png 0\nclass_1/0.png 1\n")
    published = [("ResNet18", WEIGHTS), ("ResNet50_vd", WEIGHTS), ("ResNet50_vd", SSLD_WEIGHTS)]
    for name, table in [*published, ("SwinTransformer_tiny_patch4_window7_224", WEIGHTS)]:
        file = folder / "official" / table[name].url.partition("://")[2]
        file.parent.mkdir(parents=True, exist_ok=True)
        write_weights(file, name, 1000)
    write_weights(folder / "mine.pdparams", "ResNet18", 7)
    write_cora(folder / "cora")
    write_own_graph(folder / "own_graph")
    write_triples(folder / "own_triples")
    write_airports(folder / "airports")
    write_graphs(folder / "own_graphs")
    write_texts(folder / "own_texts")
    write_blobs(folder / "clothes", 60, 30)
    write_pairs(folder / "pairs")
    write_unpaired(folder / "streets")
    np.save(folder / "clip.npy", np.random.default_rng(1).random((120, 12)))
    (folder / "videos").mkdir()
    for name in ("clip.mp4", "videos/a.mp4"):
        write_video(folder / name, list(drawn_frames(25)))
    return folder


@pytest.fixture(scope="module")
def server(copy: Path) -> Iterator[str]:
    """The address of a web server that has the reader's photo."""
    handler = functools.partial(Quiet, directory=str(copy))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and prints nothing."""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing."""


@pytest.mark.exhaustive
def test_every_command_does_what_its_page_says(copy: Path, server: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(copy), "CORE_WEIGHTS_MIRROR": f"{server}/official"}
    environment["CORE_HOME"] = str(copy / "cache")
    failures = []
    for page in IN_ORDER:
        for command, how in TABLE[page]:
            if isinstance(how, Run) and (problem := _problem(command, how, copy, environment, server)):
                failures.append(f"{page}: {problem}")
    assert not failures, "\n\n".join(failures)


def _problem(command: str, how: Run, folder: Path, environment: dict[str, str], server: str) -> str:
    """Run a command; return what it printed if that is not what it should be, else nothing."""
    text = command
    for one, other in how.instead.items():
        assert one in text, f"{one!r} is not in {command!r}"
        text = text.replace(one, other.replace("SERVER", server))
    line = f"{text} {how.smaller}"
    assert line.startswith("python ")
    line = shlex.quote(sys.executable) + line[len("python") :]
    result = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=900
    )
    output = f"$ {line}\n{result.stdout}{result.stderr}"
    right = result.returncode == how.code and how.says in result.stdout
    return "" if right and "Traceback" not in output and "Warning" not in result.stderr else output


class Camera:
    """Gives two frames, as a video's first would be."""

    def __init__(self, number: int) -> None:
        assert number == 0
        self.left = 2

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def read(self) -> tuple[bool, Any]:
        if self.left == 0:
            return False, None
        self.left -= 1
        return True, np.random.default_rng(self.left).integers(0, 256, (48, 64, 3), np.uint8)


@pytest.mark.exhaustive
def test_every_program_runs(
    copy: Path, server: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After the commands, whose runs they use."""
    monkeypatch.chdir(copy)
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", f"{server}/official")
    monkeypatch.setenv("CORE_HOME", str(copy / "cache"))
    capture = cv2.VideoCapture
    monkeypatch.setattr(cv2, "VideoCapture", lambda *given: Camera(*given) if given == (0,) else capture(*given))
    images = core.randn([2, 3, 32, 32])
    for page in PAGES:
        names: dict[str, Any] = {"images": images, "labels": core.to_tensor([1, 3])}
        for program in programs(page):
            if "ResNet50_pretrained/" in program:
                continue  # files of Fluid 1.x: tests/PaddleClas/models/test_older_names.py writes and reads them
            exec(program, names)  # noqa: S102
    output = capsys.readouterr().out
    assert "class_" in output
