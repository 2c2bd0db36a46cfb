"""A race of one primal and one dual method: outcome, face-off and bound speak of the same runs, and agree."""

import asyncio
import math

import loops
import pytest
from cases import each_of

from cdlab import faceoff
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.groups import of_its_side
from cdlab.dashboard.races.in_short import in_short
from cdlab.dashboard.races.runner import Runner
from cdlab.dashboard.races.state import State
from cdlab.dashboard.screen.foretelling import Foretelling
from cdlab.faceoffs import winner
from cdlab.methods import METHODS
from cdlab.plots.style import side_of

QUICK = {"n": 40, "d": 12, "density": 0.5, "passes": 400, "l2": 0.1, "l2_over_n": False, "tol": 1e-4}
QUICK |= {"primal_sampling": "uniform", "dual_sampling": "uniform"}
FACE_OFF = [("rcd", "quartz"), ("rcd", "sdca")]  # the theorem is about these
SYSTEM = "solves X w = y"
REFUSED = {  # the only methods that cannot run on such a problem, and a word of the reason
    "acc_cd": SYSTEM,
    "kaczmarz": SYSTEM,
    "acc_kaczmarz": SYSTEM,
}
OF = {side: [name for name, kind in METHODS.items() if side_of(kind) == side] for side in ("primal", "dual", "full")}
RUN = {side: [name for name in names if name not in REFUSED] for side, names in OF.items()}
ALL = [(primal, dual) for primal in RUN["primal"] for dual in RUN["dual"]]
EACH = [(RUN["primal"][k % len(RUN["primal"])], dual) for k, dual in enumerate(RUN["dual"])]
SOME = list(dict.fromkeys([*FACE_OFF, ("rcd", "spdc"), ("rcd", "apcg"), ("acc_rcd", "asdca"), ("gd", "sdca"), *EACH]))
REST = [pytest.param(*pair, marks=pytest.mark.full) for pair in ALL if pair not in SOME]


class Shown:
    """The stage and the chooser, as far as they are told something."""

    def __init__(self):
        self.parts = {}

    def show(self, parts) -> None:
        self.parts |= parts

    def histograms(self, bars) -> None:
        pass


def raced(primal: str, dual: str, **values):
    """What the page shows after a race of these two, and the race."""
    state, shown = State(choices=Choices(**QUICK | values, methods=[primal, dual])), Shown()

    async def go() -> None:
        Foretelling(state, shown, shown, begin=True)
        await Runner(state).start()
        async with asyncio.timeout(60):
            while shown.parts.get("faceoff", {}).get("measured") is None:
                await asyncio.sleep(0.01)

    loops.run(go())
    return shown.parts, state.result


@pytest.mark.parametrize(("primal", "dual"), [*SOME, *REST])
def test_outcome_face_off_and_bound_are_of_the_two_that_ran(primal, dual, caplog):
    parts, race = raced(primal, dual)
    face, predicted, measured = parts["faceoff"], parts["faceoff"]["predicted"], parts["faceoff"]["measured"]
    assert [record.getMessage() for record in caplog.records] == []
    labels = {label.partition(",")[0]: label for label in race.methods}
    assert {each["label"] for each in parts["bound"]["theorems"]} == set(labels.values())

    data = faceoff(race.choices.problem())
    assert (face["primal"]["C"], face["dual"]["C"]) == (data.C_P, data.C_D)
    if (primal, dual) in FACE_OFF:
        assert predicted["value"] == face["primal"]["T"] / face["dual"]["T"]
        assert f"of {primal} and {dual}" in predicted["words"]
    else:
        assert predicted["value"] is face["primal"]["T"] is face["dual"]["T"] is None
        assert "its theorem compares rcd and " in predicted["words"]

    works = [race.methods[labels[name]][0].trace.reached(race.choices.target) for name in (primal, dual)]
    fair, told = of_its_side(primal) and of_its_side(dual), in_short(race)
    ratio = works[0] / works[1] if math.isfinite(max(works)) else None
    ahead = {primal: "primal", dual: "dual"}[min(zip(works, (primal, dual), strict=True))[1]]
    assert math.isfinite(min(works))
    if ratio is not None:
        side = winner(ratio)
        assert measured["value"] == (ratio if fair else None)
        assert told.startswith(
            "A tie" if side is None else f"The {side} won" if fair else {"primal": primal, "dual": dual}[side]
        )
    elif measured["value"] is not None:
        assert (measured["least"], fair) == (True, True)
    if measured["winner"] is not None:
        assert measured["winner"] == ahead
        assert told.startswith(f"The {ahead} won")
    elif not fair and ratio is not None and winner(ratio) is not None:
        assert measured["instead"] == f"{ {'primal': primal, 'dual': dual}[ahead] } won"


@pytest.mark.parametrize(("primal", "dual"), [("rcd", "sdca"), ("rcd", "apcg"), ("acc_rcd", "asdca")])
@pytest.mark.parametrize("values", [{"tol": 1e-14, "passes": 2}, {"n": 2, "d": 1, "density": 1.0}, {"l2": 1e6}])
def test_a_race_without_a_winner_has_an_outcome_too(primal, dual, values, caplog):
    """Nobody arrives, or there is next to nothing to do."""
    parts, race = raced(primal, dual, **values)
    assert [record.getMessage() for record in caplog.records] == []
    measured = parts["faceoff"]["measured"]
    side = race.outcome().winner
    assert measured["winner"] == side
    assert in_short(race).startswith(f"The {side} won") == (side is not None)


def test_while_the_data_are_refused_what_is_shown_stays_pale_and_the_reason_is_told():
    state, shown = State(choices=Choices(**QUICK)), Shown()

    async def until(holds) -> None:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)

    async def go() -> None:
        Foretelling(state, shown, shown, begin=True).ask()
        await until(lambda: "faceoff" in shown.parts)
        state.choices.param.update(n=100_000, d=100_000, density=0.9)
        await until(lambda: shown.parts.get("waiting"))
        await until(lambda: state.error)
        assert "this dashboard takes at most" in state.error
        assert shown.parts["waiting"]
        shown.parts.clear()
        state.choices.param.update(n=50, d=12, density=0.5)
        await until(lambda: "faceoff" in shown.parts)
        assert not shown.parts["waiting"]
        assert shown.parts["matrix"]["thumbnail"]["rows"] == 50

    loops.run(go())


@each_of("name", REFUSED)
def test_what_cannot_race_says_why(name):
    assert REFUSED[name] in Choices(**QUICK).refusals()[name]


def test_the_rest_can_race():
    assert set(Choices(**QUICK).refusals()) == set(REFUSED)
