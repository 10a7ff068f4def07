"""Fonts against the style sheet of the page."""

import base64
import re
from importlib.resources import files

import pytest

from thatch.text.report.html_report import font_faces, icon_address

PAGE = files("thatch.serve").joinpath("page")


def embedded(text):
    """Names of the files whose content is in the rules."""
    found = re.findall(r"url\(data:font/woff2;base64,([^)]+)\)", font_faces(text))
    contents = {base64.b64decode(each) for each in found}
    assert len(contents) == len(found)
    return {
        re.sub(r"source-(sans-3|serif-4)-|\.woff2", "", file.name)
        for file in PAGE.joinpath("fonts").iterdir()
        if file.read_bytes() in contents
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Snow fell.", {"latin"}),
        ("Größe und Maß", {"latin"}),
        ("مرصد", set()),
        ("مرصد 1", {"latin"}),
        ("Łódź", {"latin", "latin-ext"}),
        ("Đồng bằng", {"latin", "vietnamese"}),
    ],
)
def test_only_what_a_text_needs_is_embedded(text, expected):
    assert embedded(text) == expected


def test_the_license_is_named():
    assert "SIL Open Font License" in font_faces("a")
    assert "Adobe" in font_faces("a")


def test_the_icon_is_the_logo():
    content = base64.b64decode(icon_address().partition(",")[2])
    assert content == PAGE.joinpath("mark.svg").read_bytes()


def test_every_variable_of_the_style_sheets_is_declared():
    sheets = [*files("thatch.text.report").iterdir(), PAGE.joinpath("colors.css")]
    rules = "".join(each.read_text() for each in sheets if each.name.endswith(".css"))
    used = set(re.findall(r"var\((--[\w-]+)\)", rules))
    assert len(used) > 10
    # The share of a bar is in the element itself.
    assert used - set(re.findall(r"(--[\w-]+):", rules)) == {"--share"}
