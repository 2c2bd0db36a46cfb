"""What is not a number stays so: no formula may turn a NaN into a value that could be certified."""

import numpy as np
import pytest
from problems import problem

import cdlab
from cdlab import regularizers
from cdlab.losses import LOSSES, is_vector, per_example
from cdlab.numerics.jit import kernel

every_loss = pytest.mark.parametrize("name", LOSSES)


def made(name):
    """The loss, a NaN prediction in its shape, and the labels that there are."""
    loss = LOSSES[name]()
    return (
        (loss, np.array([[np.nan, 1.0, 0.0]]), (0.0, 1.0))
        if is_vector(loss)
        else (loss, np.array([np.nan]), (-1.0, 1.0))
    )


@every_loss
def test_losses_and_conjugates_of_what_is_no_number_are_not_finite(name):
    loss, nan, labels = made(name)
    for y in labels:
        assert not np.isfinite(per_example.mean_loss(loss, nan, np.array([y])))
        assert not np.isfinite(per_example.mean_conjugate(loss, nan, np.array([y])))
        assert np.isnan(per_example.gradients(loss, nan, np.array([y]))).any()


@every_loss
def test_a_prediction_that_is_no_number_is_wrong(name):
    loss, nan, labels = made(name)
    for y in labels:
        error = per_example.prediction_error(loss, nan, np.array([y]))
        assert error == 1 if loss.classification else not np.isfinite(error)
    assert per_example.sign_error(np.array([np.nan, 1.0, 0.0, -1.0]), np.array([1.0, 1.0, 1.0, 1.0])) == 3 / 4


@pytest.mark.parametrize("name", [name for name in LOSSES if not is_vector(LOSSES[name]())])
@pytest.mark.parametrize("run", ["compiled", "python"])
def test_a_dual_step_from_what_is_no_number_is_none(name, run):
    """A step that ended at a bound of the domain would hide that v is lost."""

    @kernel
    def step(loss, u, out):
        out[0] = loss.dualprox(u, 0.0, 1.0, 1.0)

    out = np.zeros(1)
    (step if run == "compiled" else getattr(step, "py_func", step))(LOSSES[name](), np.nan, out)
    assert np.isnan(out[0])


@pytest.mark.parametrize("reg", [regularizers.L2(0.1), regularizers.ElasticNet(0.1, 0.1)], ids=repr)
def test_regularisers(reg):
    nan = np.array([1.0, np.nan])
    assert np.isnan(reg.g(nan))
    assert np.isnan(reg.g_conj(nan))
    assert np.isnan(reg.grad_g_conj(nan)[1])


@every_loss
@pytest.mark.parametrize("l1", [0.0, 0.05])
@pytest.mark.parametrize("l2", [0.0, 0.1])
def test_objectives_of_points_that_are_no_numbers_are_not_finite(name, l1, l2):
    P = (
        cdlab.Problem(problem().X, np.arange(30) % 3, loss=name, l1=l1, l2=l2)
        if name == "softmax"
        else problem(name, l2, l1)
    )
    w, alpha = P.zeros(P.d), P.alpha(P.zeros(P.d))
    w[2], alpha[3] = np.nan, np.nan
    with np.errstate(invalid="ignore"):
        assert not np.isfinite(P.primal(w))
        assert not np.isfinite(P.dual(alpha))
        assert P.gap(w, alpha) == np.inf
