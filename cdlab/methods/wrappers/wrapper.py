"""The base of wrappers.

``solve(P, "sdca", anderson=5)`` is ``solve(P, Anderson(SDCA(), anderson=5))``: name, label and theorems are those of
sdca with one parameter more. One wrapper at a time: each needs a method as it is, see `fits`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from ...numerics import checks
from ...problems.points import Points
from ...problems.problem import Problem
from ...samplings import Sampling, SamplingLike
from ..base import WRAPPERS, Count, Method
from ..descent import Descent
from ..facts import Facts


@dataclass(frozen=True)
class Wrapper(Method[Any]):
    """A method around `method`. Its one parameter is a field that is called like the keyword of `solve`.

    What a wrapper does not write is passed on. Where it has an `epoch`, its `init` returns a state of its own, with the
    inner method's as `core`, and its `epoch` moves that. A step that moves dual variables must keep them where phi* is
    finite: compare ``self.method.objective`` before, which is inf elsewhere, as `Anderson` does. An instance has the
    facts of its method.

    Raises
    ------
    TypeError
        If a class has no keyword, or that of another class; of an instance, if the keyword is no field, or `method` is
        none.
    ValueError
        If the method is none that the wrapper works on, or the parameter is none that changes anything.
    """

    method: Descent[Any]

    keyword: ClassVar[str]
    off: ClassVar[Any] = None  # the value of the keyword that wraps nothing
    wanted: ClassVar[str] = "a method whose state is its point, and with one wrapper at a time"
    name: ClassVar[str] = "wrapper"
    side: ClassVar[str] = "dual"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        keyword = getattr(cls, "keyword", None)
        if not isinstance(keyword, str):
            raise TypeError(f"wrapper {cls.__name__} needs keyword: ClassVar[str], the name of its one field")
        known = WRAPPERS.get(keyword, cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):  # not the same, run again
            raise TypeError(
                f"wrapper {cls.__name__} needs a keyword of its own: {keyword!r} is that of {known.__name__}"
            )
        WRAPPERS[keyword] = cls

    def __post_init__(self) -> None:
        if self.keyword not in (f.name for f in fields(self)):
            raise TypeError(
                f"wrapper {type(self).__name__} has no field {self.keyword}, which its keyword names: add it below "
                "@dataclass(frozen=True), with a default"
            )
        if not isinstance(self.method, Method):
            what = f"a method's instance such as SDCA(), not {checks.short_repr(self.method)}"
            raise TypeError(f"{type(self).__name__} goes around {what}")
        for fact in Facts.__annotations__:
            if fact not in vars(type(self)):
                object.__setattr__(self, fact, getattr(self.method, fact))
        if self.is_off(getattr(self, self.keyword)):
            raise ValueError(f"{self.keyword}={self.off!r} wraps nothing: take {self.method.label} itself")
        if not self.fits(self.method):
            raise ValueError(
                f"{self.keyword} goes with {self.wanted}, and {self.method.label} is none: leave {self.keyword} out"
            )

    @classmethod
    def is_off(cls, value: Any) -> bool:
        """Tell whether the keyword with this value wraps nothing."""
        return value is None or (isinstance(value, str | bool | np.bool_) and value == cls.off)

    @classmethod
    def fits(cls, method: Method) -> bool:
        """Tell whether the wrapper works on a method."""
        return isinstance(method, Descent) and method.state_is_point

    def wrapper_objections(self, problem: Problem, sampling: Sampling | None) -> Iterator[str]:
        """Tell why this problem cannot be had with the wrapper, or what is drawn, if anything is."""
        yield from ()

    @property
    def unwrapped(self) -> Method:
        return self.method

    @property
    def classes(self) -> tuple[type, ...]:
        return (*self.method.classes, type(self))

    @property
    def parameters(self) -> dict[str, Any]:
        return self.method.parameters | {self.keyword: getattr(self, self.keyword)}

    @property
    def changed(self) -> dict[str, Any]:
        return self.method.changed | {self.keyword: getattr(self, self.keyword)}

    # ------------------------------------------------------------ passed on
    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> Any:
        return self.method.init(problem, sampling, start)

    def epoch(self, P: Any, S: Any, order: Any) -> Any:
        return self.method.epoch(P, S, order)

    def points(self, problem: Problem, S: Any) -> Points:
        return self.method.points(problem, S.core)

    def refresh(self, problem: Problem, S: Any) -> None:
        self.method.refresh(problem, S.core)

    def count(self, problem: Problem, S: Any, order: Any) -> Count:
        return self.method.counted(problem, S.core, order)

    def warm(self, P: Any, S: Any) -> None:
        self.method.warm(P, S.core)

    def draws(self, sampling: Sampling) -> Sampling | None:
        return self.method.draws(sampling)

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return self.method.orders(problem, sampling, rng)

    def must_be_drawn(self, problem: Problem) -> np.ndarray:
        return self.method.must_be_drawn(problem)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if (reason := self.method.refusal(problem, sampling)) is not None:
            yield reason
        if problem.intercept and self.side == "dual":
            yield f"{self.name}'s {self.keyword} takes no intercept, which is no coordinate of alpha: leave it out"
        yield from self.wrapper_objections(problem, self.method.draws(sampling))
