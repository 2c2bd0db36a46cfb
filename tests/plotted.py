"""Races to draw, and what HoloViews objects hold."""

import holoviews
import numpy as np
from problems import problem

import cdlab
from cdlab.plots.elements import load_holoviews

ENTRIES = ["sdca", "quartz", "rcd"]


def race(**kwargs):
    return cdlab.race(problem(), ENTRIES, **({"max_passes": 40, "tol": 1e-10} | kwargs))


def elements(picture, kind: str, group: str | None = None) -> list:
    """The elements of a kind, such as "Curve", in the order of drawing."""
    found = [each for each in picture if type(each).__name__ == kind]
    return [each for each in found if each.group == (group or kind)]


def curves(picture) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """x and y of each curve, by label."""
    return {each.label: data(each) for each in elements(picture, "Curve")}


def bounds(picture) -> list[tuple[np.ndarray, np.ndarray]]:
    return [data(each) for each in elements(picture, "Curve", "Bound")]


def data(element) -> tuple[np.ndarray, ...]:
    return tuple(element.dimension_values(k) for k in range(len(element.dimensions())))


def options(element, group: str = "style", backend: str = "bokeh") -> dict:
    load_holoviews()
    return holoviews.Store.lookup_options(backend, element, group).kwargs


def looks(picture, kind: str = "Curve", names=("color", "line_dash")) -> list[tuple]:
    return [tuple(str(options(each)[name]) for name in names) for each in elements(picture, kind)]
