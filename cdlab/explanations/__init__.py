"""Explanations: why a race came out as it did, and why not as its bounds predict, each in a sentence.

A cause is something that can be taken away: draws, an order, heavy lines, momentum, batches, damped steps. It is named
where a race without it, with draws of its own, shows that about half of the lead goes with it (`changes`, `reruns`).
Where nothing can be taken away, the slowest direction of the data may account for the lead (`slowest_direction`), and
so it may where bounds are loose (`predictions`). Sentences are made of text and `Figure`s, which print whose number
they are. Their templates and all thresholds are in rules.json, which the page without Python reads, too.
"""

from .explaining import Explanation, Reason, explain
from .figures import Figure, Sentence

__all__ = ["Explanation", "Figure", "Reason", "Sentence", "explain"]
