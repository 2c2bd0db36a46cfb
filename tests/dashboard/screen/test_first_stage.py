"""What is shipped is what the code makes today: else `python -m cdlab.dashboard.stage.first_stage` writes it anew."""

from numbers import Real

import pytest

from cdlab.dashboard.stage.first_stage import first_stage, work_out


def same(stored, made, where="first_stage"):
    """Of one structure; numbers to rounding, which an optimisation carries on."""
    if isinstance(made, dict):
        assert set(stored) == set(made), where
        for name in made:
            same(stored[name], made[name], f"{where}.{name}")
    elif isinstance(made, list | tuple):
        assert len(stored) == len(made), where
        for k, (a, b) in enumerate(zip(stored, made, strict=True)):
            same(a, b, f"{where}[{k}]")
    elif isinstance(made, Real) and not isinstance(made, bool):
        assert stored == pytest.approx(made, rel=1e-3, abs=1e-12), where
    else:
        assert stored == made, where


def test_the_stored_picture_is_the_present_one():
    same(first_stage(), work_out())
