"""Files and folders."""

import pytest
from refusals import refused

from thatch.errors import InputError
from thatch.files.reading import (
    files_below,
    is_file,
    is_folder,
    read_bytes,
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
