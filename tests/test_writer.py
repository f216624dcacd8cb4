from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from upcast_lint import writer
from upcast_lint.writer import Changed, digest, write

OLD, NEW = b"old content\r\n", b"new and longer content, without an end"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.py"
    path.write_bytes(OLD)
    return path


def rewrite(path: Path) -> None:
    write(str(path), NEW, digest(OLD))


def only(path: Path) -> bool:
    return [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_content_is_replaced_and_nothing_is_left_beside(file: Path) -> None:
    rewrite(file)
    assert file.read_bytes() == NEW
    assert only(file)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o640])
def test_the_mode_is_kept(file: Path, mode: int) -> None:
    file.chmod(mode)
    rewrite(file)
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_the_owner_is_kept(file: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(file, 12345, 12345)
    rewrite(file)
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 12345)


def test_where_the_owner_cannot_be_kept_the_file_is_written_in_place(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_keep_owner", lambda *_: False)
    inode = file.stat().st_ino
    rewrite(file)
    assert (file.read_bytes(), file.stat().st_ino) == (NEW, inode)
    assert only(file)


def test_a_link_is_kept_and_what_it_leads_to_is_written(file: Path) -> None:
    link = file.with_name("link.py")
    link.symlink_to(file.name)
    rewrite(link)
    assert link.is_symlink()
    assert file.read_bytes() == NEW


def test_hard_links_stay_together(file: Path) -> None:
    other = file.with_name("other.py")
    os.link(file, other)
    rewrite(file)
    assert other.read_bytes() == NEW
    assert os.path.samefile(file, other)


def test_a_shorter_content_in_place_leaves_no_tail(file: Path) -> None:
    os.link(file, file.with_name("other.py"))
    write(str(file), b"n", digest(OLD))
    assert file.read_bytes() == b"n"


def test_a_file_changed_since_it_was_read_is_refused(file: Path) -> None:
    file.write_bytes(b"edited meanwhile")
    with pytest.raises(Changed):
        rewrite(file)
    assert file.read_bytes() == b"edited meanwhile"
    assert only(file)


def test_a_file_gone_since_it_was_read_is_not_made_again(file: Path) -> None:
    file.unlink()
    with pytest.raises(FileNotFoundError):
        rewrite(file)
    assert not file.exists()


def test_a_file_that_may_not_be_written_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(PermissionError, match="read-only"):
        rewrite(file)
    assert file.read_bytes() == OLD


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_a_failure_before_the_exchange_leaves_the_old_file(
    file: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(writer.os, "replace", fail)
    with pytest.raises(type(error)):
        rewrite(file)
    assert file.read_bytes() == OLD
    assert only(file)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_a_failure_in_place_puts_the_old_content_back(
    file: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    os.link(file, file.with_name("other.py"))
    real = os.write
    calls = iter([2, error])

    def short_then_fail(descriptor: int, data: memoryview) -> int:
        step = next(calls, None)
        if isinstance(step, BaseException):
            raise step
        return real(descriptor, data[:step])

    monkeypatch.setattr(writer.os, "write", short_then_fail)
    with pytest.raises(type(error)):
        rewrite(file)
    assert file.read_bytes() == OLD


def test_a_full_disk(tmp_path: Path) -> None:
    """On a file system of one page, where the new content really does not fit."""
    import subprocess

    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting needs root")
    try:
        file = folder / "x.py"
        file.write_bytes(OLD)
        with pytest.raises(OSError) as caught:
            write(str(file), b"x" * 9000, digest(OLD))
        assert caught.value.errno == errno.ENOSPC
        assert file.read_bytes() == OLD
        os.link(file, folder / "other.py")
        with pytest.raises(OSError):
            write(str(file), b"x" * 9000, digest(OLD))
        assert file.read_bytes() == OLD
        assert sorted(each.name for each in folder.iterdir()) == ["other.py", "x.py"]
    finally:
        subprocess.run(["umount", str(folder)], check=False)
