"""Pickled sparse matrices and neighbour lists: read as dictionaries where they are asked for, refused elsewhere."""

from __future__ import annotations

import collections
import io
import os
import pickle
import random
import struct

import numpy as np
import pytest
import scipy.sparse

from core.weights.formats.unpickler import load_plain

MATRIX = scipy.sparse.csr_matrix(np.array([[0, 2, 0], [1, 0, 0], [0, 0, 0], [4, 5, 6]], np.float32))


def load(content: bytes):
    return load_plain(io.BytesIO(content), sparse=True)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_matrix_becomes_the_dictionary_of_its_attributes(protocol):
    loaded = load(pickle.dumps({"x": MATRIX}, protocol=protocol))["x"]
    assert loaded["indptr"].tolist() == [0, 1, 2, 2, 5]
    assert loaded["indices"].tolist() == [1, 0, 0, 1, 2]
    assert loaded["data"].tolist() == [2, 1, 4, 5, 6] and loaded["data"].dtype == np.float32
    assert loaded["_shape"] == (4, 3)


def python_2(array: np.ndarray) -> bytes:
    """Return an array as Python 2's pickle wrote it."""
    head = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85U\x01bt"
    kind = array.dtype.str[1:].encode()
    dtype = (
        b"cnumpy\ndtype\nU"
        + bytes([len(kind)])
        + kind
        + b"K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    )
    content = array.tobytes()
    return (
        head
        + b"R(K\x01K"
        + bytes([len(array)])
        + b"\x85"
        + dtype
        + b"\x89T"
        + struct.pack("<i", len(content))
        + content
        + b"tb"
    )


def test_matrix_that_python_2_wrote():
    parts = {b"indptr": np.array([0, 1, 3], np.int32), b"data": np.array([1, 2, 3], np.float32)}
    state = b"}(" + b"".join(b"U" + bytes([len(name)]) + name + python_2(part) for name, part in parts.items()) + b"u"
    loaded = load(b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81" + state + b"b.")
    assert loaded["indptr"].tolist() == [0, 1, 3] and loaded["data"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_neighbour_lists_become_a_dictionary(protocol):
    lists = collections.defaultdict(list, {0: [1, 2], 2: [0], 1: []})
    loaded = load(pickle.dumps(lists, protocol=protocol))
    assert type(loaded) is dict and loaded == {0: [1, 2], 2: [0], 1: []}


@pytest.mark.parametrize("value", [MATRIX, collections.defaultdict(list)])
def test_neither_is_admitted_unasked(value):
    with pytest.raises(pickle.UnpicklingError, match="which is neither a numpy array nor a plain container"):
        load_plain(io.BytesIO(pickle.dumps(value, protocol=2)))


class Hostile:
    def __reduce__(self):
        return os.system, ("touch should_not_exist",)


def test_hostile_attributes_and_factories_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    harmed = MATRIX.copy()
    harmed.data = Hostile()
    with pytest.raises(pickle.UnpicklingError, match="it asks for posix.system"):
        load(pickle.dumps(harmed, protocol=2))
    with pytest.raises(pickle.UnpicklingError, match="it asks for posix.system"):
        load(pickle.dumps(collections.defaultdict(os.system), protocol=2))
    with pytest.raises(pickle.UnpicklingError, match="collections.defaultdict is called in an unknown form"):
        load(b"\x80\x02ccollections\ndefaultdict\nccollections\nOrderedDict\n\x85R.")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81.", "a sparse matrix has no content"),
        (b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81K\x01b.", "the state of a sparse matrix has an unknown form"),
        (b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n}b.", "it is not a well-formed pickle"),
        (b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n.", "neither a numpy array nor a plain container"),
        (b"\x80\x02}cscipy.sparse.csr\ncsr_matrix\n)\x81K\x01s.", "the key of a dictionary is not a plain value"),
    ],
)
def test_malformed_matrices(content, message):
    with pytest.raises(pickle.UnpicklingError, match=message):
        load(content)


def test_no_damage_escapes_the_reader():
    whole = pickle.dumps({"x": MATRIX, "graph": collections.defaultdict(list, {0: [1]})}, protocol=2)
    generator = random.Random(7)
    for _ in range(400):
        content = bytearray(whole[: generator.randrange(1, len(whole) + 1)])
        for _ in range(generator.randrange(3)):
            content[generator.randrange(len(content))] = generator.randrange(256)
        try:
            load(bytes(content))
        except pickle.UnpicklingError as error:
            assert "\n" not in str(error)
