"""What the words of a race mean, for those who meet them for the first time."""

from __future__ import annotations

from collections.abc import Collection

from ...methods import METHODS
from ...methods.listing import definition_of, summary_of
from ..templates import html

WORDS = {
    "pass": "As many visits of nonzeros as X has; the work of all methods is counted in them.",
    "relative duality gap": "P(w) - D(alpha), over what it was at the start. P(w) is no further above the optimum: a "
    "small gap proves that a run is done.",
    "primal, dual": "Primal methods change coordinates of w, one for each feature; dual methods those of alpha, one "
    "for each example.",
    "bound": "What a theorem promises for the average over seeds, on the worst data with the same constants.",
    "T_P/T_D": "T_P and T_D are the nonzeros that primal and dual coordinate descent must visit for each factor e of "
    "accuracy, by their bounds. Above 1 the dual should win.",
}
GLOSSARY = """\
<details><summary>What the words mean</summary><dl>
{%- for term, words in terms.items() %}<dt>{{ term|marked }}</dt><dd>{{ words|marked }}</dd>{% endfor -%}
</dl></details>"""


def glossary(methods: Collection[str]) -> str:
    """The words of every race, and these methods, to be opened, as HTML."""
    about = {name: definition_of(METHODS[name]) or summary_of(METHODS[name]) for name in methods}
    return html(GLOSSARY, terms=WORDS | about)
