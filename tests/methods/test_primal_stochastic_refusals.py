"""sgd, rda, sag, saga, svrg and lsvrg: what they refuse, and the parameters and samplings that they take."""

import numpy as np
import pytest
from problems import problem

import cdlab
from cdlab.methods.lsvrg import LSVRG
from cdlab.methods.rda import RDA
from cdlab.methods.sag import SAG
from cdlab.methods.saga import SAGA
from cdlab.methods.sgd import SGD
from cdlab.methods.svrg import SVRG

each = {"ids": lambda value: getattr(value, "label", str(value))}


# ---------------------------------------------------------------- parameters and refusals
@pytest.mark.parametrize("method", [SAGA(step=50.0), SVRG(step=50.0)], **each)
def test_too_long_a_step_diverges_and_the_run_says_so(method):
    P = problem("squared", l2=1e-3)
    s = cdlab.solve(P, method, max_passes=5000)
    assert s.status == "diverged"
    assert "step=50.0" in s.trace.meta["label"]


@pytest.mark.parametrize("sampling", ["importance", "norms", "lipschitz", np.linspace(1, 2, 30)])
@pytest.mark.parametrize("method", [SVRG(), LSVRG(), SAGA(), SGD(), RDA()], **each)
def test_any_probabilities_lead_to_the_same_optimum(method, sampling):
    P = problem()
    tol = 0.02 if method.name in ("sgd", "rda") else 1e-8
    assert cdlab.solve(P, method, sampling=sampling, tol=tol, max_passes=2000).status == "tolerance reached"


def test_refusals_of_parameters():
    with pytest.raises(ValueError, match="l2 > 0"):
        cdlab.solve(problem(l2=0.0), SGD())
    with pytest.raises(ValueError, match=r"gamma_r.*best is"):
        cdlab.solve(problem(l2=0.0), RDA())
    with pytest.raises(ValueError, match="leave it out"):
        cdlab.solve(problem(), RDA(gamma_r=1.0))
    with pytest.raises(ValueError, match="step < 1/l2"):
        cdlab.solve(problem(), SAG(step=10.0))
    with pytest.raises(ValueError, match="100 L/l2"):
        cdlab.solve(problem(l2=0.0, l1=0.1), SVRG(m="theory"))
    for wrong in (
        lambda: SAG(step=0),
        lambda: SAGA(step=-1.0),
        lambda: SVRG(step=np.nan),
        lambda: LSVRG(rho=0.0),
        lambda: LSVRG(rho=1.5),
        lambda: LSVRG(step=0),
        lambda: SVRG(m=0),
        lambda: SVRG(m="2n"),
        lambda: SVRG(m=True),
        lambda: SVRG(snapshot="first"),
        lambda: SGD(average="tail"),
        lambda: RDA(gamma_r=-1),
        lambda: RDA(average="mean"),
    ):
        with pytest.raises(ValueError, match="must be"):
            wrong()
