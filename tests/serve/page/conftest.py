"""Fixtures: the real server and a real browser, in which the page must log no error."""

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from .chromium import ChromiumTab
from .firefox import firefox_tab

LOOKS = {
    "desktop light": (1280, 800, "light"),
    "desktop at 200 %": (640, 400, "light"),
    "phone dark": (360, 740, "dark"),
}
# Logged by the browser itself for error responses and failed requests.
FAILED_REQUEST = "Failed to load resource"
# How long to wait for what must come: no test depends on the speed of the machine.
MAX_MILLISECONDS = 180_000
VISITS = count()
# One document, of which the tests know some sentences.
SAMPLE = "pep-0609"
FOLLOW = """fragment => new Promise((resolve) => {
  document.querySelectorAll("details[open]").forEach((each) => { each.open = false; });
  scrollTo(0, 0);
  addEventListener("hashchange", resolve, { once: true });
  location.hash = fragment;
})"""


class Server:
    """``thatch serve`` in a process of its own."""

    def __init__(self, *options):
        self._options = options
        self._process = None
        self._port = 0
        self.start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self._port}"

    def start(self):
        """Start on any free port, or restart on the same port."""
        command = [sys.executable, "-m", "thatch", "serve", "--workers", "1"]
        self._process = subprocess.Popen(
            [*command, "--port", str(self._port), *self._options],
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self._process.stderr.readline()
        assert "thatch is at http://127.0.0.1:" in line, line
        self._port = urlsplit(line.split()[3]).port
        while not self._answers():
            # It must not have exited meanwhile.
            with pytest.raises(subprocess.TimeoutExpired):
                self._process.wait(timeout=0.05)

    def _answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self._port)):
                return True
        except ConnectionRefusedError:
            return False

    def stop(self):
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.communicate()
            self._process = None


@pytest.hookimpl(tryfirst=True)  # before pytest selects tests by their marks
def pytest_collection_modifyitems(items):
    """Mark every test of this folder, so that none can be forgotten."""
    folder = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def serve():
    """Start servers; they are stopped after the tests."""
    servers = []

    def start(*options):
        servers.append(Server(*options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def server(serve):
    return serve()


# Playwright runs an event loop in this thread, so it must not outlive this folder:
# tests elsewhere run loops of their own.
@pytest.fixture(scope="package")
def browser():
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        # Root may not use the sandbox.
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=options)
        expect.set_options(timeout=MAX_MILLISECONDS)
        yield browser
        browser.close()


@pytest.fixture
def look(request):
    return getattr(request, "param", "desktop light")


@pytest.fixture(scope="package")
def tab_of(browser: Browser):
    """One tab per look, as opening a tab takes longer than most tests."""
    return cache(lambda look: new_tab(browser, *LOOKS[look]))


def new_tab(browser, width, height, scheme):
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        has_touch=width < 500,
        reduced_motion="reduce",
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.set_default_timeout(MAX_MILLISECONDS)
    return context.new_page()


@dataclass
class Watch:
    """Records errors in a tab during one test."""

    addresses: set[str]
    is_failure_expected: bool = False
    failures: list[str] = field(default_factory=list)

    def on_console(self, message):
        is_expected = self.is_failure_expected and FAILED_REQUEST in message.text
        if message.type in {"error", "warning"} and not is_expected:
            self.failures.append(f"{message.type}: {message.text} {message.location}")

    def on_error(self, error):
        self.failures.append(str(error))

    def on_request(self, request):
        is_inner = urlsplit(request.url).scheme in {"about", "blob", "data"}
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(request.url))
        if not is_inner and origin not in self.addresses:
            self.failures.append(f"request to another site: {request.url}")


@contextmanager
def checked(page, address):
    """Any logged error or request to another site within the block fails the test."""
    watch = Watch({address})
    handlers = {
        "console": watch.on_console,
        "pageerror": watch.on_error,
        "request": watch.on_request,
    }
    with ExitStack() as stack:
        for event, handler in handlers.items():
            stack.enter_context(watched(page, event, handler))
        yield watch
    assert watch.failures == []


@pytest.fixture
def browse(tab_of, server, look):
    """Open the page, which must log no error."""
    page = tab_of(look)

    def open_page(fragment="", *, address=server.address, is_failure_expected=False):
        watch.addresses.add(address)
        watch.is_failure_expected = is_failure_expected
        if "sample=" not in fragment and "text=" not in fragment:
            fragment = f"#sample={SAMPLE}&{fragment.lstrip('#')}"
        # Following a link restores the page without loading it again.
        if page.url.startswith(f"{address}/"):
            page.evaluate(FOLLOW, f"#visit={next(VISITS)}&{fragment.lstrip('#')}")
        else:
            page.goto(f"{address}/{fragment}")
        return page

    with checked(page, server.address) as watch:
        yield open_page
        page.unroute_all()
        if watch.addresses != {server.address}:
            # Failed requests to a stopped server must not fail the next test.
            page.goto("about:blank")


@pytest.fixture
def read(browse):
    """Open the page by a link with a text, and wait until it is summarized."""

    def open_text(text, fields="", **options):
        page = browse(f"#{fields}&text={packed(text)}", **options)
        until(page, "#source-text [data-level]")
        return page

    return open_text


@pytest.fixture(scope="package")
def coverage_tab_of(browser):
    return cache(lambda look: new_tab(browser, *LOOKS[look]))


@pytest.fixture
def plan(coverage_tab_of, server, look):
    """Open the coverage page, with the same rules as for the summary page."""
    page = coverage_tab_of(look)

    def open_page(fragment="", *, is_failure_expected=False):
        watch.is_failure_expected = is_failure_expected
        page.goto(fresh(f"{server.address}/coverage{fragment}"))
        until(page, "#headline", "best")
        return page

    with checked(page, server.address) as watch:
        yield open_page
        page.unroute_all()
        page.goto("about:blank")


@pytest.fixture
def context(tab_of, server, look):
    """Open the context page, with the same rules."""
    page = tab_of(look)

    def open_page(fragment="", *, is_failure_expected=False):
        watch.is_failure_expected = is_failure_expected
        page.goto(fresh(f"{server.address}/context{fragment}"))
        return page

    with checked(page, server.address) as watch:
        yield open_page
        # Other tests follow links within the page that they find.
        page.unroute_all()
        page.goto("about:blank")


@pytest.fixture(scope="package")
def firefox(tmp_path_factory):
    command = shutil.which("firefox-esr") or shutil.which("firefox")
    with firefox_tab(command, tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def visit_in_firefox(firefox, server):
    """Open a page in Firefox, with the same rules."""
    firefox.failures.clear()
    firefox.hosts.clear()

    def open_page(path, **size):
        firefox.open("about:blank")
        firefox.open(fresh(f"{server.address}{path}"), **size)
        return firefox

    yield open_page
    firefox.open("about:blank")
    assert firefox.failures == []
    assert firefox.hosts == {server.address.removeprefix("http://")}


@pytest.fixture
def visit_in_chromium(coverage_tab_of, server):
    """Open a page in Chromium, with the same rules."""
    page = coverage_tab_of("desktop light")
    width, height, _ = LOOKS["desktop light"]

    def open_page(path, **size):
        tab = ChromiumTab(page)
        tab.open("about:blank")
        tab.open(fresh(f"{server.address}{path}"), **size)
        return tab

    with checked(page, server.address):
        yield open_page
        page.goto("about:blank")
        page.set_viewport_size({"width": width, "height": height})


@pytest.fixture(params=["chromium", "firefox"])
def visit(request):
    """Open a page in each browser."""
    return request.getfixturevalue(f"visit_in_{request.param}")


def fresh(address):
    """An address at which a page does not restore what the tab showed before."""
    return address if "#" in address else f"{address}#fresh"


def until(page, selector, text=""):
    """Wait until an element with this text is visible."""
    page.locator(selector).filter(has_text=text).first.wait_for()


def packed(text):
    """A text as encoded in a link: JSON, deflated, in URL-safe base64."""
    deflated = zlib.compressobj(wbits=-15)
    content = json.dumps([{"text": text, "name": ""}]).encode()
    content = deflated.compress(content) + deflated.flush()
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def paste(page, text):
    """Paste a text into the editor, as a user does."""
    page.locator("#edit").click()
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator("#editor-text").press("Control+a")
    page.locator("#editor-text").press("Control+v")


@contextmanager
def watched(page, event, handler):
    """Handle an event within the block; the tab is shared with other tests."""
    page.on(event, handler)
    yield
    page.remove_listener(event, handler)


def upload(page, files):
    """Open files, given as contents by name."""
    page.locator("#files").set_input_files(
        [
            {"name": name, "mimeType": "application/octet-stream", "buffer": content}
            for name, content in files.items()
        ]
    )
