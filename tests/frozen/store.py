"""Archives of stored files: small, the same bytes whenever they are made, with links."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUNS, CONFIGS = HERE / "runs", HERE / "configs"


def pack(folder: Path, archive: Path) -> None:
    """Write a folder's files and links as a compressed archive, without times and owners."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as target:
        for path in sorted(folder.rglob("*")):
            entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
            entry.mode = 0o644
            if path.is_symlink():
                entry.type, entry.linkname = tarfile.SYMTYPE, str(path.readlink())
                target.addfile(entry)
            elif path.is_file():
                entry.size = path.stat().st_size
                target.addfile(entry, io.BytesIO(path.read_bytes()))
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.write_bytes(gzip.compress(plain.getvalue(), mtime=0))


def unpack(archive: Path, folder: Path) -> Path:
    """Write what an archive holds into a folder; return the folder."""
    with tarfile.open(archive) as source:
        for entry in source:
            path = folder / entry.name
            path.parent.mkdir(parents=True, exist_ok=True)
            if entry.issym():
                path.symlink_to(entry.linkname)
            else:
                stream = source.extractfile(entry)
                assert stream is not None
                path.write_bytes(stream.read())
    return folder
