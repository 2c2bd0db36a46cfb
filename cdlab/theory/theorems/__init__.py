"""The theorems, as data: one file per family, each a tuple of bounds on iterations (or lemmas).

The first entry of a method is its main theorem with its default sampling. A new method is one more entry: its rate, the
cost of a step, the constant, assumptions and source; counts, passes and totals follow by
`cdlab.theory.derivations.counts`. A new file is named in `cdlab.theory.lookup.FAMILIES`.
"""
