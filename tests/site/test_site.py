"""The built documentation in a browser: ``make test-docs`` builds it and runs these."""

import os
import re
import shutil
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

SITE = Path(os.environ.get("THATCH_SITE", "no site")).absolute()
PAGES = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html"))
PHONE, DESKTOP = (390, 844), (1440, 900)
# One page of each kind.
KINDS = [
    *("index.html", "gallery.html", "start/planner.html", "guides/score.html"),
    *("concepts/temperature.html", "reference/plot.html"),
]
# Elements that are cut off or make the page scroll, unless a box around them scrolls.
TOO_WIDE = """() => {
  const isInBox = (element) => {
    for (let box = element; box && box.tagName !== "BODY"; box = box.parentElement) {
      const { overflowX, position } = getComputedStyle(box);
      const isBox = ["auto", "scroll", "hidden", "clip"].includes(overflowX);
      const isPage = box.matches(".content, .page, .main");
      if (position === "fixed" || (isBox && !isPage)) return true;
    }
    return false;
  };
  return [...document.querySelectorAll("article *")]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .filter((element) => !isInBox(element))
    .map((element) => element.outerHTML.slice(0, 90));
}"""
# Pictures that could not be loaded.
BROKEN = """() => [...document.querySelectorAll("article img")]
  .filter((picture) => picture.checkVisibility() && !picture.naturalWidth)
  .map((picture) => picture.src)"""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not PAGES, reason="needs the site: make test-docs"),
]


# Playwright runs an event loop in this thread, so it must not outlive this module.
@pytest.fixture(scope="module")
def browser():
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        # Root may not use the sandbox.
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def tabs(browser):
    """One tab per size and theme; requests of all of them are recorded."""
    opened = {}

    def tab(size, theme):
        if (size, theme) not in opened:
            width, height = size
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=theme
            )
            page = context.new_page()
            page.requested = []
            page.on("request", lambda request: page.requested.append(request.url))
            opened[size, theme] = page
        return opened[size, theme]

    return tab


@pytest.fixture
def visit(tabs):
    def open_page(name, *, size=DESKTOP, theme="light"):
        page = tabs(size, theme)
        page.requested.clear()
        page.goto(f"{SITE.as_uri()}/{name}")
        return page

    return open_page


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone_and_needs_no_other_host(visit, name):
    page = visit(name, size=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(BROKEN) == []
    foreign = [url for url in page.requested if not url.startswith(("file:", "data:"))]
    assert foreign == []


@pytest.mark.parametrize("name", PAGES)
def test_a_picture_has_a_dark_one_or_a_card(name):
    article = (SITE / name).read_text().partition("<article")[2].partition("</article>")
    pictures = re.findall(r"<img [^>]*>", article[0])
    classes = [
        set(re.search(r'class="([^"]*)"', each)[1].split())
        for each in pictures
        if "_images/" in each
    ]
    light, dark, alone = (
        sum(kind in each for each in classes)
        for kind in ("only-light", "only-dark", "on-card")
    )
    assert (light, light + dark + alone) == (dark, len(classes))


def test_dark_mode_shows_dark_pictures(visit):
    page = visit("concepts/the-gap.html", theme="dark")
    assert page.locator("img.only-dark").is_visible()
    assert not page.locator("img.only-light").is_visible()
    assert "gap-dark" in page.locator("img.only-dark").get_attribute("src")


def test_pages_are_found_without_a_server(visit):
    page = visit("search.html?q=facility")
    page.locator("ul.search a").first.wait_for()
    titles = page.locator("ul.search a").all_inner_texts()
    assert any("facilities" in title for title in titles)


def test_a_card_is_one_link(visit):
    page = visit("index.html", size=PHONE)
    card = page.locator("ul.cards > li").filter(has_text="run fewer tests")
    card.click(position={"x": 20, "y": 90})
    page.wait_for_url("**/start/tester.html")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", KINDS)
def test_text_has_contrast_and_pictures_have_names(visit, name, theme):
    rules = {"runOnly": ["color-contrast", "image-alt", "link-name", "list"]}
    found = Axe().run(visit(name, theme=theme), context="article", options=rules)
    assert found.violations_count == 0, found.generate_report()
