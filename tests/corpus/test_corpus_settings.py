"""Settings of a job, which are checked before it starts."""

import json
import math

import numpy as np
from cases import for_each
from refusals import refused

from thatch.corpus.corpus_settings import CorpusSettings
from thatch.errors import InputError, InputTypeError


@for_each("value", [1.5, -1, math.inf, math.nan])
@for_each("name", ["seed", "max_bytes"])
def test_whole_numbers_are_required(name, value):
    with refused(InputError, f"{name} is {value}"):
        CorpusSettings(**{name: value})
    with refused(InputTypeError, name):
        CorpusSettings(**{name: "1"})


def test_whole_numbers_of_numpy_can_be_recorded():
    settings = CorpusSettings(seed=np.int64(3), max_bytes=np.int32(100))
    assert json.dumps([settings.seed, settings.max_bytes]) == "[3, 100]"
