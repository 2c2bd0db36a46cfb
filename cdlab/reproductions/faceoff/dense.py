"""The claim of the face-off about dense data: it is exactly n against d."""

from __future__ import annotations

from ...comparisons import claims
from ...comparisons.claims import Outcome
from ..cases import Case
from ..found import Found, Undecided
from ..items import Claim, Item, Picture
from ..judging import fact, judged_at, panelwise, ratio_at
from ..wording import short
from . import parts

SHAPES = ((50, 500), (200, 200), (500, 50), (100, 1000), (1000, 100))


def _case(d: int, n: int, density: float, l2: str, judged: bool) -> Case:
    return Case(
        f"{d} x {n}, density {density:g}, l2 = {l2}", parts.gaussian(d, n, density), l2=l2, judged=judged,
        modes=("quick", "full") if judged else ("full",), tags={"d": d, "n": n, "density": density},
    )  # fmt: skip


def _as_shaped(found: Found) -> tuple[Outcome, str]:
    d, n, density = (found.tags[name] for name in ("d", "n", "density"))
    expected = (1 + (n - 1) * density) / (1 + (d - 1) * density)
    share = found.facts["C_P/C_D"] / expected
    return fact(abs(share - 1) <= 0.1, "within 10%", share), f"C_P/C_D divided by {expected:.3g}"


def _fewer_coordinates(found: Found) -> tuple[Outcome, str]:
    d, n = found.tags["d"], found.tags["n"]
    if d == n:
        raise Undecided("d = n: neither side has fewer coordinates")
    fewer, other = ("rcd", "quartz") if d < n else ("quartz", "rcd")
    at = judged_at(found, [fewer, other], 1e-6)
    return claims.faster(ratio_at(found, fewer, other, at)), f"{other}/{fewer} to e = {short(at)}"


DENSE = Item(
    "faceoff-dense", parts.PAPER, "dense data",
    shows="For dense data the comparison is exactly n against d; for independent entries likewise, however sparse.",
    here="Normal entries, five shapes d x n, densities 1 and 0.1; in full also l2 = 0.01/n, shown only.",
    cases=[
        *(_case(d, n, density, "1/n", True) for d, n in SHAPES for density in (1.0, 0.1)),
        *(_case(d, n, density, "0.01/n", False) for d, n in SHAPES for density in (1.0, 0.1)),
    ],
    contenders=[parts.RCD, parts.QUARTZ],
    max_passes=1000,
    facts=parts.predicted,
    claims=[
        Claim(
            "C1", "for dense data it is exactly n against d; for i.i.d. data likewise",
            "C_P/C_D within 10% of (1 + (n - 1) pi)/(1 + (d - 1) pi), pi the density", panelwise(_as_shaped),
        ),
        Claim(
            "C2", "the side with fewer coordinates is faster",
            "the other side needs at least 1.1 times the passes to e = 1e-6", panelwise(_fewer_coordinates),
            why="The two sides are within a factor 1.3 of each other in all panels, at about one pass per unit "
            "of ln(1/e), where T_P/T_D is between 0.8 and 3. With d < n the dual was a little faster.",
        ),
    ],
    pictures=[Picture(parts.curves)],
    tables=parts.predictions,
    seconds=(5, 10),
)  # fmt: skip

ITEMS = (DENSE,)
