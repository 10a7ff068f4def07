"""A prompt is packed by keyboard alone, and by a pointer, in both browsers."""

import pytest


@pytest.fixture
def tab(visit):
    """The sample, packed."""
    tab = visit("/context")
    tab.until_text("#headline", "of 19 chunks, ")
    until_current(tab)
    return tab


def until_current(tab):
    tab.until("!document.querySelector('#result').matches('.is-stale')")


def test_the_keyboard_alone_packs_a_prompt(tab):
    tab.press("Tab")
    tab.until_focus("#skip")
    tab.press("Enter")
    tab.until_focus("#result")
    tab.tab_to("#budget-slider", key="Shift+Tab")
    tab.press("Home")
    tab.until_text("#headline", "of 50 tokens")
    tab.tab_to("#budget-number", key="Shift+Tab")
    tab.type("900")
    tab.press("Enter")
    tab.until_text("#headline", "of 900 tokens")
    until_current(tab)
    tab.tab_to("#prompt > summary")
    tab.press("Space")
    tab.until_text("#prompt-text", "<documents>")
    tab.tab_to("#prompt-text")
    reads_why_a_chunk_is_left_out(tab)
    pins_and_drops(tab)
    tab.tab_to("#file-panel > summary")
    tab.press("Enter")
    tab.until_text("#file-rows", ".md")
    copies_and_pastes(tab)


def reads_why_a_chunk_is_left_out(tab):
    tab.tab_to("#dropped .why a")
    assert "repeats chunk" in tab.evaluate(
        "document.activeElement.closest('.why').innerText"
    )
    tab.press("Enter")
    tab.until_focus("#kept button")
    tab.tab_to("#dropped summary")
    tab.press("Enter")
    tab.until_text("#dropped details[open] pre", " ")


def pins_and_drops(tab):
    tab.tab_to("#dropped [data-act=pin]")
    chunk = tab.evaluate("document.activeElement.dataset.chunk")
    tab.press("Enter")
    tab.until_text("#price", "1 pinned")
    # Its row was made anew, and still has the focus.
    tab.until_focus(f'#kept [data-chunk="{chunk}"]')
    tab.tab_to(f'#kept [data-chunk="{chunk}"][data-act=drop]')
    tab.press("Space")
    tab.until_text("#price", "1 dropped")
    tab.until_text("#dropped .why", "dropped by you")
    tab.until_focus(f'#dropped [data-chunk="{chunk}"]')
    tab.tab_to("#undo", key="Shift+Tab")
    tab.press("Enter")
    tab.until("document.getElementById('price').hidden")
    tab.until_focus("#dropped-heading")


def copies_and_pastes(tab):
    tab.tab_to("#copy", key="Shift+Tab")
    tab.press("Enter")
    tab.until_text("#announcement", "Copied.")
    tab.tab_to("#paste", key="Shift+Tab")
    tab.press("Enter")
    tab.until_focus("#editor-text")
    tab.press("Control+v")
    tab.until("document.activeElement.value.startsWith('<documents>')")
    tab.press("Tab")
    tab.until_focus("#editor-done")
    tab.press("Space")
    tab.until("document.getElementById('sample').value === ''")
    tab.until_text("#kept", "text.md")
    tab.until_focus("#paste")


def test_a_pointer_packs_a_prompt(tab):
    tab.click("#dropped .why a")
    tab.until_focus("#kept button")
    tab.click("#dropped summary")
    tab.until_text("#dropped details[open] pre", " ")
    tab.click("#dropped [data-act=pin]")
    tab.until_text("#price", "1 pinned")
    tab.click("#kept .is-pinned [data-act=drop]")
    tab.until_text("#price", "1 dropped")
    tab.until_text("#dropped .why", "dropped by you")
    assert tab.violations() == []
    tab.click("#undo")
    tab.until("document.getElementById('price').hidden")
    tab.click("#budget-slider", share=0.4)
    tab.until("!document.getElementById('headline').innerText.includes('of 1,000 ')")
    until_current(tab)
    tab.click("#copy")
    tab.until_text("#announcement", "Copied.")
    tab.click("#prompt > summary")
    tab.until_text("#prompt-text", "<documents>")
    tab.click("#file-panel > summary")
    tab.until_text("#file-rows", ".md")
    assert tab.violations() == []


def test_tab_reaches_every_control_in_order(tab):
    tab.run(
        "document.querySelectorAll('details').forEach((one) => { one.open = true })"
    )
    tab.click("#paste")
    found, number = tab.stops()
    assert found == list(range(number))
