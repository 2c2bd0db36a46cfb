"""What a sweep would find and do, without doing it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from . import files
from .planning import planned
from .progress import Progress
from .work import Workshop


def outlook(grid: Any, store: str | os.PathLike[str]) -> Progress:
    """How much of a grid is in a store already; the grid is checked as `sweep` checks it.

    Parameters
    ----------
    grid : list of dict, or dict of lists
        As for `sweep`.
    store : str or path
        A folder, which need not exist.

    Returns
    -------
    Progress
        With the finished runs in `found`, and nothing done.

    Raises
    ------
    TypeError, ValueError, OSError
        As `sweep`.
    """
    keys = [each.task.key for each in planned(grid, Workshop(), None, None)]
    root = Path(store)
    found = sum(files.path_of(root, key, files.RUN).exists() for key in keys)
    failed = sum(files.path_of(root, key, files.FAILED).exists() for key in keys)
    return Progress(len(keys), found, 0, failed, None)
