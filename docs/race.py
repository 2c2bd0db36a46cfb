"""Draw docs/race.svg, the picture in README.md: the race of its ten lines, with the bounds. Needs the extra "pictures".

python docs/race.py
"""

from pathlib import Path

import cdlab
from cdlab import plots, theory

PASSES = 20
SIDES = ["rcd", "quartz", ("sdca", {"sampling": "permutation"})]


def picture():
    """The race on mushrooms; the bounds of rcd and quartz are the thin dashed lines, sdca's order has none."""
    P = cdlab.Problem(*cdlab.datasets.load("mushrooms"), loss="logistic", l2=1e-3)
    race = cdlab.race(P, SIDES, seeds=range(3), max_passes=PASSES)
    bounds = {name: plots.guarantee(theory.bound(name), P, PASSES) for name in ("rcd", "quartz")}
    return plots.race(race, [bounds.get(trace.meta["method"]) for trace in race.traces], y="primal")


if __name__ == "__main__":
    plots.save(picture(), Path(__file__).with_suffix(".svg"))
