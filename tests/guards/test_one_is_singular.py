"""One is singular: what is printed of one run, one record, one solution."""

import pytest

import cdlab
from cdlab.sweeps import Progress


@pytest.mark.parametrize("many", [1, 2])
def test_what_is_counted_is_in_the_right_number(many, tmp_path):
    P = cdlab.Problem([[1.0, 2.0], [3.0, 4.0]], [1, -1], l2=0.1)
    s = cdlab.solve(P, max_passes=many - 1, tol=0)
    cdlab.race(P, ["sdca"], seeds=range(many), max_passes=1, store=tmp_path)
    printed = [
        (repr(cdlab.path(P, l2=[0.1, 0.2][:many])), "solution"),
        (repr(s.trace), "record"),
        (repr(cdlab.Store(tmp_path)), "run"),
    ]
    for text, noun in printed:
        assert f"{noun}s" in text if many > 1 else f"{noun}s" not in text.replace("Solutions", ""), text
    assert str(Progress(total=many, done=0, found=0, failed=0, seconds_left=None)).startswith(
        f"0 of {many} run" + "s" * (many > 1)
    )
