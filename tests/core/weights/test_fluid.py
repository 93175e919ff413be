"""Fluid's layout of tensors, against files that paddlepaddle 2.6.2 wrote and files written here byte by byte."""

from __future__ import annotations

import io
import struct
import tarfile
from pathlib import Path

import numpy as np
import pytest

from core.weights import file_format, read_fluid, read_weights
from core.weights.formats.fluid_program import persistable_names

# paddle.save(paddle.to_tensor(VALUE), NAME, use_binary_format=True), with these names and values
OF_PADDLE = {
    "steps": (np.array([7]), "0000000000000000000000000000000004000000080310010700000000000000"),
    "flag": (np.array([True, False]), "0000000000000000000000000000000004000000080010020100"),
    "scalar": (np.array(3.5, "f4"), "0000000000000000000000000000000002000000080500006040"),
    "half": (
        np.array([[0.76123046875, 0.1217041015625], [0.44384765625, 0.333740234375]], "f2"),
        "0000000000000000000000000000000006000000080410021002173aca2f1a375735",
    ),
}


def tensor(array: np.ndarray, kind: int, levels: tuple[bytes, ...] = ()) -> bytes:
    """Return an array in the layout, written after its description."""
    description = struct.pack("BB", 0x08, kind) + b"".join(struct.pack("BB", 0x10, extent) for extent in array.shape)
    table = b"".join(struct.pack("<Q", len(level)) + level for level in levels)
    head = struct.pack("<IQ", 0, len(levels)) + table + struct.pack("<Ii", 0, len(description))
    return head + description + array.tobytes()


WEIGHT, OFFSET = np.arange(6, dtype="<f4").reshape(2, 3), np.array([0.5, -1.5, 2], "<f4")


def folder(root: Path) -> Path:
    (root / "net").mkdir()
    (root / "net" / "fc_0.w_0").write_bytes(tensor(WEIGHT, 5))
    (root / "net" / "fc_0.b_0").write_bytes(tensor(OFFSET, 5))
    (root / "net" / "__model__").write_bytes(b"\x0a\x00")
    return root / "net"


def variable(name: bytes, kind: int, kept: bool) -> bytes:
    kind_of = bytes([0x08, kind])
    body = b"\x0a" + bytes([len(name)]) + name + b"\x12" + bytes([len(kind_of)]) + kind_of + b"\x18" + bytes([kept])
    return b"\x1a" + bytes([len(body)]) + body


def program(*variables: bytes) -> bytes:
    block = b"\x08\x00\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + b"".join(variables)
    return b"\x0a" + bytes([len(block)]) + block


@pytest.mark.parametrize("name", OF_PADDLE)
def test_files_of_paddle(name: str, tmp_path: Path) -> None:
    value, content = OF_PADDLE[name]
    (tmp_path / name).write_bytes(bytes.fromhex(content))
    (read,) = read_weights(tmp_path / name).values()
    assert read.dtype == value.dtype and read.shape == value.shape
    np.testing.assert_array_equal(read, value)
    assert file_format(tmp_path / name) == "fluid"


def test_a_folder_of_one_file_for_each_variable(tmp_path: Path) -> None:
    arrays = read_weights(folder(tmp_path))
    assert set(arrays) == {"fc_0.w_0", "fc_0.b_0"}
    np.testing.assert_array_equal(arrays["fc_0.w_0"], WEIGHT)
    np.testing.assert_array_equal(arrays["fc_0.b_0"], OFFSET)


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_tar_archive_of_such_a_folder(mode: str, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "net.tar", mode) as archive:  # type: ignore[call-overload]
        archive.add(folder(tmp_path), "Net_pretrained")
    arrays = read_weights(tmp_path / "net.tar")
    assert set(arrays) == {"fc_0.w_0", "fc_0.b_0"}
    np.testing.assert_array_equal(arrays["fc_0.w_0"], WEIGHT)


def test_members_of_an_archive_are_never_written_to_the_disk(tmp_path: Path) -> None:
    content = tensor(OFFSET, 5)
    with tarfile.open(tmp_path / "bad.tar", "w") as archive:
        member = tarfile.TarInfo("../../escape")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert list(read_weights(tmp_path / "bad.tar")) == ["escape"]
    assert [path.name for path in tmp_path.iterdir()] == ["bad.tar"]


def test_one_file_of_several_tensors_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "params").write_bytes(tensor(OFFSET, 5) + tensor(WEIGHT, 5))  # fc_0.b_0 sorts before fc_0.w_0
    arrays, halves = read_fluid(tmp_path / "params", ["fc_0.w_0", "fc_0.b_0"])
    np.testing.assert_array_equal(arrays["fc_0.w_0"], WEIGHT)
    np.testing.assert_array_equal(arrays["fc_0.b_0"], OFFSET)
    assert halves == set()


@pytest.mark.parametrize(("tensors", "beside"), [("net.pdiparams", "net.pdmodel"), ("params", "__model__")])
def test_names_from_the_program_beside(tensors: str, beside: str, tmp_path: Path) -> None:
    (tmp_path / tensors).write_bytes(tensor(OFFSET, 5) + tensor(WEIGHT, 5))
    names = [(b"x", 7, False), (b"feed", 9, True), (b"fetch", 10, True), (b"w", 7, True), (b"b", 7, True)]
    (tmp_path / beside).write_bytes(program(*[variable(*entry) for entry in names]))
    assert persistable_names(tmp_path / beside) == ["b", "w"]
    arrays = read_weights(tmp_path / tensors)
    np.testing.assert_array_equal(arrays["w"], WEIGHT)
    np.testing.assert_array_equal(arrays["b"], OFFSET)


def test_sequence_tables_and_bfloat16(tmp_path: Path) -> None:
    bits = np.array([0x3FC0, 0xC000], "<u2")
    (tmp_path / "w").write_bytes(tensor(bits, 22, (struct.pack("<QQ", 0, 2),)))
    np.testing.assert_array_equal(read_weights(tmp_path / "w")["w"], np.array([1.5, -2], "f4"))
    assert read_fluid(tmp_path / "w")[1] == {"w"}


GOOD = tensor(WEIGHT, 5)
HOSTILE = {
    "truncated": (GOOD[:-1], "it is truncated"),
    "truncated head": (GOOD[:18], "it is truncated"),
    "levels": (struct.pack("<IQ", 0, 2**40) + GOOD[12:], "it does not begin as a tensor does"),
    "level length": (struct.pack("<IQQ", 0, 1, 2**60) + GOOD[12:], "it is truncated"),
    "description": (GOOD[:16] + struct.pack("<i", 2**31 - 1) + GOOD[20:], "a tensor in it has no description"),
    "negative description": (GOOD[:16] + struct.pack("<i", -1) + GOOD[20:], "a tensor in it has no description"),
    "type": (tensor(WEIGHT, 99), "it holds a tensor of unknown type 99"),
    "no type": (struct.pack("<IQIi", 0, 0, 0, 2) + b"\x10\x02" + bytes(8), "unknown type -1"),
    "huge": (struct.pack("<IQIi", 0, 0, 0, 13) + b"\x08\x05\x10" + b"\xff" * 8 + b"\x7f" + b"\x10", "it is damaged"),
    "huge extent": (
        struct.pack("<IQIi", 0, 0, 0, 12) + b"\x08\x05\x10" + b"\xff" * 8 + b"\x7f" + bytes(8),
        "it is truncated",
    ),
    "negative extent": (
        struct.pack("<IQIi", 0, 0, 0, 13) + b"\x08\x05\x10" + b"\xff" * 9 + b"\x01" + bytes(8),
        r"a tensor of shape \[-1\]",
    ),
    "rest": (GOOD + b"\x00", "it is truncated"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_one_clear_line(case: str, tmp_path: Path) -> None:
    content, reason = HOSTILE[case]
    (tmp_path / "w").write_bytes(content)
    message = f"cannot read '.*w' as tensors of Paddle: .*{reason}.*; fetch or write it again"
    with pytest.raises(ValueError, match=message):
        read_fluid(tmp_path / "w")


def test_other_faults_are_named(tmp_path: Path) -> None:
    (tmp_path / "params").write_bytes(GOOD + GOOD)
    with pytest.raises(ValueError, match="holds 2 tensors without names: put the program"):
        read_fluid(tmp_path / "params")
    with pytest.raises(ValueError, match="holds 2 tensors, but there are 1 names"):
        read_fluid(tmp_path / "params", ["w"])
    (tmp_path / "__model__").write_bytes(b"\x0a\xff")
    with pytest.raises(ValueError, match="cannot read the names in the program '.*__model__': it is damaged"):
        read_fluid(tmp_path / "params")
    with pytest.raises(ValueError, match="holds 2 tensors; in a folder of variables each has a file of its own"):
        read_fluid(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="has no file of a variable in it"):
        read_fluid(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read_weights(tmp_path / "absent")


@pytest.mark.parametrize("cut", [600, 1100, 2000])
def test_a_damaged_archive_is_named(cut: int, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "whole.tar", "w") as archive:
        archive.add(folder(tmp_path), "net")
    (tmp_path / "cut.tar").write_bytes((tmp_path / "whole.tar").read_bytes()[:cut])
    with pytest.raises(ValueError, match="the archive is damaged|has no file of a variable|cannot read"):
        read_weights(tmp_path / "cut.tar")


@pytest.mark.parametrize("kind", ["folder", "archive"])
def test_a_name_with_slashes_is_a_path(kind: str, tmp_path: Path) -> None:
    for name, value in (("flow/conv/weights", WEIGHT), ("flow/conv/BatchNorm/gamma", OFFSET), ("fc_bias", OFFSET)):
        (tmp_path / "Net_pretrained" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "Net_pretrained" / name).write_bytes(tensor(value, 5))
    with tarfile.open(tmp_path / "net.tar", "w") as archive:
        archive.add(tmp_path / "Net_pretrained", "./Net_pretrained")
    arrays = read_weights(tmp_path / ("Net_pretrained" if kind == "folder" else "net.tar"))
    assert set(arrays) == {"flow/conv/weights", "flow/conv/BatchNorm/gamma", "fc_bias"}
    np.testing.assert_array_equal(arrays["flow/conv/weights"], WEIGHT)


def test_a_program_beside_knows_the_names_better_than_the_caller(tmp_path: Path) -> None:
    (tmp_path / "params").write_bytes(tensor(OFFSET, 5) + tensor(WEIGHT, 5))
    assert list(read_weights(tmp_path / "params", names=["y", "x"])) == ["x", "y"]
    (tmp_path / "__model__").write_bytes(program(variable(b"w", 7, True), variable(b"b", 7, True)))
    assert list(read_weights(tmp_path / "params", names=["y", "x"])) == ["b", "w"]
