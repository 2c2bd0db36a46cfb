"""Every theorem on every problem of the grid that it is about, as far as its bound falls within LONGEST passes."""

import pytest
from bounds import THEOREMS, cases, dominance
from claims import Claim


@pytest.mark.full
@pytest.mark.parametrize("b", THEOREMS, ids=lambda b: f"{b.method}-{b.theorem}-{b.sampling}")
def test_the_bound_holds_on_every_problem_that_it_is_about(b):
    assert cases(b)
    for case in cases(b):
        claim = Claim(b.method, case.title, "mean", lambda seeds, case=case: dominance(case, seeds), case.fall)
        assert 0 < claim.check() < 1.01
