"""LaTeX as MathML, which browsers set by themselves: no script, no fonts, no request."""

from __future__ import annotations

from functools import cache

# three upright letters of a name, each of which would stand for itself
_LETTERS = '<mi mathvariant="normal">n</mi><mi mathvariant="normal">n</mi><mi mathvariant="normal">z</mi>'


@cache
def mathml(latex: str, display: str = "inline") -> str:
    r"""A formula in the papers' letters as a <math> element.

    >>> mathml(r"\lambda")
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>&#x003BB;</mi></mrow></math>'
    """
    from latex2mathml.converter import convert  # only where a formula is shown

    return convert(latex, display=display).replace(_LETTERS, "<mi>nnz</mi>")
