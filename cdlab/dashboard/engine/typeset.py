"""LaTeX as MathML, which browsers set by themselves: no script, no fonts, no request."""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

# as a text of HTML has them: displayed, or in a line
_FORMULAS = re.compile(r"\\\[(?P<block>.+?)\\\]|\\\((?P<inline>.+?)\\\)", re.DOTALL)
# three upright letters of a name, each of which would stand for itself
_LETTERS = '<mi mathvariant="normal">n</mi><mi mathvariant="normal">n</mi><mi mathvariant="normal">z</mi>'


@lru_cache(1024)  # formulas with values differ without end
def mathml(latex: str, display: str = "inline") -> str:
    r"""A formula in the papers' letters as a <math> element.

    >>> mathml(r"\lambda")
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>&#x003BB;</mi></mrow></math>'
    """
    from latex2mathml.converter import convert  # only where a formula is shown

    made = convert(latex, display=display).replace(_LETTERS, "<mi>nnz</mi>")
    # a fence as high as what it holds, not as twice what stands above the line of the fraction
    return made.replace('<mo stretchy="true"', '<mo stretchy="true" symmetric="false"')


def typeset(text: str) -> str:
    r"""HTML with LaTeX between \( \) or \[ \], which may be escaped as HTML, as HTML with <math> elements.

    >>> typeset(r"<p>so \( a &lt; b \)</p>")
    '<p>so <math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>a</mi><mo>&#x0003C;</mo><mi>b</mi></mrow></math></p>'
    """  # noqa: E501
    return _FORMULAS.sub(lambda found: mathml(unescape(found[found.lastgroup]).strip(), found.lastgroup), text)
