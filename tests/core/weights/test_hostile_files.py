"""Weight files that would take memory or time out of proportion: one clear line within 256 MB and five seconds."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from core.weights import convert, read_fluid, read_pdparams, read_weights
from core.weights.__main__ import inspect
from core.weights.limits import array_bytes, arrays_allowance
from core.weights.save_load import load
from tests import hostile_files
from tests.fuzz import bounds

MESSAGES = {
    "huge_extents": "it holds an integer of more than 4,300 digits",
    "empty_array_of_huge_extents": "an array without elements has extents beyond 64 bits",
    "shared_buffer": "its arrays have more than 2,480,158 bytes, which is more than the file holds: they share them",
    "shared_slices": "the slices of parameter 'w' do not fit together",
    "shared_pairs": "the tensors 't_0' and 't_1' share one array; save each with its own",
    "copied_text": "its keys hold themselves too many times over, or too much is copied",
    "laughs_in_tuples": "its containers hold themselves too many times over",
    "laughs_in_dictionaries": "its containers hold themselves too many times over",
    "laughs_in_a_key": "its keys hold themselves too many times over",
    "deep_lists": "its containers are nested too deeply",
    "deep_dictionaries_of_a_long_key": "its keys hold themselves too many times over, or too much is copied",
    "many_sets": "it holds more than 1,000,000 containers and arrays",
    "long_integer": "it holds an integer of more than 4,300 digits",
    "long_decimal": "it holds an integer of more than 4,300 digits",
    "colliding_keys": "its keys hold themselves too many times over",
    "memo_index": "memo index 4294967295",
    "repeated_tensor": "its description of nested values is damaged",
    "long_number_in_a_header": "it holds an integer of more than 4,300 digits",
    "huge_header": "its header is longer than 32,000,000 bytes",
    "empty_mxnet_array": "an array without elements has extents beyond 64 bits",
    "counted_mxnet_arrays": "it is truncated",
    "huge_fluid_tensor": "it is truncated",
    "empty_fluid_tensor": "an array without elements has extents beyond 64 bits",
    "sparse_fluid_archive": "unpacks to more than 2,000,000,000 bytes; if you trust it, pass a larger maximum_bytes",
}
SLOW = {"many_sets"}


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(write, id=write.__name__, marks=[pytest.mark.exhaustive] if write.__name__ in SLOW else [])
        for write in hostile_files.PICKLES + hostile_files.WEIGHTS
    ],
)
def test_every_bomb_is_one_line(write: Callable[[Path], Path], tmp_path: Path) -> None:
    path = write(tmp_path)
    is_fluid = "fluid" in write.__name__
    readers: dict[str, Callable[[], Any]] = {"inspect": lambda: inspect(str(path)), "read": lambda: read_weights(path)}
    if not is_fluid:
        readers["load"] = lambda: load(path)
    said = set()
    with bounds(30 if write.__name__ in SLOW else 5, 256):
        for read in readers.values():
            try:
                read()
            except ValueError as error:
                said.add(str(error))
    assert said and all("\n" not in message and len(message) < 1000 for message in said)
    assert any(MESSAGES[write.__name__] in message for message in said), said


def test_what_a_file_shares_is_one_tensor(tmp_path: Path) -> None:
    """Tied embeddings: one array under three names, of many times the allowance if it were counted for each."""
    array = np.arange(1 << 20, dtype=np.float32)
    path = tmp_path / "tied.pdparams"
    path.write_bytes(pickle.dumps({"embedding": array, "head": array, "list": [array, (array,)]}, 4))
    found = load(path)
    assert found["embedding"] is found["head"] is found["list"][0] is found["list"][1][0]
    np.testing.assert_array_equal(found["embedding"].numpy(), array)
    state = tmp_path / "state.pdparams"
    names = {"embedding": "a", "head": "b"}
    state.write_bytes(pickle.dumps({"embedding": array, "head": array, "StructuredToParameterName@@": names}, 2))
    loaded = load(state)
    assert loaded["embedding"] is loaded["head"] and list(loaded) == ["embedding", "head"]
    arrays = read_pdparams(state)
    assert arrays["head"] is arrays["embedding"]


def test_bfloat16_that_is_shared_is_widened_once(tmp_path: Path) -> None:
    bits = np.full(1000, 0x3F80, np.uint16)
    (tmp_path / "half.pdparams").write_bytes(pickle.dumps({"a": bits, "b": bits, "c": bits.copy()}, 4))
    arrays = read_weights(tmp_path / "half.pdparams")
    assert arrays["a"] is arrays["b"] and arrays["c"] is not arrays["a"]
    np.testing.assert_array_equal(arrays["a"], np.ones(1000, np.float32))


def test_the_sum_of_all_arrays_is_bounded_by_the_file(tmp_path: Path) -> None:
    """A buffer that two arrays share counts twice; 1.1 times the size and a megabyte are free."""

    def shared(length: int) -> bytes:
        text = b"T" + length.to_bytes(4, "little") + bytes(length) + b"q\x010"
        extents = b"J" + length.to_bytes(4, "little") + b"\x85q\x02"
        one = hostile_files._array(b"h\x02", b"h\x01")
        return b"\x80\x02" + text + extents + b"0](" + one + one + b"e."

    size = len(shared(1_100_000))
    assert 2 * 1_100_000 <= arrays_allowance(size) < 2 * 1_200_000
    (tmp_path / "few").write_bytes(shared(1_100_000))
    assert [array.size for array in load(tmp_path / "few", return_numpy=True)] == [1_100_000] * 2
    (tmp_path / "many").write_bytes(shared(1_200_000))
    with pytest.raises(ValueError, match=r"its arrays have more than 2,320,\d\d\d bytes"):
        load(tmp_path / "many")


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((), 4),
        ((2, 3), 24),
        ((0, 5), 0),
        ((1,) * 32, 4),
        ((1 << 40, 1 << 40), 1 << 82),  # to be compared with what the file holds
        ((1,) * 33, "an array has 33 axes; at most 32 are possible"),
        ((-1,), "an array has an extent that is negative or beyond 64 bits"),
        ((1 << 63, 0), "an array has an extent that is negative or beyond 64 bits"),
        ((1 << 62, 2, 0), "an array without elements has extents beyond 64 bits"),
    ],
)
def test_bytes_of_an_array(shape, expected) -> None:
    if isinstance(expected, int):
        assert array_bytes(shape, 4) == expected
    else:
        with pytest.raises(ValueError, match=expected):
            array_bytes(shape, 4)


def test_a_conversion_does_not_write_shared_arrays_without_end(tmp_path: Path) -> None:
    array = np.zeros(100_000, np.uint8)
    path = tmp_path / "shared.pdparams"
    path.write_bytes(pickle.dumps(dict.fromkeys(map(str, range(300)), array), 4))
    with pytest.raises(ValueError, match="unpacks to more than 29,000,000 bytes"):
        convert(path, tmp_path / "out.safetensors", maximum_bytes=29_000_000)
    assert convert(path, tmp_path / "out.safetensors") == 300


def test_what_a_file_is_called_inside_never_controls_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "names.pdparams"
    path.write_bytes(pickle.dumps({"a\x1b[2Jb": np.ones(1), "x" * 5000: 1, "list": ["y" * 5000] * 3}, 4))
    lines = inspect(str(path))
    assert lines[1].startswith(r"  a\x1b[2Jb ") and all(line.isprintable() for line in lines)
    assert max(map(len, lines)) < 300


def test_honest_values_of_every_kind_still_load(tmp_path: Path) -> None:
    value = {
        "seed": 2**127 + 1,
        "digits": 10**4299,
        "list": list(range(20_000)),
        "pairs": [(number, str(number)) for number in range(2000)],
        "table": {(number, -number): float(number) for number in range(2000)},
        "numbers": {np.int64(number): number for number in range(1000)},
        "text": "t" * 3_000_000,
        "bytes": bytes(3_000_000),
        "array": np.arange(500_000),
    }
    for protocol in (2, 4):
        path = tmp_path / f"{protocol}.pd"
        path.write_bytes(pickle.dumps(value, protocol))
        found = load(path, return_numpy=True)
        np.testing.assert_array_equal(found.pop("array"), value["array"])
        assert found == {key: part for key, part in value.items() if key != "array"}


def test_an_archive_of_variables_may_be_trusted(tmp_path: Path) -> None:
    path = hostile_files.sparse_fluid_archive(tmp_path)
    with pytest.raises(ValueError, match="unpacks to more than 5,000,000 bytes"):
        read_fluid(path, maximum_bytes=5_000_000)
    for wrong in (0, -1, 2.5):
        with pytest.raises(ValueError, match="maximum_bytes must be a positive integer or None"):
            read_fluid(path, maximum_bytes=wrong)
