import sys

import pytest

from thatch import InputError
from thatch.engines import DaskEngine, LocalEngine, SparkEngine, engine_named
from thatch.errors import MissingExtraError


def test_engines_have_names():
    assert engine_named("local") == LocalEngine()
    assert engine_named("dask", num_workers=3) == DaskEngine(num_workers=3)
    address = "tcp://127.0.0.1:1"
    assert engine_named("dask", scheduler=address) == DaskEngine(address)
    assert engine_named("spark", num_workers=2) == SparkEngine(num_workers=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "ray"}, "engine must be local, dask or spark, got 'ray'."),
        (
            {"name": "local", "scheduler": "tcp://x:1"},
            "scheduler must be left out with engine local, got 'tcp://x:1'.",
        ),
        (
            {"name": "dask", "scheduler": "tcp://x:1", "num_workers": 2},
            "workers must be left out with a scheduler, which has its own, got 2.",
        ),
        (
            {"name": "local", "num_workers": 0},
            "workers must be a whole number >= 1, got 0.",
        ),
        (
            {"name": "spark", "num_workers": 1.5},
            "workers must be a whole number >= 1, got 1.5.",
        ),
    ],
)
def test_bad_settings_are_refused(arguments, message):
    with pytest.raises(InputError) as caught:
        engine_named(arguments.pop("name"), **arguments)
    assert caught.value.message == message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("dask", "distributed", "dask"), ("spark", "pyspark.sql", "spark")],
)
def test_an_engine_that_is_not_installed_is_named(name, package, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    with pytest.raises(MissingExtraError, match=f"thatch\\[{extra}\\]"):
        list(engine_named(name).map(abs, [1]))
