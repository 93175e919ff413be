"""Ragged fields in one batch, against values by hand and a plain loop; what does not go together is named."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from core.io import Batch, Collate, Concatenate, DataLoader, HostList, Keep, NamedBatch, Pad, SampleError, Stack
from core.io import loader as loader_module
from tests.core.io.worker_datasets import Scenes


@pytest.fixture(autouse=True)
def _arrays_instead_of_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader_module, "to_tensors", lambda batch: batch)


def boxes(*counts: int) -> list[np.ndarray]:
    return [np.arange(4 * count, dtype=np.float32).reshape(count, 4) + count for count in counts]


def plain(value: Any) -> Any:
    if isinstance(value, (dict, NamedBatch)):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    return [plain(part) for part in value] if isinstance(value, list) else value


def test_padding_by_hand() -> None:
    collate = Collate([Pad("length", value=-1, lengths=True)], {"length": [2, 4, 8]})
    tokens, mask, lengths, label = collate([([3, 1], 5), ([], 6), ([7, 8, 9], 7)])
    assert plain(tokens) == ("<i8", [[3, 1, -1, -1], [-1, -1, -1, -1], [7, 8, 9, -1]])
    assert plain(mask) == ("|b1", [[True, True, False, False], [False] * 4, [True, True, True, False]])
    assert plain(lengths) == ("<i8", [2, 0, 3])
    assert label.tolist() == [5, 6, 7]


def test_samples_are_prepared_together() -> None:
    def centred(samples: Any) -> Any:
        mean = np.concatenate([rows for rows, _ in samples]).mean()
        return [(rows - mean, label) for rows, label in samples]

    collate = Collate([Pad("rows", mask=False)], before=centred)
    rows, label = collate([(np.array([1.0, 2.0]), 5), (np.array([6.0]), 6)])
    assert rows.tolist() == [[-2.0, -1.0], [3.0, 0.0]] and label.tolist() == [5, 6]


def test_concatenation_by_hand() -> None:
    collate = Collate([Concatenate("rows", value=9, numbers=True)], {"rows": [4, 8]})
    rows, offsets, numbers, _ = collate([(array, 0) for array in boxes(2, 0, 3)])
    assert rows.dtype == np.float32 and rows.shape == (8, 4)
    np.testing.assert_array_equal(rows[:5], np.concatenate(boxes(2, 0, 3)))
    assert (rows[5:] == 9).all()
    assert plain(offsets) == ("<i8", [0, 2, 2, 5])
    assert plain(numbers) == ("<i8", [0, 0, 2, 2, 2, 3, 3, 3])


@pytest.mark.parametrize("size", [3, 200])  # small arrays are copied all at once, large ones one by one
@pytest.mark.parametrize("names", [("a",), (None, "a"), ("a", "b"), ("a", None, "b"), ("a", "a")])
def test_any_axes_are_padded_as_a_loop_would(names: tuple[Any, ...], size: int) -> None:
    generator = np.random.default_rng(0)
    shapes = [[int(generator.integers(0, size)) if name else 3 for name in names] + [2] for _ in range(5)]
    samples = [generator.random(shape) for shape in shapes]
    sizes: dict[str, Any] = {"a": 16, "b": [size + 9]} if "b" in names else {"a": 16}
    batch, mask, lengths = Collate(Pad(*names, value=7, lengths=True), sizes)(samples)
    ragged = [axis for axis, name in enumerate(names) if name]
    needed = max(shape[axis] for shape in shapes for axis in ragged if names[axis] == "a")
    room = {"a": max(-(-needed // 16), 1) * 16, "b": size + 9, None: 3}
    assert batch.shape == (5, *[room[name] for name in names], 2)
    assert mask.shape == (5, *[room[names[axis]] for axis in ragged])
    for place, seen, sample, length in zip(batch, mask, samples, np.reshape(lengths, (5, -1)).tolist()):
        inside = tuple([slice(count) for count in sample.shape])
        np.testing.assert_array_equal(place[inside], sample)
        assert length == [sample.shape[axis] for axis in ragged]
        assert seen[tuple([slice(count) for count in length])].all() and seen.sum() == np.prod(length)
        place[inside] = 7
        assert (place == 7).all()


def test_nested_fields_keep_their_structure() -> None:
    samples = [
        {
            "inner": {"ids": [1] * count, "pair": (np.ones((count, 2), np.int8), 2.5)},
            "plain": [np.full(2, count), "text"],
            "name": f"file {count}",
            "whole": [b"x"] * count,
        }
        for count in (1, 3)
    ]
    fields = {"inner": {"ids": Pad("n"), "pair": [Concatenate("rows"), Stack()]}, "name": Keep(), "whole": Keep()}
    batch = Collate(fields, {"n": [4]})(samples)
    assert isinstance(batch, NamedBatch) and batch.samples == 2
    assert list(batch) == ["inner", "plain", "name", "whole"] and list(batch["inner"]) == ["ids", "ids_mask", "pair"]
    assert batch["inner"]["ids"].tolist() == [[1, 0, 0, 0], [1, 1, 1, 0]]
    assert plain(batch["inner"]["pair"]) == [("|i1", [[1, 1]] * 4), ("<i8", [0, 1, 4]), ("<f8", [2.5, 2.5])]
    assert plain(batch["plain"]) == [("<i8", [[1, 1], [3, 3]]), ["text", "text"]]
    assert batch["name"] == ["file 1", "file 3"] and batch["whole"] == [[b"x"], [b"x"] * 3]
    assert all(isinstance(batch[name], HostList) for name in ("name", "whole"))
    again = pickle.loads(pickle.dumps(batch))
    assert type(again) is NamedBatch and again.samples == 2 and plain(again) == plain(batch)


def test_fields_with_one_name_have_one_size() -> None:
    batch = Collate({"x": Pad("n", mask=False), "y": Pad("n", mask=False)}, {"n": [2, 4]})(
        [{"x": [1], "y": [1, 2, 3]}, {"x": [1], "y": []}]
    )
    assert batch["x"].shape == batch["y"].shape == (2, 4)


@pytest.mark.parametrize("counts", [(0, 0), (0, 2, 0)])
def test_nothing_at_all_has_a_shape(counts: tuple[int, ...]) -> None:
    padded, mask, rows, offsets = Collate([Pad("n"), Concatenate("rows")])([(x, x) for x in boxes(*counts)])
    assert padded.shape == (len(counts), max(counts), 4) and mask.shape == (len(counts), max(counts))
    assert rows.shape == (sum(counts), 4) and offsets[-1] == sum(counts)
    padded, mask, rows, _ = Collate([Pad("n"), Concatenate("rows")], {"n": [3], "rows": 8})(
        [(x, x) for x in boxes(*counts)]
    )
    assert padded.shape == (len(counts), 3, 4) and mask.sum() == sum(counts) and rows.shape == (8, 4)
    assert Collate([Pad("n", dtype="int32")])([([],), ([],)])[0].dtype == np.int32


def test_what_is_too_long_is_cut_where_that_is_said() -> None:
    sizes = {"n": [1, 2], "rows": [3]}
    samples = [(x, x) for x in boxes(3, 1, 2)]
    padded, mask, lengths, rows, offsets, numbers = Collate(
        [Pad("n", lengths=True), Concatenate("rows", numbers=True)], sizes, "truncate"
    )(samples)
    np.testing.assert_array_equal(padded[0], samples[0][0][:2])
    assert mask.sum(axis=1).tolist() == lengths.tolist() == [2, 1, 2]
    np.testing.assert_array_equal(rows, samples[0][0])
    assert offsets.tolist() == [0, 3, 3, 3] and numbers.tolist() == [0, 0, 0]
    with pytest.raises(SampleError, match="with it field 1 has more rows than the last bucket of 'rows', 3"):
        Collate([Pad("n"), Concatenate("rows")], sizes, {"n": "truncate"})(samples)


def test_workers_bring_every_kind_of_field_through_shared_memory() -> None:
    fields = {
        "tokens": Pad("length", lengths=True, dtype="int64"),
        "boxes": Concatenate("boxes", numbers=True),
        "side": {"weights": Pad("length", mask=False)},
        "name": Keep(),
    }
    collate = Collate(fields, {"length": [4096, 8192], "boxes": [1024]})  # large enough for shared memory
    options: dict[str, Any] = {"batch_size": 4, "collate_fn": collate, "seed": 3}
    runs = [list(DataLoader(Scenes(10), num_workers=count, **options)) for count in (0, 2)]
    assert [plain(batch) for batch in runs[0]] == [plain(batch) for batch in runs[1]]
    assert [batch.samples for batch in runs[1]] == [4, 4, 2]
    assert runs[1][0]["tokens"].shape == (4, 4096) and runs[1][0]["name"] == [f"scene {n}" for n in range(4)]


def test_a_loader_names_the_sample_in_the_data_set() -> None:
    data: Any = [(array,) for array in boxes(1, 2, 1, 9, 1)]
    collate = Collate([Pad("n")], {"n": [2, 4]})
    for workers in (0, 1):
        with pytest.raises(ValueError, match="^sample 3: field 0 has 9 of size 'n', whose last bucket is 4; add a"):
            list(DataLoader(data, batch_size=2, collate_fn=collate, num_workers=workers))


ROW = np.zeros((2, 4), np.float32)


@pytest.mark.parametrize(
    ("fields", "sizes", "samples", "message"),
    [
        ([Pad("n")], {}, [(ROW,), (np.zeros(0, np.float32),)],
         "sample 1 of the batch: field 0 has 1 axis, shape (0,), and 2 axes, shape (2, 4), in sample 0 of the batch; "
         "where there is nothing, give an array of length 0 with as many axes"),
        ([Pad("n")], {}, [(ROW,), (np.zeros((0, 4)),)],
         "sample 1 of the batch: field 0 is float64, and float32 in sample 0 of the batch; give all samples one type"),
        ([Pad("n")], {}, [(ROW,), (np.zeros((1, 5), np.float32),)],
         "sample 1 of the batch: field 0 has shape (1, 5), and (2, 4) in sample 0 of the batch; they may differ in "
         "axis 0 alone"),
        ([Pad(None, "w", "h")], {}, [(ROW,)], "sample 0 of the batch: field 0 has shape (2, 4), and needs at least 3"),
        ([Pad("n")], {}, [(["a"],)], "sample 0 of the batch: field 0 is an array of <U1, not numbers; Keep() leaves"),
        ([Pad("n")], {}, [([None],)], "sample 0 of the batch: field 0 is list, not numbers"),
        ([Pad("n")], {}, [([[1], [1, 2]],)], "sample 0 of the batch: field 0 cannot be made an array: "),
        ([Pad("n")], {}, [([],), ([],)], "field 0 is an empty list in every sample, which has no type; give dtype="),
        ([Pad("n")], {}, [(3,)], "sample 0 of the batch: field 0 has shape (), and needs at least 1 axis"),
        ([Pad("n")], {"n": [1]}, [(ROW,)], "field 0 has 2 of size 'n', whose last bucket is 1; add a bucket, or pass"),
        ([Concatenate("n")], {"n": [5]}, [(ROW,), (ROW,), (ROW,)],
         "sample 2 of the batch: with it field 0 has more rows than the last bucket of 'n', 5 (the batch has 6)"),
        ([Concatenate("n")], {}, [(ROW,), (ROW.T,)], "field 0 has shape (4, 2), and (2, 4) in sample 0 of the batch"),
        ([Pad("n", value=-1)], {}, [(np.zeros(2, np.uint8),)], "field 0 is uint8, and cannot be padded with -1"),
        ([Pad("n", value=0.5)], {}, [([1],)], "field 0 is int64, and cannot be padded with 0.5"),
        ([Pad("n", value=float("nan"))], {}, [([1],)], "field 0 is int64, and cannot be padded with nan"),
        ([Pad("n", dtype="uint8")], {}, [(["x"],)], "sample 0 of the batch: field 0 cannot be made an array: invalid"),
        ({"boxs": Pad("n")}, {}, [{"boxes": ROW}], "Collate: samples have no field 'boxs'; they have 'boxes'"),
        ([Stack(), Stack()], {}, [(1,)], "Collate: samples have no field 1; they have 0"),
        ({"a": {"b": Pad("n")}}, {}, [{"a": {"c": 1}}], "Collate: samples have no field 'b' in field 'a'; they have"),
        ({"a": {"b": Pad("n")}}, {}, [{"a": 1}], "sample 0 of the batch: field 'a' is int, not the dict, tuple or"),
        ({"a": Pad("n")}, {}, [{"a": [1]}, {}], "sample 1 of the batch: it lacks the field 'a'"),
        ({"a": Pad("n")}, {}, [{"a": [1]}, {"a": [1], "b": 1}], "it has a field 'b', which sample 0 of the batch"),
        ({"a": Pad("n")}, {}, [{"a": [1]}, [1]], "sample 1 of the batch: it is list, and dict in sample 0"),
        ([Pad("n")], {}, [([1], 2), ([1],)], "sample 1 of the batch: it has 1 fields, and 2 in sample 0 of the batch"),
        ({"a": Pad("n")}, {}, [{"a": [1], "a_mask": 1}], "'a_mask' is a field of the samples, and what is made beside"),
        ({"a": Pad("n")}, {}, [], "a batch cannot be made from no samples"),
        ({"a": Pad("n")}, {}, [{"a": [1], "b": [1]}, {"a": [1], "b": [1, 2]}], "field 'b': the samples of one batch"),
        ({"a": Pad("n")}, {"m": [1]}, [], "Collate: no field has a size 'm'; the fields have 'n'"),
        ({"a": Pad("n")}, {"n": [4, 2]}, [], "size 'n': buckets must be in ascending order: [4, 2]"),
        ({"a": Pad("n")}, {"n": []}, [], "size 'n': buckets must be a list of positive integers, as in [32, 64, 128]"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_named(fields: Any, sizes: Any, samples: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 -- the message is compared
        Collate(fields, sizes)(samples)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_wrong_descriptions_are_named() -> None:
    with pytest.raises(TypeError, match=r"Collate: fields\['a'\]\[1\] must be Stack\(\), Pad\(...\), Concatenate"):
        Collate({"a": [Stack(), "pad"]})
    with pytest.raises(ValueError, match="longest must be 'error' or 'truncate', not 'drop'"):
        Collate([Pad("n")], longest="drop")
    with pytest.raises(ValueError, match="longest says how to treat size 'n', which has no buckets"):
        Collate([Pad("n")], {"n": 4}, {"n": "error"})
    with pytest.raises(ValueError, match="longest of size 'n' must be 'error' or 'truncate', not 'cut'"):
        Collate([Pad("n")], {"n": [4]}, {"n": "cut"})
    with pytest.raises(ValueError, match="Pad: value must be a number, not 'x'"):
        Pad("n", value="x")  # type: ignore[arg-type]
    for axes in ((), (None,), (3,)):
        with pytest.raises(ValueError, match="Pad: name the ragged axes, as in Pad"):
            Pad(*axes)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Concatenate: rows must be the name of a size"):
        Concatenate(3)  # type: ignore[arg-type]


def test_an_error_and_a_batch_travel_by_pickle() -> None:
    error = pickle.loads(pickle.dumps(SampleError(3, "is odd")))
    assert str(error) == "sample 3 of the batch: is odd" and (error.position, error.text) == (3, "is odd")
    batch = pickle.loads(pickle.dumps(Batch([1, HostList("ab")], 2)))
    assert (batch, batch.samples, type(batch), type(batch[1])) == ([1, ["a", "b"]], 2, Batch, HostList)
