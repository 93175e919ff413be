"""The restricted unpickler: right values for honest files, one clear refusal and no action for hostile ones."""
from __future__ import annotations

import collections
import io
import os
import pickle
import pickletools
import struct

import numpy as np
import pytest

from core.weights.formats.unpickler import load_plain


def load(content: bytes):
    return load_plain(io.BytesIO(content))


ARRAYS = {
    "matrix": np.arange(6, dtype=np.float32).reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(6, dtype=np.float64).reshape(2, 3)),
    "big endian": np.array([1, 2, 300], dtype=">i4"),
    "half": np.array([0.5, -2], dtype=np.float16),
    "boolean": np.array([True, False]),
    "complex": np.array([1 + 2j], dtype=np.complex64),
    "scalar array": np.array(3.5, dtype=np.float32),
    "empty": np.zeros((0, 4), dtype=np.int64),
    "text": np.array(["ab", "c"]),
    "bytes": np.array([b"ab", b"c"]),
    "large": np.arange(40000, dtype=np.int32),
    "strided": np.arange(10, dtype=np.uint8)[::3],
}


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_arrays_of_every_protocol(protocol):
    loaded = load(pickle.dumps(ARRAYS, protocol=protocol))
    assert list(loaded) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert type(loaded[name]) is np.ndarray
        assert loaded[name].shape == array.shape
        assert loaded[name].dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(loaded[name], array)
        assert loaded[name].flags.writeable


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_plain_values_of_every_protocol(protocol):
    value = {
        "numbers": [1, -(2**70), 2.5, True, None, 1 + 2j],
        "texts": ("a", "é", b"\x00\xff", b"", bytearray(b"xy")),
        "sets": [{1, 2}, frozenset({3})],
        "numpy": [np.float32(1.5), np.int64(-7)],
        7: {"nested": {}},
    }
    loaded = load(pickle.dumps(value, protocol=protocol))
    assert loaded == value
    assert [type(part) for part in loaded["numpy"]] == [np.float32, np.int64]
    assert type(loaded["texts"][4]) is bytearray


def test_ordered_dict_becomes_dict_and_keeps_its_order():
    loaded = load(pickle.dumps(collections.OrderedDict([("b", 1), ("a", 2)])))
    assert type(loaded) is dict and list(loaded.items()) == [("b", 1), ("a", 2)]


def test_python_2_file():
    # pickle.dumps({"w": numpy.array([1, 2], "f4")}, 2) as Python 2 with numpy 1.16 writes it: byte strings throughout
    content = (
        b"\x80\x02}q\x00U\x01wq\x01cnumpy.core.multiarray\n_reconstruct\nq\x02cnumpy\nndarray\nq\x03K\x00\x85q\x04"
        b"U\x01bq\x05\x87q\x06Rq\x07(K\x01K\x02\x85q\x08cnumpy\ndtype\nq\tU\x02f4q\nK\x00K\x01\x87q\x0bRq\x0c"
        b"(K\x03U\x01<q\rNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x0eb\x89U\x08\x00\x00\x80?\x00\x00\x00@q\x0ftq\x10bs."
    )
    np.testing.assert_array_equal(load(content)["w"], np.array([1, 2], np.float32))


def test_shared_arrays_stay_shared():
    array = np.ones(3)
    loaded = load(pickle.dumps([array, array]))
    assert loaded[0] is loaded[1]


def test_static_graph_tensor_is_read_without_eval():
    class StaticTensor:
        def __reduce__(self):
            return eval, ("data", {"data": np.array([1.0, 2.0])})

    np.testing.assert_array_equal(load(pickle.dumps(StaticTensor(), protocol=4)), [1.0, 2.0])


class Call:
    """Pickles as a call of anything."""

    def __init__(self, function, *arguments):
        self.what = function, arguments

    def __reduce__(self):
        return self.what


HOSTILE = {
    "system": (Call(os.system, "touch {path}"), r"it asks for posix\.system"),
    "eval": (Call(eval, "open('{path}', 'w')"), "asks to run Python code"),
    "eval with names": (Call(eval, "data", {"data": "x"}), "asks to run Python code"),
    "exec": (Call(exec, "open('{path}', 'w')"), r"it asks for builtins\.exec"),
    "getattr": (Call(getattr, "a", "upper"), r"it asks for builtins\.getattr"),
    "open": (Call(open, "{path}", "w"), r"it asks for (_io|io)\.open"),
    "numpy load": (Call(np.load, "{path}"), r"it asks for numpy\.load"),
    "numpy fromfile": (Call(np.fromfile, "{path}"), "it asks for numpy"),
    "bare type": (np.ndarray, "neither a numpy array nor a plain container"),
    "ndarray called": (Call(np.ndarray, (10**12,)), "numpy.ndarray is called directly"),
    "object array": (np.array([{}, None], dtype=object), "not an array of plain numbers"),
    "structured": (np.zeros(2, dtype=[("a", "f4")]), "not an array of plain numbers"),
    "date": (np.array(["2020-01-01"], dtype="M8[D]"), "not an array of plain numbers"),
    "huge bytearray": (Call(bytearray, 10**15), "builtins.bytearray is called in an unknown form"),
    "defaultdict": (collections.defaultdict(list), r"it asks for collections\.defaultdict"),
}


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_refused_and_does_nothing(name, protocol, tmp_path):
    value, message = HOSTILE[name]
    mark = tmp_path / "executed"
    if isinstance(value, Call):
        function, arguments = value.what
        value = Call(function, *[a.format(path=mark) if isinstance(a, str) else a for a in arguments])
    with pytest.raises(pickle.UnpicklingError, match=message) as caught:
        load(pickle.dumps({"w": value}, protocol=protocol))
    assert "\n" not in str(caught.value)
    assert not mark.exists()


def reconstruct(shape: bytes, code: bytes, raw: bytes) -> bytes:
    """The opcodes of an array with a hand-written state."""
    return (
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        b"(K\x01" + shape + b"cnumpy\ndtype\nU" + bytes([len(code)]) + code + b"K\x00K\x01\x87R\x89"
        b"T" + struct.pack("<i", len(raw)) + raw + b"tb."
    )


@pytest.mark.parametrize(
    "content, message",
    [
        (reconstruct(b"K\x02\x85", b"f4", b"\0" * 4), r"\(2,\) and data type float32 needs 8 bytes, the file holds 4"),
        (reconstruct(b"J\xff\xff\xff\xff\x85", b"f4", b"\0" * 4), "not a tuple of sizes"),
        (reconstruct(b"J\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x86", b"f4", b""), "needs 18446744056529682436 bytes"),
        (reconstruct(b"N", b"f4", b""), "not a tuple of sizes"),
        (reconstruct(b"K\x00\x85", b"zz", b""), "unknown numpy data type 'zz'"),
        (reconstruct(b"K\x00\x85", b"V0", b""), "not an array of plain numbers"),
        (b"\x80\x02cnumpy\ndtype\n.", "neither a numpy array nor a plain container"),
        (b"\x80\x02cnumpy\ndtype\n}U\x01aK\x01sb.", "tries to change numpy.dtype"),
        (b"\x80\x02ccollections\nOrderedDict\nN}U\x05itemsK\x01s\x86b.", "tries to change collections.OrderedDict"),
        (b"\x80\x02cnumpy.core.multiarray\n_reconstruct\n)R.", "called in an unknown form"),
        (b"\x80\x02]q\x00h\x00a.", "a container holds itself"),
        (b"\x80\x02P1\n.", "persistent"),
        (b"\x80\x04\x95" + struct.pack("<Q", 1 << 60) + b"K\x01.", "truncated|memory"),
        (b"\x80\x63K\x01.", "protocol"),
        (b"hello", "too early"),
        (b"What is this?", "not a well-formed pickle"),
        (b"\x80\x02]r\xff\xff\xff\xff.", "memo index 4294967295"),
        (b"", "too early"),
        (b"\x80\x02" + b"]" * 20000 + b"a" * 19999 + b".", "nested too deeply"),
        (b"\x80\x02})" + b"\x85" * 200_000 + b"K\x01s.", "nested too deeply"),
        (b"\x80\x02})" + b"2\x86" * 60 + b"K\x01s.", "its keys hold themselves too many times over"),
        (b"\x80\x02](" + b"cbuiltins\ntuple\n])" + b"2\x86" * 60 + b"a\x85Re.", "too many times over"),
        (b"\x80\x02cbuiltins\nset\n])" + b"2\x86" * 60 + b"a\x85R.", "its keys hold themselves too many times over"),
        (b"\x80\x02)" + b"2\x86" * 60 + b".", "its containers hold themselves too many times over"),
        (b"\x80\x02]q\x00" + b"".join(b"](h%ch%ceq%c" % (n, n, n + 1) for n in range(60)) + b".", "too many times"),
        (b"\x80\x02cposix\nsys\x1b[31mtem\n.", r"it asks for posix.sys\\x1b\[31mtem, which"),
        (b"S'a\\Ob'\n.", "it is not a well-formed pickle .invalid escape sequence"),
        (b"\x80\x02c" + b"x" * 5000 + b"\ny\n.", "it asks for x{200}, which"),
        (b"\x80\x02cnumpy\ndtype\nU\x02f4\x85R(K\x03U\xff" + b"y" * 255 + b"NNNtb.", "unknown byte order 'y{255}'"),
        (b"\x80\x02c" + b"x" * 5000 + b"\ndtype\n(\x85R.", "it asks for x{200}, which"),
    ],
)
def test_malformed_file_is_refused(content, message):
    with pytest.raises(pickle.UnpicklingError, match=message):
        load(content)


def test_every_truncation_is_an_error():
    content = pickle.dumps({"w": np.arange(4.0), "name": "x"}, protocol=4)
    for length in range(len(content)):
        with pytest.raises(pickle.UnpicklingError):
            load(content[:length])


def test_no_byte_flip_escapes_the_unpickler():
    content = bytearray(pickle.dumps({"w": np.arange(4, dtype=np.float32), "n": [1, "x"]}, protocol=2))
    positions = [position for _, _, position in pickletools.genops(bytes(content)) if position]
    for position in positions:
        for value in range(0, 256, 5):
            damaged = bytes(content[:position]) + bytes([value]) + bytes(content[position + 1 :])
            if value in b"rjp":  # explicit memo indices may ask for gigabytes of table
                continue
            try:
                load(damaged)
            except pickle.UnpicklingError as error:
                assert "\n" not in str(error)
