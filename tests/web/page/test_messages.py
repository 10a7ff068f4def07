"""What goes wrong is said, in words that help, and nothing is lost."""

import pytest
from playwright.sync_api import expect

from .conftest import until, upload, watched

OWLS = "Owls see in the dark. Owls hear well. An owl eats mice. Mice fear owls."


@pytest.fixture(scope="module")
def narrow(serve):
    """A server that takes requests of ten kilobytes."""
    server = serve("--max-megabytes", "0.01")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def hasty(serve):
    """A server that gives up before any work is done."""
    server = serve("--max-seconds", "0.005")
    yield server
    server.stop()


def test_empty_input_is_told(browse):
    page = browse()
    until(page, "#summary-text .said")
    page.locator("#edit").click()
    page.locator("#editor-text").fill("  ")
    page.locator("#editor-done").click()
    until(page, "#summary-line", "There is no text yet")
    expect(page.locator("#announcement")).to_contain_text("There is no text yet")
    expect(page.locator("#summary-text")).to_be_hidden()
    for panel in ("curve", "solvers", "physics"):
        expect(page.locator(f"#{panel}")).to_be_hidden()


def test_settings_that_are_refused_leave_no_claim(browse):
    page = browse(is_failure_expected=True)
    until(page, "#summary-certificate", "Proved best")
    page.locator(".more > summary").click()
    page.locator("#query").fill("zebra quantum")
    until(page, "#messages", "“Question to answer” must share a word")
    expect(page.locator("#query")).to_have_attribute("aria-invalid", "true")
    until(page, "#summary-old", "of the settings before")
    for claim in ("#summary-certificate", "#coverage"):
        expect(page.locator(claim)).to_be_hidden()
    expect(page.locator("#copy")).to_be_disabled()
    page.locator("#query").fill("members")
    until(page, "#summary-certificate", "Proved best")
    expect(page.locator("#summary-old")).to_be_hidden()
    expect(page.locator("#copy")).to_be_enabled()
    expect(page.locator("#query")).not_to_have_attribute("aria-invalid", "true")


def test_a_text_without_a_sentence_is_told(browse):
    page = browse()
    upload(page, {"rule.txt": b"-----\n=====\n"})
    until(page, "#summary-line", "The text holds no sentence")


def test_a_file_too_large_is_told_before_it_is_sent(browse, narrow):
    page = browse(address=narrow.address, is_failure_expected=True)
    urls = []
    with watched(page, "request", lambda request: urls.append(request.url)):
        upload(page, {"long.txt": b"word " * 3000})
        until(page, "#messages", "long.txt is too large.")
    until(page, "#messages", "It has 15 kB")
    expect(page.locator("#alarm")).to_contain_text("long.txt is too large.")
    assert not any("/api/read" in url for url in urls)


def test_a_text_too_large_is_told_by_the_server(browse, narrow):
    page = browse("#sample=pep-0545", address=narrow.address, is_failure_expected=True)
    expect(page.locator("#messages .message")).to_have_count(1)
    until(page, "#messages", "The text is too large.")
    page.locator("#sample").select_option("pep-0407")
    until(page, "#summary-text .said")
    expect(page.locator("#messages .message")).to_have_count(0)


def test_a_file_that_cannot_be_read_is_told(browse):
    page = browse(is_failure_expected=True)
    until(page, "#summary-text .said")
    upload(page, {"broken.pdf": b"this is no PDF"})
    until(page, "#messages", "broken.pdf cannot be read.")
    upload(page, {"photo.png": b"\x89PNG"})
    until(page, "#messages", "photo.png is not of a kind")
    expect(page.locator("#messages .message")).to_have_count(1)
    until(page, "#summary-text .said")
    page.locator("#messages button").click()
    expect(page.locator("#messages .message")).to_have_count(0)


def test_bad_files_do_not_spoil_a_good_one_and_are_all_told(browse):
    page = browse(is_failure_expected=True)
    bad = {f"{letter}.docx": b"no Word" for letter in "abcde"}
    upload(page, {**bad, "good.txt": OWLS.encode()})
    expect(page.locator("#source-text h3")).to_have_text("good.txt")
    until(page, "#messages", "a.docx cannot be read. b.docx cannot be read. c.docx")
    until(page, "#messages", "2 others cannot be read.")


def test_a_busy_server_is_asked_again_once_and_then_told_about(browse, hasty):
    page = browse(address=hasty.address, is_failure_expected=True)
    until(page, "#messages", "The server is busy")
    expect(page.locator("#messages .message")).to_have_count(1)
    with page.expect_request("**/api/summarize"):
        page.get_by_role("button", name="Try again").click()


def test_a_server_that_goes_and_comes_back_loses_nothing(read, serve):
    server = serve()
    page = read(OWLS, address=server.address, is_failure_expected=True)
    server.stop()
    page.locator("#budget-number").fill("9")
    banner = page.locator("#gone")
    expect(banner).to_be_visible()
    expect(banner).to_contain_text("Your text and settings are kept")
    upload(page, {"late.txt": b"Late owls sleep. Early owls hunt."})
    server.start()
    expect(banner).to_be_hidden()
    expect(page.locator("#source-text h3")).to_have_text("late.txt")
    expect(page.locator("#summary-text")).to_contain_text("owls")
    expect(page.locator("#budget-number")).to_have_value("9")
    expect(page.locator("#announcement")).not_to_be_empty()
    server.stop()
