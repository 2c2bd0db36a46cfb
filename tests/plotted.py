"""Races to draw, and what a figure holds."""

from problems import problem

import cdlab

ENTRIES = ["sdca", "quartz", "rcd"]


def race(**kwargs):
    return cdlab.race(problem(), ENTRIES, **({"max_passes": 40, "tol": 1e-10} | kwargs))


def sources(figure) -> list[dict]:
    return [renderer.data_source.data for renderer in figure.renderers]


def source_with(figure, column: str) -> dict:
    return next(data for data in sources(figure) if column in data)
