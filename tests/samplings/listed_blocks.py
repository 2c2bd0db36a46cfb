"""All blocks that a sampling can draw, with their probabilities, by listing them."""

from itertools import combinations, product

import numpy as np

from cdlab.samplings import Bucket, Distributed, Independent, TauNice


def every_block(sampling, m):
    """All (block, probability) of a sampling on m coordinates, from its description in words."""
    match sampling:
        case TauNice(tau=tau):
            blocks = list(combinations(range(m), tau))
            return [(block, 1 / len(blocks)) for block in blocks]
        case Independent(p=p):
            p = np.broadcast_to(p, m)
            return [(np.flatnonzero(coins), np.prod(np.where(coins, p, 1 - p))) for coins in product((0, 1), repeat=m)]
        case Bucket(buckets=buckets, inside=p):
            return [(block, np.prod(p[list(block)])) for block in product(*buckets)]
        case Distributed(c=c, tau=tau):
            s = m // c
            parts = [list(combinations(range(k * s, (k + 1) * s), tau)) for k in range(c)]
            blocks = [sum(choice, ()) for choice in product(*parts)]
            return [(block, 1 / len(blocks)) for block in blocks]
    return [((j,), p) for j, p in enumerate(sampling.p / sampling.p.sum())]
