"""What is known of all shards before a problem is solved."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from .. import losses
from ..datasets import Scan
from ..datasets.parts import check_n_features
from ..datasets.scaling import check_scale
from ..losses import Loss, is_vector
from ..numerics.profiles import Profile
from .exact_sums import ExactSums
from .part import Facts
from .shards import Reading
from .summaries import Summary
from .teams import Team, make_team


def summary(team: Team, scale: str, n_features: int | None) -> tuple[Summary, Reading]:
    """The summary of all shards, scaled, and how they are to be read."""
    check_scale(scale)
    reading = Reading(check_n_features(n_features), "none" if scale == "mean" else scale)
    found = reduce(Summary.join, team.each("scan", reading))
    if scale == "mean" and (total := found.norms.total()) > 0:
        reading = Reading(found.d, scale, total / found.n)
        found = reduce(Summary.join, team.each("scan", reading))
    return found, reading._replace(d=found.d)


def scan(
    data: Any, *, scale: str = "none", n_features: int | None = None, engine: Any = None, parts: int | None = None
) -> Scan:
    """Read shards once, one in memory at a time, and keep what ``cdlab.faceoff`` needs to know of all of them.

    Sums are those of `math.fsum` over all entries, or of C_D over all rows, however the data are divided.

    Parameters
    ----------
    data, scale, n_features, engine, parts
        As of `solve`.

    Returns
    -------
    Scan

    Raises
    ------
    ValueError, OSError
        If a shard is empty, damaged, or does not fit to the others; the sentence names it.

    Examples
    --------
    >>> import numpy as np, cdlab
    >>> found = scan([(np.eye(2), [1, -1]), (2 * np.eye(2), [1, 1])])
    >>> found.n, found.F, found.columns.norms2.tolist()
    (4, 10.0, [5.0, 5.0])
    """
    with make_team(engine, data, parts) as team:
        found, _ = summary(team, scale, n_features)
    columns = Profile(found.squares.values(), found.counts)
    sums = found.squares.total(), found.C_D.total(), float(found.largest[0]), columns
    n, nnz, n_nonempty = found.sizes.tolist()
    labels = None if found.labels is None else tuple(sorted(found.labels))
    return Scan(n, found.d, nnz, n_nonempty, *sums, labels, True)


def l1_max(
    data: Any,
    *,
    loss: str | Loss = "logistic",
    scale: str = "none",
    n_features: int | None = None,
    engine: Any = None,
    parts: int | None = None,
) -> float:
    """The least l1 for which w = 0 is optimal, whatever l2: max_j of abs(sum_i X_ij phi'(0; y_i))/n, exactly summed.

    Parameters
    ----------
    data, loss, scale, n_features, engine, parts
        As of `solve`.

    Examples
    --------
    >>> import numpy as np, cdlab
    >>> l1_max([(np.eye(2), [3.0, 0.0]), (np.eye(2), [1.0, 0.0])], loss="squared")
    1.0
    """
    chosen = losses.resolve(loss)
    if is_vector(chosen):
        raise ValueError(f"l1_max is for losses of one prediction, and {chosen.name} has several")
    with make_team(engine, data, parts) as team:
        found, reading = summary(team, scale, n_features)
        facts = Facts(found.n, reading, chosen, 1.0, 0.0, found.label_map(chosen), found.mean_weight)
        sums = reduce(ExactSums.join, team.each("slopes", facts))
    return float(np.abs(sums.values()).max()) / found.n
