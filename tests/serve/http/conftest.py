import httpx
import pytest
from servers import serving


@pytest.fixture(scope="session")
def server():
    """One ``thatch serve`` for all tests that do not change it."""
    with serving() as running:
        yield running


@pytest.fixture
def client(server):
    """HTTP client of the server."""
    with httpx.Client(base_url=server.address, timeout=300) as connected:
        yield connected
