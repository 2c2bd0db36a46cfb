"""(a+1)^q + (a+2)^q + ... + b^q for q = -1, -1/2 or 1/2, to rounding, in a constant number of operations."""

import math

from ...numerics.jit import scalar

DIRECT = 24  # from here on the series below is exact to rounding; smaller terms are added one by one


@scalar
def power_sum(a: float, b: float, q: float) -> float:
    """The sum of s^q over whole a < s <= b, for floats 0 <= a <= b and q = -1, -1/2 or 1/2.

    By Euler and Maclaurin, with f(s) = s^q,  sum = int_a^b f + [f/2 + f'/12 - f'''/720 + f^(5)/30240 - ...]_a^b.
    The integral is written such that no digits are lost where b is near a.
    """
    total = 0.0
    while a < b and a < DIRECT:
        a += 1
        total += _power(a, q)
    if a == b:
        return total
    if b - a == 1:
        return total + _power(b, q)
    if q == -1:
        integral = math.log1p((b - a) / a)
    else:
        root_a, root_b = math.sqrt(a), math.sqrt(b)
        integral = 2 * (b - a) / (root_a + root_b)
        if q > 0:
            integral *= (a + root_a * root_b + b) / 3
    return total + integral + _tail(b, q) - _tail(a, q)


@scalar
def _power(s: float, q: float) -> float:
    if q == -1:
        return 1 / s
    return math.sqrt(s) if q > 0 else 1 / math.sqrt(s)


@scalar
def _tail(s: float, q: float) -> float:
    r = 1 / (s * s)
    first = q / s
    third = first * (q - 1) * (q - 2) * r
    fifth = third * (q - 3) * (q - 4) * r
    seventh = fifth * (q - 5) * (q - 6) * r
    return _power(s, q) * (0.5 + first / 12 - third / 720 + fifth / 30240 - seventh / 1209600)
