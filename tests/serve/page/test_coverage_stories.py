"""A plan is made by keyboard alone, and by a pointer, in both browsers."""

import pytest

SECOND = '#alternative-list [data-shown="1"]'


@pytest.fixture
def tab(visit):
    """The sample, planned, with its curve and alternatives."""
    tab = visit("/coverage")
    tab.until_text("#headline", "5 of 40 sites")
    until_complete(tab)
    return tab


def until_complete(tab):
    """Wait for the curve and the alternatives, which may be ready in any order."""
    tab.until("!document.getElementById('curve').matches('.is-stale')")
    tab.until(f"document.querySelector('{SECOND}:enabled') !== null")


def test_the_keyboard_alone_makes_a_plan(tab):
    tab.press("Tab")
    tab.until_focus("#skip")
    tab.press("Enter")
    tab.until_focus("#plan")
    tab.tab_to("#budget-number")
    tab.type("3")
    tab.until_text("#headline", "3 of 40 sites")
    tab.tab_to("#budget-slider")
    tab.press("ArrowRight")
    tab.until_text("#headline", "4 of 40 sites")
    requires_and_forbids(tab)
    until_complete(tab)
    tab.tab_to(SECOND)
    tab.press("Space")
    tab.until_text("#headline", "alternative 1, ")
    tab.tab_to("#curve-chart input[type=range]")
    tab.press("Home", "ArrowRight")
    tab.until_text("#curve-chart .readout", "budget (sites) 2: covered")
    tab.press("Enter")
    tab.until_text("#headline", "2 of 40 sites")
    tab.tab_to("#curve-chart .numbers > summary")
    tab.press("Enter")
    tab.until_text("#curve-chart .numbers table", "covered")


def requires_and_forbids(tab):
    tab.tab_to("#search")
    tab.type("birchfield")
    tab.until("document.querySelectorAll('#site-list li').length === 1")
    tab.tab_to('[aria-label="Require Birchfield"]')
    tab.until_text("#picture-line", "Birchfield: ")
    tab.press("Enter")
    tab.until_text("#price", "(1 required)")
    tab.until_text("#chosen-names", "Birchfield")
    tab.until_focus('[aria-label="Require Birchfield"][aria-pressed="true"]')
    tab.tab_to('[aria-label="Forbid Birchfield"]')
    tab.press("Space")
    tab.until_text("#price", "(1 forbidden)")
    tab.until_focus('[aria-label="Forbid Birchfield"][aria-pressed="true"]')
    assert "Birchfield" not in tab.text("#chosen-names")
    tab.tab_to("#free-all", key="Shift+Tab")
    tab.press("Enter")
    tab.until("document.getElementById('price').textContent === ''")
    tab.until_focus("#sites-heading")


def test_a_pointer_makes_a_plan(tab):
    tab.click("#picture .site.chosen")
    tab.until_text("#price", "(1 required)")
    tab.until_text("#picture-line", ": required, chosen, ")
    name = tab.text("#picture-line").split(":")[0]
    assert name in tab.text("#chosen-names")
    tab.click("#picture .site.required")
    tab.until_text("#price", "(1 forbidden)")
    assert name not in tab.text("#chosen-names")
    tab.click(f'[aria-label="Require {name}"]')
    tab.until_text("#price", "(1 required)")
    assert tab.violations() == []
    tab.click("#free-all")
    tab.until("document.getElementById('price').textContent === ''")
    until_complete(tab)
    tab.click(SECOND)
    tab.until_text("#headline", "alternative 1, ")
    tab.click("#curve-chart svg", share=0.4)
    tab.until("!document.getElementById('headline').innerText.startsWith('5 of')")
    tab.until_text("#headline", "proved best.")
    tab.click("#budget-slider", share=0.01)
    tab.until_text("#headline", "1 of 40 sites")
    until_complete(tab)
    assert tab.violations() == []


def test_tab_reaches_every_control_in_order(tab):
    tab.run(
        "document.querySelectorAll('details').forEach((one) => { one.open = true })"
    )
    found, number = tab.stops()
    assert found == list(range(number))
