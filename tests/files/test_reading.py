"""Files and folders."""

import contextlib
import os
import threading
from pathlib import Path

import pytest
from refusals import refused
from systems import linux, posix, require_posix

from thatch.errors import InputError
from thatch.files import reading
from thatch.files.reading import (
    files_below,
    is_file,
    is_folder,
    read_bytes,
    read_stream,
    visible_entries,
)


def test_files_come_in_order_without_hidden_ones_and_cycles(tmp_path):
    for name in ("b/c", "b/a", "a", ".git/x", "b/.y"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "b" / "around").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "b" / "broken").symlink_to(tmp_path / "none")
    found = [str(path.relative_to(tmp_path)) for path in files_below(tmp_path)]
    assert found == ["a", "b/a", "b/c"]


@posix
def test_what_is_left_out_of_a_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_STREAM_BYTES", 5)
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret").write_text("x")
    (folder / "a").write_text("a")
    (folder / "alias").symlink_to(folder / "a")
    (folder / "large").write_text("123456")
    (folder / "loop").symlink_to("loop")
    (folder / "out").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe")
    reasons = {}
    skip = lambda path, reason: reasons.update({path.name: reason})  # noqa: E731
    assert [each.name for each in files_below(folder, on_skip=skip)] == ["a", "alias"]
    assert reasons == {
        "large": "it has 6 bytes",
        "loop": "it cannot be read: Too many levels of symbolic links",
        "out": "it is a link out of the folder",
        "pipe": "it is a pipe, a socket or a device",
    }
    followed = [each.name for each in files_below(folder, follow_links=True)]
    assert followed == ["a", "alias", "out"]


@pytest.mark.parametrize("name", ["none", "nul\0", "n" * 5000])
def test_what_cannot_be_read_is_named(tmp_path, name):
    path = tmp_path / name
    assert not is_folder(path)
    assert not is_file(path)
    for read in (read_bytes, visible_entries):
        with pytest.raises(InputError, match=name[:30]):
            read(path)


def test_a_folder_is_not_read_as_a_file(tmp_path):
    assert is_folder(tmp_path)
    with refused(InputError, tmp_path.name, "folder"):
        read_bytes(tmp_path)


@linux
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/full"])
def test_devices_without_an_end_are_refused(device):
    if not Path(device).exists():
        pytest.skip(f"the system has no {device}")
    with refused(InputError, device, "device"):
        read_bytes(Path(device))
    with Path(device).open("rb") as stream, refused(InputError, "standard input"):
        read_stream(stream, "standard input")


def test_the_null_device_is_empty():
    assert read_bytes(Path(os.devnull)) == b""


def test_pipes_are_read_up_to_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_STREAM_BYTES", 100_000)
    assert from_pipe(tmp_path / "full", b"x" * 100_000) == b"x" * 100_000
    with refused(InputError, "endless", "100,000"):
        from_pipe(tmp_path / "endless", b"x" * 100_001)


def from_pipe(path, content):
    """Read a named pipe that a thread writes to."""
    require_posix()
    os.mkfifo(path)

    def write():
        with contextlib.suppress(BrokenPipeError), path.open("wb") as pipe:
            pipe.write(content)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return read_bytes(path)
    finally:
        writer.join()


def test_a_large_file_has_no_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_STREAM_BYTES", 10)
    (tmp_path / "a").write_bytes(b"x" * 100)
    assert len(read_bytes(tmp_path / "a")) == 100


@pytest.mark.parametrize(
    "url", ["https://example.org/a.html", "s3://bucket/a.txt", "ftp://example.org/a"]
)
def test_a_url_is_not_taken_for_a_file(url):
    with refused(InputError, url.rstrip("/"), "URL") as caught:
        read_bytes(Path(url))
    assert "curl" in caught.value.hint


def test_a_file_may_be_named_like_a_url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("http:").mkdir()
    Path("http:/a").write_text("Snow fell.")
    assert read_bytes(Path("http://a")) == b"Snow fell."
