"""Mutations that know a format: what comes out is well-formed, up to the one thing that is not as it should be.

Each takes a source of chance and a good file's bytes, and gives a damaged one's.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import pickletools
import random
import struct
import tarfile
import zipfile
import zlib
from typing import Any, Callable
from xml.etree import ElementTree

import yaml

from core.io.crc32c import masked_crc32c

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31, 2**53 + 1, -(2**63), 2**64, 10**400, 1e308, float("nan"), float("inf"), "", "x" * 5000,
    "../../etc/passwd", "\x00", "\ud800", "\x1b[2J", [], {}, [[]], [None] * 1000, {"": 0}, "__class__", "9 ** 9 ** 9",
    "!!python/object/apply:os.system", "é" * 300,
)  # fmt: skip
NAMES = ("../x", "/tmp/x", "a" * 300, "", ".", "a/../../b", "con\x00", "-rf", "é", "a\nb")
GLOBALS = (
    b"cos\nsystem\n", b"cbuiltins\neval\n", b"cbuiltins\nexec\n", b"csubprocess\nPopen\n", b"cnumpy\nzeros\n",
    b"cnumpy\nload\n", b"cnumpy.core.multiarray\nscalar\n", b"ccollections\nOrderedDict\n", b"cbuiltins\ngetattr\n",
)  # fmt: skip
OPCODES = tuple(bytes([code]) for code in b"Rb0(tlduease.2\x85\x86\x93\x81")


def _changed(source: random.Random, tree: Any) -> Any:
    """Return a tree of lists and dictionaries with one to three places changed."""
    for _ in range(source.choice((1, 1, 2, 3))):
        holders = [tree] if isinstance(tree, (dict, list)) and tree else []
        for holder in holders:
            inside = holder.values() if isinstance(holder, dict) else holder
            holders += [value for value in inside if isinstance(value, (dict, list)) and value]
        if not holders:
            return source.choice(VALUES)
        holder = source.choice(holders)
        key = source.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        way = source.randrange(6)
        if way == 0:
            del holder[key]
        elif way == 1:
            value = holder[key]
            for _ in range(source.choice((2, 20, 90))):
                value = [value]
            holder[key] = value
        elif way == 2 and isinstance(holder[key], (int, float)):
            holder[key] = holder[key] * source.choice((-1, 2, 1000, 2**40)) + source.choice((-1, 0, 1))
        elif way == 3:
            other = source.choice(holders)
            pick = source.choice(list(other.values()) if isinstance(other, dict) else other) if other else None
            holder[key] = json.loads(json.dumps(pick))
        elif way == 4 and isinstance(holder, dict):
            holder[source.choice(("x", "", "name", "shape", str(key) + "_"))] = holder.pop(key)
        else:
            holder[key] = copy.deepcopy(source.choice(VALUES))  # a later change must not change these
    return tree


def of_json(source: random.Random, data: bytes) -> bytes:
    """Change places of a JSON document."""
    return json.dumps(_changed(source, json.loads(data))).encode()


def of_yaml(source: random.Random, data: bytes) -> bytes:
    """Change places of a YAML document."""
    tree = _changed(source, yaml.safe_load(data))
    try:
        return yaml.safe_dump(tree, allow_unicode=True).encode("utf-8", "surrogatepass")
    except yaml.YAMLError:
        return json.dumps(tree).encode()


def of_xml(source: random.Random, data: bytes) -> bytes:
    """Change texts and names of an XML document, and repeat, move and leave out its elements."""
    root = ElementTree.fromstring(data)
    for _ in range(source.choice((1, 1, 2, 3))):
        holders = [element for element in root.iter() if len(element)]
        holder = source.choice(holders) if holders else root
        element = source.choice(list(root.iter()))
        way = source.randrange(4)
        if way == 0 and len(holder):
            holder.remove(source.choice(list(holder)))
        elif way == 1:
            holder.append(copy.deepcopy(element))
        elif way == 2:
            element.tag = source.choice(("x", "object", "name", "size", "bndbox", "xmin"))
        else:
            element.text = str(source.choice(VALUES[:18])).replace("\x00", "")
    return ElementTree.tostring(root, "utf-8")


def of_numbers(source: random.Random, data: bytes) -> bytes:
    """Change, repeat and leave out the words of a text's lines."""
    lines = [line.split() for line in data.decode().splitlines()]
    for _ in range(source.choice((1, 1, 2, 3))):
        words = source.choice(lines)
        place = source.randrange(len(words)) if words else 0
        way = source.randrange(3)
        if way == 0 and words:
            del words[place]
        elif way == 1:
            words[place:place] = words[:] or ["1"]
        elif words:
            words[place] = str(source.choice((*VALUES[:15], -0.1, "1e309", "0x1", "1_0"))).replace("\n", " ")
    return "\n".join(" ".join(words) for words in lines).encode("utf-8", "surrogatepass")


def of_safetensors(source: random.Random, data: bytes) -> bytes:
    """Change places of the header, whose length stays right."""
    size = struct.unpack("<Q", data[:8])[0]
    header = of_json(source, data[8 : 8 + size])
    return struct.pack("<Q", len(header)) + header + data[8 + size :]


def of_pickle(source: random.Random, data: bytes) -> bytes:
    """Change, repeat, move and leave out whole operations."""
    places = [place for _, _, place in pickletools.genops(data) if place is not None] + [len(data)]
    parts = [data[first:last] for first, last in zip(places, places[1:])]
    for _ in range(source.choice((1, 1, 2, 4))):
        place = source.randrange(len(parts))
        way = source.randrange(6)
        if way == 0 and len(parts) > 1:
            del parts[place]
        elif way == 1:
            parts[place:place] = parts[place : place + source.randint(1, 30)] * source.choice((1, 2, 40))
        elif way == 2:
            parts.insert(place, source.choice(GLOBALS))
        elif way == 3:
            parts[place] = source.choice(OPCODES)
        elif way == 4:
            other = source.randrange(len(parts))
            parts[place], parts[other] = parts[other], parts[place]
        else:
            number = source.choice((2**31 - 1, -1, 2**62, 2**200))
            content = number.to_bytes(32, "little", signed=True)
            parts[place] = b"\x8a" + bytes([len(content)]) + content
    return b"".join(parts)


def of_png(source: random.Random, data: bytes) -> bytes:
    """Change, repeat, move and leave out chunks, whose checksums stay right."""
    chunks, place = [], 8
    while place < len(data):
        size = struct.unpack(">I", data[place : place + 4])[0]
        chunks.append((data[place + 4 : place + 8], bytearray(data[place + 8 : place + 8 + size])))
        place += 12 + size
    for _ in range(source.choice((1, 2))):
        at = source.randrange(len(chunks))
        way = source.randrange(5)
        if way == 0 and len(chunks) > 1:
            del chunks[at]
        elif way == 1:
            chunks.insert(at, chunks[source.randrange(len(chunks))])
        elif way == 2:
            chunks.insert(at, (source.choice((b"tEXt", b"PLTE", b"tRNS", b"IDAT", b"acTL", b"eXIf")), bytearray(9)))
        elif chunks[at][1]:
            content = bytearray(chunks[at][1])
            content[source.randrange(len(content))] = source.choice((0, 1, 7, 16, 127, 255))
            chunks[at] = chunks[at][0], content
    body = [struct.pack(">I", len(c)) + kind + c + struct.pack(">I", zlib.crc32(kind + c)) for kind, c in chunks]
    return data[:8] + b"".join(body)


def of_tar(source: random.Random, data: bytes) -> bytes:
    """Change names, kinds and sizes of members, whose headers' checksums stay right."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = [(member, archive.extractfile(member)) for member in archive]
        contents = [(member, b"" if stream is None else stream.read()) for member, stream in members]
    out = io.BytesIO()
    chosen = source.randrange(len(contents))
    for number, (member, content) in enumerate(contents):
        if number == chosen:
            way = source.randrange(4)
            if way == 0:
                member.name = source.choice(NAMES)
            elif way == 1:
                kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)
                member.type, member.linkname, member.size = source.choice(kinds), source.choice(NAMES), 0
            elif way == 2:
                member.size = source.choice((0, 2**33, 2**62, max(0, member.size - 1), member.size + 1))
            else:
                member.mode, member.uid = 0o6777, 2**20
        out.write(member.tobuf(tarfile.GNU_FORMAT, errors="surrogateescape"))
        out.write(content + bytes(-len(content) % 512))
    return out.getvalue() + bytes(1024)


def of_text_archive(source: random.Random, data: bytes) -> bytes:
    """Change words of one of the texts in a tar file, or its members."""
    if source.random() < 0.3:
        return of_tar(source, data)
    out = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive, tarfile.open(fileobj=out, mode="w") as changed:
        members = [member for member in archive if member.isfile()]
        chosen = source.choice(members)
        for member in members:
            stream = archive.extractfile(member)
            assert stream is not None
            content = stream.read()
            if member is chosen:
                packed = content[:2] == b"\x1f\x8b"
                content = of_numbers(source, gzip.decompress(content) if packed else content)
                content = gzip.compress(content, mtime=0) if packed else content
            member.size = len(content)
            changed.addfile(member, io.BytesIO(content))
    return out.getvalue()


def of_zip(source: random.Random, data: bytes) -> bytes:
    """Change names, repeat and leave out members."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        contents = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    place = source.randrange(len(contents))
    way = source.randrange(3)
    if way == 0:
        contents[place] = source.choice([name for name in NAMES if name]), contents[place][1]
    elif way == 1:
        contents.append((contents[place][0] + source.choice(("/x", "2", ".")), b"again"))
    else:
        del contents[place]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents:
            archive.writestr(name, content)
    return out.getvalue()


def of_records(source: random.Random, data: bytes) -> bytes:
    """Change the data of a record of a TFRecord file, whose check sums then fit again."""
    records, place = [], 0
    while place < len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        records.append(bytearray(data[place + 12 : place + 12 + length]))
        place += 16 + length
    chosen = source.choice(records)
    for _ in range(source.randrange(1, 4)):
        chosen[source.randrange(len(chosen))] = source.randrange(256)
    if source.random() < 0.3:
        del chosen[source.randrange(len(chosen)) :]
    whole = b""
    for record in records:
        head = struct.pack("<Q", len(record))
        whole += head + struct.pack("<I", masked_crc32c(head)) + record
        whole += struct.pack("<I", masked_crc32c(bytes(record)))
    return whole


Mutation = Callable[[random.Random, bytes], bytes]
