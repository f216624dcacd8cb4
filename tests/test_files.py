"""Files of a tree that a stranger made, and that somebody else may be writing to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from upcast_lint.files import read_regular

DATA = b"a = 1\r\n" * 5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(DATA)
    return path


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OSError) as error:
        read_regular(str(tmp_path))
    assert error.value.strerror


@pytest.mark.parametrize("data", [b"", b"a", DATA])
def test_the_whole_file_and_its_status(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    read, status = read_regular(str(path))
    assert read == data
    assert status.st_ino == path.stat().st_ino


def test_a_file_that_comes_in_parts(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, _: read(descriptor, 3))
    assert read_regular(str(path))[0] == DATA


def test_a_file_that_grows_while_it_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fstat = os.fstat

    def grow(descriptor: int) -> os.stat_result:
        status = fstat(descriptor)
        monkeypatch.undo()
        path.write_bytes(DATA * 2)
        return status

    monkeypatch.setattr(os, "fstat", grow)
    assert read_regular(str(path))[0] == DATA * 2


@pytest.mark.parametrize("name", ["a.py", "."])
def test_nothing_is_left_open(
    path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []
    open_ = os.open

    def watch(path: str, flags: int) -> int:
        opened.append(open_(path, flags))
        return opened[-1]

    monkeypatch.setattr(os, "open", watch)
    try:
        read_regular(str(path.parent / name))
    except OSError:
        assert name == "."
    (descriptor,) = opened
    with pytest.raises(OSError):
        os.fstat(descriptor)
