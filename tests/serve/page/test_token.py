"""A server that needs a token: the page asks for it, once per tab."""

import pytest
from playwright.sync_api import expect

from .conftest import MAX_MILLISECONDS, until
from .usability import is_usable

TOKEN = "0123456789abcdef"


@pytest.fixture(scope="module")
def guarded(serve, tmp_path_factory):
    """A server with a token."""
    file = tmp_path_factory.mktemp("token") / "token"
    file.touch(mode=0o600)
    file.write_text(TOKEN)
    return serve("--token-file", str(file))


@pytest.fixture
def page(browser, guarded):
    """A new tab, which has stored no token."""
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(MAX_MILLISECONDS)
    yield page
    context.close()


def test_the_page_asks_for_the_token_until_it_is_right(page, guarded):
    page.goto(guarded.address)
    dialog = page.locator("#token-dialog")
    expect(dialog).to_be_visible()
    expect(page.locator("#token-error")).to_be_hidden()
    page.locator("#token").fill("another token 12")
    page.keyboard.press("Enter")
    expect(page.locator("#token-error")).to_be_visible()
    page.locator("#token").fill(TOKEN)
    page.keyboard.press("Enter")
    until(page, "#source-text [data-level]")
    expect(dialog).to_be_hidden()


def test_a_reload_does_not_ask_again(page, guarded):
    page.goto(f"{guarded.address}/#token={TOKEN}")
    until(page, "#source-text [data-level]")
    page.reload()
    until(page, "#source-text [data-level]")
    expect(page.locator("#token-dialog")).to_be_hidden()


def test_a_token_in_the_link_is_removed_from_the_address(page, guarded):
    page.goto(f"{guarded.address}/#budget=40&token={TOKEN}")
    until(page, "#source-text [data-level]")
    assert TOKEN not in page.url
    assert "budget=40" in page.url


def test_escape_does_not_close_the_question(page, guarded):
    page.goto(guarded.address)
    expect(page.locator("#token-dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#token-dialog")).to_be_visible()


@pytest.mark.parametrize("path", ["/", "/context", "/coverage"])
def test_the_question_is_accessible_on_every_page(page, guarded, path):
    page.goto(f"{guarded.address}{path}")
    expect(page.locator("#token")).to_be_focused()
    is_usable(page)
    page.locator("#token").fill("another token 12")
    page.keyboard.press("Enter")
    expect(page.locator("#token-error")).to_be_visible()
    is_usable(page)
    page.locator("#token").fill(TOKEN)
    page.keyboard.press("Enter")
    until(page, "#headline", "proved")
