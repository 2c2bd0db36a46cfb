"""Symbols that users add to the vocabulary: one for a parameter of a method of theirs."""

from __future__ import annotations

import sympy as sp

from . import symbols
from .instances import ALWAYS_READ, SETS


def parameter(name: str, meaning: str, latex: str | None = None, *, integer: bool = False) -> sp.Symbol:
    """A symbol that stands for a parameter of your method in its theorems.

    It enters ``SYMBOLS`` and ``MEANINGS``. The bound of an instance has its value, ``bound(MyMethod(block=5))``; one
    by the method's name asks for it, ``b.at(block=5, ...)``, unless the theorem is given ``defaults``.

    Parameters
    ----------
    name : str
        That of the method's field, and the keyword of `Bound.at`. The value must be positive.
    meaning : str
        What it is, for `Bound.where`.
    latex : str, optional
        How it is typeset; by default as its name, upright.
    integer : bool, default False
        Whether it is a whole number.

    Returns
    -------
    sympy symbol

    Raises
    ------
    ValueError
        If the name is one of cdlab's own symbols, or no identifier.

    Examples
    --------
    >>> from cdlab import theory
    >>> block = theory.parameter("block", "features in a block", integer=True)  # doctest: +SKIP
    >>> theorem = theory.contraction("block_greedy", "smooth", K=..., W=block * nnz / d, ...)  # doctest: +SKIP
    """
    if not name.isidentifier():
        raise ValueError(f"a parameter's symbol needs the name of the method's field, not {name!r}")
    if name in symbols.SYMBOLS and name not in ALWAYS_READ:
        raise ValueError(
            f"there is a symbol {name!r} in cdlab.theory.SYMBOLS already ({symbols.MEANINGS[name]}): rename yours"
        )
    made = symbols.enter(
        sp.Symbol(name, positive=True, integer=integer or None), latex or rf"\mathrm{{{name}}}", meaning
    )
    SETS[name] = (made,)
    ALWAYS_READ.add(name)
    return made


def forget_parameter(name: str) -> None:
    """Remove a symbol that `parameter` added."""
    ALWAYS_READ.remove(name)
    del SETS[name]
    symbols.leave(name)
