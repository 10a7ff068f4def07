"""What the page shows while it works, and where something is wrong."""

import re

from playwright.sync_api import expect

from .conftest import MAX_MILLISECONDS, until, upload, watched


def test_a_newcomer_is_shown_two_steps_once(browser, server):
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(MAX_MILLISECONDS)
    page.goto(server.address)
    expect(page.locator("#hint li")).to_have_count(2)
    page.locator("#hint-close").click()
    expect(page.locator("#hint")).to_be_hidden()
    page.reload()
    until(page, "#source-text [data-level]")
    expect(page.locator("#hint")).to_be_hidden()
    context.close()


def test_the_first_sample_is_a_story_of_several_documents(browse):
    page = browse("#sample=apollo-13")
    until(
        page,
        "#headline",
        re.compile(
            r"^\d+ of \d+ sentences, \d+ of 100 words, [\d.]+\s% of what the text "
            r"says: proved best\.$"
        ),
    )
    expect(page.locator("#documents button")).to_have_count(5)
    expect(page.locator("#query")).to_be_in_viewport()


def test_nothing_of_an_old_text_is_shown_beside_a_new_one(browse):
    page = browse()
    page.locator("#curve").scroll_into_view_if_needed()
    until(page, "#curve-now", "Within 100 words")
    held = []

    def hold(route):
        held.append(route)  # it is answered when this is removed

    pattern = re.compile("/api/(summarize|analyze|curve)$")
    page.route(pattern, hold)
    upload(page, {"owls.txt": b"Owls hear well. Owls see in the dark."})
    expect(page.locator("#source-text h3")).to_have_text("owls.txt")
    for old in ("#summary-text", "#summary-certificate", "#curve-now", "#copy"):
        expect(page.locator(old)).to_be_hidden()
    expect(page.locator("#headline")).to_be_empty()
    expect(page.locator("#overview-terms .term")).to_have_count(0)
    expect(page.locator("#step-line")).to_be_empty()
    page.unroute(pattern, hold)
    until(page, "#headline", "2 of 2 sentences")
    expect(page.locator("#summary-text")).to_be_visible()


def test_work_shows_its_time_and_can_be_cancelled(browse):
    page = browse()
    until(page, "#source-text [data-level]")
    held = []

    def hold(route):
        held.append(route)

    page.route("**/api/summarize", hold)
    page.locator("#budget-number").fill("60")
    expect(page.locator("#working-line")).to_contain_text(re.compile(r"… \d+\.\d s"))
    page.locator("#cancel").click()
    expect(page.locator("#working")).to_be_hidden()
    until(page, "#messages", "Cancelled.")
    expect(page.locator("#summary-stale")).to_be_visible()
    expect(page.locator("#headline")).to_be_hidden()
    page.unroute("**/api/summarize", hold)
    page.get_by_role("button", name="Try again").click()
    until(page, "#headline", "of 60 words")


def test_a_negative_budget_is_explained(browse):
    page = browse()
    until(page, "#headline", "of 100 words")
    page.locator("#budget-number").fill("-5")
    until(page, "#budget-error", "The length is -5; it must be more than 0.")
    expect(page.locator("#budget-number")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#headline")).to_contain_text("of 100 words")
    page.locator("#budget-number").fill("50")
    until(page, "#headline", "of 50 words")
    expect(page.locator("#budget-error")).to_be_hidden()
    page.locator("#budget-number").fill("-5")
    page.locator("#budget-slider").press("ArrowRight")
    expect(page.locator("#budget-error")).to_be_hidden()


def test_only_what_is_proved_is_called_so(browse):
    page = browse("#solver=static&budget=80")
    until(page, "#headline", "below the best")
    expect(page.locator("#headline")).not_to_contain_text("proved best")
    page = browse("#unit=tokens&budget=80")
    until(page, "#headline", "if costs add up")


def test_right_to_left_texts_start_at_the_right(browse):
    page = browse("#sample=ar-observatory&budget=40")
    until(page, "#source-text [data-level]")
    for text in ("#source-text .text", "#summary-text [dir=auto]"):
        places = page.locator(text).first.evaluate(
            """(element) => {
              const passage = element.querySelector("[data-passage]");
              const range = document.createRange();
              range.setStart(passage.firstChild, 0);
              range.setEnd(passage.firstChild, 1);
              const [first, all] = [range, element]
                .map((each) => each.getBoundingClientRect());
              return [first.right, all.right];
            }"""
        )
        # Quotation marks and the like may come first.
        assert places[1] - places[0] < 40


def test_the_files_of_the_page_are_small(browse, server):
    """All files that a fresh page loads, with fonts and without samples."""
    page = browse()
    sizes = {}

    def weigh(response):
        sizes[response.url] = response.request.sizes()["responseBodySize"]

    with watched(page, "response", weigh):
        page.goto("about:blank")
        page.goto(f"{server.address}/")
        until(page, "#source-text [data-level]")
        page.wait_for_load_state("networkidle")
    assert sum(url.endswith(".woff2") for url in sizes) >= 2
    kinds = re.compile(r"/$|/page/(?!samples)")
    assert sum(sizes[url] for url in sizes if kinds.search(url)) < 300_000
