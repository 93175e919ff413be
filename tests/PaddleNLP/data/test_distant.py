"""ARNOR's lines: where entities are found, what counts as noise, and lines that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from PaddleNLP.data.distant import DistantRelations

RECORD: dict[str, Any] = {
    "sentText": "Rome, not Milan, is where Ann Lee lives; Lee left Rome.\r\n",
    "relationMentions": [{"em1Text": "Ann Lee", "em2Text": "Rome", "label": "/lived"}],
    "entityMentions": [{"text": "Ann Lee", "label": "PERSON"}, {"text": "Rome", "label": "LOCATION"}],
}


def written(folder: Path, *changes: dict[str, Any]) -> str:
    (folder / "train.json").write_text("\n".join(json.dumps({**RECORD, **change}) for change in changes) + "\n")
    return str(folder / "train.json")


def test_entities_are_where_they_are_nearest(tmp_path: Path) -> None:
    mentions = [
        {**RECORD["relationMentions"][0], "is_noise": True},
        {"em1Text": "Lee", "em2Text": "Rome", "label": "None"},
    ]
    dataset = DistantRelations(written(tmp_path, {}, {"relationMentions": mentions}))
    assert dataset.labels == ["/lived", "None"] and dataset.types == ["", "LOCATION", "PERSON"]
    texts = [dataset[number]["text"] for number in range(3)]
    assert set(texts) == {"Rome , not Milan , is where Ann Lee lives ; Lee left Rome ."}
    found = [tuple(texts[0][slice(*dataset[number][side])] for side in ("first", "second")) for number in range(3)]
    assert found == [("Ann Lee", "Rome"), ("Ann Lee", "Rome"), ("Lee", "Rome")]
    assert dataset[0]["second"] == (texts[0].rindex("Rome"), texts[0].rindex("Rome") + 4)
    assert dataset[2]["first"][0] == texts[0].rindex("Lee")
    assert [dataset[number]["label"] for number in range(3)] == ["/lived", "None", "None"]
    assert (dataset[2]["first_type"], dataset[2]["second_type"], dataset.place(2)) == (
        "",
        "LOCATION",
        f"{dataset.path}:2",
    )


def test_entities_that_are_not_there(tmp_path: Path) -> None:
    wrong = {"relationMentions": [{"em1Text": "Bob", "em2Text": "Rome", "label": "/lived"}]}
    with pytest.raises(
        ValueError, match=r"json:2: 'Bob' and 'Rome' are not both in the sentence; put it right, or pass"
    ):
        DistantRelations(written(tmp_path, {}, wrong))
    with pytest.warns(
        UserWarning, match="1 pairs of entities are not in their sentences and are left out, the first is"
    ):
        assert len(DistantRelations(written(tmp_path, {}, wrong), bad_entities="skip")) == 1
    inside = {"relationMentions": [{"em1Text": "Ann Lee", "em2Text": "Ann", "label": "/lived"}]}
    with pytest.raises(ValueError, match="are not both in the sentence"):
        DistantRelations(written(tmp_path, inside))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sentText": " "}, "json:1: 'sentText' must be a text that is not empty, not ' '"),
        ({"sentText": 3}, "json:1: 'sentText' must be a text that is not empty, not 3"),
        ({"relationMentions": {}}, r"json:1: 'relationMentions' must be a list of objects, not \{\}"),
        ({"relationMentions": [3]}, r"json:1: 'relationMentions' must be a list of objects, not \[3\]"),
        ({"relationMentions": [{"em1Text": "Rome"}]}, "json:1: 'em2Text' must be a text that is not empty, not None"),
        ({"relationMentions": [{**RECORD["relationMentions"][0], "label": ""}]}, "json:1: 'label' must be a text that"),
        ({"entityMentions": [{"text": "Rome"}]}, "json:1: 'label' must be a text that is not empty, not None"),
        ({"relationMentions": []}, "there are no samples"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DistantRelations(written(tmp_path, change))


def test_a_relation_that_is_not_among_the_labels(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="json:1: the label '/lived' is none of labels: '/born', 'None'"):
        DistantRelations(written(tmp_path, {}), labels=["/born", "None"])
