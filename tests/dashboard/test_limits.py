import functools

import pytest
from cases import each_of

import cdlab.dashboard
from cdlab.cli import main
from cdlab.dashboard.engine import Choices
from cdlab.dashboard.visitor_limits import VisitorLimits, limits, set_limits


@pytest.fixture(autouse=True)
def afterwards_as_before():
    yield
    set_limits()


def test_the_environment_sets_limits_and_serve_goes_before_it(monkeypatch):
    monkeypatch.setenv("CDLAB_SESSIONS", "7")
    monkeypatch.setenv("CDLAB_ENTRIES", "1e5")
    assert limits() == VisitorLimits(sessions=7, entries=1e5)
    set_limits(sessions=3)
    assert limits() == VisitorLimits(sessions=3, entries=1e5)


@pytest.mark.parametrize(("name", "text"), [("CDLAB_SESSIONS", "many"), ("CDLAB_UPLOAD", "10 MB")])
def test_a_limit_that_is_no_number_is_named(monkeypatch, name, text):
    monkeypatch.setenv(name, text)
    with pytest.raises(ValueError, match=f"{name} must be a number, not '{text}'"):
        limits()


@each_of("values", [{"sessions": 0}, {"entries": -1.0}, {"upload": float("nan")}])
def test_a_limit_must_be_above_0(values):
    (name,) = values
    with pytest.raises(ValueError, match=f"the limit on {name} must be a number above 0"):
        set_limits(**values)


@pytest.mark.parametrize("data", [{"n": 200, "d": 60, "density": 1.0}, {"data": "mushrooms"}])
def test_data_above_the_limit_are_refused_with_advice(data):
    set_limits(entries=1e4)
    with pytest.raises(ValueError, match=r"this dashboard takes at most 1e\+04: (lower n, d|choose other data)"):
        Choices(**data).problem()
    set_limits()
    Choices(**data).problem()


def test_a_large_file_is_refused_in_plain_words():
    set_limits(upload=2)
    limits().check_upload(2_000_000)
    with pytest.raises(ValueError, match="the file has 3.5 MB; this dashboard takes at most 2 MB: take a part"):
        limits().check_upload(3_500_000)


def test_the_command_line_hands_on_what_it_is_told(monkeypatch):
    calls = []
    serve = functools.wraps(cdlab.dashboard.serve)(lambda **options: calls.append(options))
    monkeypatch.setattr(cdlab.dashboard, "serve", serve)
    assert main(["serve", "--sessions", "5", "--entries", "1e6"]) == 0
    (call,) = calls
    assert (call["sessions"], call["entries"]) == (5, 1e6)
    assert call["upload"] is None
