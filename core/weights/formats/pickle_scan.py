"""A look through a pickle's opcodes before any is obeyed, for what would harm the reader itself.

The unpickler refuses every name that is not plain data, but it is a program in C that trusts the order to put something
into a dictionary: a key of a million tuples in one another overflows the stack when it is hashed, a key that holds
itself a thousand times over keeps hashing for years, a million long integers of one hash are compared with one another,
and a memo index of four thousand million takes that much memory. One byte makes a set of two hundred, and a few bytes
copy a long text once more. The scan follows the opcodes with the sizes of what they would build.
"""

from __future__ import annotations

import pickle
import pickletools
import warnings
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Optional

from core.weights.limits import LONGEST_NUMBER

DEEPEST = 1000
"""Containers in one another within something that is hashed or given to a constructor."""
MOST_OBJECTS = 1_000_000
"""Containers, arrays and other things that calls build; each takes hundreds of bytes, however short it is written."""
_PATIENCE = 1_000_000
_LONGEST_BITS = LONGEST_NUMBER * 10 // 3
_ONE_HASH = (1 << 61) - 1  # smaller integers all have different hashes
_UNIT = 16  # bytes of text or number that are compared or copied in the time of one value
_OPCODES = {opcode.code: opcode for opcode in pickletools.opcodes}
_PUTS = ("PUT", "BINPUT", "LONG_BINPUT")
_GETS = ("GET", "BINGET", "LONG_BINGET")
_CALLS = ("REDUCE", "OBJ", "INST", "NEWOBJ", "NEWOBJ_EX")
_LEAVES = {
    opcode.name for opcode in pickletools.opcodes if opcode.stack_after and not opcode.stack_before
} - {"MARK", "DUP", "EMPTY_LIST", "EMPTY_DICT", "EMPTY_SET", *_GETS}


class _Size:
    """The size of a value to be: how many values hashing it would visit, and how deep they lie.

    Args:
        parts: what it holds.
        may_collide: whether its hash may be that of many others.
    """

    __slots__ = ("depth", "may_collide", "weight")

    def __init__(self, parts: list[_Size], may_collide: bool = False) -> None:
        self.weight: int = 1
        self.depth: int = 1
        self.may_collide: bool = may_collide
        if parts:
            self.take(parts)

    def take(self, parts: list[_Size]) -> None:
        """Grow by parts that are put into it."""
        self.weight += sum(part.weight for part in parts)
        self.depth = max(self.depth, 1 + max([part.depth for part in parts], default=0))
        self.may_collide = self.may_collide or any(part.may_collide for part in parts)


_LEAF = _Size([])


class Scanned(NamedTuple):
    """What the scan counted.

    Args:
        opcodes: how many there are.
        size: bytes of the pickle.
    """

    opcodes: int
    size: int


def check_opcodes(stream: BinaryIO) -> Scanned:
    """Look through the pickle at a stream's position, to which the stream returns.

    Args:
        stream: a seekable binary file.

    Returns:
        The numbers of opcodes and of bytes.

    Raises:
        pickle.UnpicklingError: the pickle would harm its reader.
        ValueError: it is no pickle, or ends too early.
        Warning: a string in it is badly quoted.
    """
    start = stream.tell()
    scan = _Scan()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "invalid escape sequence")  # in the quoted strings of protocol 0
        for opcode, argument in _opcodes(stream):
            scan.follow(opcode, argument)
    size = stream.tell() - start
    stream.seek(start)
    return Scanned(scan.count, size)


def _opcodes(stream: BinaryIO) -> Iterator[tuple[pickletools.OpcodeInfo, object]]:
    """Yield opcodes and their arguments, as pickletools does, but read no decimal number that would take minutes."""
    while True:
        code = stream.read(1)
        opcode = _OPCODES.get(code.decode("latin-1"))
        if opcode is None:
            raise ValueError("pickle exhausted before seeing STOP" if not code else f"opcode {code!r} is unknown")
        if opcode.name in ("INT", "LONG"):
            position = stream.tell()
            if len(stream.readline(LONGEST_NUMBER + 4)) > LONGEST_NUMBER + 3:
                raise pickle.UnpicklingError(f"it holds an integer of more than {LONGEST_NUMBER:,} digits")
            stream.seek(position)
        yield opcode, None if opcode.arg is None else opcode.arg.reader(stream)
        if opcode.name == "STOP":
            return


class _Scan:
    """The stack and the memo of an unpickler, with sizes in place of values; None is a mark."""

    def __init__(self) -> None:
        self.count = 0
        self._text = 0
        self._stack: list[Optional[_Size]] = []
        self._memo: list[Optional[_Size]] = []
        self._kept = 0  # how many places of the memo are filled
        self._objects = 0
        self._hashed = 0
        self._colliding = 0

    def follow(self, opcode: pickletools.OpcodeInfo, argument: object) -> None:
        """Do to the sizes what an opcode does to the values."""
        self.count += 1
        name = opcode.name
        if name in _LEAVES:
            self._stack.append(self._leaf(argument))
        elif name in _PUTS:
            self._keep(int(str(argument)))
        elif name == "MEMOIZE":
            self._keep(self._kept)
        elif name in _GETS:
            index = int(str(argument))
            self._stack.append((self._memo[index] if index < len(self._memo) else None) or _LEAF)
        elif name == "DUP":
            self._stack.append(self._top())
        elif name == "MARK":
            self._stack.append(None)
        elif name == "POP":
            del self._stack[-1:]
        else:
            self._build(opcode)

    def _keep(self, index: int) -> None:
        if index > self.count:
            raise pickle.UnpicklingError(f"it is not a well-formed pickle (memo index {index})")
        self._memo.extend([None] * (index + 1 - len(self._memo)))
        self._kept += self._memo[index] is None
        self._memo[index] = self._top()

    def _build(self, opcode: pickletools.OpcodeInfo) -> None:
        name = opcode.name
        before = len(opcode.stack_before)
        parts: list[_Size] = []
        if pickletools.markobject in opcode.stack_before:
            parts = self._to_mark()
            before -= 2
        parts = [self._pop() for _ in range(before)][::-1] + parts
        if name in ("SETITEM", "SETITEMS", "APPEND", "APPENDS", "ADDITEMS") and parts:
            target, parts = parts[0], parts[1:]
            if target is not _LEAF:
                target.take(parts)
            self._stack.append(target)
        elif opcode.stack_after:
            self._stack.append(_Size(parts, name in _CALLS))
            self._objects += 1
            if self._objects > MOST_OBJECTS:
                raise pickle.UnpicklingError(f"it holds more than {MOST_OBJECTS:,} containers and arrays")
        if name in ("SETITEM", "SETITEMS", "DICT"):
            self._hash(parts[::2])
        elif name in ("ADDITEMS", "FROZENSET"):
            self._hash(parts)
        elif name in _CALLS:
            self._weigh(parts)

    def _hash(self, parts: list[_Size]) -> None:
        """Note that values are hashed, and compared with those of the same hash."""
        self._weigh(parts)
        for part in parts:
            if part.may_collide:
                self._colliding += 1
                self._weigh([], self._colliding // 32)

    def _weigh(self, parts: list[_Size], comparisons: int = 0) -> None:
        """Note that values are gone through or copied: by hashing, or by a constructor that they are given to."""
        self._hashed += comparisons + sum(part.weight for part in parts)
        if any(part.depth > DEEPEST for part in parts):
            raise pickle.UnpicklingError("its containers are nested too deeply")
        if self._hashed > _PATIENCE + 10 * self.count + self._text // 8:
            raise pickle.UnpicklingError("its keys hold themselves too many times over, or too much is copied")

    def _top(self) -> _Size:
        return (self._stack[-1] if self._stack else None) or _LEAF

    def _pop(self) -> _Size:
        return (self._stack.pop() if self._stack else None) or _LEAF

    def _to_mark(self) -> list[_Size]:
        parts: list[_Size] = []
        while self._stack:
            part = self._stack.pop()
            if part is None:
                break
            parts.append(part)
        return parts[::-1]

    def _leaf(self, argument: object) -> _Size:
        """Return the size of a text, a number or another value without parts."""
        if argument is None:
            return _LEAF
        units, may_collide = 0, False
        if isinstance(argument, (str, bytes, bytearray)):
            self._text += len(argument)
            units = len(argument) // _UNIT
        elif isinstance(argument, int) and abs(argument) >= _ONE_HASH:
            if argument.bit_length() > _LONGEST_BITS:
                raise pickle.UnpicklingError(f"it holds an integer of more than {LONGEST_NUMBER:,} digits")
            units, may_collide = argument.bit_length() // (8 * _UNIT), True
        if units == 0 and not may_collide:
            return _LEAF
        size = _Size([], may_collide)
        size.weight += units
        return size
