"""Prints of the Context and the Coverage page: the answer, and no controls."""

from playwright.sync_api import expect

from .conftest import until

CONTROLS = (
    "button",
    "select",
    "input",
    "nav",
    "footer",
    ".readout",
    ".numbers",
    "#dropped",
    "#file-panel",
)


def printed(page):
    page.emulate_media(media="print")
    for control in CONTROLS:
        visible = page.locator(f"{control}:not(.alternative-list *)").filter(
            visible=True
        )
        expect(visible).to_have_count(0)
    return page


def test_the_print_of_a_prompt_has_the_question_and_the_chunks(context):
    page = context()
    until(page, "#headline", "of 19 chunks")
    printed(page)
    for shown in ("#query", "#headline", "#certificate", "#kept"):
        expect(page.locator(shown)).to_be_visible()
    page.emulate_media(media="screen")
    page.locator("#query").fill("")
    until(page, "#headline", "of what matters:")
    printed(page)
    expect(page.locator("#query")).to_be_hidden()
    page.emulate_media(media="screen")


def test_the_map_of_a_plan_is_printed_at_full_width(plan):
    page = plan()
    until(page, "#headline", "of the demand within")
    until(page, "#curve-now", "of the demand")
    printed(page)
    for shown in ("#headline", "#chosen-names", "#curve-chart figure"):
        expect(page.locator(shown)).to_be_visible()
    expect(page.locator("main")).not_to_contain_text("Click", use_inner_text=True)
    drawing = page.locator("#picture > svg").bounding_box()
    assert drawing["width"] >= page.locator("main").bounding_box()["width"] - 60
    page.emulate_media(media="screen")
