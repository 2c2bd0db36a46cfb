"""One problem over many parts: more data than memory, and more than one machine.

A part holds some shards of the data and their dual variables, and a team takes the same step on all of them and sums up
what they give: `teams` has one for each engine, and nothing else knows of engines. `solve` runs CoCoA+ with a global
step, or L-BFGS, on sums alone, so that its gap is as certain as that of ``cdlab.solve``. `scan` gives what
``cdlab.faceoff`` needs to know of the data, in sums that do not depend on how these are divided, and `l1_max` the least
l1 without features; `convert` makes shards of text files.

shards.py       the files of one data set: NPZ, and the row groups of Parquet
exact_sums.py   sums that are rounded once
part.py         one part, and the steps that are taken on it
teams.py        who holds the parts, and how their sums are made
solving.py      the rounds, their certificate, limits
"""

from .shards import convert
from .solving import l1_max, scan, solve

__all__ = ["convert", "l1_max", "scan", "solve"]
