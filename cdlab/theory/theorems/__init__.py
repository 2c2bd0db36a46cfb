"""The theorems, as data: one file a paper or topic.

To add a theorem, write one call of `contraction`, `decay`, `asymptotic` or `lemma` into BOUNDS of the file whose
METHODS has its method, after the one that `cdlab.theory.bound` should answer. One about a method that no file has goes
into a new file, which is found by being there. A file has three names:

METHODS     the methods whose theorems it has; the first theorem about a method, with its default sampling, is what
            `cdlab.theory.bound` answers. Every other file has at most lemmas and asymptotic statements about them.
ALSO_ABOUT  the methods of other files about which it has such statements; left out if there are none.
BOUNDS      the theorems.

METHODS and ALSO_ABOUT are read from the text, without importing the file, so they are written as tuples of strings.
Counts, passes and totals follow from the rate and the cost of a step by `cdlab.theory.derivations.counts`.
"""
