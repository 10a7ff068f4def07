"""Pages are put together from parts, and load all of their modules at once."""

import re

import pytest
from lxml import html

from thatch.serve.http.pages import FOLDER, PAGES, page_of


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_complete_and_its_link_is_marked(path):
    page = html.document_fromstring(page_of(path))
    assert len(page.xpath("//meta[@charset]")) == 1
    assert page.xpath("//title")[0].text.startswith("thatch: ")
    (current,) = page.xpath("//nav[@aria-label='Tools']//a[@aria-current='page']")
    assert f"/{current.get('href').removeprefix('./')}" == path
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert "<!-- part" not in page_of(path)


@pytest.mark.parametrize("path", PAGES)
def test_all_files_of_a_page_exist(path):
    page = html.document_fromstring(page_of(path))
    names = [*page.xpath("//link/@href"), *page.xpath("//script/@src")]
    for name in names:
        if name.startswith("page/"):
            assert (FOLDER / name.removeprefix("page/")).is_file(), name


@pytest.mark.parametrize("path", PAGES)
def test_what_is_loaded_ahead_is_what_is_imported(path):
    """Compared with a plain search through all modules."""
    page = html.document_fromstring(page_of(path))
    (main,) = page.xpath("//script[@type='module']/@src")
    ahead = set(page.xpath("//link[@rel='modulepreload']/@href"))
    reached = {main}
    while True:
        texts = [(FOLDER / name.removeprefix("page/")).read_text() for name in reached]
        found = {f"page/js/{name}" for t in texts for name in names_in(t)} | reached
        if found == reached:
            break
        reached = found
    assert ahead == reached - {main}


def names_in(text):
    statements = re.findall(r"^import\b[^;]*;", text, re.MULTILINE)
    return [re.search(r'"\./(.*)"', each).group(1) for each in statements]
