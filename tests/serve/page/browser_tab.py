"""A tab of any browser, used as people use it: by keys, or by a pointer."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod

from axe_playwright_python.sync_playwright import Axe

# How long to wait for what must come.
MAX_SECONDS = 180
# More than any page has.
MAX_STOPS = 200
# Watched within the page, so that waiting takes no time from the server.
WATCH = """new Promise((resolve) => {{
  const limit = performance.now() + 5000;
  const look = () => {{
    const isSo = Boolean({condition});
    if (isSo || performance.now() > limit) resolve(isSo);
    else setTimeout(look, 30);
  }};
  look();
}})"""
# The marks of focus that the styles draw: an outline, or that of the chart around.
IS_FOCUS_SEEN = """(() => {
  const element = document.activeElement;
  if (!element.matches(":focus-visible")) return false;
  const drawn = element.matches(".visually-hidden")
    ? element.parentElement.querySelector("svg") : element;
  const { outlineStyle, outlineWidth } = getComputedStyle(drawn);
  const { top, bottom, left, right } = drawn.getBoundingClientRect();
  return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2
    && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
})()"""
# What Tab must reach, in the order of the document.
CONTROLS = """[...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true })
    && !each.disabled && each.tabIndex >= 0)"""


class BrowserTab(ABC):
    """What tests do in a tab; each browser adds how."""

    @abstractmethod
    def open(self, address, width=1280, height=800):
        """Load a page in a window of this size."""

    @abstractmethod
    def evaluate(self, expression):
        """The value of an expression, which must be JSON."""

    @abstractmethod
    def run(self, script):
        """Run a script in the page."""

    @abstractmethod
    def press(self, *keys):
        """Press keys one after another, on what has the focus."""

    @abstractmethod
    def click_at(self, x, y):
        """Move the mouse to a place in the window, and click."""

    def until(self, condition):
        """Wait until an expression is true."""
        limit = time.monotonic() + MAX_SECONDS
        while not self.evaluate(WATCH.format(condition=condition)):
            assert time.monotonic() < limit, condition

    def text(self, selector):
        return self.evaluate(
            f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"
        )

    def until_text(self, selector, text):
        """Wait until an element, which may not exist yet, contains this text."""
        quoted = json.dumps(selector), json.dumps(text)
        self.until(
            "(document.querySelector({})?.innerText ?? '').includes({})".format(*quoted)
        )

    def click(self, selector, *, share=0.5):
        """Click an element, in its middle or at a share of its width."""
        x, y = self.evaluate(
            f"""(() => {{
              const element = document.querySelector({json.dumps(selector)});
              element.scrollIntoView({{ block: "center", behavior: "instant" }});
              const box = element.getClientRects()[0];
              return [box.x + {share} * box.width, box.y + box.height / 2]
                .map(Math.round);
            }})()"""
        )
        self.click_at(x, y)

    def type(self, text):
        """Replace the text of the field that has the focus."""
        self.press("Control+a", *text)

    def has_focus(self, selector):
        return self.evaluate(f"document.activeElement.matches({json.dumps(selector)})")

    def until_focus(self, selector):
        self.until(f"document.activeElement.matches({json.dumps(selector)})")

    def tab_to(self, selector, *, key="Tab"):
        """Press Tab until an element has the focus; every stop must be seen."""
        for _ in range(MAX_STOPS):
            self.press(key)
            # After the last control, browsers go on to their own.
            if self.has_focus("body *"):
                self.until(IS_FOCUS_SEEN)
            if self.has_focus(selector):
                return
        raise AssertionError(f"Tab does not reach {selector}.")

    def stops(self):
        """Indices of the controls at which Tab stops, and the number of controls."""
        self.run(f"window.controls = {CONTROLS}; controls[0].focus()")
        number = self.evaluate("controls.length")
        found = [0]
        for _ in range(MAX_STOPS):
            self.press("Tab")
            k = self.evaluate("controls.indexOf(document.activeElement)")
            # Browsers also stop at what scrolls.
            if k >= 0:
                found.append(k)
            if k in {0, number - 1}:
                break
        return found, number

    def open_all(self):
        """Open all panels."""
        self.run(
            "for (const one of document.querySelectorAll('details')) one.open = true"
        )

    def violations(self):
        """What axe-core finds."""
        self.run(Axe().axe_script)
        return self.evaluate(
            "axe.run(document, { resultTypes: ['violations'] })"
            ".then(({ violations }) => violations"
            ".map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))"
        )
