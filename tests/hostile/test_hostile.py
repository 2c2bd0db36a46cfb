"""Nothing that a user can hand over crashes, hangs, or is answered by a number that is not so.

The answer to every input is either finite and honest, or one sentence. A few examples of each class run with every
push; hunt.py tries as many as one likes, each class in processes of its own.
"""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from tried import CLASSES

EXAMPLES = int(os.environ.get("CDLAB_HOSTILE", "40"))  # of each class
SHARES = {"methods": 4, "samplings": 4, "messages": 4, "bombs": 20}  # of classes with long examples


@pytest.mark.parametrize("name", CLASSES)
def test_hostile_inputs_are_answered_or_refused_in_a_sentence(name):
    strategy, check = CLASSES[name]

    count = max(1, EXAMPLES // SHARES.get(name, 1))

    @settings(
        max_examples=count, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(strategy)
    def try_one(example):
        check(example)

    try_one()
