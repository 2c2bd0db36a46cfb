"""The claim of SPDC about losses that are not smooth: it beats the accelerated gradient method and SGD."""

from __future__ import annotations

import numpy as np

from ...comparisons import Reach, claims, crossing, paired_ratio
from ...comparisons.claims import Outcome
from ...losses import SmoothHinge
from ...plots.panels import Curve, Panel
from ..cases import Case, Contender
from ..found import Found, Results, Undecided
from ..items import Claim, Item, Picture
from ..wording import short
from . import parts
from .perturbed import DATA, facts, label, passes_to, spdc_to

EPSILONS, QUICK_EPSILONS = (1e-3, 1e-4, 1e-5), (1e-3, 1e-4)
L2 = 1e-3
SGDS = {"SGD, average of all": "all", "SGD, average of the last half": "half"}


def _cases(eps: float) -> list[Case]:
    """The hinge, and the hinge smoothed by delta = eps, for the accelerated gradient method."""
    modes = ("quick", "full") if eps in QUICK_EPSILONS else ("full",)
    return [
        Case(
            f"{name}, eps = {short(eps)}",
            DATA,
            loss,
            L2,
            modes=modes,
            tags={"eps": eps, "smoothed": name == "smoothed"},
        )
        for name, loss in (("hinge", "hinge"), ("smoothed", SmoothHinge(eps)))
    ]


def agd_passes(found: Found, smoothed: Found) -> Reach:
    """Passes of AFG on the smoothed loss until P(w) - P* <= eps for the hinge, which lies between low and high.

    The hinge's P(w) is at least the smoothed one's, and at most delta/2 more; delta = eps.
    """
    eps, best = found.tags["eps"], min(found.facts["P*"], found.optimum.primal)
    (run,) = smoothed.traces("AFG")
    passes, error = run.column("passes"), run.column("primal") - best
    sooner, later = crossing(passes, error, eps), crossing(passes, error + eps / 2, eps)
    return Reach(np.array([sooner if np.isfinite(sooner) else passes[-1]]), np.array([later]))


def _against(mine: Reach, other: Reach, name: str) -> tuple[Outcome, str]:
    outcome = claims.faster(paired_ratio(mine, other))
    if outcome.holds is None:
        raise Undecided("the runs ended before it was decided")
    return outcome, f"{name}/SPDC"


def _against_agd(founds: list[Found]) -> tuple[Outcome, str]:
    found, smoothed = founds
    eps = found.tags["eps"]
    return _against(passes_to(found, label(eps, 1), eps), agd_passes(found, smoothed), "AFG")


def _against_sgd(founds: list[Found]) -> tuple[Outcome, str]:
    found = founds[0]
    eps = found.tags["eps"]
    reached = {name: passes_to(found, name, eps) for name in SGDS}
    best = min(reached, key=lambda name: (reached[name].median[1], -reached[name].median[0]))
    return _against(passes_to(found, label(eps, 1), eps), reached[best], best)


def _curves(results: Results) -> list[Panel]:
    made = []
    for found in results.where(lambda case: not case.tags["smoothed"]):
        drawn = found.drawn(column="P - P*")
        smoothed = results[found.name.replace("hinge", "smoothed")]
        if drawn and smoothed.by_label.get("AFG"):
            best = found.optimum.primal
            runs = [(run.column("passes"), run.column("primal") - best) for run in smoothed.traces("AFG")]
            drawn.append(Curve("AFG, P of the smoothed loss", "full", runs))
        if drawn:
            made.append(Panel(drawn, title=found.name, x_label="passes", y_label="P(w) - P*", x_log=True,
                              levels=[found.tags["eps"]]))  # fmt: skip
    return made


NONSMOOTH = Item(
    "spdc-nonsmooth", parts.PAPER, "section 3.1, after Corollary 2",
    shows="For losses that are not smooth AFG takes 1 + 1/eps passes and SGD 1 + 1/(eps^2 n): both are slower.",
    here="The hinge problem of spdc-tab1 with l2 = 1e-3; SPDC with delta = eps/C_1 = eps, AFG on the hinge smoothed "
    "by as much, SGD with steps 1/(l2 t) and the better of two averages; P is that of the hinge.",
    cases=[case for eps in EPSILONS for case in _cases(eps)],
    contenders=[
        *(
            spdc_to(eps, 1, where=lambda case, eps=eps: case.tags["eps"] == eps and not case.tags["smoothed"])
            for eps in EPSILONS
        ),
        *(
            Contender(name, "sgd", settings={"average": average}, where=lambda case: not case.tags["smoothed"])
            for name, average in SGDS.items()
        ),
        Contender("AFG", "agd", where=lambda case: case.tags["smoothed"]),
    ],
    more_seeds=(),
    max_passes={"quick": 2500, "full": 10_000},
    facts=facts,
    claims=[
        Claim(
            "C1", "AFG and SGD are both slower", "at every eps <= 1e-3 both need at least 1.1 times the passes of SPDC",
            parts.together_of({"AFG": _against_agd, "SGD": _against_sgd}, "eps"),
            amendment=parts.OF_BOUNDS,
        )
    ],
    pictures=[Picture(_curves)],
    notes=[
        "For AFG the hinge's P is at most delta/2 above the smoothed one, so its passes are only bracketed.",
        "The rates are those of Table 1's last case, without a regulariser; here, with l2 = 1e-3, it is the order of "
        "the methods that is judged.",
    ],
    seconds=(20, 150),
)  # fmt: skip

ITEMS = (NONSMOOTH,)
