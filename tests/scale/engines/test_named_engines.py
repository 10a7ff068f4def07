import sys

import pytest
from refusals import refused

from thatch import InputError
from thatch.errors import MissingExtraError
from thatch.errors.installation import install_command
from thatch.scale import DaskEngine, LocalEngine, SparkEngine, engine_named


def test_every_engine_has_a_name():
    assert engine_named("local") == LocalEngine()
    assert engine_named("dask", num_workers=3) == DaskEngine(num_workers=3)
    address = "tcp://127.0.0.1:1"
    assert engine_named("dask", scheduler=address) == DaskEngine(address)
    assert engine_named("spark", num_workers=2) == SparkEngine(num_workers=2)


@pytest.mark.parametrize(
    ("name", "options", "facts"),
    [
        ("ray", {}, ("engine", "'ray'", "spark")),
        ("local", {"scheduler": "tcp://x:1"}, ("scheduler", "'tcp://x:1'", "local")),
        (
            *("dask", {"scheduler": "tcp://x:1", "num_workers": 2}),
            ("workers", 2, "scheduler"),
        ),
        ("local", {"num_workers": 0}, ("workers", 0)),
        ("spark", {"num_workers": 1.5}, ("workers", 1.5)),
    ],
)
def test_invalid_settings_are_refused(name, options, facts):
    with refused(InputError, *facts):
        engine_named(name, **options)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("dask", "distributed", "dask"), ("spark", "pyspark.sql", "spark")],
)
def test_a_missing_package_of_an_engine_is_named(name, package, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    with pytest.raises(MissingExtraError) as caught:
        list(engine_named(name).map(abs, [1]))
    assert install_command(extra) in caught.value.hint
