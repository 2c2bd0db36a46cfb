"""A second implementation of the verdict on a certificate: numpy for reading, fractions and 120 digits of mpmath."""

import base64
import hashlib
import json
import zlib
from fractions import Fraction

import numpy as np
from mpmath import mp, mpf

DIGITS = 120


def unpacked(text, size):
    found = np.frombuffer(zlib.decompress(base64.b64decode(text)), "<f8")
    assert found.size == size
    return found


def sealed(known):
    """The text of a certificate with a seal that fits."""
    text = json.dumps({name: value for name, value in known.items() if name != "seal"})[:-1] + ", "
    return text + f'"seal": "{hashlib.sha256(text.encode()).hexdigest()}"}}'


def is_true(known, X, y):
    """Whether the three claims hold: for X (n, d) without the intercept, y the problem's labels."""
    mp.dps = DIGITS
    problem, (n, d), K = known["problem"], X.shape, known["data"]["classes"] or 1
    rows = d + (problem["intercept"] is not None)
    w = unpacked(known["w"], rows * K).reshape(rows, K)
    alpha = unpacked(known["alpha"], n * K).reshape(n, K)
    s = np.ones(n) if problem["weights"] is None else unpacked(problem["weights"], n)
    o = np.zeros(n) if problem.get("offset") is None else unpacked(problem["offset"], n)
    if problem["intercept"] is not None:
        X = np.column_stack([X, np.full(n, 1.0 if problem["intercept"] == "free" else problem["intercept"])])
    if (K > 1) != (problem["loss"]["name"] == "softmax"):
        return False
    if s.min() < 0 or s.max() <= 0 or problem["l2"] < 0 or problem["l1"] < 0:
        return False
    exact = np.vectorize(Fraction, otypes=[object])
    W, A, Z, S = exact(w), exact(alpha), exact(X), sum(map(Fraction, s.tolist()))
    if K > 1:
        own = y.astype(int)
        if any(A[np.arange(n), own] != 0):
            return False
        A[np.arange(n), own] = -A.sum(axis=1)
    z, V = Z @ W, Z.T @ A
    losses = conjugates = mpf(0)
    for i in range(n):
        offset, label, weight = (Fraction(float(x[i])) for x in (o, y, s))
        found = one_example(problem["loss"], z[i] + offset, A[i], label, weight, K)
        if found is None:
            return False
        losses += found[0]
        conjugates += found[1] + number(A[i, 0] * offset)
    if problem["intercept"] == "free":
        if any(V[-1] != 0):
            return False
        V, W = V[:-1], W[:-1]
    penalty, conjugate = Fraction(0), mpf(0)
    for at, (low, high, p) in enumerate(zip(*of_features(problem, len(W)), strict=True)):
        if not (low <= 0 <= high and 0 <= p < np.inf):
            return False
        l2, l1 = Fraction(problem["l2"]) * Fraction(p), Fraction(problem["l1"]) * Fraction(p)
        for x, v in zip(W[at], V[at], strict=True):
            found = conjugate_of_one(v / S, l2, l1, low, high)
            if not low <= x <= high or found is None:
                return False
            penalty, conjugate = penalty + l2 / 2 * x * x + l1 * abs(x), conjugate + number(found)
    primal, dual = losses / number(S) + number(penalty), -conjugates / number(S) - conjugate
    claim = {name: mpf(value) for name, value in known["claim"].items()}
    slack = mpf(10) ** (-DIGITS // 2) * (1 + abs(primal))
    return primal <= claim["primal"] + slack and dual >= claim["dual"] - slack and primal - dual <= claim["gap"] + slack


def of_features(problem, size):
    """Bounds and factors, (size,) each."""
    usual = {"lower": -np.inf, "upper": np.inf, "factor": 1.0}
    found = {name: problem.get(name) for name in usual}
    return [np.full(size, usual[name]) if text is None else unpacked(text, size) for name, text in found.items()]


def conjugate_of_one(v, l2, l1, low, high):
    """g_j*(v); None where it is infinite."""
    right, left = max(Fraction(0), v - l1), max(Fraction(0), -v - l1)
    if l2 == 0:
        if (right and high == np.inf) or (left and low == -np.inf):
            return None
        return (right * Fraction(high) if right else 0) + (left * Fraction(-low) if left else 0) + Fraction(0)
    w = (right - left) / l2
    w = Fraction(high) if w > high else Fraction(low) if w < low else w
    return (right - left) * w - l2 * w * w / 2


def number(x):
    return mpf(x.numerator) / mpf(x.denominator)


def one_example(loss, z, a, y, s, K):
    """s phi(z) and s phi*(-a/s); None outside the domain."""
    name = loss["name"]
    if K > 1:
        own = int(y)
        p = [-x for x in a]
        p[own] = s - sum(p[:own] + p[own + 1 :])
        if min(p) < 0:
            return None
        phi = mp.log(sum(mp.exp(number(x - z[own])) for x in z))
        return number(s) * phi, sum((number(x) * mp.log(number(x / s)) for x in p if x > 0), mpf(0))
    (z,), (a,) = z, a
    if s == 0 and a != 0:
        return None
    c, gamma = Fraction(loss.get("c", 1)), Fraction(loss.get("gamma", 0))
    if name in ("hinge", "smooth_hinge", "squared_hinge", "logistic"):
        m, b = y * z, y * a
        if b < 0 or (name != "squared_hinge" and b > s):
            return None
        if name == "logistic":
            p = [x for x in (b, s - b) if x > 0]
            return number(s) * mp.log(1 + mp.exp(-number(m))), sum(
                (number(x) * mp.log(number(x / s)) for x in p), mpf(0)
            )
        r, target, a = max(Fraction(0), 1 - m), 1, b
    elif name == "pinball":
        q = Fraction(loss["quantile"])
        if not -(1 - q) * s <= a <= q * s:
            return None
        r, most = (z - y, 1 - q) if z > y else (y - z, q)
        phi = r * r / (2 * gamma) if r < gamma * most else most * r - gamma * most * most / 2
        return number(s * phi), number((gamma / 2 * a * a / s if a else 0) - a * y)
    else:
        if not name.startswith("squared") and abs(a) > s:
            return None
        r, target = max(Fraction(0), abs(z - y) - Fraction(loss.get("epsilon", 0))), y
    if name.startswith("squared"):
        phi, half = c * r * r, 1 / (4 * c)
    else:
        phi = r * r / (2 * gamma) if r < gamma else r - gamma / 2
        half = gamma / 2
    flat = Fraction(loss.get("epsilon", 0)) * abs(a)
    return number(s * phi), number(flat + (half * a * a / s if a else 0) - a * target)
