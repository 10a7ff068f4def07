"""What every state of every page must fulfil: axe-core, widths and sizes."""

from axe_playwright_python.sync_playwright import Axe


def is_usable(page):
    """No axe violation, no horizontal scrolling, no target too small to tap."""
    page.evaluate(Axe().axe_script)
    page.emulate_media(color_scheme="light")
    found = violations(page)
    assert found == [], found
    page.emulate_media(color_scheme="dark")
    # Only colors depend on the theme.
    found = violations(page, {"runOnly": ["color-contrast"]})
    assert found == [], found
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = small_targets(page)
    assert found == [], found


def violations(page, options=None):
    return page.evaluate(
        """async (options) => {
          const { violations } = await axe.run(
            document, { resultTypes: ["violations"], ...options });
          return violations
            .map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
        }""",
        options,
    )


def small_targets(page):
    return page.evaluate(
        """() => [...document.querySelectorAll("button, select, input[type=range]")]
        .filter((e) => e.checkVisibility() && !e.matches(".visually-hidden"))
        .filter((e) => e.getBoundingClientRect().height < (innerWidth < 500 ? 40 : 24))
        .map((e) => e.outerHTML)"""
    )
