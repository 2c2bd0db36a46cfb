"""What outer loops refuse, the names and defaults of their parameters, and softmax through their inner method."""

import numpy as np
import pytest
from cases import each_of
from problems import data, problem

import cdlab
from cdlab.methods import SDCA, Averaged
from cdlab.methods.acc_appa import AccAPPA
from cdlab.methods.accprox_sdca import AccProxSDCA
from cdlab.methods.apcg import APCG
from cdlab.methods.appa import APPA
from cdlab.methods.dual_appa import DualAPPA
from cdlab.methods.quartz import Quartz
from cdlab.methods.rcd import RCD
from cdlab.methods.svrg import SVRG

LOOPS = [AccProxSDCA, APPA, AccAPPA, DualAPPA]


def label(value):
    return value.label if hasattr(value, "label") else str(value)


# ------------------------------------------------------------ refusals and parameters
@each_of(
    "method, settings, sentence",
    [
        (AccProxSDCA(), {"l2": 0.0}, "needs l2 > 0"),
        (AccProxSDCA(), {"loss": "hinge"}, "smooth_hinge"),
        (AccProxSDCA(inner=APCG()), {}, "use sdca, quartz"),
        (APPA(inner=RCD()), {}, "use sdca, quartz, apcg, svrg, accprox_sdca"),
        (APPA(inner=Averaged(SDCA(), "all")), {}, "average=None"),
        (APPA(inner=APPA()), {}, "use sdca, quartz, apcg, svrg, accprox_sdca"),
        (DualAPPA(inner=SVRG()), {}, "use sdca, quartz, apcg, accprox_sdca"),
        (APPA(), {"loss": "absolute"}, "huber"),
        (APPA(inner=APCG(), prox_weight=0.1), {"loss": "hinge"}, "smooth_hinge"),
        (APPA(prox_weight=0.0), {"l2": 0.0}, "set prox_weight > 0"),
        (APPA(accuracy="theory"), {"l2": 0.0}, "how strongly convex P is: set l2 > 0, or give mu"),
        (DualAPPA(accuracy="theory", prox_weight=0.1), {"loss": "hinge"}, "needs a smooth loss; or leave accuracy out"),
        (AccAPPA(), {"l2": 0.0}, "pass mu .*or use appa or dual_appa"),
        (APPA(decreasing=True, prox_weight=0.1), {"loss": "hinge"}, "floor"),
        (DualAPPA(decreasing=True, prox_weight=0.1), {"loss": "hinge"}, "floor"),
    ],
)
def test_what_does_not_fit_is_refused(method, settings, sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        cdlab.solve(problem(**settings), method)
    assert len(str(error.value)) < 300


def test_samplings_that_the_inner_method_or_the_rule_cannot_follow():
    with pytest.raises(ValueError, match="use uniform"):
        cdlab.solve(problem(), APPA(inner=APCG()), sampling="permutation")
    with pytest.raises(ValueError, match="decreasing weight"):
        cdlab.solve(problem(), DualAPPA(decreasing=True), sampling="importance")
    for sampling in ("importance", "norms", "permutation", np.linspace(1, 2, 30)):
        for cls in LOOPS:
            assert cdlab.solve(problem(), cls(), sampling=sampling, tol=1e-7).status == "tolerance reached"


def test_importance_sampling_of_zero_rows_without_a_regulariser():
    """The inner problems have an l2, so every row is drawn."""
    X, y = data()
    P = cdlab.Problem(np.vstack([X, np.zeros(8)]), np.r_[y, 1.0], loss="squared", l2=0.0)
    assert cdlab.solve(P, DualAPPA(), sampling="importance", tol=1e-4).status == "gradient small"


@each_of(
    "cls, parameters, error",
    [
        (APPA, {"inner": "sdca"}, TypeError),
        (APPA, {"prox_weight": -1.0}, ValueError),
        (APPA, {"epochs": 0}, ValueError),
        (APPA, {"epochs": 1.5}, ValueError),
        (APPA, {"epochs": 2, "accuracy": 9.0}, ValueError),
        (APPA, {"mu": 0.0}, ValueError),
        (APPA, {"accuracy": np.inf}, ValueError),
        (APPA, {"accuracy": "best"}, ValueError),
        (DualAPPA, {"dual_start": "cold"}, ValueError),
        (DualAPPA, {"first_dual": "zero"}, ValueError),
        (AccAPPA, {"prox_weight": 0.0}, ValueError),
        (AccProxSDCA, {"eta": 0.0}, ValueError),
        (AccProxSDCA, {"eta": 1.5}, ValueError),
        (DualAPPA, {"floor": 0.1}, ValueError),
        (DualAPPA, {"floor": -0.1, "decreasing": True}, ValueError),
        (DualAPPA, {"accuracy": 9.0, "decreasing": True}, ValueError),
    ],
)
def test_parameters_out_of_range(cls, parameters, error):
    with pytest.raises(error, match=cls.name):
        cls(**parameters)


def test_labels_name_the_inner_method_shortly():
    assert APPA().label == "appa"
    assert APPA(inner=APCG(), epochs=2).label == "appa(inner=apcg, epochs=2)"
    assert DualAPPA(inner=AccProxSDCA(eta=0.5)).label == "dual_appa(inner=accprox_sdca(eta=0.5))"


def test_defaults_are_the_theorys():
    P, n = problem(l2=0.001), 30
    floor = P.R**2 / (4 * n)
    assert APPA().weight(P) == DualAPPA(inner=SDCA()).weight(P) == pytest.approx(floor)
    assert DualAPPA(inner=APCG()).weight(P) == pytest.approx(max(0.001, floor / 1000))
    assert AccAPPA().weight(P) == pytest.approx(0.002 + floor)
    assert AccProxSDCA().weight(P) == pytest.approx(floor - 0.001)
    theory = {cls: cls(accuracy="theory").stop(P) for cls in (APPA, AccAPPA)}
    assert theory[APPA] == (None, pytest.approx(2 * (floor + 0.001) / 0.001))
    rho = (0.001 + 2 * (0.002 + floor)) / 0.001
    assert theory[AccAPPA] == (None, pytest.approx((1 + rho) * rho**0.5))
    assert DualAPPA().stop(problem(l2=0.0)) == APPA().stop(P) == AccAPPA().stop(P) == (None, None)


@pytest.mark.parametrize("method", [AccProxSDCA(prox_weight=0.1), APPA(), AccAPPA(), DualAPPA()], ids=label)
def test_softmax_through_sdca(method):
    X, y = data()
    P = cdlab.Problem(X, np.arange(30) % 3, loss="softmax", l2=0.02)
    ours, plain = (cdlab.solve(P, m, tol=1e-9, max_passes=10_000) for m in (method, "sdca"))
    assert ours.status == "tolerance reached"
    assert ours.w.shape == (8, 3)
    np.testing.assert_allclose(ours.w, plain.w, atol=1e-4)


def test_softmax_is_refused_where_the_inner_method_cannot():
    X, _ = data()
    P = cdlab.Problem(X, np.arange(30) % 3, loss="softmax", l2=0.02)
    with pytest.raises(ValueError, match="quartz does not take softmax"):
        cdlab.solve(P, DualAPPA(inner=Quartz()))
