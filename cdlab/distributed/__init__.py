"""One problem over many parts: more data than memory, and more than one machine.

A part holds some shards of the data and their dual variables, and a team takes the same step on all of them and sums up
what they give. `solve` runs CoCoA+ with a global step, or L-BFGS, on sums alone, so that its gap is as certain as that
of ``cdlab.solve``; `scan` gives what ``cdlab.faceoff`` needs to know, `l1_max` the least l1 without features, and
`convert` makes shards of text files.

shards.py             the files of one data set: NPZ, and the row groups of Parquet
dask_collections.py   Dask arrays and frames, whose shards are the chunks that each worker holds
exact_sums.py         sums that are rounded once
scanning.py           what is known of all shards before a problem is solved
part.py               one part, and the steps that are taken on it
teams.py              who holds the parts, and how their sums are made
solving.py            the rounds, and their certificate
"""

from .scanning import l1_max, scan
from .shards import convert
from .solving import solve

__all__ = ["convert", "l1_max", "scan", "solve"]
