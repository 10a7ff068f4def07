"""Every page and state looks as in its reference image, at every width and theme.

Images are compared at a quarter of their size, so that another version of a browser
passes and another layout does not. To accept a new look, run with THATCH_NEW_LOOKS=1,
and look at the images in tests/data/looks.
"""

import io
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from .conftest import new_tab, upload

FOLDER = Path(__file__).parents[2] / "data" / "looks"
HEIGHT = 900
SCALE = 4
MAX_MEAN_DIFFERENCE = 3.0
# Differences that are seen: of at least this many of 255 levels of gray.
SEEN = 40
MAX_SHARE_SEEN = 0.015
# A screenshot takes a tenth of a second or more: this is half a minute at least.
MAX_FRAMES = 300


def shows_summary(page):
    expect(page.locator("#headline")).to_contain_text("proved")
    expect(page.locator("#source-text [data-level]").first).to_be_attached()
    page.locator("#hint-close").click()


def selects(page):
    shows_summary(page)
    page.locator("#source-text .passage:not([data-level])").first.click()
    page.locator("#pin").click()
    expect(page.locator("#choices-line")).to_contain_text("this costs")


def compares(page):
    shows_summary(page)
    page.locator("#curve").scroll_into_view_if_needed()
    expect(page.locator("#curve-now")).to_contain_text("Within 100 words")


def is_wrong(page):
    shows_summary(page)
    page.locator("#budget-number").fill("-5")
    upload(page, {"photo.png": b"\x89PNG"})
    expect(page.locator("#messages")).to_contain_text("photo.png")


def is_empty(page):
    shows_summary(page)
    page.locator("#edit").click()
    page.locator("#editor-clear").click()
    expect(page.locator("#headline")).to_contain_text("There is no text yet")


def packs(page):
    expect(page.locator("main")).to_contain_text("of what matters")


def plans(page):
    expect(page.locator("main")).to_contain_text("of the demand within")
    expect(page.locator("main")).to_contain_text("instead of")


STATES = {
    "summary": ("/", shows_summary),
    "selected": ("/", selects),
    "curve": ("/", compares),
    "error": ("/", is_wrong),
    "empty": ("/", is_empty),
    "arabic": ("/#sample=ar-observatory", shows_summary),
    "context": ("/context", packs),
    "coverage": ("/coverage", plans),
}
# What is scrolled to, and where it ends up; other states show the top of the page.
SHOWN = {"curve": ("#curve", "end"), "selected": ("#source-heading", "start")}
ALL = [
    *(
        (state, width, theme)
        for state in STATES
        for width in (1280, 390)
        for theme in ("light", "dark")
    ),
    *(
        (state, width, theme)
        for state in ("summary", "context", "coverage")
        for width in (1440, 768)
        for theme in ("light", "dark")
    ),
]


@pytest.mark.parametrize(("state", "width", "theme"), ALL)
def test_it_looks_as_before(browser, server, state, width, theme):
    address, reach = STATES[state]
    page = new_tab(browser, width, HEIGHT, theme)
    page.goto(f"{server.address}{address}")
    reach(page)
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready.then(() => true)")
    page.mouse.move(0, 0)
    path = FOLDER / f"{state}-{width}-{theme}.png"
    if os.environ.get("THATCH_NEW_LOOKS"):
        FOLDER.mkdir(exist_ok=True)
        Image.fromarray(looks(page, state)).save(path, optimize=True)
    before = np.asarray(Image.open(path))
    # What fades in or is laid out late is there after some frames.
    for _ in range(MAX_FRAMES):
        difference = np.abs(looks(page, state).astype(float) - before)
        is_as_before = difference.mean() <= MAX_MEAN_DIFFERENCE
        is_as_before &= (difference >= SEEN).mean() <= MAX_SHARE_SEEN
        if is_as_before:
            break
        page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))")
    page.context.close()
    assert is_as_before, (difference.mean(), (difference >= SEEN).mean())


def looks(page, state):
    """The page in gray, at a quarter of its size."""
    # How far earlier clicks have scrolled it depends on what was loaded by then.
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    if state in SHOWN:
        shown, block = SHOWN[state]
        page.locator(shown).evaluate(
            "(it, block) => it.scrollIntoView({ block })", block
        )
    image = Image.open(io.BytesIO(page.screenshot())).convert("L")
    size = (image.width // SCALE, image.height // SCALE)
    return np.asarray(image.resize(size, Image.Resampling.BOX))
