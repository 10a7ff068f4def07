"""Citations, choices by hand, and finding the way in the source."""

import json
import re

import pytest
from playwright.sync_api import expect

from .conftest import until, upload

REPORTS = {
    "storm.txt": b"A storm hit the northern coast on Monday. Two ferries were lost. "
    b"The harbor of the old town was closed for a week.",
    "harbor.txt": b"The harbor of the old town opens again. Divers found one of the "
    b"ferries near the pier. Nobody had been on board.",
}
SUBTITLES = (
    b"WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>The storm hit the northern "
    b"coast.\n\n00:00:05.000 --> 00:00:09.000\n<v Ben>Two ferries were lost at sea.\n"
)


def said(page):
    return page.locator("#summary-text .chosen")


def copied(page, style):
    page.locator("#copy-format").select_option(style)
    page.evaluate("navigator.clipboard.writeText('')")
    page.locator("#copy").click()
    page.wait_for_function("navigator.clipboard.readText().then(Boolean)")
    return page.evaluate("navigator.clipboard.readText()")


@pytest.fixture
def reports(browse):
    page = browse("#budget=17")
    upload(page, REPORTS)
    until(page, "#headline", "of 6 sentences")
    return page


@pytest.mark.smoke
def test_chips_name_file_and_line_and_lead_to_the_source(reports):
    chip = reports.locator("#summary-text .place").last
    expect(chip).to_contain_text("harbor.txt")
    expect(chip).to_contain_text("line 1")
    chip.click()
    flashed = reports.locator("#source-text .flash")
    expect(flashed).to_have_text(said(reports).last.inner_text())
    expect(flashed).to_be_in_viewport()


def test_chips_name_time_and_speaker(browse):
    page = browse("#budget=6")
    upload(page, {"talk.vtt": SUBTITLES})
    chips = page.locator("#summary-text .chip")
    expect(chips).to_have_text(["Ada", "00:00:01"])


def test_copies_have_numbered_sources(reports):
    sentences = said(reports).all_inner_texts()
    text = copied(reports, "numbers")
    assert text.startswith(f"{sentences[0]} [1]")
    assert re.search(r"\n\n\[1\] storm\.txt, line 1\n", text)
    markdown = copied(reports, "markdown")
    assert f"{sentences[0]}[^1]" in markdown
    assert "[^1]: storm.txt, line 1" in markdown
    html = copied(reports, "html")
    assert f"<p>{sentences[0]}<sup>[1]</sup>" in html
    assert "<li>storm.txt, line 1</li>" in html


def test_sources_are_copied_by_default_where_there_are_several(reports, browse):
    # No test before this one may have picked a format.
    reports.reload()
    expect(reports.locator("#copy-format")).to_have_value("numbers")
    page = browse()
    until(page, "#headline", "of 56 sentences")
    expect(page.locator("#copy-format")).to_have_value("plain")


def test_a_table_is_not_summarized(browse):
    page = browse()
    upload(page, {"places.csv": b"name,people\nNorth,12\n"})
    until(page, "#messages", "places.csv is a table.")
    until(page, "#headline", "of 56 sentences")


def test_a_file_that_is_refused_leaves_what_is_still_loading(browse):
    page = browse()
    until(page, "#headline", "of 56 sentences")
    held = []
    page.route("**/samples/*", lambda route: held.append(route))
    page.locator("#sample").select_option("pep-0407")
    upload(page, {"places.csv": b"name,people\nNorth,12\n"})
    until(page, "#messages", "places.csv is a table.")
    for route in held:
        route.continue_()
    expect(page.locator("#source-text h3")).to_contain_text("New release cycle")


def test_with_a_question_no_share_is_above_the_whole(browse):
    page = browse("#sample=apollo-13&query=carbon+dioxide")
    for budget in (100, 60):
        page.locator("#budget-number").fill(str(budget))
        until(page, "#headline", f"of {budget} words")
        page.locator("#curve").scroll_into_view_if_needed()
        until(page, "#curve-now", f"Within {budget} words")
        until(page, "#curve-double", "Twice the length")
        until(page, "#documents .share", " %")
        parts = ["#headline", "#curve", "#documents"]
        shown = " ".join(page.locator(part).inner_text() for part in parts)
        shares = [float(found) for found in re.findall(r"([\d.]+)\s%", shown)]
        assert len(shares) > 8
        assert max(shares) <= 100.0
    page.locator("#source-text [data-level]").first.click()
    until(page, "#inspector-line", "Only this one covers")


def test_a_paragraph_has_the_direction_of_its_script(browse):
    page = browse("#sample=ar-observatory")
    until(page, "#summary-text .chosen")
    for place in ("#source-text .text > div", "#summary-text li"):
        expect(page.locator(place).first).to_have_css("direction", "rtl")


def test_a_pinned_sentence_stays_and_its_price_is_shown(reports):
    best = said(reports).all_inner_texts()
    left = reports.locator("#source-text .passage:not([data-level])").first
    wanted = left.inner_text()
    left.click()
    reports.locator("#pin").click()
    expect(said(reports).filter(has_text=wanted)).to_have_count(1)
    expect(reports.locator("#headline")).to_contain_text("with your choices")
    until(reports, "#choices-line", "1 sentence pinned: this costs")
    until(reports, "#inspector-price", "1 sentence pinned: this costs")
    until(reports, "#summary-certificate", "no selection with your choices")
    loss, now, before = (
        float(found)
        for found in re.findall(
            r"\d+(?:\.\d+)?", reports.locator("#choices-line").inner_text()
        )[1:]
    )
    assert before - now == pytest.approx(loss, abs=0.15)
    assert f"{now:g}" in reports.locator("#headline").inner_text()
    reports.locator("#choices-undo").click()
    expect(said(reports)).to_have_text(best)
    expect(reports.locator("#choices")).to_be_hidden()


def test_a_struck_sentence_is_listed_and_can_be_restored(reports):
    best = said(reports).all_inner_texts()
    reports.locator("#summary-text [data-strike]").first.click()
    expect(said(reports).filter(has_text=best[0])).to_have_count(0)
    expect(reports.locator("#struck s")).to_contain_text(best[0][:40])
    struck = reports.locator("#source-text .passage").filter(has_text=best[0])
    struck.click()
    expect(reports.locator("#strike")).to_have_text("Struck out")
    reports.locator("#struck button").click()
    expect(said(reports)).to_have_text(best)


def test_choices_are_part_of_the_link_and_end_with_the_text(browse):
    page = browse("#budget=40&pin=5&strike=0")
    until(page, "#choices-line", "1 sentence pinned, 1 struck out")
    pinned = page.locator('#summary-text [data-pin="5"]')
    expect(pinned).to_have_text("Pinned")
    expect(page).to_have_url(re.compile("pin=5&strike=0"))
    page.locator("#unit").select_option("characters")
    expect(pinned).to_have_text("Pinned")
    page.locator("#sample").select_option("pep-0407")
    until(page, "#source-text [data-level]")
    expect(page.locator("#choices")).to_be_hidden()
    expect(page).not_to_have_url(re.compile("pin="))


def test_pins_that_do_not_fit_are_explained(browse):
    page = browse("#budget=12&pin=0.1.2.3", is_failure_expected=True)
    until(page, "#messages", "too small for the required passages")


def test_keys_and_buttons_step_through_the_chosen_sentences(browse):
    page = browse()
    until(page, "#source-text [data-level]")
    total = page.locator("#source-text [data-level]").count()
    sentences = page.locator("#source-text [data-level]").all_inner_texts()
    page.locator("h2").first.press("n")
    expect(page.locator("#step-line")).to_have_text(f"1 of {total}")
    expect(page.locator("#source-text .pointed")).to_have_text(sentences[0])
    page.keyboard.press("n")
    expect(page.locator("#source-text .pointed")).to_have_text(sentences[1])
    page.keyboard.press("p")
    page.keyboard.press("p")
    expect(page.locator("#step-line")).to_have_text(f"{total} of {total}")
    expect(page.locator("#source-text .pointed")).to_be_in_viewport()
    page.locator("#next").click()
    expect(page.locator("#step-line")).to_have_text(f"1 of {total}")
    page.locator("#query").press_sequentially("n")
    expect(page.locator("#step-line")).to_have_text(f"1 of {total}")


def test_the_map_has_a_bar_per_chosen_sentence_and_scrolls_the_source(browse):
    page = browse()
    until(page, "#source-text [data-level]")
    chosen = page.locator("#source-text [data-level]").count()
    bars = page.locator("#minimap .chosen-bar")
    expect(bars).to_have_count(chosen)
    places = [float(bar.get_attribute("y")) for bar in bars.all()]
    assert places == sorted(places)
    assert 0 <= places[0] < places[-1] < 1
    height = page.locator("#minimap").bounding_box()["height"]
    page.locator("#minimap").click(position={"x": 7, "y": places[-1] * height})
    expect(page.locator("#source-text [data-level]").last).to_be_in_viewport()


def test_documents_say_how_much_of_them_is_covered(reports):
    buttons = reports.locator("#documents button")
    expect(buttons).to_have_count(2)
    answer = reports.evaluate(
        "text => fetch('api/analyze', {method: 'POST', body: text, "
        "headers: {'Content-Type': 'application/json'}}).then((r) => r.json())",
        json.dumps(
            {
                "documents": [
                    {"name": name, "text": text.decode()}
                    for name, text in REPORTS.items()
                ]
            }
        ),
    )
    chosen = {
        int(element.get_attribute("data-passage"))
        for element in reports.locator("#source-text [data-level]").all()
    }
    covered = {a for p in chosen for a in answer["passages"][p]["concepts"]}
    weights = [concept["weight"] for concept in answer["concepts"]]
    for d in range(2):
        own = {
            a
            for passage in answer["passages"]
            if passage["document"] == d
            for a in passage["concepts"]
        }
        share = sum(weights[a] for a in own & covered) / sum(weights[a] for a in own)
        shown = buttons.nth(d).locator(".share").inner_text()
        covered_share = float(shown.split(", ")[1].split()[0])
        assert covered_share == pytest.approx(100 * share, abs=0.06)
    buttons.last.click()
    expect(reports.locator("article").last).to_be_in_viewport()


def test_a_term_is_marked_itself(reports):
    reports.locator("#source-text .passage").nth(2).click()
    reports.locator("#inspector-terms .term").filter(has_text="ferries").first.or_(
        reports.locator("#inspector-terms .term").first
    ).first.hover()
    marked = reports.evaluate(
        "() => [...CSS.highlights.get('term')].map((range) => range.toString())"
    )
    name = reports.locator("#inspector-terms .term-name").first.inner_text()
    assert marked
    assert {each.lower() for each in marked} == {name.lower()}
    reports.locator("#inspector-title").hover()
    assert reports.evaluate("() => CSS.highlights.has('term')") is False


def test_terms_have_no_stop_words(browse):
    page = browse("#sample=apollo-13")
    until(page, "#overview-terms .term-name")
    names = page.locator("#overview-terms .term-name").all_inner_texts()
    assert "Apollo 13" in names
    words = {word.lower() for name in names for word in name.split()}
    assert not words & {"the", "of", "a", "to", "and", "was", "in"}
