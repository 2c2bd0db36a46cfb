"""Infinity and NaN come back from words, and are null for other programs."""

import json
import math

import numpy as np
from cases import each_of

from cdlab.numerics.json_numbers import is_json_number, null_non_finite, to_json_number


@each_of("value", [0.0, -1.5, 3, math.inf, -math.inf, math.nan])
def test_a_number_comes_back(value):
    words = json.loads(json.dumps(to_json_number(value), allow_nan=False))
    assert is_json_number(words)
    np.testing.assert_equal(float(words), value)


@each_of("value", [True, None, "infinity", "1", [1.0], 10**400, math.inf, math.nan, 1j])
def test_nothing_else_is_taken_for_a_number(value):
    assert not is_json_number(value)


def test_other_programs_get_null():
    value = {1: (math.inf, np.float64("nan")), "x": np.array([[1.0, -np.inf]]), "n": np.int64(3), "s": "inf"}
    assert null_non_finite(value) == {"1": [None, None], "x": [[1.0, None]], "n": 3, "s": "inf"}
    json.dumps(null_non_finite(value), allow_nan=False)
