"""The form of settings, built from the options that the server declares."""

import pytest
from playwright.sync_api import expect

from thatch.options import options_of, without
from thatch.text.summary_settings import SummarySettings

from .conftest import until

OPTIONS = options_of(SummarySettings)
# The form has the options of the text; the solver has its own panel.
FIELDS = without(OPTIONS, "solver", "effort")
BELLS = "Bells ring at noon. Bells ring at night. Nobody rings the old bell. It hums."


@pytest.mark.parametrize("each", FIELDS, ids=lambda option: option.name)
def test_every_option_has_a_field_with_its_default(browse, each):
    page = browse()
    field = page.locator(f"#{each.name}")
    expect(field).to_be_attached()
    expect(page.locator(f'label[for="{each.name}"]')).not_to_be_empty()
    shown = "\n".join(each.default) if each.is_list else str(each.default or "")
    expect(field).to_have_value(shown)
    values = [node.get_attribute("value") for node in field.locator("option").all()]
    none = [""] if each.choices and each.default is None else []
    assert values == [*none, *each.choices]


def test_groups_and_readability_reach_the_server(read):
    page = read(BELLS)
    until(page, "#headline", "4 of 4 sentences")
    page.locator(".more > summary").click()
    page.locator("#group").select_option("document")
    page.locator("#per_group").fill("1")
    until(page, "#headline", "1 of 4 sentences")
    with page.expect_request("**/api/summarize") as sent:
        page.locator("#readability").fill("0.2")
    assert sent.value.post_data_json["readability"] == 0.2
    page.locator("#per_group").fill("")
    until(page, "#headline", "4 of 4 sentences")
    with page.expect_request("**/api/summarize") as sent:
        page.locator("#group").select_option("")
    assert sent.value.post_data_json["group"] is None


def test_the_solver_is_chosen_in_its_own_panel(browse):
    page = browse()
    (solver,) = options_of(SummarySettings, "solver")
    expect(page.locator(f"#solver-{solver.default}")).to_be_checked()


def test_numbers_and_escaped_text_reach_the_server(read):
    page = read(BELLS)
    until(page, "#headline", "4 of 4 sentences")
    page.locator(".more > summary").click()
    page.locator("#max_words").fill("4")
    until(page, "#headline", "3 of 4 sentences")
    page.locator("#max_words").fill("")
    until(page, "#headline", "4 of 4 sentences")
    with page.expect_request("**/api/summarize") as sent:
        page.locator("#separator").fill(r"\n- ")
    assert sent.value.post_data_json["separator"] == "\n- "
    assert sent.value.post_data_json["max_words"] is None


def test_a_value_out_of_range_is_replaced_by_the_default(browse):
    page = browse("#min_words=-3&by=chapter&budget=70")
    until(page, "#headline", "of 70 words")
    expect(page.locator("#min_words")).to_have_value("")
    expect(page.locator("#by")).to_have_value("sentence")
