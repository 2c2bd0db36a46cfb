"""The result of a check of a bound: a number that also says what was tried, and what that does not show."""

from __future__ import annotations


class Tightness(float):
    """The largest measured mean as a share of the promise; printed, it says what was tried.

    Attributes
    ----------
    ran, among : int
        On how many problems the method ran, of how many.
    """

    ran: int
    among: int

    def __new__(cls, share: float, ran: int, among: int) -> Tightness:
        made = super().__new__(cls, share)
        made.ran, made.among = ran, among
        return made

    def __str__(self) -> str:
        if not self.ran:
            return "nothing was run: only the formula was checked"
        return (
            f"not refuted on {self.ran} of {self.among} small problems, where the largest mean is {float(self):.2g} of "
            "the promise; that is not a proof, and a rate too good by a factor of up to about 4 can pass"
        )

    __repr__ = __str__
