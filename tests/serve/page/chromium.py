"""Drives a tab of Chromium as the tests of Firefox drive theirs."""

from __future__ import annotations

from .browser_tab import BrowserTab


class ChromiumTab(BrowserTab):
    """A tab of Playwright."""

    def __init__(self, page):
        self._page = page

    def open(self, address, width=1280, height=800):
        self._page.set_viewport_size({"width": width, "height": height})
        self._page.goto(address)

    def evaluate(self, expression):
        return self._page.evaluate(f"async () => await ({expression})")

    def run(self, script):
        self._page.evaluate(f"async () => {{ {script} }}")

    def press(self, *keys):
        for key in keys:
            self._page.keyboard.press(key)

    def click_at(self, x, y):
        self._page.mouse.move(x, y)
        self._page.mouse.click(x, y)
