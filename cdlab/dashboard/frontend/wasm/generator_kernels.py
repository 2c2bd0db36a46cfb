"""numpy's `default_rng` as kernels: PCG64 and what is drawn from it, so that a seed means the same run in the page.

A generator's state is ten uint64: four pieces of 32 bits of PCG64's state, four of its increment, and for `next32` the
half of a draw that it keeps, and whether there is one. In pieces, because a product of 64 x 64 bits is a call to a
runtime that a page does not have.
"""

from __future__ import annotations

import math

import numpy as np

from ....numerics.jit import kernel, scalar

HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
MULTIPLIER = np.array([0x9FCCF645, 0x4385DF64, 0x1FC65DA4, 0x2360ED05], np.uint64)  # the lowest first
ZERO, ONE, ELEVEN, ROTATION, SIXTY_THREE = (np.uint64(x) for x in (0, 1, 11, 58, 63))
GRAIN = 2.0**-53  # the spacing of numbers drawn from [0, 1)
KEPT, IS_KEPT = 8, 9  # places in the state


@scalar
def next64(state: np.ndarray) -> np.uint64:
    """The next 64 bits."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    m0, m1, m2, m3 = MULTIPLIER[0], MULTIPLIER[1], MULTIPLIER[2], MULTIPLIER[3]
    a = s0 * m0
    total = (a & LOW) + state[4]
    state[0] = total & LOW
    b, c = s1 * m0, s0 * m1
    total = (total >> HALF) + (a >> HALF) + (b & LOW) + (c & LOW) + state[5]
    state[1] = total & LOW
    d, e, f = s2 * m0, s1 * m1, s0 * m2
    total = (total >> HALF) + (b >> HALF) + (c >> HALF) + (d & LOW) + (e & LOW) + (f & LOW) + state[6]
    state[2] = total & LOW
    top = (d >> HALF) + (e >> HALF) + (f >> HALF) + s3 * m0 + s2 * m1 + s1 * m2 + s0 * m3
    state[3] = ((total >> HALF) + top + state[7]) & LOW
    high = state[3] << HALF | state[2]
    x, turn = high ^ (state[1] << HALF | state[0]), high >> ROTATION
    return (x >> turn) | (x << ((~turn + ONE) & SIXTY_THREE))


@scalar
def next32(state: np.ndarray) -> np.uint64:
    """The next 32 bits: the lower half of 64, then the upper one."""
    if state[IS_KEPT] == ONE:
        state[IS_KEPT] = ZERO
        return state[KEPT]
    x = next64(state)
    state[KEPT], state[IS_KEPT] = x >> HALF, ONE
    return x & LOW


@scalar
def next_double(state: np.ndarray) -> float:
    """The next number in [0, 1)."""
    return (next64(state) >> ELEVEN) * GRAIN


@scalar
def next_below(state: np.ndarray, m: np.uint64) -> np.uint64:
    """The next whole number below m, 1 < m < 2^32, by Lemire's method."""
    x = next32(state) * m
    if (x & LOW) < m:
        threshold = (LOW - (m - ONE)) % m
        while (x & LOW) < threshold:
            x = next32(state) * m
    return x >> HALF


@scalar
def next_up_to(state: np.ndarray, most: np.uint64) -> np.uint64:
    """The next whole number up to `most`, 0 < most < 2^32, by rejection of what has more bits."""
    mask = most
    for k in (1, 2, 4, 8, 16):
        mask |= mask >> np.uint64(k)
    x = next32(state) & mask
    while x > most:
        x = next32(state) & mask
    return x


@kernel
def random_doubles(state: np.ndarray, out: np.ndarray) -> None:
    """Generator.random(size)."""
    for k in range(out.size):
        out[k] = next_double(state)


@kernel
def random_integers(state: np.ndarray, m: int, out: np.ndarray) -> None:
    """Generator.integers(m, size), m < 2^32; m = 1 draws nothing."""
    for k in range(out.size):
        out[k] = next_below(state, np.uint64(m)) if m > 1 else ZERO


@kernel
def shuffle(state: np.ndarray, x: np.ndarray) -> None:
    """Generator.shuffle(x), and so Generator.permutation(x)."""
    for k in range(x.size - 1, 0, -1):
        j = next_up_to(state, np.uint64(k))
        x[k], x[j] = x[j], x[k]


@kernel
def choose(state: np.ndarray, m: int, out: np.ndarray) -> None:
    """Generator.choice(m, size, replace=False, shuffle=False), for m <= 10,000 or size <= m/20, by Floyd's method."""
    for k in range(out.size):
        last = np.uint64(m - out.size + k)
        x = next_below(state, last + ONE) if last > ZERO else ZERO
        for other in range(k):
            if out[other] == x:
                x = last
                break
        out[k] = x


# ------------------------------------------------------------ normal numbers
LAYERS = 256  # of the ziggurat: their edges 0 = x_0 < ... < x_255 make areas x_i (f(x_(i-1)) - f(x_i)) that are alike
SIZE_BITS = 52  # of a draw: where it lies between 0 and the edge of its layer
LAYER_BITS, LAYER, ALL_SIZE_BITS = np.uint64(8), np.uint64(0xFF), np.uint64((1 << SIZE_BITS) - 1)


def bit_widths() -> np.ndarray:
    """The worth of one of the 52 bits, by layer: x_i/2^52; of layer 0, which has the tail, area/f(x_255)/2^52.

    They are numpy's own to the last digit, in which its tables are not exact: each is read off a draw whose 64 bits are
    chosen. The generator returns the lower half of its state where the upper one is 0, after a step that is undone.
    """
    multiplier, modulus, known_bit = sum(int(part) << (32 * k) for k, part in enumerate(MULTIPLIER)), 1 << 128, 40
    bits = np.random.PCG64(0)
    start, rng = bits.state, np.random.Generator(bits)
    widths = np.empty(LAYERS)
    for layer in range(LAYERS):
        wanted = (1 << (known_bit + 9)) | layer  # above the layer's 8 bits and the sign
        before = (wanted - start["state"]["inc"]) * pow(multiplier, -1, modulus) % modulus
        bits.state = start | {"state": start["state"] | {"state": before}, "has_uint32": 0}
        widths[layer] = rng.standard_normal() / 2.0**known_bit
    return widths


WIDTH = bit_widths()
EDGE = np.append(0.0, WIDTH[1:] * 2.0**SIZE_BITS)
DENSITY = np.exp(-(EDGE**2) / 2)
INSIDE = np.concatenate([[EDGE[-1] / WIDTH[0]], EDGE[:-1] / WIDTH[1:]]).astype(np.uint64)  # sizes that need no test
TAIL, PER_TAIL = float(EDGE[-1]), float(1 / EDGE[-1])


@scalar
def next_normal(state: np.ndarray) -> float:
    """The next N(0, 1) number, by the ziggurat method (Marsaglia & Tsang 2000)."""
    while True:
        r = next64(state)
        layer = r & LAYER
        r >>= LAYER_BITS
        size = (r >> ONE) & ALL_SIZE_BITS
        x = size * WIDTH[layer]
        if r & ONE:
            x = -x
        if size < INSIDE[layer]:
            return x
        if layer == ZERO:
            while True:
                beyond = -math.log1p(-next_double(state)) * PER_TAIL
                y = -math.log1p(-next_double(state))
                if y + y > beyond * beyond:
                    return -(TAIL + beyond) if (size >> LAYER_BITS) & ONE else TAIL + beyond
        above = (DENSITY[layer - ONE] - DENSITY[layer]) * next_double(state) + DENSITY[layer]
        if above < math.exp(-0.5 * x * x):
            return x


@kernel
def random_normals(state: np.ndarray, out: np.ndarray) -> None:
    """Generator.standard_normal(size)."""
    for k in range(out.size):
        out[k] = next_normal(state)


# ------------------------------------------------------------ Poisson numbers
SMALL_POISSON_MEAN = 10.0  # below it Poisson numbers are made by products of uniform ones
STIRLING = np.array([1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400])


@scalar
def log_gamma(x: float) -> float:
    """ln Gamma(x), x >= 1, by Stirling's series from 7 on."""
    shift = 0.0
    while x < 7.0:
        shift += math.log(x)
        x += 1.0
    series, power = 0.0, 1 / x
    for k in range(STIRLING.size):
        series += STIRLING[k] * power
        power /= x * x
    return series + 0.5 * math.log(2 * math.pi) + (x - 0.5) * math.log(x) - x - shift


@scalar
def next_poisson(state: np.ndarray, mean: float) -> int:
    """The next Poisson number: by products, or by transformed rejection with a squeeze (Hoermann 1993, PTRS)."""
    if mean == 0.0:
        return 0
    if mean < SMALL_POISSON_MEAN:
        least, product, count = math.exp(-mean), 1.0, 0
        while True:
            product *= next_double(state)
            if product <= least:
                return count
            count += 1
    root, logarithm = mean**0.5, math.log(mean)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    certain = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = next_double(state) - 0.5
        v = next_double(state)
        us = 0.5 - abs(u)
        count = int(math.floor((2 * a / us + b) * u + mean + 0.43))
        if us >= 0.07 and v <= certain:
            return count
        if count < 0 or (us < 0.013 and v > us):
            continue
        if math.log(v) + math.log(inverse) - math.log(a / (us * us) + b) <= -mean + count * logarithm - log_gamma(
            count + 1.0
        ):
            return count


@kernel
def random_poissons(state: np.ndarray, means: np.ndarray, out: np.ndarray) -> None:
    """Generator.poisson(means)."""
    for k in range(out.size):
        out[k] = np.uint64(next_poisson(state, means[k]))


def compile_generator() -> None:
    """Compile all kernels of this module."""
    state, whole, real = np.arange(10).astype(np.uint64), np.zeros(3, np.uint64), np.ones(3)
    random_doubles(state, real)
    random_integers(state, 3, whole)
    shuffle(state, np.ones(3))
    choose(state, 9, whole)
    random_normals(state, real)
    random_poissons(state, np.ones(3), whole)
