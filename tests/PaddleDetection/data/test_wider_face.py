"""WIDER FACE's lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from PaddleDetection.data.wider_face import WIDERFaceDataset


def read(folder: Path, text: str) -> WIDERFaceDataset:
    (folder / "list.txt").write_text(text)
    return WIDERFaceDataset(str(folder), "list.txt", "images")


def test_faces(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="1 boxes of no area, .* the first is line 7"):
        dataset = read(tmp_path, "0--a/b c.jpg\n2\n1 2 3 4 0 0\n-5 0 10 10 0 0\nc.jpg\n0\n0 0 0 0 0 0\n")
    assert len(dataset) == 2 and dataset[0]["im_file"].endswith("images/0--a/b c.jpg")
    assert dataset[0]["gt_bbox"].tolist() == [[1, 2, 4, 6], [0, 0, 5, 10]]
    assert dataset[1]["gt_bbox"].shape == (0, 4) and dataset[1]["gt_class"].shape == (0, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "list.txt: the list is empty"),
        ("a.jpg\nface\n", "list.txt:2: a line holds a file, a number or a box, not 'face'"),
        ("a.jpg\n1\n1 x 3 4\n", "list.txt:3: a number of a box must be a number, not 'x'"),
        ("a.jpg\n0\na.jpg\n0\n", "list.txt: the list names '.*a.jpg' twice"),
        ("a.jpg\n1\n1 nan 3 4\n", "line 3: the box has a corner that is no finite number"),
    ],
)
def test_what_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read(tmp_path, text)
