"""The parameters of the choices: each has its range, a label and a sentence that explains it."""

from __future__ import annotations

import param

from ... import losses
from ...methods import METHODS
from ...samplings import SAMPLINGS
from .data_sources import FAMILIES, SYNTHETIC, UPLOAD

NOBODY = "none"
TARGET = 1e-6  # the relative gap by which runs are judged, unless another is chosen


class Parameters(param.Parameterized):
    """What can be asked for; what it means is in `Choices`."""

    data = param.Selector(
        default=SYNTHETIC,
        objects=[*FAMILIES, UPLOAD],
        label="Data",
        doc="synthetic: random data of the shape below; arrow, worst_primal, worst_dual: the extremes of the face-off; "
        "sun_ye: the worst for a fixed order; orthogonal: examples without a common feature; upload: a file of your "
        "own; or a real set.",
    )
    upload = param.String(
        "",
        label="File",
        doc="LIBSVM text, CSV or NPZ; the first two may be compressed (.gz, .bz2, .xz). Kept for this page only.",
    )
    n = param.Integer(1000, bounds=(2, 100_000), label="Examples n", doc="Rows of X.")
    d = param.Integer(200, bounds=(1, 100_000), label="Features d", doc="Columns of X.")
    density = param.Number(
        0.05, bounds=(0.0001, 1), label="Density", doc="Share of the entries of X that are not zero; 1 is dense."
    )
    skew = param.Number(
        1.0,
        bounds=(0, 3),
        label="Skew of the columns",
        doc="Zipf exponent of how often features occur: 0 all alike, about 1 like the words of a language.",
    )
    row_spread = param.Number(
        0.0, bounds=(0, 3), label="Spread of the row norms", doc="Standard deviation of the logarithm of the row norms."
    )
    condition = param.Number(
        1.0,
        bounds=(1, 1e6),
        label="Condition of the columns",
        doc="Condition number of the covariance of the features: above 1 some directions are much longer than others.",
    )
    noise = param.Number(
        0.1, bounds=(0, 10), label="Noise in the labels", doc="Its standard deviation, relative to that of x'w."
    )
    corner = param.Number(1.0, bounds=(-1e6, 1e6), label="Corner a", doc="The first entry of the first row.")
    column = param.Number(1.0, bounds=(-1e6, 1e6), label="Column b", doc="The rest of the first column.")
    row = param.Number(1.0, bounds=(-1e6, 1e6), label="Row c", doc="The rest of the first row.")
    correlation = param.Number(
        0.95, bounds=(0, 0.9999), label="Correlation", doc="Inner product of each two examples, which have norm 1."
    )
    data_seed = param.Integer(0, bounds=(0, 2**32 - 1), label="Seed of the data", doc="The same seed, the same data.")
    scale = param.Selector(
        default="mean",
        objects=["mean", "unit", "none"],
        label="Scale of the rows",
        doc="mean: X divided by its mean row norm; unit: every row has norm 1; none: as it is.",
    )
    loss = param.Selector(
        default="smooth_hinge", objects=list(losses.LOSSES), label="Loss", doc="phi in the mean of phi(x_i'w, y_i)."
    )
    gamma = param.Number(
        1.0, bounds=(1e-6, 1e6), label="Smoothing gamma", doc="The loss is 1/gamma-smooth; smaller is closer to a kink."
    )
    l2 = param.Number(1.0, bounds=(0, 1e12), label="L2 weight", doc="Of (1/2)||w||^2.")
    l2_over_n = param.Boolean(True, label="times 1/n", doc="Divide the L2 weight by n: l2 = 1/n is the usual scale.")
    l1 = param.Number(0.0, bounds=(0, 1e12), label="L1 weight", doc="Of ||w||_1: above 0 the solution is sparse.")
    methods = param.ListSelector(
        default=["sdca", "quartz", "rcd"], objects=list(METHODS), label="Methods", doc="Who takes part in the race."
    )
    dual_sampling = param.Selector(
        default="importance",
        objects=list(SAMPLINGS),
        label="Sampling, dual",
        doc="How dual and stochastic gradient methods draw examples.",
    )
    primal_sampling = param.Selector(
        default="importance", objects=list(SAMPLINGS), label="Sampling, primal", doc="How primal methods draw features."
    )
    against = param.Selector(
        default=NOBODY,
        objects=[NOBODY, *SAMPLINGS],
        label="And with sampling",
        doc="Each method runs a second time, with this sampling, to compare.",
    )
    batch = param.Integer(
        1,
        bounds=(1, 1000),
        label="Batch size",
        doc="Coordinates updated at once by methods that take a batch_size, drawn uniformly; 1: one after another.",
    )
    passes = param.Integer(
        200, bounds=(1, 100_000), label="Most passes", doc="A run ends after so many passes over the nonzeros of X."
    )
    tol = param.Number(
        TARGET,
        bounds=(0, 1),
        label="Target",
        doc="The relative duality gap at which a run ends and by which all runs are judged; 0: runs end at the pass "
        "limit, and are judged by a gap of 1e-6.",
    )
    seed = param.Integer(
        0, bounds=(0, 2**32 - 1), label="Seed", doc="Of the drawn coordinates: same seed, same curves."
    )
    seeds = param.Integer(
        1, bounds=(1, 20), label="Seeds", doc="Runs of each method, with the seeds seed, seed + 1 and so on."
    )
