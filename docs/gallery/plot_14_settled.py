"""
When is it proved that an example does not matter?
==================================================

On the straight parts of a hinge-like loss alpha sits at an end. The duality gap proves that for more and more examples
as it falls: from then on a screened run leaves them out.
"""

import cdlab
from cdlab import plots
from cdlab.certificates import settled_curve

X, y = cdlab.datasets.make(n=500, d=20, seed=0)
P = cdlab.Problem(X, y, loss="smooth_hinge", l2=0.02)
curve = settled_curve(P, "sdca", tol=1e-10)
picture = plots.settled(curve)
print(plots.settled_sentence(curve))
