"""Widgets for parameters: changed by the person, they change the parameter, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param


def linked(
    owner: param.Parameterized,
    name: str,
    kind: type[pn.widgets.Widget],
    shown: Callable[[Any], Any] = lambda value: value,
    meant: Callable[[Any], Any] = lambda value: value,
    **options: Any,
) -> pn.widgets.Widget:
    """A widget of this kind for `owner.param[name]`, with its label and bounds or choices.

    Panel's `from_param` does the same for ten times the work, which every visitor would wait for. A value that the
    parameter refuses, such as an empty field, is put back to what it was. `shown` turns the parameter's value into the
    widget's, `meant` turns it back.
    """
    parameter = owner.param[name]
    known = kind.param
    options = {"label": parameter.label, "value": shown(getattr(owner, name))} | options
    if "options" in known and "options" not in options:
        options["options"] = list(parameter.objects)
    if "start" in known:
        low, high = parameter.bounds
        options = {"start": low, "end": high} | options
    widget = kind(**options)

    def from_widget(event: param.parameterized.Event) -> None:
        try:
            setattr(owner, name, meant(event.new))
        except ValueError:
            widget.value = shown(getattr(owner, name))

    def from_owner(event: param.parameterized.Event) -> None:
        if meant(widget.value) != event.new:
            widget.value = shown(event.new)

    widget.param.watch(from_widget, "value_throttled" if "value_throttled" in known else "value")
    owner.param.watch(from_owner, name)
    return widget
