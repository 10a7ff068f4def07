import pytest

from thatch.scale import DaskEngine, LocalEngine, SparkEngine

ENGINES = [
    LocalEngine(num_workers=2),
    DaskEngine(num_workers=2),
    pytest.param(SparkEngine(num_workers=2), marks=pytest.mark.spark),
]


@pytest.fixture(params=ENGINES, ids=lambda engine: type(engine).__name__)
def engine(request):
    """Every engine, with two workers on this machine."""
    return request.param
