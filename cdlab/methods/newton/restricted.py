"""The model on a part of the features, where the others are known to be 0: p = 0 there."""

from __future__ import annotations

import numpy as np

from ...losses import unweighted
from ...problems.problem import Problem
from . import choice
from .gram_descent import GramDescent
from .model import Inner, Model, Step

WORTH = 0.7  # of the features: with fewer left, X is copied without the others


class Restricted(Inner):
    """A way to minimise models of a problem that has these features only.

    Parameters
    ----------
    P : Problem
        The whole problem.
    mask : (d,) array
        The features; an intercept is one of them.
    name : str
        One of `choice.INNER`; "auto" takes what is cheapest for that many features.
    """

    def __init__(self, P: Problem, mask: np.ndarray, name: str) -> None:
        self.features = np.flatnonzero(mask)
        columns = self.features[: self.features.size - P.intercept]
        self.few = Problem(
            P.X[:, columns], P.y, unweighted(P.loss), P.l2, P.l1, sample_weight=P.sample_weight, intercept=P.intercept
        )
        self.inner: Inner = choice.made(name, self.few)

    def step(self, P: Problem, model: Model) -> Step:
        few = self.features
        part = model._replace(w=model.w[few], g=model.g[few], ridge=model.ridge[few], l1=model.l1[few])
        p, visits = self.inner.step(self.few, part)
        whole = np.zeros(P.d)
        whole[few] = p
        return Step(whole, visits)

    def warm(self, P: Problem) -> None:
        self.inner.warm(self.few)


def serving(P: Problem, inner: Inner, mask: np.ndarray, name: str) -> Inner:
    """A way to minimise models on these features: `inner`, unless it lacks some of them or has far more.

    The Gram matrix of all features is kept: it is made already, and descent on it looks at a feature for nothing.
    """
    features = inner.features if isinstance(inner, Restricted) else np.arange(P.d)
    left = int(mask.sum())
    if isinstance(inner, GramDescent) or left <= P.intercept or mask[features].sum() == left > WORTH * features.size:
        return inner
    return Restricted(P, mask, name)
