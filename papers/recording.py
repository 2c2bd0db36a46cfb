"""What the pages say of an item, as numbers and texts that JSON holds: from its runs, and from nothing else."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from cdlab import __version__, comparisons

from .items import Table
from .number_text import reach_text, short_number
from .planning import REFERENCE
from .results import CaseResult, NotRun, Results
from .verdicts import claim_verdict


def recorded(results: Results) -> dict[str, Any]:
    """One item in one mode, for results.json."""
    item, cases = results.item, list(results.cases.values())
    there, wanted = results.curves()
    tables = _or_nothing(results)
    seconds = sum(trace.column("seconds")[-1] for f in cases for runs in f.by_label.values() for trace in runs.values())
    return _as_json(
        {
            "mode": results.mode,
            "date": date.today().isoformat(),
            "by": writer(),
            "machine": machine(),
            "tol": item.tol,
            "curves": [there, wanted],
            "minutes": round(float(seconds) / 60, 1),
            "claims": [claim_verdict(claim, results) for claim in item.claims],
            "cases": [_case(result) for result in cases],
            "tables": [
                {"title": t.title, "columns": list(t.columns), "rows": [list(r) for r in t.rows]} for t in tables
            ],
            "missing": [result.plan.missing for result in cases if result.plan.missing],
        }
    )


@cache
def writer() -> str:
    """cdlab with its version, and of a checkout the commit, "-dirty" with changes."""
    root = Path(__file__).parents[1]
    if not (root / ".git").exists():
        return f"cdlab {__version__}"
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=root, capture_output=True, text=True)
    return f"cdlab {__version__}, commit {described.stdout.strip()}"


def is_changed() -> bool:
    """Whether the code that writes is a checkout with changes, which no commit names."""
    return writer().endswith("-dirty")


def machine() -> str:
    """The machine in words."""
    return f"{os.cpu_count()} cores, {psutil.virtual_memory().total / 1e9:.0f} GB of memory"


def _or_nothing(results: Results) -> list[Table]:
    try:
        return list(results.item.tables(results)) if results.item.tables else []
    except NotRun:
        return []


def _as_json(value: Any) -> Any:
    """Dicts, lists and numbers as JSON holds them: None in place of infinity and NaN."""
    text = json.dumps(value, default=lambda number: number.item())
    return json.loads(text, parse_constant=lambda word: None)


def _case(result: CaseResult) -> dict[str, Any]:
    case, plan = result.case, result.plan
    told: dict[str, Any] = {
        "name": case.name,
        "on": case.data_text,
        "judged": case.judged,
        "conditions": dict(plan.conditions),
        "facts": {name: value for name, value in plan.facts.items() if isinstance(value, int | float | str)},
        "seeds": [],
        "seeds_wanted": 0,
        "levels": [],
        "methods": [],
    }
    if not plan.runs:
        return told
    drawn = [seeds for label, seeds in plan.seeds.items() if label != REFERENCE]
    told |= {"seeds": result.seeds, "seeds_wanted": max(map(len, drawn), default=0)}
    try:
        optimum, supported = result.optimum, result.supported_levels
    except NotRun:
        return told
    told["optimum"] = {
        "primal": optimum.primal,
        "certificate": optimum.certificate,
        "P(0)": optimum.at_zero,
        "found by": optimum.found_by,
    }
    of = "" if result.item.reference else "relative_gap"
    told |= {"levels": [result.item.tol] if of else supported, "of": "a relative gap" if of else "e"}
    told["methods"] = [_method(result, label, told["levels"], of) for label in result.labels]
    return told


def _method(result: CaseResult, label: str, levels: list[float], of: str) -> dict[str, Any]:
    told: dict[str, Any] = {"label": label, "run": "", "limit": None, "passes": [], "ended": ""}
    try:
        traces = result.traces(label)
    except NotRun:
        return {**told, "ended": result.missing_reason(label)}
    settings = traces[0].meta["settings"]
    told |= {"run": traces[0].label, "limit": settings["max_passes"], "method": settings["method"]}
    told["passes"] = [reach_text(result.reach(label, level, of=of)) for level in levels]
    told["ended"] = ", ".join(dict.fromkeys(trace.meta["status"] for trace in traces))
    errors = [
        comparisons.suboptimality(trace.column("primal")[-1:], result.optimum.primal, result.optimum.at_zero)[0]
        for trace in traces
    ]
    told["final"] = f"{short_number(float(sorted(errors)[len(errors) // 2]))}"
    return told
