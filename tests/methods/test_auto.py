"""auto certifies what it solves by one of cdlab's methods, changes it at most once, and says which and why."""

import itertools

import numpy as np
import pytest
from cases import each_of
from problems import NON_SMOOTH, SMOOTH, optimum, problem
from sklearn.preprocessing import normalize

import cdlab
from cdlab.methods import SDCA, Auto, NewtonCD, Screened, cost_model
from cdlab.methods.wrappers.screened import Active
from cdlab.problems.points import Points
from cdlab.runs.running import Run

WEIGHTS = [(0.1, 0.0), (0.1, 0.02), (0.0, 0.02)]


def tall(loss="logistic", l2=1e-4):
    """Many examples of few features, ill-conditioned: Newton's method is cheap."""
    return cdlab.Problem(*cdlab.datasets.make(n=400, d=8, density=1.0, condition=100, seed=1), loss=loss, l2=l2)


def text(loss="logistic", l2=1e-3):
    """Short rows of many features: a Newton step is dear."""
    return cdlab.Problem(*cdlab.datasets.make(n=1200, d=12000, density=0.003, seed=1), loss=loss, l2=l2)


@each_of("loss, weights", list(itertools.product(SMOOTH, WEIGHTS)))
def test_smooth_losses_are_solved_with_every_regulariser(loss, weights):
    l2, l1 = weights
    P = problem(loss, l2, l1)
    s = cdlab.solve(P, "auto", tol=1e-8)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - optimum(loss, l2, l1) <= 1e-7 * P.primal(np.zeros(P.d))


@pytest.mark.parametrize("loss", NON_SMOOTH)
def test_losses_with_kinks_are_solved_by_the_dual(loss):
    s = cdlab.solve(problem(loss), "auto", tol=1e-4)
    assert s.status == "tolerance reached"
    assert s.trace.meta["chosen"].startswith("sdca(screening='shrink') to begin with")


def test_without_a_regulariser_the_gradient_says_when_to_stop():
    assert cdlab.solve(problem("squared", l2=0.0), "auto", tol=1e-6).status == "gradient small"


def test_where_sdca_stalls_on_classes_and_an_l1_lbfgs_goes_on():
    """Neither Newton's method nor acceleration takes them together; sdca alone is far off after as many passes."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(57, 4))
    y = np.argmax(X @ rng.normal(size=(4, 3)) + rng.normal(size=(57, 3)), axis=1)
    P = cdlab.Problem(X, y, "softmax", l2=1e-4, l1=1e-3)
    s = cdlab.solve(P, "auto", tol=1e-7)
    assert s.status == "tolerance reached"
    assert "; lbfgs after " in s.trace.meta["chosen"]
    assert cdlab.solve(P, "sdca@permutation", tol=1e-7, max_passes=1000).relative_gap > 1e-5
    again = cdlab.solve(P, "auto", tol=1e-7)
    np.testing.assert_array_equal(s.w, again.w)


@pytest.mark.parametrize("loss", ["hinge", "absolute"])
def test_where_sdca_stalls_on_kinks_ssnal_goes_on(loss):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(57, 4))
    z = X @ rng.normal(size=4) + rng.normal(size=57)
    P = cdlab.Problem(X, z if loss == "absolute" else np.sign(z), loss, l2=1e-5)
    s, alone = (cdlab.solve(P, method, tol=1e-7, max_passes=5000) for method in ("auto", "sdca@permutation"))
    assert "; ssnal after " in s.trace.meta["chosen"]
    assert s.relative_gap < alone.relative_gap / 10


def test_few_features_are_newton_s_from_the_beginning():
    chosen = cdlab.solve(tall(), "auto").trace.meta["chosen"]
    assert chosen == "newton_cd at once: its models are cheap here"


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_text_is_solved_by_coordinate_descent_to_the_bit(loss):
    """Where a loss has a straight part by that which leaves out examples there."""
    P, alone = text(loss, l2=1e-2), SDCA() if loss == "logistic" else Screened(SDCA(), "shrink")
    auto = cdlab.solve(P, "auto", tol=1e-6, seed=3)
    assert auto.trace.meta["chosen"] == f"{alone.label} to begin with"
    descent = cdlab.solve(P, alone, sampling="permutation", tol=1e-6, seed=3)
    np.testing.assert_array_equal(auto.w, descent.w)
    assert auto.active == descent.active
    assert (auto.active is None) == (loss == "logistic")


@pytest.mark.parametrize("make", [text, tall])
@pytest.mark.parametrize("tol", [1e-3, 1e-12])
def test_the_lasso_is_a_model_of_newton_s_method_itself(make, tol):
    """On a working set of many features, or by the Gram matrix of few."""
    P = make("squared", l2=0.0)
    P = P.with_(l1=0.3 * np.abs(P.v(P.y)).max())
    s = cdlab.solve(P, "auto", tol=tol)
    assert s.trace.meta["chosen"] == "newton_cd at once: its models are cheap here"
    assert s.relative_gap <= max(tol, 1e-11)  # nearer rounding may not let it come


def changing():
    """A problem on which sdca stalls though it should not: features are correlated, which norms do not show."""
    rng = np.random.default_rng(2)
    n, d, factors = 400, 600, 20
    X = rng.standard_normal((n, factors)) @ rng.standard_normal((factors, d)) / np.sqrt(factors)
    X = (X + 0.1 * rng.standard_normal((n, d))) / np.sqrt(d)
    return cdlab.Problem(X, np.sign(X @ rng.standard_normal(d)), loss="logistic", l2=1e-5)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_examples_are_left_out_where_they_are_many_and_return_to_the_next_method(share):
    """Examples of disjoint features; this share of them are short and end with margins below 1, the others at 1."""
    X = np.diag(np.where(np.arange(100) < 100 * share, 0.1, 20.0))
    P = cdlab.Problem(X, np.tile([1.0, -1.0], 50), "hinge", l2=0.01)
    best = cdlab.solve(P, "sdca", tol=1e-10, max_passes=10**4)
    assert (np.abs(best.alpha) == 1).mean() == pytest.approx(share)
    method, z = Auto(), P.predict(best.w)
    S = method.init(P, "uniform", best)._replace(epochs=20)
    points, still = Points(best.w, best.alpha, z=z, v=P.v(best.alpha)), Active(np.ones(100, bool), z.copy())
    assert method.screen(P, S, points, best.gap, still)[1].mask.sum() == (10 if share == 0.9 else 100)
    assert method.screen(P, S._replace(method=NewtonCD()), points, best.gap, still)[1].mask.all()


def test_newton_s_method_goes_on_from_where_sdca_stalls():
    """From the same w: a step with a line search never leads above it."""
    P = changing()
    s = cdlab.solve(P, "auto", tol=1e-8, every=1, max_passes=3000)
    first, then = s.trace.meta["chosen"].split("; ")
    assert first == "sdca to begin with"
    words = then.split()
    assert (words[0], words[1], words[3]) == ("newton_cd", "after", "epochs,")
    after = int(words[2])
    alone = cdlab.solve(P, "sdca@permutation", tol=0, max_passes=after, every=1).trace
    np.testing.assert_array_equal(s.trace.column("primal")[:after], alone.column("primal")[:after])
    assert s.trace.column("primal")[after + 1] < alone.column("primal")[after]
    assert s.status == "tolerance reached"


def test_what_goes_on_is_measured_at_once_and_then_at_its_own_pace():
    """A pause planned for descent would let Newton's method, of dear iterations, go far beyond the tolerance."""
    P = changing()
    s = cdlab.solve(P, "auto", tol=1e-8, max_passes=3000)
    after = int(s.trace.meta["chosen"].split("newton_cd after ")[1].split()[0])
    iterations = s.trace.column("iteration")
    assert after * P.n in iterations
    assert iterations[-1] == cdlab.solve(P, "auto", tol=1e-8, max_passes=3000, every=1).trace.column("iteration")[-1]


def test_acceleration_goes_on_where_descent_stalls_and_newton_s_models_are_dear():
    X, y = cdlab.datasets.make(n=3000, d=4000, density=0.01, skew=1, seed=1)
    P = cdlab.Problem(normalize(X), y, loss="squared", l2=0.02 / 3000)
    s = cdlab.solve(P, "auto", tol=1e-6)
    first, then = s.trace.meta["chosen"].split("; ")
    assert (first, then.split()[0]) == ("sdca to begin with", "apcg")
    assert s.status == "tolerance reached"
    alone = cdlab.solve(P, "sdca@permutation", tol=1e-6, max_passes=10**4)
    assert s.trace.column("passes")[-1] < alone.trace.column("passes")[-1]


def test_what_a_look_reads_is_counted():
    """w is compared by one product with X, half a visit of every nonzero: the other passes are those of sdca."""
    P = changing()
    s = cdlab.solve(P, Auto(aim=1e-8), tol=0, every=1, max_passes=60)
    per_epoch = np.diff(s.trace.column("passes"))
    after = int(s.trace.meta["chosen"].split("newton_cd after ")[1].split()[0])
    extra = per_epoch[:after] - 1
    assert set(np.round(extra, 9)) <= {0.0, 0.5}
    assert extra[after - 1] == 0.5


def test_the_same_seed_gives_the_same_run_however_often_it_is_measured():
    P = changing()
    dense, paced = (cdlab.solve(P, "auto", tol=0, max_passes=60, seed=1, every=every).trace for every in (1, None))
    assert dense.meta["chosen"] == paced.meta["chosen"]
    known = dict(zip(dense.column("passes"), dense.column("primal"), strict=True))
    assert [known[passes] for passes in paced.column("passes")] == list(paced.column("primal"))


def test_a_looser_aim_is_worth_fewer_changes():
    P = changing()
    loose, strict = (cdlab.solve(P, "auto", tol=tol).trace.meta["chosen"] for tol in (0.5, 1e-9))
    assert "newton_cd" not in loose
    assert "newton_cd" in strict


def test_a_run_that_is_resumed_goes_on():
    P = changing()
    s = cdlab.solve(P, "auto", tol=1e-8, max_passes=3, every=1).resume(tol=1e-8, max_passes=10**4)
    np.testing.assert_array_equal(s.w, cdlab.solve(P, "auto", tol=1e-8, max_passes=10**4, every=1).w)


@pytest.mark.parametrize(("loss", "l1"), [("squared", 0.1), ("squared", 0.0), ("squared_hinge", 0.0), ("hinge", 0.0)])
def test_of_a_matrix_of_zeros_w_is_0(loss, l1):
    P = cdlab.Problem(np.zeros((30, 4)), np.tile([1.0, -1.0], 15), loss, l2=0.1, l1=l1)
    s = cdlab.solve(P, "auto", tol=0, max_passes=50)
    assert not s.w.any()
    assert s.gap < 1e-14
    assert cdlab.solve(P, "auto").status == "tolerance reached"


def test_a_start_is_kept():
    P = text()
    solved = cdlab.solve(P, "auto", tol=1e-8)
    assert cdlab.solve(P, "auto", tol=1e-6, start=solved).trace.records[0].gap <= 1e-6


def test_vectors_are_solved_too():
    X, y = cdlab.datasets.make(n=90, d=10, seed=0)
    P = cdlab.Problem(X, np.arange(90) % 3, loss="softmax", l2=1e-2)
    assert cdlab.solve(P, "auto", tol=1e-7).status == "tolerance reached"


def test_it_is_no_entry_of_its_own_among_the_methods_but_can_race():
    assert "auto" not in cdlab.methods.METHODS
    race = cdlab.race(text(), ["auto", "sdca@permutation"], tol=1e-4)
    assert race.traces[0].label == "auto"


@each_of("aim", [0, -1, "a", float("nan")])
def test_an_aim_is_a_positive_number(aim):
    with pytest.raises(ValueError, match="auto's aim must be a number > 0"):
        Auto(aim=aim)


def test_sampling_is_not_asked_for():
    with pytest.raises(ValueError, match="auto does not run with importance sampling"):
        Run(problem(), "auto", "importance")


@pytest.mark.parametrize(("n", "d"), [(600, 40), (400, 300), (300, 600), (100, 4000)])
@pytest.mark.parametrize("c", [1.0, 0.03])
def test_epochs_of_sdca_are_predicted_where_rows_are_independent(n, d, c):
    """By the effective ridge: within a factor of 2.5, where the bound of sdca is up to 60 times as large."""
    X, y = cdlab.datasets.make(n=n, d=d, density=1.0, seed=4)
    P = cdlab.Problem(normalize(X), y, loss="squared", l2=c / n)
    s = cdlab.solve(P, "sdca@permutation", tol=1e-6, every=1, max_passes=10**4)
    predicted = cost_model.sdca_epochs(P, np.log(1e6), enough=s.trace.column("passes")[-1])
    assert 0.4 < s.trace.column("passes")[-1] / predicted < 2.5


@pytest.mark.parametrize("l2", [1e-1, 1e-3])
def test_the_effective_ridge_is_the_harmonic_mean_of_the_eigenvalues(l2):
    """Of X X' + ridge I, for rows of independent entries whose scales differ between columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 700)) * rng.uniform(0.1, 2.0, 700)
    P = cdlab.Problem(X, rng.standard_normal(500), loss="squared", l2=l2)
    ridge = P.l2 * P.n
    inverse = np.mean(1 / (np.linalg.eigvalsh(X @ X.T) + ridge))
    assert 1 / cost_model.effective_ridge(P, ridge) == pytest.approx(inverse, rel=0.06)


def test_kinks_that_are_hardly_rounded_are_smoothed_but_in_a_box():
    X, y = cdlab.datasets.make(n=200, d=10, density=1.0, seed=2)
    for options, words in (({}, "ssnal"), ({"lower": -1.0}, "newton_cd")):
        s = cdlab.solve(cdlab.Problem(X, y, cdlab.losses.SmoothHinge(gamma=1e-3), l2=0, l1=1e-3, **options))
        assert s.trace.meta["chosen"].startswith(words)
        assert s.status == "tolerance reached"
        assert s.trace.records[-1].iteration < (100 if words == "ssnal" else 300)
