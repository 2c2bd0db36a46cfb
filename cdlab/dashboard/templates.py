"""HTML from templates: what is filled in is escaped, unless the template says that it is HTML already (``|safe``)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape


def marked(text: str) -> str:
    """Text as HTML, with the letters of the face-off set as they are written: C_P as C with a small P below.

    >>> marked("T_P/T_D < 1")
    'T<sub>P</sub>/T<sub>D</sub> &lt; 1'
    """
    return re.sub(r"\b([CTKW])_([PD])\b", r"\1<sub>\2</sub>", str(escape(text)))


_ENVIRONMENT = Environment(autoescape=True, undefined=StrictUndefined)
_ENVIRONMENT.filters["marked"] = lambda text: Markup(marked(text))


def html(source: str, **values: Any) -> str:
    """A template of jinja2 with these values in it; ``{{ x|marked }}`` sets x as `marked` does.

    >>> html("<p>{{ words }}</p>", words="a < b")
    '<p>a &lt; b</p>'
    """
    return _template(source).render(values)


@cache  # templates are constants of the code
def _template(source: str) -> Template:
    return _ENVIRONMENT.from_string(source)
