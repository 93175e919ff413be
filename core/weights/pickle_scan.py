"""A look through a pickle's opcodes before any is obeyed, for what would harm the reader itself.

The unpickler refuses every name that is not plain data, but it is a program in C that trusts the order to put something
into a dictionary: a key of a million tuples in one another overflows the stack when it is hashed, a key that holds
itself a thousand times over keeps hashing for years, and a memo index of four thousand million takes that much memory.
The scan follows the opcodes with the sizes of what they would build.
"""

from __future__ import annotations

import pickle
import pickletools
import warnings
from typing import BinaryIO, Optional

DEEPEST = 1000
"""Containers in one another within something that is hashed or given to a constructor."""
_PATIENCE = 10_000_000
_PUTS = ("PUT", "BINPUT", "LONG_BINPUT")
_GETS = ("GET", "BINGET", "LONG_BINGET")


class _Size:
    """The size of a value to be: how many values hashing it would visit, and how deep they lie."""

    __slots__ = ("depth", "weight")

    def __init__(self, parts: list[_Size]) -> None:
        self.weight: int = 1 + sum(part.weight for part in parts)
        self.depth: int = 1 + max([part.depth for part in parts], default=0)

    def take(self, parts: list[_Size]) -> None:
        """Grow by parts that are put into it."""
        self.weight += sum(part.weight for part in parts)
        self.depth = max(self.depth, 1 + max([part.depth for part in parts], default=0))


def check_opcodes(stream: BinaryIO) -> int:
    """Look through the pickle at a stream's position, to which the stream returns.

    Args:
        stream: a seekable binary file.

    Returns:
        The number of opcodes.

    Raises:
        pickle.UnpicklingError: the pickle would harm its reader.
        ValueError: it is no pickle, or ends too early.
        Warning: a string in it is badly quoted.
    """
    start = stream.tell()
    scan = _Scan()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "invalid escape sequence")  # in the quoted strings of protocol 0
        for opcode, argument, _ in pickletools.genops(stream):
            scan.follow(opcode, argument)
    stream.seek(start)
    return scan.count


class _Scan:
    """The stack and the memo of an unpickler, with sizes in place of values; None is a mark."""

    def __init__(self) -> None:
        self.count = 0
        self._stack: list[Optional[_Size]] = []
        self._memo: dict[int, _Size] = {}
        self._hashed = 0

    def follow(self, opcode: pickletools.OpcodeInfo, argument: object) -> None:
        """Do to the sizes what an opcode does to the values."""
        self.count += 1
        name = opcode.name
        if name in _PUTS:
            index = int(str(argument))
            if index > self.count:
                raise pickle.UnpicklingError(f"it is not a well-formed pickle (memo index {index})")
            self._memo[index] = self._top()
        elif name == "MEMOIZE":
            self._memo[len(self._memo)] = self._top()
        elif name in _GETS:
            self._stack.append(self._memo.get(int(str(argument)), _Size([])))
        elif name == "DUP":
            self._stack.append(self._top())
        elif name == "MARK":
            self._stack.append(None)
        elif name == "POP":
            del self._stack[-1:]
        else:
            self._build(opcode)

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
            target.take(parts)
            self._stack.append(target)
        elif opcode.stack_after:
            self._stack.append(_Size(parts))
        if name in ("SETITEM", "SETITEMS", "DICT"):
            self._hash(parts[::2])
        elif name in ("ADDITEMS", "FROZENSET", "REDUCE", "OBJ", "INST", "NEWOBJ", "NEWOBJ_EX"):
            self._hash(parts)

    def _hash(self, parts: list[_Size]) -> None:
        """Note that values are hashed, or given to a constructor that may hash them."""
        for part in parts:
            self._hashed += part.weight
            if part.depth > DEEPEST:
                raise pickle.UnpicklingError("its containers are nested too deeply")
            if self._hashed > _PATIENCE + 100 * self.count:
                raise pickle.UnpicklingError("its keys hold themselves too many times over")

    def _top(self) -> _Size:
        return (self._stack[-1] if self._stack else None) or _Size([])

    def _pop(self) -> _Size:
        return (self._stack.pop() if self._stack else None) or _Size([])

    def _to_mark(self) -> list[_Size]:
        parts: list[_Size] = []
        while self._stack:
            part = self._stack.pop()
            if part is None:
                break
            parts.append(part)
        return parts[::-1]
