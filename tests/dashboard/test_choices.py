import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.dashboard.choices.choices import SYNTHETIC, UPLOAD, Choices, at_hand
from cdlab.dashboard.choices.data_sources import FAMILIES
from cdlab.methods import METHODS
from cdlab.runs.entries import check_entrant

SMALL = {"n": 60, "d": 12, "density": 0.5}


def test_every_choice_has_a_label_and_an_explanation():
    choices = Choices()
    for name in choices.values():
        assert choices.param[name].label
        assert choices.param[name].doc


def test_the_data_sets_offered_need_no_download():
    assert {"mushrooms", "a9a"} <= set(at_hand())
    assert Choices().param.data.objects == [*FAMILIES, UPLOAD, *at_hand()]


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "n": st.integers(2, 100_000),
            "density": st.floats(0.0001, 1),
            "tol": st.floats(0, 1),
            "l2": st.floats(0, 1e12),
            "l2_over_n": st.booleans(),
            "data": st.sampled_from([SYNTHETIC, "mushrooms"]),
            "loss": st.sampled_from(list(cdlab.losses.LOSSES)),
            "methods": st.lists(st.sampled_from(list(METHODS)), unique=True),
        },
    )
)
def test_an_address_gives_back_the_same_choices(values):
    choices, again = Choices(**values), Choices()
    assert again.from_query(choices.to_query()) == []
    assert again.values() == choices.values()


def test_an_address_names_only_what_differs_from_the_defaults():
    assert Choices().to_query() == {}
    assert Choices(n=50, methods=["rcd", "sdca"]).to_query() == {"n": "50", "methods": "rcd,sdca"}


@each_of(
    "name, text, why",
    [
        ("n", "many", "whole number"),
        ("n", "1", "at least 2"),
        ("density", "nan", "density"),
        ("l2_over_n", "maybe", "yes or no"),
        ("l2", "inf", "at most"),
        ("loss", "squaredd", "does not accept"),
        ("methods", "sdca,nobody", "does not accept"),
        ("colour", "red", "no such choice"),
    ],
)
def test_what_an_address_gets_wrong_is_said_and_the_rest_is_taken(name, text, why):
    choices = Choices()
    (complaint,) = choices.from_query({name: text, "d": "7"})
    assert f"{name}={text}" in complaint
    assert why in complaint
    assert choices.to_query() == {"d": "7"}


def test_a_copy_stays_as_it_was():
    choices = Choices()
    copy = choices.copy()
    choices.methods = ["rcd"]
    choices.n = 3
    assert copy.to_query() == {}


# ---------------------------------------------------------------- the problem
def test_synthetic_data_are_what_the_choices_say():
    X, y = cdlab.datasets.make(60, 12, density=0.5, skew=0.7, row_spread=0.4, noise=0.3, seed=5)
    P = Choices(**SMALL, skew=0.7, row_spread=0.4, noise=0.3, data_seed=5, scale="none", l2=2.0).problem()
    np.testing.assert_array_equal(P.X, X)
    np.testing.assert_array_equal(P.y, y)
    assert P.l2 == 2 / 60


def test_the_scales_of_synthetic_rows_are_those_of_files():
    mean, unit = (Choices(**SMALL, row_spread=1.0, scale=scale).problem().X for scale in ("mean", "unit"))
    assert np.linalg.norm(mean, axis=1).mean() == pytest.approx(1)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1)


def test_l2_is_the_number_itself_or_the_number_over_n():
    assert Choices(**SMALL, l2=3.0, l2_over_n=False).problem().l2 == 3
    assert Choices(**SMALL, l2=3.0, l2_over_n=True).problem().l2 == 3 / 60


def test_real_data_are_loaded_with_their_scale():
    P = Choices(data="mushrooms", scale="unit").problem()
    assert (P.n, P.d) == (8124, 112)
    assert sp.issparse(P.X)
    assert pytest.approx(1) == P.R


def test_gamma_is_the_smoothing_of_the_losses_that_have_one():
    assert Choices(**SMALL, loss="smooth_hinge", gamma=0.25).problem().loss.gamma == 0.25
    assert Choices(**SMALL, loss="huber", gamma=0.5).problem().loss.gamma == 0.5
    assert Choices(**SMALL, loss="logistic", gamma=0.25).problem().loss.gamma == 4
    assert Choices(**SMALL, loss="hinge", gamma=0.25).problem().loss.gamma == 0


def test_regression_losses_get_real_targets():
    assert len(set(Choices(**SMALL, loss="huber").problem().y)) == 60


def test_data_too_large_for_a_page_are_refused_with_advice():
    with pytest.raises(ValueError, match="lower n, d or the density"):
        Choices(n=100_000, d=100_000, density=0.01).problem()


def test_the_problem_key_ignores_what_does_not_matter():
    assert Choices().problem_key() == Choices(seed=7, passes=3, methods=["rcd"]).problem_key()
    assert Choices().problem_key() != Choices(n=999).problem_key()
    assert Choices(data="mushrooms").problem_key() == Choices(data="mushrooms", n=999).problem_key()


# ---------------------------------------------------------------- who may run
@each_of("loss", list(cdlab.losses.LOSSES))
@each_of("extra", [{}, {"l1": 0.1}, {"l2": 0.0}, {"dual_sampling": "uniform"}])
def test_a_refusal_is_the_sentence_that_solve_gives(loss, extra):
    choices = Choices(**SMALL, loss=loss, **extra)
    P, refusals = choices.problem(), choices.refusals()

    def told(name: str) -> str | None:
        try:
            check_entrant(P, *cdlab.runs.entries.entrant(choices.entry(name, choices.sampling(name))))
        except ValueError as error:
            return str(error)
        return None

    assert refusals == {name: told(name) for name in METHODS if told(name) is not None}


def test_entries_are_the_chosen_methods_that_fit_with_their_side_s_sampling():
    choices = Choices(loss="hinge", dual_sampling="norms", primal_sampling="uniform", methods=["rcd", "sdca"])
    assert choices.entries() == [("sdca", {"sampling": "norms"})]


def test_a_race_that_could_fill_the_memory_is_measured_less_often():
    choices = Choices(methods=["sdca", "quartz", "rcd"], passes=100_000)
    assert choices.every() == 1
    choices.seeds = 20
    assert choices.every() == 20


def test_where_nobody_fits_everybody_s_reason_is_given():
    with pytest.raises(ValueError, match=r"No method can run\. rcd needs a smooth loss"):
        Choices(loss="hinge", methods=["rcd"]).entries()
    with pytest.raises(ValueError, match="Choose at least one"):
        Choices(methods=[]).entries()


def test_a_file_that_the_race_is_not_on_is_not_in_the_address():
    choices = Choices(data="upload", upload="mine.txt:0123456789abcdef")
    assert choices.to_query()["upload"] == "mine.txt:0123456789abcdef"
    choices.data = "synthetic"
    assert choices.to_query() == {}
