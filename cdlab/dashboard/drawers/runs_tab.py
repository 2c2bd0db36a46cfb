"""The Runs tab: the races that the page keeps, in one table; and the session as a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ..choices.choices import UPLOAD, WITH_GAMMA, Choices
from ..choices.repairs import changed
from ..parts.drawer import Drawer
from ..parts.form import css as form_css
from ..parts.scripts import script
from ..races.exports import from_session, to_csv, to_session
from ..races.measured import SHORT, at_the_end, best_known, common_target, quantity, reached, uncertified
from ..races.results import Result
from ..races.runs import LONGEST_NAME, Kept
from ..races.state import State
from ..races.storing import choices_of
from ..races.turns import LONG
from ..visitor_limits import limits
from ..words import number, sentence
from .race_words import seeds, status

HERE = Path(__file__).parent
WIDE = {"sizing_mode": "stretch_width", "margin": (2, 10)}


class RunsTable(JSComponent):
    """Shows the races and says what the person asked for; who made it decides.

    `ask` is called with what the browser sends: {"rename", "pin", "mute" or "remove": key, "to": ...}, {"save":
    "session" or "csv", "run": key or None}, or a piece of a file, {"open": text, "part": k, "parts": how many}.
    """

    content = param.String(doc="The races as JSON.")

    _esm = script(HERE / "runs_table.js")

    def __init__(self, ask: Callable[[dict[str, Any]], None], css: str, **options: Any):
        self._ask = ask
        own = (HERE / "runs_table.css").read_text(encoding="utf-8")
        super().__init__(stylesheets=[form_css(), css, own], **options)

    def say(self, **message: Any) -> None:
        """{"said": a sentence}, {"failed": a sentence} or {"filename": ..., "text": ...}."""
        self._send_msg(message)

    def _handle_msg(self, data: Any) -> None:
        self._ask(data)


class RunsTab(Drawer):
    """The kept races of the state.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(self, state: State, css: str):
        self.state = state
        self._table = RunsTable(self._ask, css, **WIDE)
        self._parts: list[str] = []
        self.view = pn.Column(self._table, sizing_mode="stretch_width")
        self._known: dict[tuple[int, float], dict[str, Any]] = {}
        state.runs.param.watch(self._refresh, "kept")
        state.param.watch(self._refresh, "frame")

    def _refresh(self, *_: Any) -> None:
        if self._open:
            runs = self.state.runs
            shown = {each.key for each in runs.shown}
            kept = [each.race for each in runs.kept]
            target = common_target(kept)
            races = [self._described(each, target) | {"shown": each.key in shown} for each in reversed(runs.kept)]
            content = {"races": races, "head": head(kept)}
            content |= {"longest": LONGEST_NAME, "megabytes": limits().upload}
            self._table.content = json.dumps(content | {"note": runs.note})

    def _described(self, kept: Kept, target: float) -> dict[str, Any]:
        """What the table shows of a race; of one that has ended it is worked out once."""
        running = kept.race.running
        about = self._known.get((kept.key, target)) or described(kept.race.now(), target)
        if not running:
            self._known[kept.key, target] = about
        named = {name: getattr(kept, name) for name in ("key", "name", "pinned", "muted")}
        return named | about | {"running": running}

    def _ask(self, asked: dict[str, Any]) -> None:
        runs = self.state.runs
        try:
            for name in ("rename", "pin", "mute"):
                if name in asked:
                    getattr(runs, name)(asked[name], asked["to"])
            if "remove" in asked:
                runs.remove(asked["remove"])
            elif "save" in asked:
                kept = list(runs.kept) if asked.get("run") is None else [runs[asked["run"]]]
                pn.state.execute(partial(self._save, asked["save"], kept))
            elif "open" in asked:
                self._take(asked)
        except ValueError as refused:
            self._table.say(failed=sentence(str(refused)))

    async def _save(self, kind: str, kept: list[Kept]) -> None:
        if kind == "session":
            text = await LONG.run(self.state, to_session, kept, self.state.choices.to_query())
            self._tell(filename="session.json", text=text)
        else:
            self._tell(filename="runs.csv", text=await LONG.run(self.state, to_csv, kept))

    def _take(self, piece: dict[str, Any]) -> None:
        """One piece of a session file; after the last one it is opened."""
        if piece["part"] == 0:
            self._parts = []
        self._parts.append(str(piece["open"]))
        limits().check_upload(sum(map(len, self._parts)))
        if len(self._parts) == piece["parts"]:
            text, self._parts = "".join(self._parts), []
            pn.state.execute(partial(self._restore, text))

    async def _restore(self, text: str) -> None:
        try:
            races, choices = await LONG.run(self.state, from_session, text)
        except ValueError as wrong:
            self._tell(failed=sentence(str(wrong)))
            return
        pn.state.execute(lambda: self._tell(said=restored(self.state, races, choices)), schedule=True)

    def _tell(self, **message: Any) -> None:
        pn.state.execute(lambda: self._table.say(**message), schedule=True)


def restored(state: State, races: list[Kept], choices: dict[str, str]) -> str:
    """Take up the races and the choices of a session; what has been done, in words."""
    asked, complaints = choices_of(choices)
    repaired = changed(asked, Choices().values())  # what the file does not name gives way to what it does
    state.choices.param.update(**asked.values())
    state.runs.restore(races)
    done = f"{len(races)} run{'' if len(races) == 1 else 's'} and the choices have been restored."
    return " ".join([done, *complaints, *map(sentence, repaired.repairs)])


def head(races: list[Result]) -> list[str]:
    """The titles of the columns: what the races are measured by."""
    mixed = len({uncertified(race) for race in races}) > 1
    error = f"{SHORT['gap']} (without a regulariser: {SHORT['primal']})" if mixed else SHORT[quantity(races)]
    level = f"a {error} of {number(common_target(races))}"
    return ["method", "sampling", f"passes to {level}", f"seconds to {level}", f"{error} at the end", "status"]


def described(race: Result, target: float) -> dict[str, Any]:
    """A race as the table shows it: facts, and for each method a row of cells, as HTML, with the work to `target`."""
    choices = race.choices
    meta = next((lane.trace.meta for lane in race.lanes if lane.trace.meta), {})
    size = str(meta.get("problem", "")).removeprefix("Problem(").partition(",")[0]  # such as: sparse 1000 x 200
    data = choices.upload.partition(":")[0] if choices.data == UPLOAD else choices.data
    facts = {
        "data": f"{data}, {size}" if size else data,
        "loss": f"{choices.loss}({number(choices.gamma)})" if choices.loss in WITH_GAMMA else choices.loss,
        "l2": number(choices.l2) + ("/n" if choices.l2_over_n and choices.l2 else ""),
        "l1": number(choices.l1),
        "seed": seeds(race).partition(" ")[2],
        "data hash": str(meta.get("data", "")),
    }
    rows, best = [], best_known(race)
    for label, lanes in race.methods.items():
        method, _, sampling = label.partition(", ")
        work = [reached(lanes, target, by, best) for by in ("passes", "seconds")]
        rows.append([*map(escape, (method, sampling, *work, at_the_end(lanes, best))), status(lanes)])
    return {"facts": facts, "rows": rows}
