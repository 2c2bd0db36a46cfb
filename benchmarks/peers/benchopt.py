"""cdlab's methods as a folder that benchopt runs: an objective, generated data, and a solver with a parameter."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ..numerics.files import atomic_write

# With an ending that keeps them from being taken for modules of cdlab: benchopt imports them, and cdlab does not
FILES = ("objective.py", "datasets/generated.py", "solvers/cdlab.py")


def write(path: str | Path) -> list[str]:
    """Write the folder.

    Parameters
    ----------
    path : str or Path
        A folder that is missing or empty.

    Returns
    -------
    list of str
        The files, and how to run them.

    Raises
    ------
    ValueError
        If there is something in it already.
    OSError
        If it cannot be written.
    """
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{path} is not an empty folder: name one that is empty or does not exist yet")
    source = resources.files(__package__).joinpath("benchopt_folder")
    for name in FILES:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(target) as file:
            file.write(source.joinpath(f"{name}.txt").read_bytes())
    return [*(str(folder / name) for name in FILES), "", f"benchopt run {path}    (pip install benchopt)"]
