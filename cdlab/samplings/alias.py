"""Drawing from a discrete distribution."""

from __future__ import annotations

import numpy as np

from ..numerics.jit import kernel, scalar


class AliasTable:
    """Draws from a discrete distribution in O(1) an index (Walker 1977), after O(m) to set up.

    numpy's `choice` searches the cumulative sum, 84 ns an index against 9 here. Slot k holds k itself with probability
    `keep[k]` and `alias[k]` otherwise.
    """

    def __init__(self, p: np.ndarray):
        self._keep, self._alias = np.ones(p.size), np.arange(p.size, dtype=np.uint64)
        _fill_alias_table(p / p.sum() * p.size, self._keep, self._alias)

    def draw(self, rng: np.random.Generator, size: int) -> np.ndarray:
        """So many independent indices, uint64 (size,)."""
        slots = rng.integers(self._keep.size, size=size, dtype=np.uint64)
        _draw_from_slots(slots, rng.random(size), self._keep, self._alias)
        return slots

    @classmethod
    def compile(cls) -> None:
        """Compile what sets a table up and draws: not what a run's clock shall count."""
        table = cls(np.ones(1))
        _draw_from_slots(np.empty(0, np.uint64), np.empty(0), table._keep, table._alias)


@kernel
def _draw_from_slots(slots: np.ndarray, u: np.ndarray, keep: np.ndarray, alias: np.ndarray) -> None:
    """Replace each slot by what is drawn from it, with u uniform on [0, 1)."""
    for k in range(slots.size):
        slot = slots[k]
        if u[k] >= keep[slot]:
            slots[k] = alias[slot]


@kernel
def _fill_alias_table(scaled: np.ndarray, keep: np.ndarray, alias: np.ndarray) -> None:
    """Fill up every slot that holds less than 1 from one that holds more, in one sweep over both kinds.

    Huebschle-Schneider & Sanders 2022, "Parallel weighted random sampling", Algorithm 3. `rest` is what the slot `full`
    still holds; when that is less than 1, the next full one fills it up in turn. The last gives to all that is left
    over, which is too much by rounding alone: so what has probability 0 is never drawn.
    """
    m = scaled.size
    poor, full = _next_slot(scaled, -1, True), _next_slot(scaled, -1, False)
    if full == m:  # all are 1 up to rounding
        return
    rest, following = scaled[full], _next_slot(scaled, full, False)
    while True:
        if rest < 1.0 and following < m:
            keep[full], alias[full] = rest, following
            rest += scaled[following] - 1.0
            full, following = following, _next_slot(scaled, following, False)
        elif poor == m:
            return
        else:
            keep[poor], alias[poor] = scaled[poor], full
            rest -= 1.0 - scaled[poor]
            poor = _next_slot(scaled, poor, True)


@scalar
def _next_slot(scaled: np.ndarray, k: int, poor: bool) -> int:
    """The next slot after k that holds less than 1 (poor) or at least 1; m if there is none."""
    k += 1
    while k < scaled.size and (scaled[k] < 1.0) != poor:
        k += 1
    return k
