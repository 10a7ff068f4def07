"""OR-Library set cover: a row an element, a column an item, every weight 1, no budget.

::

    rows columns
    costs of the columns
    for each row, how many columns cover it, and their numbers from 1
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import batched
from pathlib import Path
from typing import BinaryIO

import numpy as np

from thatch.arrays import Ints
from thatch.errors import InputError
from thatch.instances.formats.contents import Contents
from thatch.instances.formats.text_numbers import TextNumbers, first_repeat, plain
from thatch.problem import CoverageProblem

_NUMBERS_A_LINE = 12
