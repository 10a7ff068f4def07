"""The static report: what the page shows, in one file that needs no server."""

from importlib.resources import files

import pytest
from playwright.sync_api import expect

from thatch import Document, Summarizer, summarize
from thatch.text import CHARACTERS, as_html
from thatch.text.report.headline import as_measure, as_number, as_share

from .conftest import new_tab, until
from .test_links import saved
from .usability import is_usable

SAMPLES = files("thatch.serve").joinpath("page", "samples")
LONG = "/home/ann/a-name-without-any-place-to-break-it-that-is-longer-than-a-phone.txt"


def sample(name, title=""):
    return Document((SAMPLES / name).read_text(), title or name)


def apollo():
    names = sorted(f.name for f in SAMPLES.iterdir() if f.name.startswith("apollo"))
    return [sample(name, f"/home/ann/{name}") for name in names]


SUMMARIES = {
    "five documents": lambda: summarize(apollo(), 100),
    "one document": lambda: summarize(sample("pep-0609.txt", LONG), 100),
    "two long names": lambda: summarize(
        [sample("de-flood.txt", LONG), sample("vi-rice.txt", "x" * 90)], 100
    ),
    "Arabic": lambda: summarize(sample("ar-observatory.txt"), 100),
    "Japanese": lambda: Summarizer(unit=CHARACTERS).summarize(
        sample("ja-bridge.txt"), 200
    ),
    "nothing fits": lambda: summarize(apollo(), 1),
    "no text": lambda: summarize("", 1),
}


@pytest.fixture(scope="module")
def show(browser, tmp_path_factory):
    """Open the report of a summary from a file; any request fails the test."""
    requests = []
    tabs = {}

    def open_report(summary, width=1280, height=800):
        path = tmp_path_factory.mktemp("report") / "report.html"
        path.write_text(as_html(summary), encoding="utf-8")
        if width not in tabs:
            tabs[width] = new_tab(browser, width, height, "light")
            tabs[width].on("request", lambda request: requests.append(request.url))
        page = tabs[width]
        page.emulate_media(media="screen")
        page.goto(path.as_uri())
        return page

    yield open_report
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    for page in tabs.values():
        page.context.close()


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("name", SUMMARIES)
def test_every_report_is_usable_and_within_its_cards(show, name, width):
    page = show(SUMMARIES[name](), width)
    is_usable(page)
    outside = page.evaluate(
        """() => [...document.querySelectorAll(".card *:not(.visually-hidden)")]
        .filter((e) => e.checkVisibility())
        .filter((e) => {
          const [inner, outer] = [e, e.closest(".card")]
            .map((each) => each.getBoundingClientRect());
          return inner.right > outer.right + 1 || inner.left < outer.left - 1;
        }).map((e) => e.outerHTML)"""
    )
    assert outside == []


def test_the_typefaces_are_in_the_file(show):
    page = show(SUMMARIES["five documents"]())
    loaded = page.evaluate(
        """document.fonts.ready.then((fonts) => [...fonts]
        .filter(({ status }) => status === "loaded").map(({ family }) => family))"""
    )
    assert sorted(loaded) == ["Source Sans 3", "Source Serif 4"]


def test_right_to_left_text_has_its_numbers_and_places_on_the_right(show):
    page = show(SUMMARIES["Arabic"]())
    for selector in ("ol li", ".text p", ".about li"):
        directions = page.evaluate(
            """selector => [...document.querySelectorAll(selector)]
            .map((e) => getComputedStyle(e).direction)""",
            selector,
        )
        assert {*directions} == {"rtl"}
    item, chip = (page.locator(s).first.bounding_box() for s in ("ol li", ".chip"))
    assert chip["x"] - item["x"] > item["width"] / 2


def test_a_link_leads_to_the_source_and_back(show):
    page = show(SUMMARIES["five documents"]())
    page.locator("#s6 .place").click()
    page.wait_for_function(
        """() => {
          const { top } = document.querySelector("#p6").getBoundingClientRect();
          return top > 0 && top < innerHeight;
        }"""
    )
    page.locator("#p6 a").click()
    assert page.url.endswith("#s6")


def test_paper_is_white_and_full(show):
    page = show(SUMMARIES["five documents"]())
    page.emulate_media(media="print", color_scheme="dark")
    backgrounds = page.evaluate(
        """["body", ".card"].map((selector) =>
        getComputedStyle(document.querySelector(selector)).backgroundColor)"""
    )
    assert {*backgrounds} == {"rgb(255, 255, 255)"}
    assert page.locator(".text").first.bounding_box()["width"] == 1280
    page.emulate_media(media="screen", color_scheme="light")


def test_a_report_says_what_the_page_says(browse, show):
    page = browse("#sample=apollo-13&budget=90")
    until(page, "#headline", "of 90 words")
    # A mouse that rests on the text hides the terms; they are there nevertheless.
    expect(page.locator("#overview-terms .term-name").first).to_be_attached()
    _, content = saved(page, "#save-html")
    texts = {
        "#headline": "h1",
        "#summary-certificate": ".summary > .soft",
        "#summary-text .chosen": ".said",
        "#summary-text .chip": ".place .chip",
        "#documents .document-name": "nav a > [dir]",
        "#documents .share": "nav .soft",
        "#source-text .document-line": ".document-line",
        "#overview-terms .term-name": ".about .name",
        "#overview-terms .term-weight": ".weight",
        "#overview-terms .coverage-sign": ".sign",
    }
    shown = {s: page.locator(s).all_text_contents() for s in texts}
    tab = show(summarize("Snow fell.", 2))
    tab.set_content(content)
    for selector, own in texts.items():
        assert tab.locator(own).all_text_contents() == shown[selector], selector
    assert tab.locator("code").all_text_contents() == [
        "thatch summarize FILES --budget 90 --format html"
    ]


def test_a_report_with_choices_by_hand_names_no_command(browse, show):
    page = browse("#sample=apollo-13&budget=90")
    until(page, "#headline", "of 90 words")
    page.locator("#summary-text [data-strike]").first.click()
    until(page, "#headline", "with your choices")
    _, content = saved(page, "#save-html")
    tab = show(summarize("Snow fell.", 2))
    tab.set_content(content)
    assert tab.locator("code").count() == 0
    assert tab.locator("h1").inner_text() == page.locator("#headline").inner_text()


def test_numbers_are_written_as_on_the_page(browse):
    page = browse()
    shares = [0, 1e-6, 0.00012, 0.00125, 0.00999, 0.01, 0.1225, 0.68049, 0.5, 1, 12.3]
    values = [0, 3e-5, 1.5e-4, 0.25, 1, 9.995, 12.345, 99.96, 253.4, 999.7, 1234.5, 5e6]
    written = page.evaluate(
        """([shares, values]) => import("/page/js/formats.js").then((formats) => [
          shares.map(formats.formatShare),
          values.map(formats.formatNumber),
          values.map((value) => formats.formatMeasure(value, "tokens (estimated)")),
        ])""",
        [shares, values],
    )
    assert [*map(as_share, shares)] == written[0]
    assert [*map(as_number, values)] == written[1]
    assert [as_measure(value, "tokens (estimated)") for value in values] == written[2]
