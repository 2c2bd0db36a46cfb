"""A form: native inputs for the parameters of an object, all of them in one model.

A Panel widget costs every visitor about 4 ms of server time, and two dozen of them half of what a page costs. A form
costs that once: a field more is a line of JSON. The browser builds the inputs; see form.js.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ..choices.address import told
from ..words import sentence
from .scripts import script

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Field:
    """How a parameter is asked for; by default a number is typed, a Selector picked, a ListSelector ticked.

    Attributes
    ----------
    name : str
        Of the parameter, whose label and doc name and explain the input.
    slider : tuple (low, high, step) or None
        A slider instead of a typed number.
    log : bool
        The slider moves the power of ten.
    live : bool
        The parameter follows the slider while it moves; by default when it is let go.
    wide : bool
        A typed number takes the whole width; by default half of it.
    options : mapping of words to values, or None
        To pick a number from. A value that is not among them is shown as it is.
    groups : callable or None
        Takes an entry of a list; the title under which it stands.
    help : callable or None
        Takes an entry of a list; a sentence about it.
    most : callable or None
        For a String parameter, which then is a file: returns the largest number of bytes that it may have.
    needed : callable
        Takes the form's object: whether the field is shown.
    """

    name: str
    slider: tuple[float, float, float] | None = None
    log: bool = False
    live: bool = False
    wide: bool = False
    options: Mapping[str, Any] | None = None
    groups: Callable[[Any], str] | None = None
    help: Callable[[Any], str] | None = None
    most: Callable[[], float] | None = None
    needed: Callable[[Any], bool] = lambda _: True

    def description(self, parameter: param.Parameter) -> dict[str, Any]:
        """What the browser needs to know."""
        words = {"name": self.name, "label": parameter.label, "doc": parameter.doc}
        if self.slider is not None:
            low, high, step = self.slider
            return words | {
                "kind": "slider",
                "low": low,
                "high": high,
                "step": step,
                "log": self.log,
                "live": self.live,
            }
        if self.options is not None:
            options = [(text, value, "", "") for text, value in self.options.items()]
            return words | {"kind": "select", "options": options}
        if self.most is not None:
            return words | {"kind": "file", "most": self.most()}
        if isinstance(parameter, param.Boolean):
            return words | {"kind": "check"}
        if isinstance(parameter, param.Selector):
            kind = "several" if isinstance(parameter, param.ListSelector) else "select"
            group, about = (ask or (lambda _: "") for ask in (self.groups, self.help))
            options = [(str(each), each, group(each), about(each)) for each in parameter.objects]
            return words | {"kind": kind, "options": options}
        if isinstance(parameter, param.Number):
            (low, high), whole = parameter.bounds or (None, None), isinstance(parameter, param.Integer)
            return words | {"kind": "number", "low": low, "high": high, "wide": self.wide, "whole": whole}
        raise TypeError(f"a form has no input for {self.name}, a {type(parameter).__name__}")


class Form(JSComponent):
    """Inputs for parameters of `owner`: changed by the person, they change the parameter, and the other way round.

    A value that the parameter refuses is put back, and the person reads why.

    Parameters
    ----------
    owner : param.Parameterized
    sections : mapping of titles to fields
        A field is a Field, or a name for a Field of that name. An empty title is not shown.
    reasons : callable, optional
        For fields with a list the entries that cannot be used, with the reasons: they are greyed.
    notes : callable, optional
        Sentences to stand beneath fields.
    take : callable, optional
        Awaited with a file's name, size and content (None if it is larger than the field allows). What it raises as
        ValueError is told beneath the field.
    **options
        Panel's own: margin, stylesheets, ...
    """

    layout = param.String(doc="The sections as JSON.")
    content = param.String(doc="Values, hidden fields and reasons as JSON.")

    _esm = script(HERE / "form.js")

    def __init__(
        self,
        owner: param.Parameterized,
        sections: Mapping[str, Sequence[str | Field]],
        reasons: Callable[[], dict[str, dict[str, str]]] = dict,
        notes: Callable[[], dict[str, str]] = dict,
        take: Callable[[str, int, bytes | None], Awaitable[None]] | None = None,
        **options: Any,
    ):
        parts = {title: [_field(each) for each in fields] for title, fields in sections.items()}
        self._owner, self._reasons, self._notes, self._take = owner, reasons, notes, take
        self._fields = {field.name: field for fields in parts.values() for field in fields}
        described = [
            {"title": title, "fields": [field.description(owner.param[field.name]) for field in fields]}
            for title, fields in parts.items()
        ]
        options["stylesheets"] = [css(), *options.get("stylesheets", [])]
        super().__init__(layout=json.dumps(described), content=self._content(), **options)
        owner.param.watch(self._show, [name for name in owner.param if name != "name"])

    def _content(self) -> str:
        values = {name: getattr(self._owner, name) for name in self._fields}
        hidden = [name for name, field in self._fields.items() if not field.needed(self._owner)]
        reasons = {name: {k: sentence(why) for k, why in each.items()} for name, each in self._reasons().items()}
        return json.dumps({"values": values, "hidden": hidden, "reasons": reasons, "notes": self._notes()})

    def _show(self, *_: Any) -> None:
        self.content = self._content()

    def _handle_msg(self, data: Any) -> None:
        name = data["name"]
        if name not in self._fields:
            raise ValueError(f"this form has no field {name!r}")
        if "file" in data:
            pn.state.execute(partial(self._read, name, data["file"], data["size"], data["content"]))
            return
        try:
            self._owner.param.update(**{name: self._meant(name, data["value"])})
        except ValueError as error:
            self._refuse(name, error)

    async def _read(self, name: str, file: str, size: int, content: bytes | None) -> None:
        try:
            await self._take(file, size, content)
        except ValueError as error:
            pn.state.execute(partial(self._refuse, name, error), schedule=True)

    def _refuse(self, name: str, error: ValueError) -> None:
        self._send_msg({"refused": name, "why": sentence(f"{self._owner.param[name].label}: {told(error)}")})

    def _meant(self, name: str, value: Any) -> Any:
        """A number of the browser, which knows only one kind of number, as the parameter takes it."""
        parameter = self._owner.param[name]
        if value is None:
            raise ValueError("it must be a number")
        if isinstance(parameter, param.Integer):
            if value != int(value):
                raise ValueError("it must be a whole number")
            return int(value)
        return float(value) if isinstance(parameter, param.Number) else value


def _field(field: str | Field) -> Field:
    return Field(field) if isinstance(field, str) else field


@cache
def css() -> str:
    return (HERE / "form.css").read_text(encoding="utf-8")
