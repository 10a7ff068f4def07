import httpx
import pytest
from servers import serving


@pytest.fixture(scope="session")
def server():
    """One ``thatch serve`` for all tests that leave it as it was."""
    with serving() as running:
        yield running


@pytest.fixture
def client(server):
    """Asks the server, and waits long enough."""
    with httpx.Client(base_url=server.address, timeout=60) as asking:
        yield asking
