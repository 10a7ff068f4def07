"""Drives Firefox by WebDriver BiDi, the protocol that it speaks by itself."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from contextlib import contextmanager

from websockets.sync.client import connect

from .browser_tab import MAX_SECONDS, BrowserTab

KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Control": "\ue009",
    "Escape": "\ue00c",
    "ArrowLeft": "\ue012",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Home": "\ue011",
    "End": "\ue010",
    "Space": " ",
}


# Without most of these, Firefox asks servers of its maker for settings and updates.
PREFERENCES = {
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "browser.safebrowsing.downloads.remote.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    # As in the other browser, nothing moves on the screen.
    "ui.prefersReducedMotion": 1,
    "general.smoothScroll": False,
}


@contextmanager
def firefox_tab(command, profile):
    """Start Firefox without a window, and end it afterwards."""
    lines = (
        f"user_pref({json.dumps(name)}, {json.dumps(value)});"
        for name, value in PREFERENCES.items()
    )
    (profile / "user.js").write_text("\n".join(lines))
    arguments = ["--headless", "--no-remote", "--profile", str(profile)]
    with subprocess.Popen(
        [command, *arguments, "--remote-debugging-port", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            with connect(f"{address_of(process)}/session", max_size=None) as socket:
                yield FirefoxTab(socket)
        finally:
            process.terminate()
            process.communicate()


def address_of(process):
    """The address that Firefox prints once it listens."""
    while line := process.stderr.readline():
        if found := re.search(r"listening on (ws://\S+)", line):
            return found.group(1)
    raise AssertionError("Firefox ended.")


class FirefoxTab(BrowserTab):
    """A tab, and what went wrong in it."""

    def __init__(self, socket):
        self._socket = socket
        self._numbers = itertools.count(1)
        self.failures = []
        self.hosts = set()
        self.call("session.new", capabilities={})
        self.call(
            "session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"]
        )
        # The first window never gets the focus.
        self._tab = self.call("browsingContext.create", type="window")["context"]

    def call(self, method, **params):
        """Send a command, and return its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        self._socket.send(json.dumps(message))
        while True:
            answer = json.loads(self._socket.recv(timeout=MAX_SECONDS))
            if answer.get("id") != number:
                self._note(answer)
                continue
            assert answer["type"] == "success", answer
            return answer["result"]

    def _note(self, event):
        params = event.get("params", {})
        if event.get("method") == "log.entryAdded" and params["level"] == "error":
            self.failures.append(params["text"])
        if event.get("method") == "network.beforeRequestSent":
            url = params["request"]["url"]
            if url.startswith("http"):
                self.hosts.add(url.split("/")[2])

    def open(self, address, width=1280, height=800):
        self.call(
            "browsingContext.setViewport",
            context=self._tab,
            viewport={"width": width, "height": height},
        )
        self.call(
            "browsingContext.navigate", context=self._tab, url=address, wait="complete"
        )

    def evaluate(self, expression):
        result = self.call(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert result["type"] == "success", result["exceptionDetails"]["text"]
        value = result["result"].get("value")
        return None if value is None else json.loads(value)

    def run(self, script):
        self.call(
            "script.evaluate",
            expression=script,
            target={"context": self._tab},
            awaitPromise=True,
        )

    def click_at(self, x, y):
        self._perform(
            "pointer",
            [
                {"type": "pointerMove", "x": x, "y": y},
                {"type": "pointerDown", "button": 0},
                {"type": "pointerUp", "button": 0},
            ],
        )

    def press(self, *keys):
        for key in keys:
            held = [KEYS.get(each, each) for each in key.split("+")]
            down = [{"type": "keyDown", "value": value} for value in held]
            up = [{"type": "keyUp", "value": value} for value in reversed(held)]
            self._perform("key", [*down, *up])

    def _perform(self, kind, actions):
        self.call(
            "input.performActions",
            context=self._tab,
            actions=[{"type": kind, "id": kind, "actions": actions}],
        )
