"""The papers, and their items by id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .appa import PAPER as APPA
from .asdca import PAPER as ASDCA
from .faceoff import PAPER as FACEOFF
from .items import Item, Paper, did_you_mean
from .slides import PAPER as SLIDES
from .spdc import PAPER as SPDC

PAPERS: tuple[Paper, ...] = (SPDC, SLIDES, FACEOFF, ASDCA, APPA)
ALL_ITEMS = "all"


def select_items(names: Iterable[str], papers: Sequence[Paper] = PAPERS) -> list[Item]:
    """The items with these ids, of papers with these ids, or "all"; each once, in the order of the papers.

    Raises
    ------
    ValueError
        If there is no such id.
    """
    wanted = set(names)
    items = [item for paper in papers for item in paper.items]
    known = [ALL_ITEMS, *(paper.id for paper in papers), *(item.id for item in items)]
    if strange := sorted(wanted - set(known)):
        raise ValueError(
            f"there is no item or paper {strange[0]!r}{did_you_mean(strange[0], known)} (papers: "
            f"{', '.join(paper.id for paper in papers)}; python -m papers --list shows the items)"
        )
    return [item for item in items if wanted & {ALL_ITEMS, item.paper, item.id}]
