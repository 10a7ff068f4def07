"""Messages about errors, and recovery from them."""

import pytest
from playwright.sync_api import expect

from .conftest import until, upload, watched

OWLS = "Owls see in the dark. Owls hear well. An owl eats mice. Mice fear owls."


@pytest.fixture(scope="module")
def narrow(serve):
    """A server with a limit of ten kilobytes per request."""
    server = serve("--max-megabytes", "0.01")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def hasty(serve):
    """A server whose time limit every request exceeds."""
    server = serve("--max-seconds", "0.005")
    yield server
    server.stop()


def test_empty_input_shows_a_message(browse):
    page = browse()
    until(page, "#summary-text .chosen")
    page.locator("#edit").click()
    page.locator("#editor-text").fill("  ")
    page.locator("#editor-done").click()
    until(page, "#headline", "There is no text yet")
    expect(page.locator("#announcement")).to_contain_text("There is no text yet")
    expect(page.locator("#summary-text")).to_be_hidden()
    for panel in ("curve", "solvers", "physics"):
        expect(page.locator(f"#{panel}")).to_be_hidden()


@pytest.mark.smoke
def test_rejected_settings_leave_no_claim(browse):
    page = browse(is_failure_expected=True)
    until(page, "#summary-certificate", "Proved: no selection")
    page.locator(".more > summary").click()
    page.locator("#query").fill("zebra quantum")
    until(page, "#messages", "“Question”")
    expect(page.locator("#query")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#summary-stale")).to_be_visible()
    for claim in ("#summary-certificate", "#coverage"):
        expect(page.locator(claim)).to_be_hidden()
    expect(page.locator("#copy")).to_be_disabled()
    page.locator("#query").fill("members")
    until(page, "#summary-certificate", "Proved: no selection")
    expect(page.locator("#summary-stale")).to_be_hidden()
    expect(page.locator("#copy")).to_be_enabled()
    expect(page.locator("#query")).not_to_have_attribute("aria-invalid", "true")


def test_a_text_without_a_sentence_shows_a_message(browse):
    page = browse()
    upload(page, {"rule.txt": b"-----\n=====\n"})
    until(page, "#headline", "no sentence")


def test_a_file_too_large_is_reported_before_it_is_sent(browse, narrow):
    page = browse(address=narrow.address, is_failure_expected=True)
    urls = []
    with watched(page, "request", lambda request: urls.append(request.url)):
        upload(page, {"long.txt": b"word " * 3000})
        until(page, "#messages", "long.txt is too large.")
    until(page, "#messages", "It has 15 kB")
    expect(page.locator("#alarm")).to_contain_text("long.txt is too large.")
    assert not any("/api/read" in url for url in urls)


def test_a_text_too_large_is_rejected_by_the_server(browse, narrow):
    page = browse("#sample=pep-0545", address=narrow.address, is_failure_expected=True)
    expect(page.locator("#messages .message")).to_have_count(1)
    until(page, "#messages", "The text is too large.")
    page.locator("#sample").select_option("pep-0407")
    until(page, "#summary-text .chosen")
    expect(page.locator("#messages .message")).to_have_count(0)


def test_a_file_that_cannot_be_read_is_reported(browse):
    page = browse(is_failure_expected=True)
    until(page, "#summary-text .chosen")
    upload(page, {"broken.pdf": b"this is no PDF"})
    until(page, "#messages", "broken.pdf cannot be read.")
    upload(page, {"photo.png": b"\x89PNG"})
    until(page, "#messages", "photo.png")
    expect(page.locator("#messages .message")).to_have_count(1)
    until(page, "#summary-text .chosen")
    page.locator("#messages button").click()
    expect(page.locator("#messages .message")).to_have_count(0)


def test_bad_files_are_reported_and_good_ones_are_read(browse):
    page = browse(is_failure_expected=True)
    bad = {f"{letter}.docx": b"no Word" for letter in "abcde"}
    upload(page, {**bad, "good.txt": OWLS.encode()})
    expect(page.locator("#source-text h3")).to_have_text("good.txt")
    until(page, "#messages", "a.docx cannot be read. b.docx cannot be read. c.docx")
    until(page, "#messages", "2 others cannot be read.")


def test_a_busy_server_is_retried_once_and_then_reported(browse, hasty):
    page = browse(address=hasty.address, is_failure_expected=True)
    until(page, "#messages", "busy")
    expect(page.locator("#messages .message")).to_have_count(1)
    with page.expect_request("**/api/summarize"):
        page.get_by_role("button", name="Try again").click()


def test_a_server_restart_loses_nothing(read, serve):
    server = serve()
    page = read(OWLS, address=server.address, is_failure_expected=True)
    server.stop()
    page.locator("#budget-number").fill("9")
    banner = page.locator("#offline")
    expect(banner).to_be_visible()
    expect(banner).to_contain_text("What you entered is kept")
    upload(page, {"late.txt": b"Late owls sleep. Early owls hunt."})
    server.start()
    expect(banner).to_be_hidden()
    expect(page.locator("#source-text h3")).to_have_text("late.txt")
    expect(page.locator("#summary-text")).to_contain_text("owls")
    expect(page.locator("#budget-number")).to_have_value("9")
    expect(page.locator("#announcement")).not_to_be_empty()
    server.stop()
