"""Pictures of exact rates show the numbers of their tables, which are those of `exact_rate`."""

import numpy as np
import pytest
from cases import each_of
from plotted import curves, data, elements, options

import cdlab
from cdlab import plots, theory

PROBLEM = cdlab.Problem(cdlab.datasets.arrow(5, 6, 1.0, 0.3, 2.0)[0], np.ones(6), loss="squared", l2=1 / 6)


def test_the_expected_error_is_the_curve_of_the_rate_over_passes():
    rate = theory.exact_rate(PROBLEM, "sdca", "permutation")
    line = {"promised": ([0, 5], [1.0, 0.5])}
    drawn = plots.expected_error(rate, 5, "D*-D", bounds=line, floors={"floor": ([0, 5], [0.1, 0.01])})
    assert list(curves(drawn)) == [f"exact: sdca, {rate.sampling}", "promised", "floor"]
    passes, values = curves(drawn)[f"exact: sdca, {rate.sampling}"]
    np.testing.assert_allclose(passes, np.arange(6))
    np.testing.assert_allclose(values, rate.curve(5, "D*-D"))
    table = plots.expected_error_table(rate, 5, "D*-D")
    np.testing.assert_allclose(table["expected"], values)
    np.testing.assert_allclose(table["factor"][1:], values[1:] / values[:-1])
    assert f"{rate.radius:.3g}" in plots.expected_error_sentence(rate, 5, "D*-D")


def test_orders_are_drawn_with_their_intervals_and_the_bounds_beside_them():
    rates = [theory.exact_rate(PROBLEM, "sdca", order) for order in ("uniform", "importance", "permutation")]
    table = plots.orders_table(rates, {"sdca, uniform": 80.0})
    np.testing.assert_allclose(table["passes"], [rate.passes for rate in rates])
    assert table["bound"].isna().tolist() == [False, True, True]
    drawn = elements(plots.orders(rates, {"sdca, uniform": 80.0}), "Scatter")
    assert {float(data(each)[0][0]) for each in drawn} == {80.0, *table["passes"]}
    words = plots.orders_sentence(rates)
    assert words.index("fastest is sdca, permutation") < words.index("slowest sdca, importance")


def test_the_map_of_permutations_has_the_closed_forms_numbers():
    """Of beyond-the-papers section 1.5: 5.71006329 and 5.005509129 passes per factor e at n = 24, sigma = 2/21."""
    gain = plots.permutation_gain_table([2, 24], [2 / 21, 0.5]).loc[24].iloc[0]
    assert gain == pytest.approx(5.71006329 / 5.005509129, rel=1e-9)
    (cells,) = elements(plots.permutation_gain([2, 24], [2 / 21, 0.5]), "Rectangles")
    assert data(cells)[-1].max() == pytest.approx(plots.permutation_gain_table([2, 24], [2 / 21, 0.5]).max().max())
    assert options(cells, "plot")["clim"][0] == 1  # nothing on the map is below
    assert "permutation is faster" in plots.permutation_gain_sentence([2, 24], [2 / 21])


def test_an_attack_is_drawn_with_its_rows_and_the_vectors_of_its_state():
    def ratio(problem, w, alpha):
        return float(np.exp(-np.abs(w - 1).sum() - np.abs(alpha).sum()))

    found = theory.attack(
        theory.Statement("near", "w is not 1", ratio, state={"w": "d", "alpha": "n"}), 3, 2, evaluations=200
    )
    lines = curves(plots.attack(found))
    w = found.state["w"]
    assert list(lines) == ["row 1", "row 2", "row 3", f"w, {np.linalg.norm(w):.3g} long"]
    ends = np.array([[x[-1], y[-1]] for x, y in lines.values()])
    np.testing.assert_allclose(ends[:3] @ ends[:3].T, found.X @ found.X.T, atol=1e-12)  # a rotation of the plane
    np.testing.assert_allclose(ends[:3] @ ends[3], found.X @ w / np.linalg.norm(w), atol=1e-12)
    assert plots.attack_table(found).loc["alpha", "norm"] == pytest.approx(np.linalg.norm(found.state["alpha"]))
    assert f"{found.ratio:.6g}" in plots.attack_sentence(found)


def test_the_settled_share_is_that_of_the_curve():
    X, y = cdlab.datasets.make(n=60, d=5, seed=0)
    curve = cdlab.certificates.settled_curve(cdlab.Problem(X, y, loss="smooth_hinge", l2=1 / 60), "sdca", seed=1)
    (passes, share) = curves(plots.settled([curve]))[f"{curve.label}: examples"]
    np.testing.assert_allclose(passes, curve.passes)
    np.testing.assert_allclose(share, curve.examples)
    assert f"{share[-1]:.0%} of the examples" in plots.settled_sentence(curve)


@each_of(
    "draw, words",
    [
        (lambda: plots.orders([]), "at least one rate"),
        (lambda: plots.permutation_gain([1], [0.5]), "n must be a whole number >= 2"),
        (lambda: plots.permutation_gain([2], [1.0]), "sigma must lie between 0 and 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, words):
    with pytest.raises(ValueError, match=words):
        draw()


@pytest.mark.parametrize("picture", [plots.expected_error, plots.orders, plots.settled])
def test_pictures_of_rates_refuse_what_is_none(picture):
    for wrong in (None, 3, [3], cdlab.Problem(np.eye(2), np.ones(2), l2=1.0)):
        with pytest.raises(TypeError, match="this picture is of "):
            picture(wrong)
