"""Structures, names, versions, downloads and the check of the installation."""

from __future__ import annotations

import collections
import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import core
from core import utils
from core.utils import download, unique_name

NEST = {"b": [1, (2, 3)], "a": {"z": 4}}
Pair = collections.namedtuple("Pair", ["left", "right"])


def test_structures_flatten_by_sorted_keys_and_come_back() -> None:
    assert utils.flatten(NEST) == [4, 1, 2, 3]
    assert utils.pack_sequence_as(NEST, [40, 10, 20, 30]) == {"b": [10, (20, 30)], "a": {"z": 40}}
    assert utils.map_structure(lambda x, y: x + y, NEST, NEST) == {"b": [2, (4, 6)], "a": {"z": 8}}
    assert utils.flatten(3) == [3] and utils.pack_sequence_as(3, [5]) == 5
    assert utils.map_structure(lambda x: -x, Pair(1, [2])) == Pair(-1, [-2])
    assert utils.is_sequence({}) and utils.is_sequence(range(2)) and not utils.is_sequence("ab")
    assert not utils.is_sequence(core.ones([2]))
    assert utils.to_sequence(3) == [3] and utils.to_sequence([3]) == [3]
    assert utils.convert_to_list(2, 3, "x") == [2, 2, 2] and utils.convert_to_list((1, 2), 2, "x") == [1, 2]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: utils.pack_sequence_as([1, (2,)], [5]), ValueError, "the structure holds 2 things, flat_sequence 1"),
        (lambda: utils.pack_sequence_as([1], 5), TypeError, "flat_sequence must be a list, not int"),
        (lambda: utils.map_structure(max), ValueError, "give at least one structure"),
        (
            lambda: utils.assert_same_structure([1], [1, 2]),
            ValueError,
            r"the structures differ: \[1\] against \[1, 2\]",
        ),
        (lambda: utils.assert_same_structure([1], (1,)), TypeError, "a list against a tuple"),
        (lambda: utils.assert_same_structure([1], 1), ValueError, r"\[1\] against 1"),
        (lambda: utils.assert_same_structure({"a": 1}, {"b": 1}), ValueError, "the structures differ"),
        (lambda: utils.convert_to_list([2], 3, "size"), ValueError, r"size must be 3 times int, not \[2\]"),
        (
            lambda: utils.try_import("no_such.module"),
            ImportError,
            "no_such.module is not installed.*: pip install no_s",
        ),
        (lambda: utils.try_import("no_such", "get it there"), ImportError, "^get it there$"),
        (
            lambda: utils.require_version("2.7"),
            RuntimeError,
            "Paddle 2.7 or higher is required, but core offers the int",
        ),
        (lambda: utils.require_version("2.0", "2.5"), RuntimeError, "Paddle 2.0 to 2.5 is required"),
        (lambda: utils.require_version(2), TypeError, "min_version must be text, not int"),
        (lambda: utils.require_version("2.0", "x"), ValueError, "max_version must be one to four numbers"),
        (lambda: utils.nothing, AttributeError, "core.utils has no attribute 'nothing'"),
        (lambda: unique_name.nothing, AttributeError, "unique_name has no attribute 'nothing'"),
    ],
)
def test_errors_name_the_mend(call, kind, message) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_lists_may_stand_for_tuples_where_types_do_not_matter() -> None:
    utils.assert_same_structure([1, (2,)], (1, [2]), check_types=False)


def test_versions_and_imports() -> None:
    utils.require_version("2.4")
    utils.require_version("2.6.2", "2.6.2.0")
    assert utils.try_import("json").dumps([1]) == "[1]"
    assert core.version.full_version == ".".join([core.version.major, core.version.minor, core.version.patch])
    assert core.version.cuda() == core.version.cudnn() == core.version.xpu() == "False"
    assert len(core.version.commit) == 40 and core.version.cuda_version == "False"


def test_version_is_shown(capsys) -> None:
    core.version.show()
    assert capsys.readouterr().out.startswith("full_version: 2.6.2\nmajor: 2\n")


def test_deprecated_functions_say_so() -> None:
    def old(x: int) -> int:
        """Return x."""
        return x

    assert utils.deprecated(level=0)(old)(3) == 3
    warned = utils.deprecated(update_to="new", since="2.0", reason="it is slow", level=1)(old)
    with pytest.warns(DeprecationWarning, match="old is deprecated since 2.0: it is slow; use new"):
        assert warned(4) == 4
    assert warned.__doc__ == "Return x."
    with pytest.raises(RuntimeError, match="old is deprecated; use new"):
        utils.deprecated(update_to="new", level=2)(old)(3)


def test_names_are_unique_and_generators_can_be_switched() -> None:
    with unique_name.guard("prefix_"):
        assert [unique_name.generate("a"), unique_name.generate("a")] == ["prefix_a_0", "prefix_a_1"]
        before, checker = unique_name.switch()
        assert unique_name.generate("a") == "a_0" and core.nn.Linear(1, 1).weight.name == "linear_0.w_0"
        unique_name.switch(before, checker)
        assert unique_name.generate_with_ignorable_key("a") == "prefix_a_2"
        with unique_name.guard(before):
            assert unique_name.generate("a") == "prefix_a_3"


def test_run_check_computes(capsys) -> None:
    utils.run_check()
    assert capsys.readouterr().out == "core computes correctly on cpu, eager and compiled.\n"


@pytest.fixture
def mirror(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "mirror"))
    (tmp_path / "mirror" / "example.org").mkdir(parents=True)
    return tmp_path / "mirror" / "example.org"


def test_weights_are_fetched_once_and_checked(mirror) -> None:
    (mirror / "net.pdparams").write_bytes(b"weights")
    digest = hashlib.md5(b"weights").hexdigest()
    path = utils.download.get_weights_path_from_url("https://example.org/net.pdparams", digest)
    assert Path(path).read_bytes() == b"weights"
    (mirror / "net.pdparams").write_bytes(b"others!")
    assert download.get_weights_path_from_url("https://example.org/net.pdparams") == path
    assert Path(path).read_bytes() == b"weights"
    with pytest.raises(ValueError, match="does not have the expected MD5 0+; it was not kept"):
        download.get_weights_path_from_url("https://example.org/net.pdparams", "0" * 32)
    assert not Path(path).exists()
    assert download.is_url("https://example.org/a") and not download.is_url("a/b")


def archive_of(kind: str, files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(stream, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return stream.getvalue()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
@pytest.mark.filterwarnings("ignore:Python 3.14 will:DeprecationWarning")
def test_archives_are_unpacked(kind, mirror, tmp_path) -> None:
    (mirror / f"one.{kind}").write_bytes(archive_of(kind, {"top/a.txt": b"1", "top/b/c.txt": b"2"}))
    (mirror / f"two.{kind}").write_bytes(archive_of(kind, {"a.txt": b"1", "b.txt": b"2"}))
    root = tmp_path / "data"
    one = download.get_path_from_url(f"https://example.org/one.{kind}", str(root))
    assert one == str(root / "top") and (root / "top/b/c.txt").read_bytes() == b"2"
    assert download.get_path_from_url(f"https://example.org/one.{kind}", str(root)) == one
    two = download.get_path_from_url(f"https://example.org/two.{kind}", str(root))
    assert two == str(root / "two") and (root / "two/b.txt").read_bytes() == b"2"
    packed = download.get_path_from_url(f"https://example.org/two.{kind}", str(root), decompress=False)
    assert packed == str(root / f"two.{kind}")


def test_a_new_checksum_means_new_content(mirror, tmp_path) -> None:
    root, url = tmp_path / "data", "https://example.org/set.zip"
    old, new = archive_of("zip", {"top/a": b"old"}), archive_of("zip", {"top/a": b"new", "top/b": b""})
    (mirror / "set.zip").write_bytes(old)
    assert download.get_path_from_url(url, str(root), hashlib.md5(old).hexdigest()) == str(root / "top")
    (mirror / "set.zip").write_bytes(new)
    assert download.get_path_from_url(url, str(root)) == str(root / "top")
    assert (root / "top" / "a").read_bytes() == b"old"
    assert download.get_path_from_url(url, str(root), hashlib.md5(new).hexdigest()) == str(root / "top")
    assert sorted(path.name for path in (root / "top").iterdir()) == ["a", "b"]
    assert (root / "top" / "a").read_bytes() == b"new"


def test_archives_unpack_within_a_limit(mirror, tmp_path) -> None:
    (mirror / "set.zip").write_bytes(archive_of("zip", {"top/a": bytes(2_000_000)}))
    root, url = tmp_path / "data", "https://example.org/set.zip"
    with pytest.raises(ValueError, match="set.zip' unpacks to more than 1,000,000 bytes; if you trust it, pass a larg"):
        download.get_path_from_url(url, str(root), maximum_bytes=1_000_000)
    assert not (root / "top").exists()
    (mirror / "none.tar").write_bytes(bytes(10240))
    with pytest.raises(ValueError, match="none.tar is empty: nothing was unpacked"):
        download.get_path_from_url("https://example.org/none.tar", str(root))


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_archives_stay_in_their_directory(kind, mirror, tmp_path) -> None:
    (mirror / f"bad.{kind}").write_bytes(archive_of(kind, {"../evil.txt": b"1"}))
    with pytest.raises(ValueError, match="would unpack '../evil.txt' outside its directory; it was not unpacked"):
        download.get_path_from_url(f"https://example.org/bad.{kind}", str(tmp_path / "data"))
    (mirror / f"cut.{kind}").write_bytes(archive_of(kind, {"a": b"1" * 5000})[:40])
    with pytest.raises(ValueError, match="is a damaged archive"):
        download.get_path_from_url(f"https://example.org/cut.{kind}", str(tmp_path / "data"))
    assert not (tmp_path / "evil.txt").exists()


def test_links_in_archives_are_refused(mirror, tmp_path) -> None:
    with tarfile.open(mirror / "link.tar", "w") as archive:
        member = tarfile.TarInfo("top/link")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc"
        archive.addfile(member)
    with pytest.raises(ValueError, match="holds a link or device 'top/link'"):
        download.get_path_from_url("https://example.org/link.tar", str(tmp_path / "data"))


def test_neither_utils_nor_distributed_nor_framework_load_the_engine() -> None:
    program = (
        "import sys, core; core.utils.download, core.utils.flatten, core.distributed.get_rank(), core.version.major;"
        "core.framework, core.reader.batch; assert 'mxnet' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_one_trainer_of_each_machine_fetches() -> None:
    endpoints = ["b:6170", "a:6171", "a:6170", "b:6171"]
    assert download._get_unique_endpoints(endpoints) == {"a:6170", "b:6170"}
    assert download._get_unique_endpoints([]) == set()
