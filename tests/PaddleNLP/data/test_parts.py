"""Parts by line numbers, which share no text; and texts of several data sets as one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.train.config.yaml_file import ConfigError
from PaddleNLP.config import TOOLKIT
from PaddleNLP.data.joined import JoinedTexts, built, pieces
from PaddleNLP.data.parts import part_of, texts_in
from PaddleNLP.data.tsv import TableDataset
from tests.PaddleNLP.small import experiment


def table(folder: Path, rows: str, name: str = "rows.tsv", **settings: Any) -> TableDataset:
    (folder / name).write_text(rows, encoding="utf-8")
    return TableDataset(str(folder / name), columns=["text", "label"], **settings)


def texts(dataset: Any) -> list[str]:
    return [dataset[number]["text"] for number in range(len(dataset))]


def test_lines_are_dealt_in_turn_and_a_repeated_text_counts_where_it_is_first(tmp_path: Path) -> None:
    # lines 0 to 8; blank ones count as lines; "c" of line 3 is again in 7, "a" of line 0 in 5 with a space
    dataset = table(tmp_path, "a\tx\nb\ty\n\nc\tx\nd\ty\n a\tx\ne\ty\nc\tx\nc\tx\n")
    assert texts(part_of(dataset, 3, [0])) == ["a", "c", "e"]
    assert texts(part_of(dataset, 3, [1])) == ["b", "d"]
    with pytest.raises(ValueError, match=r"rows.tsv: no sample is left of its part"):
        part_of(dataset, 3, [2])
    whole = part_of(dataset)
    assert texts(whole) == ["a", "b", "c", "d", "e"] and whole.labels == ["x", "y"]
    assert whole[2] == {"text": "c", "label": "x"} and whole.place(2).endswith("rows.tsv:4")
    assert len(dataset) == 8, "the data set stays as it is"


def test_texts_of_other_data_sets_are_left_out(tmp_path: Path) -> None:
    dataset, other = table(tmp_path, "a\tx\nb\tx\nc\tx\n"), table(tmp_path, " b \tx\n", "other.tsv")
    assert texts(part_of(dataset, foreign=texts_in([other]))) == ["a", "c"]


def test_pairs_share_no_text_with_other_parts(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("a\tb\nc\td\ne\ta\nf\tg\nd\th\n", encoding="utf-8")
    dataset = TableDataset(str(tmp_path / "pairs.tsv"), columns=["text", "text_pair"], text_pair="text_pair")
    # the third line is of the first part and shares "a" with its own; the last shares "d" with the second part
    assert texts(part_of(dataset, 2, [0])) == ["a", "e"]
    assert texts(part_of(dataset, 2, [1])) == ["c", "f"]


@pytest.mark.parametrize("seed", range(3))
def test_parts_of_random_files_are_apart_and_lose_only_repeated_texts(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    rows = [source.choice("abcdefghij") * source.randint(1, 12) for _ in range(200)]
    dataset = table(tmp_path, "".join(f"{row}\tx\n" for row in rows))
    parts = [set(texts(part_of(dataset, 10, keep))) for keep in (range(8), [8], [9])]
    assert set.union(*parts) == set(rows) and sum(map(len, parts)) == len(set(rows))


def test_a_text_is_cut_behind_sentences() -> None:
    assert list(pieces("今天下雨。明天呢？好！", 6)) == ["今天下雨。", "明天呢？好！"]
    assert list(pieces("今天下雨。明天", 3)) == ["今天下", "雨。", "明天"]
    assert list(pieces("", 3)) == []
    text = "春天来了。花开，鸟鸣；人们出门！然后呢？没有了"
    assert "".join(pieces(text, 7)) == text


def test_joined_texts_are_those_of_all_sets_once(tmp_path: Path) -> None:
    table(tmp_path, "今 天。明天。\tx\n后天\tx\n昨天\tx\n")
    (tmp_path / "pairs.tsv").write_text("几点\t什么时候\t1\n", encoding="utf-8")
    (tmp_path / "names.txt").write_text("后 O\n天 O\n\n王 B-PER\n明 I-PER\n", encoding="utf-8")
    table(tmp_path, "昨 天\tx\n", "held_out.tsv")
    rows = {"name": "TableDataset", "columns": ["text", "label"]}
    dataset = JoinedTexts(
        [
            {**rows, "path": str(tmp_path / "rows.tsv")},
            {"name": "LCQMC", "path": str(tmp_path / "pairs.tsv")},
            {"name": "CoNLLDataset", "path": str(tmp_path / "names.txt")},
        ],
        apart_from=[{**rows, "path": str(tmp_path / "held_out.tsv")}],
        longest=4,
    )
    found = [tuple(dataset[number].values()) for number in range(len(dataset))]
    assert found == [("今 天。", ""), ("明天。", ""), ("后天", ""), ("几点", "什么时候"), ("王明", "")]


def test_a_config_names_the_part_of_a_split_below_the_root(tmp_path: Path) -> None:
    file = experiment("Pretraining", tmp_path)
    (tmp_path / "held_out.tsv").write_text("王小明今天在上海走了很久。\n", encoding="utf-8")
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    other = {"name": "TableDataset", "path": "held_out.tsv", "columns": ["text"]}
    config["data"]["train"]["part"] = {"every": 8, "keep": [0, 1], "apart_from": [other]}
    config["data"]["test"] = {**config["data"]["test"], "dataset": {"name": "JoinedTexts", "sets": [other]}}
    file.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    loaded = TOOLKIT.load(file)
    assert texts(loaded.data.build_dataset("train")) == [
        "王小明今天在北京走了很久。", "韩梅梅今天在北京走了很久。", "韩梅梅今天在上海走了很久。"
    ]  # fmt: skip
    assert texts(loaded.data.build_dataset("test")) == ["王小明今天在上海走了很久。"]
    assert len(loaded.data.build_dataset("valid")) == 16


@pytest.mark.parametrize(
    "part, message",
    [
        ({"every": 10, "keep": [10]}, r"data.train.part.*keep has 10, but every deals to players from 0 to 9"),
        ({"every": 0}, r"data.train.part.every"),
        ({"every": 2, "keep": []}, r"data.train.part.keep"),
    ],
)
def test_mistakes_of_parts(tmp_path: Path, part: dict[str, Any], message: str) -> None:
    file = experiment("Pretraining", tmp_path)
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    config["data"]["train"]["part"] = part
    file.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        TOOLKIT.load(file)


def test_mistakes_of_joined_texts(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown data set 'TNEW'; the nearest is 'TNEWS'"):
        JoinedTexts([{"name": "TNEW", "path": "rows.tsv"}])
    with pytest.raises(ValueError, match="longest must be positive, not 0"):
        JoinedTexts([], longest=0)
    with pytest.raises(ValueError, match="JoinedTexts: there are no samples"):
        JoinedTexts([])
    with pytest.raises(FileNotFoundError, match="nowhere.tsv"):
        built({"name": "TNEWS", "path": str(tmp_path / "nowhere.tsv")})
