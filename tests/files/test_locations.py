"""Files at addresses of fsspec, on kinds of storage that keep fewer promises."""

from typing import ClassVar

import fsspec
import pytest
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem
from refusals import refused
from systems import posix

from thatch import InputError
from thatch.files.locations import Location
from thatch.files.output_lock import OutputLock


class UploadedFile(AbstractBufferedFile):
    """Sends all that is written in one request at the end, as to an object store."""

    def _upload_chunk(self, final=False):
        if final:
            self.buffer.seek(0)
            self.fs.received(self.path, self.buffer.read())
        return True

    def _fetch_range(self, start, end):
        return self.fs.content[self.path][start:end]


class ObjectStore(AbstractFileSystem):
    """Accepts mode "xb", as fsspec's buffered files do, but overwrites what exists."""

    protocol = "objectstore"
    content: ClassVar[dict[str, bytes]] = {}
    #: Content that other machines write as soon as a file is written.
    others: ClassVar[dict[str, bytes]] = {}

    def received(self, path, content):
        self.content[path] = self.others.get(path, content)

    def _open(self, path, mode="rb", block_size=2**20, **_):
        return UploadedFile(self, path, mode, block_size)

    def info(self, path, **_):
        path = self._strip_protocol(path)
        if path in self.content:
            return {"name": path, "type": "file", "size": len(self.content[path])}
        # Folders exist only by their files.
        if not any(name.startswith(f"{path}/") for name in self.content):
            raise FileNotFoundError(path)
        return {"name": path, "type": "directory", "size": 0}

    def ls(self, path, detail=True, **_):
        names = [name for name in self.content if name.startswith(f"{path}/")]
        return [self.info(name) for name in names] if detail else names

    def _rm(self, path):
        del self.content[path]


@pytest.fixture
def folder():
    fsspec.register_implementation("objectstore", ObjectStore, clobber=True)
    yield Location("objectstore://corpus/out")
    ObjectStore.content.clear()
    ObjectStore.others.clear()


def test_a_file_that_exists_is_not_created_again(folder):
    file = folder.child("notes.txt")
    assert file.create(b"Mine.")
    assert not file.create(b"Yours.")
    assert file.content() == b"Mine."


def test_a_file_that_another_machine_writes_at_the_same_time_is_not_ours(folder):
    ObjectStore.others["corpus/out/notes.txt"] = b"Yours."
    assert not folder.child("notes.txt").create(b"Mine.")


@posix
def test_one_owner_at_a_time_has_the_lock_of_an_object_store(folder, monkeypatch):
    with OutputLock(folder, on_notice=print) as lock:
        # Another machine has its own folder for temporary files.
        monkeypatch.setattr(
            "thatch.files.output_lock.os.getuid", lambda: "another machine"
        )
        with (
            refused(InputError, folder.address),
            OutputLock(folder, on_notice=print),
        ):
            pass
        assert lock.token.encode() in folder.child("_lock").content()
    assert not ObjectStore.content
