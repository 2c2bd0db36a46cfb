#!/usr/bin/env python3
"""Check a certificate: the coefficients w are within `gap` of the least value of a regularised loss on given data.

    python checker.py CERTIFICATE DATA [LABELS]

prints ACCEPT and what is proved (exit status 0), REJECT and the first statement that is false (1), or UNREADABLE and
why (2). DATA may be a folder of shards, whose sums are added up file by file. This file needs Python 3.10 and nothing
else. What writes certificates calls it for the claim; cdlab's page and its tests hold two other implementations.

What is proved. Let s_i >= 0 be the weights of the examples, S > 0 their sum, and

    P(w) = (1/S) sum_i s_i phi(x_i'w + o_i; y_i) + sum_j (l2_j/2) w_j^2 + l1_j |w_j|   for lower_j <= w_j <= upper_j,

with offsets o_i, mostly 0, and l2_j = l2 p_j, l1_j = l1 p_j, where the factors p_j are mostly 1, and bounds infinite. A
penalised intercept is a last column of constant x; a free one of x = 1, with l2_j = l1_j = 0 and without bounds. For
every number a_i Fenchel's inequality says phi(z) >= -(a_i/s_i) z - phi*(-a_i/s_i). Add it up over the examples, with
V = sum_i a_i x_i, and take the least over w, coefficient by coefficient. So for all w

    P(w) >= D = -(1/S) sum_i (s_i phi*(-a_i/s_i) + a_i o_i) - sum_j g_j*(V_j/S),
    g_j*(v) = max over lower_j <= B <= upper_j of B v - l1_j |B| - (l2_j/2) B^2,

provided that each a_i is where phi* is finite, and 0 where s_i = 0; and that each g_j* is finite: of a free intercept
where sum_i a_i = 0, of l2_j = 0 without bounds where |V_j| <= l1_j S. Hence P(w) - min P <= P(w) - D. Of labels -1 and
1, where phi is of the margin, r = y z - 1, t = 1 and a = y a_i/s_i; else r = z - y, t = y and a = a_i/s_i:

    loss                         phi                        phi*(-a)                          where
    all but the last two         max over low <= B <= high  -a t + eps |a| + (gamma/2) a^2    low <= -a <= high
                                 of B r - eps |B| - (gamma/2) B^2
    logistic                     ln(1 + exp(-y z))          a ln a + (1-a) ln(1-a)            0 <= a <= 1
    softmax                      ln sum_k exp(z_k - z_y)    sum_k p_k ln p_k                  p_k >= 0, sum_k p_k = 1

                                 low, high                  eps      gamma
    hinge, smooth_hinge          -1, 0                      0        0, gamma
    absolute, huber              -1, 1                      0        0, gamma
    pinball                      -quantile, 1 - quantile    0        gamma
    epsilon_insensitive          -1, 1                      epsilon  gamma
    squared_hinge                -inf, 0                    0        1/(2c)
    squared                      -inf, inf                  0        1/(2c)
    squared_epsilon_insensitive  -inf, inf                  epsilon  1/(2c)

Such a maximum, as g_j* is one, too, is at B = t/gamma, or at the end of [low, high] that it is beyond, with t = r moved
by eps towards 0. Softmax has a column of w and of alpha for each class: a_ik = -p_k, but for the own class, where 0 is
written and minus the sum of the others is meant. The certificate holds w and alpha, the a_i. P and D are computed from
them and from the data, with integers and fractions: floats are fractions. What cannot be exact (a quotient, exp, ln) is
rounded so that P becomes larger and D smaller; Python's decimals round exp and ln correctly, and the next number up is
taken. Where rows are divided by a scale, the data are the quotients as floats.

What is trusted: this file, Python's integers and decimals, and that DATA are the data in question. Their SHA-256 is in
the certificate. That no other rows, labels, weights, offsets, scales, loss, l2, l1, bounds and factors were meant is
for the reader to say: all are printed. Anybody can seal a file anew; a seal says that it is whole, not who wrote it.
"""

import ast
import base64
import bz2
import csv
import gzip
import hashlib
import json
import lzma
import math
import sys
import zipfile
import zlib
from array import array
from collections import namedtuple
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import reduce
from operator import add, mul
from pathlib import Path

GRID = 1 << 1200  # What is rounded becomes a multiple of 1/GRID.
UP = Context(prec=65, rounding=ROUND_CEILING, Emin=-999999, Emax=999999)
INF, LARGEST = math.inf, sys.float_info.max
LOSSES = {  # phi is a function of the margin y z, of the residual z - y or of all z; low and high; its parameters
    "squared": ("residual", -INF, INF, "c"), "squared_hinge": ("margin", -INF, 0, "c"), "hinge": ("margin", -1, 0),
    "absolute": ("residual", -1, 1), "huber": ("residual", -1, 1, "gamma"), "smooth_hinge": ("margin", -1, 0, "gamma"),
    "pinball": ("residual", -1, 1, "quantile", "gamma"), "logistic": ("margin", -1, 0), "softmax": ("classes", -1, 1),
    "squared_epsilon_insensitive": ("residual", -INF, INF, "epsilon", "c"),
    "epsilon_insensitive": ("residual", -1, 1, "epsilon", "gamma"),
}  # fmt: skip
FIELDS = {
    "": ["file", "version", "problem", "data", "claim", "about", "w", "alpha", "seal"],
    "problem": ["loss", "l2", "l1", "intercept", "weights"], "claim": ["gap", "primal", "dual"],
    "data": ["examples", "features", "classes", "labels", "label_column", "rows", "scale", "sha256"],
}  # fmt: skip
FEATURES = {"lower": (-INF, -INF, 0.0), "upper": (INF, 0.0, INF), "factor": (1.0, 0.0, LARGEST)}  # if null; from, to
MORE_FIELDS = {1: {}, 2: {"problem": ["offset"]}, 3: {"data": ["shards"]}, 4: {"problem": ["offset", *FEATURES]}}
SHARD_FIELDS = ["file", "examples", "weights", "scale", "sha256", "alpha", "seal"]


class Rejected(Exception):
    """A statement that is false."""


def require(is_true, statement):
    """Reject the certificate with a statement that must be true, and is not."""
    if not is_true:
        raise Rejected(statement)


# ---------------------------------------------------------------- the certificate
def read_sealed(path, kind):
    """The fields of a file, none twice, sealed by the digest of the text before the last one."""

    def once(pairs):
        require(len(dict(pairs)) == len(pairs), "no field stands twice")
        return dict(pairs)

    text = Path(path).read_bytes()
    known = json.loads(text, object_pairs_hook=once, parse_constant=lambda x: require(False, f"{x} is a number"))
    require(isinstance(known, dict) and known.get("file") == kind, f"the file {Path(path).name} is a {kind[6:]}")
    head = text.rpartition(b'"seal"')[0]
    end = f'"seal": "{hashlib.sha256(head).hexdigest()}"}}'.encode()
    require(text == head + end, "the file is as it was written: its seal is the SHA-256 of the bytes before it")
    return known


def read_certificate(path):
    """The fields of a certificate: exactly those of `FIELDS`."""
    known = read_sealed(path, "cdlab certificate")
    version = known.get("version")
    require(type(version) is int and version in MORE_FIELDS, f"its version is from 1 to 4, not {version!r}")
    for part, names in FIELDS.items():
        names, found = names + MORE_FIELDS[version].get(part, []), known.get(part) if part else known
        require(isinstance(found, dict) and list(found) == names, f"{part or 'the file'} has the fields {names}")
    return known


def shards_of(path, known, folder):
    """Each file of data in a folder, with the certificate of its rows: fields of the whole, and those of its shard."""
    total, names = 0, [name for name, _ in known["data"]["shards"]]
    there = sorted(file.name for file in Path(folder).glob("*.npz"))
    require(sorted(names) == there, f"{folder} is a folder with the shards of the certificate, and no others")
    for name, seal in known["data"]["shards"]:
        shard = read_sealed(f"{path}.{name}", "cdlab certificate of a shard")
        require(shard["seal"] == seal and list(shard) == SHARD_FIELDS, f"{name} is the shard that was written")
        about = {**known["data"], **{each: shard[each] for each in ("examples", "scale", "sha256")}}
        problem = {**known["problem"], "weights": shard["weights"]}
        total += shard["examples"]
        yield str(Path(folder) / name), {"problem": problem, "data": about, "alpha": shard["alpha"]}
    require(total == known["data"]["examples"], f"all shards have {known['data']['examples']} examples")


def number(name, value, least=-math.inf):
    """A JSON number that is a double, from `least` on."""
    is_double = type(value) in (int, float) and abs(value) < 2.0**1023 and float(value) == value
    require(is_double and value >= least, f"{name} is a double{'' if least < 0 else f' >= {least}'}, not {value!r}")
    return float(value)


def floats(name, text, size, least=-LARGEST, most=LARGEST):
    """The doubles in a text: base64 of the zlib stream of their little-endian bytes."""
    unpack = zlib.decompressobj()
    try:
        raw = unpack.decompress(base64.b64decode(text, validate=True), 8 * size + 1)
    except (ValueError, TypeError, OverflowError, zlib.error):
        raise Rejected(f"{name} can be unpacked") from None
    require(len(raw) == 8 * size and unpack.eof and not unpack.unused_data, f"{name} holds {size} doubles")
    found = array("d", raw).tolist()
    require(all(least <= x <= most for x in found), f"{name} holds numbers from {least!r} to {most!r}")
    return found


# ---------------------------------------------------------------- the data: rows (columns, values), and labels
def read_data(path, label_path, about):
    """The rows and labels in a file: NPZ, NPY with labels in another file, CSV or TSV, or LIBSVM text."""
    if path.endswith((".npy", ".npz")):
        return read_arrays(path, label_path, about["rows"])
    name, _, packed = path.rpartition(".")
    opener = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}.get(packed, open)
    with opener(path, "rt", encoding="utf-8") as file:
        is_table = (path if opener is open else name).endswith((".csv", ".tsv"))
        return read_table(file, about["label_column"]) if is_table else read_libsvm(file)


def read_libsvm(file):
    """LIBSVM text: a label and column:value pairs a line; columns count from 1, or from 0 where one is 0."""
    rows, labels = [], []
    for label, *pairs in filter(None, (line.partition("#")[0].split() for line in file)):
        split = [pair.split(":") for pair in pairs if not pair.startswith("qid:")]
        rows.append(([int(column) for column, _ in split], [float(value) for _, value in split]))
        labels.append(label)
    first = 0 if any(columns[:1] == [0] for columns, _ in rows) else 1
    return [([column - first for column in columns], values) for columns, values in rows], labels


def read_table(file, label_column):
    """A table of numbers, with or without a header; one column is the label."""
    require(type(label_column) is int, "the certificate says which column is the label; else give an NPZ file")
    lines = file.read().splitlines()
    delimiter = next((each for each in "\t;," if each in lines[0]), " ")
    table = [row for row in csv.reader(lines, delimiter=delimiter) if row]
    labels = [row.pop(label_column).strip() for row in table]
    try:
        list(map(float, table[0]))
    except ValueError:  # a header
        table, labels = table[1:], labels[1:]
    return [nonzeros(list(map(float, row))) for row in table], labels


def read_arrays(path, label_path, wanted):
    """The arrays X and y, or data, indices, indptr and y of scipy's CSR format; `is_test` tells train from test."""
    if path.endswith(".npy"):
        arrays = {"X": read_npy(Path(path).read_bytes()), "y": read_npy(Path(label_path).read_bytes())}
    else:
        with zipfile.ZipFile(path) as archive:
            arrays = {name.removesuffix(".npy"): read_npy(archive.read(name)) for name in archive.namelist()}
    if "X" in arrays:
        flat, (n, d) = arrays["X"]
        rows = [nonzeros(flat[i * d : (i + 1) * d]) for i in range(n)]
    else:
        data, columns, ends = (arrays[name][0] for name in ("data", "indices", "indptr"))
        rows = [(columns[a:b], data[a:b]) for a, b in zip(ends[:-1], ends[1:], strict=True)]
    labels, is_test = arrays["y"][0], arrays.get("is_test", ([wanted == "test"] * len(rows), 0))[0]
    kept = [i for i, test in enumerate(is_test) if wanted == "all" or bool(test) == (wanted == "test")]
    return [rows[i] for i in kept], [labels[i] for i in kept]


def read_npy(raw):
    """The entries of an array in NumPy's format, row by row, and its shape."""
    start, size = (10, 2) if raw[6] == 1 else (12, 4)
    end = start + int.from_bytes(raw[8 : 8 + size], "little")
    about = ast.literal_eval(raw[start:end].decode("latin1"))
    kind, shape = about["descr"], about["shape"]
    require(raw[:6] == b"\x93NUMPY" and kind[0] != ">", "arrays are in NumPy's format, and little-endian")
    if kind[1] == "U":
        text, length = raw[end:].decode("utf-32-le"), int(kind[2:])
        return [text[k : k + length].rstrip("\0") for k in range(0, len(text), length)], shape
    codes = {"f8": "d", "f4": "f", "i8": "q", "i4": "i", "i2": "h", "i1": "b", "u4": "I", "u1": "B", "b1": "B"}
    flat = array(codes[kind[1:]], raw[end:]).tolist()
    require(len(flat) == math.prod(shape), "arrays have the entries that their shape says")
    if about["fortran_order"] and len(shape) == 2:
        flat = [x for i in range(shape[0]) for x in flat[i :: shape[0]]]
    return flat, shape


def nonzeros(row):
    """The columns and the values that are not zero."""
    return [j for j, x in enumerate(row) if x], [x for x in row if x]


def prepare(rows, labels, about):
    """The rows and the numbers y of the problem: labels become numbers, values are scaled, zeros left out.

    What is left must have the digest that the certificate names: so these are its data, in whatever file they come.
    """
    n, d = len(rows), about["features"]
    require(type(d) is int and n == about["examples"] == len(labels) > 0, f"the data have {about['examples']} examples")
    of = {name if isinstance(name, str) else float(name): float(value) for name, value in about["labels"] or []}
    labels = [label if label in of else float(label) for label in labels]
    require(not of or set(labels) <= set(of), "every label of the data is among those of the certificate")
    y = [of.get(label, label) + 0.0 for label in labels]  # -0.0 becomes 0.0
    scale = 1.0 if about["scale"] is None else about["scale"]
    scale = floats("scale", scale, n) if isinstance(scale, str) else [number("scale", scale)] * n
    require(min(scale) > 0 and all(map(math.isfinite, y)), "labels are finite, and scales are > 0")
    ends, columns, values = array("q", [0]), array("q"), array("d")
    for i, (places, entries) in enumerate(rows):
        rising = all(a < b for a, b in zip([-1, *places], [*places, d], strict=True))
        require(rising, f"the columns of example {i + 1} rise, from 1 to at most {d}")
        kept = [(j, x / scale[i]) for j, x in zip(places, entries, strict=True) if x / scale[i]]
        require(all(math.isfinite(x) for _, x in kept), f"example {i + 1} holds finite numbers")
        rows[i] = [j for j, _ in kept], [x for _, x in kept]
        columns.extend(rows[i][0])
        values.extend(rows[i][1])
        ends.append(len(columns))
    digest = hashlib.sha256(f"{n} {d}\n".encode() + b"".join(map(bytes, (ends, columns, values, array("d", y)))))
    require(digest.hexdigest() == about["sha256"], "the data are those of the certificate: SHA-256 of their numbers")
    return rows, y


# ---------------------------------------------------------------- phi and phi* of one example, at least what they are
def greatest(r, low, high, eps, gamma):
    """The maximum of B r - eps |B| - (gamma/2) B^2 over low <= B <= high, which hold 0."""
    t = r - min(max(r, -eps), eps)
    B = min(max(t / gamma, low), high) if gamma else 0 if t == 0 else low if t < 0 else high
    require(abs(B) < INF, f"g_j* is finite at V_j/S for every j: one is {digits(abs(t), 3)} beyond")
    return Fraction(B) * (t - gamma * Fraction(B) / 2)


def entropy(rises, masses, s):
    """s ln(sum_k exp(rises_k)) and sum_k p_k ln(p_k/s), p_k the masses: phi and phi* of logistic and softmax."""
    top = max(rises)
    total = reduce(UP.add, (exp_up(rise - top) for rise in rises))
    conjugate = sum((p * ln_up(digits(p / s)) for p in masses if 0 < p < s), Fraction(0))  # of p = s the logarithm is 0
    return s * (top + ln_up(total)), conjugate


def digits(x, count=65, rounding=ROUND_CEILING):
    """The smallest decimal of so many digits that is at least the fraction x; or, rounded down, the largest below."""
    return Context(count, rounding, -999999, 999999).divide(*map(Decimal, x.as_integer_ratio()))


def exp_up(x):
    """A decimal that is at least exp(x), for a fraction x <= 0."""
    return UP.next_plus(UP.exp(max(digits(x), Decimal(-900000)))) if x else Decimal(1)


def ln_up(x):
    """A fraction that is at least ln x, for a decimal x > 0."""
    return Fraction(UP.next_plus(UP.ln(x))) if x != 1 else Fraction(0)


def up(x):
    """The least multiple of 1/GRID that is at least x, times GRID."""
    return -(-x.numerator * GRID // x.denominator)


def example(loss, z, a, y, s):
    """s phi(z; y) and s phi*(-a/s) of one example; None where phi* is infinite."""
    if loss.kind == "classes":  # the number a of the own class is minus the sum of the others
        rises, masses = [x - z[int(y)] for x in z], [s + sum(a) if k == y else -x for k, x in enumerate(a)]
        return entropy(rises, masses, s) if a[int(y)] == 0 and min(masses) >= 0 else None
    z, a, y = (y * z[0], y * a[0], 1) if loss.kind == "margin" else (z[0], a[0], y)  # of a margin y is 1 or -1
    if a and not (s > 0 and loss.low * s <= -a <= loss.high * s):
        return None
    if loss.gamma is None:
        return entropy([Fraction(0), -z], [a, s - a], s)
    return s * greatest(z - y, *loss[1:]), loss.eps * abs(a) + loss.gamma * a * a / (2 * s or 1) - a * y


# ---------------------------------------------------------------- P and D
Problem = namedtuple("Problem", "loss l2 l1 lower upper factor constant is_free classes w")
Loss = namedtuple("Loss", "kind low high eps gamma")  # of logistic and softmax gamma is None


def read_loss(known):
    """The loss of a certificate: a row of the table."""
    require(known.get("name") in LOSSES, f"the loss is one of {', '.join(LOSSES)}")
    kind, low, high, *parameters = LOSSES[known["name"]]
    require(set(known) == {"name", *parameters}, f"the loss has its parameters alone: {parameters}")
    of = {each: Fraction(number(each, known[each], 0)) for each in parameters}
    require(of.get("c", 1) > 0 and 0 < of.get("quantile", 0.5) < 1, "c > 0, and quantile is between 0 and 1")
    low, high = (-of["quantile"], 1 - of["quantile"]) if "quantile" in of else (low, high)
    gamma = 1 / (2 * of["c"]) if "c" in of else of.get("gamma", Fraction(0))
    return Loss(kind, low, high, of.get("epsilon", 0), None if known["name"] in ("logistic", "softmax") else gamma)


def read_problem(known):
    """What is minimised, and w."""
    problem, d, K = known["problem"], known["data"]["features"], known["data"]["classes"] or 1
    l2, l1 = (Fraction(number(name, problem[name], 0)) for name in ("l2", "l1"))
    is_free = problem["intercept"] == "free"
    constant = [] if problem["intercept"] is None else [1.0 if is_free else number("intercept", problem["intercept"])]
    w = floats("w", known["w"], (d + len(constant)) * K)
    size, each = d + len(constant) - is_free, []
    for name, (usual, *ends) in FEATURES.items():
        each.append([usual] * size if problem.get(name) is None else floats(name, problem[name], size, *ends))
    return Problem(read_loss(problem["loss"]), l2, l1, *each, constant, is_free, K, w)


def sums_of(problem, known, rows, y):
    """The sums of s_i, phi, phi* and V over some examples, whose alpha, weights and offsets are those of `known`."""
    kind, K, n, d = problem.loss.kind, problem.classes, len(rows), len(problem.w) // problem.classes
    allowed = {"margin": {-1.0, 1.0}, "classes": set(map(float, range(K))), "residual": set(y)}[kind]
    require(set(y) <= allowed and (K > 1) == (kind == "classes"), "labels are as the loss takes them")
    alpha, s, o = floats("alpha", known["alpha"], n * K), known["problem"]["weights"], known["problem"].get("offset")
    require(o is None or K == 1, "offsets are of losses of one prediction")
    s, o = [1.0] * n if s is None else floats("weights", s, n, 0.0), [0.0] * n if o is None else floats("offset", o, n)

    # A float is an integer over a power of two. U is one that suffices for all: they become integers, in units of 1/U.
    U = max(x.as_integer_ratio()[1] for xs in (problem.w, alpha, problem.constant, *(v for _, v in rows)) for x in xs)
    w, alpha, constant = (in_units(part, U) for part in (problem.w, alpha, problem.constant))
    (s, o, y), parts = (list(map(Fraction, each)) for each in (s, o, y)), [w[k::K] for k in range(K)]
    V, losses, conjugates = [0] * len(w), 0, 0  # V in the order of w: the classes of a column together
    for i, (columns, values) in enumerate(rows):
        columns, values = columns + [d - 1] * len(constant), in_units(values, U) + constant
        z = [Fraction(sum(map(mul, values, map(part.__getitem__, columns))), U * U) + o[i] for part in parts]
        a = alpha[i * K : (i + 1) * K]
        found = example(problem.loss, z, [Fraction(each, U) for each in a], y[i], s[i])
        require(found, f"alpha of example {i + 1} is where the loss's conjugate is finite")
        losses, conjugates = losses + up(found[0]), conjugates + up(found[1] + Fraction(a[0], U) * o[i])
        if K > 1:
            a[int(y[i])] = -sum(a)
        for k, slope in enumerate(a):
            for j, x in zip(columns, values, strict=True):
                V[j * K + k] += slope * x
    return [sum(s), losses, conjugates, *(Fraction(x, U * U) for x in V)]


def added(a, b):
    """The sums over the examples of both."""
    return list(map(add, a, b))


def bounds_of(problem, sums):
    """P(w) and D(alpha) as fractions: the first no smaller, the second no larger than they are."""
    (_, l2, l1, *features, _, is_free, K, w), (S, losses, conjugates, *V) = problem, sums
    require(S > 0, "a weight is positive")
    terms = [(low, high, l1 * Fraction(p), l2 * Fraction(p)) for low, high, p in zip(*features, strict=True)]
    terms, penalty, conjugate = terms + [(-INF, INF, 0, 0)] * is_free, 0, 0
    for j, (x, v) in enumerate(zip(map(Fraction, w), V, strict=True)):
        low, high, eps, gamma = term = terms[j // K]
        require(low <= x <= high, f"coefficient {j // K + 1} is from {low!r} to {high!r}")
        penalty, conjugate = penalty + eps * abs(x) + gamma * x * x / 2, conjugate + up(greatest(v / S, *term))
    return Fraction(losses, GRID) / S + penalty, -Fraction(conjugates, GRID) / S - Fraction(conjugate, GRID)


def in_units(values, U):
    """The floats as integers, in units of 1/U."""
    return [p * (U // q) for p, q in (x.as_integer_ratio() for x in values)]


# ---------------------------------------------------------------- the verdict
def check(certificate, data, labels=None):
    """The certificate, what is taken from it, P(w) and D(alpha); raises `Rejected` with the first false statement."""
    require(sys.byteorder == "little", "this machine is little-endian, as the files are")
    known = read_certificate(certificate)
    problem = read_problem(known)
    pieces = shards_of(certificate, known, data) if known["version"] == 3 else [(data, known)]
    taken = {name: getattr(problem, name) for name in FEATURES if known["problem"].get(name) is not None}

    def sums(path, part):
        rows, y = prepare(*read_data(path, labels, part["data"]), part["data"])
        for name, each in {**part["problem"], "scale": part["data"]["scale"]}.items():
            if name in ("weights", "offset", "scale") and each is not None:
                found = floats(name, each, len(rows)) if isinstance(each, str) else [each]
                taken[name] = [*taken.get(name, []), min(found), max(found)]
        return sums_of(problem, part, rows, y)

    return known, taken, *prove(known, problem, reduce(added, (sums(*piece) for piece in pieces)))


def prove(known, problem, sums):
    """P(w) and D(alpha), which prove the three claims of a certificate."""
    primal, dual = bounds_of(problem, sums)
    gap, most, least = (number(name, known["claim"][name]) for name in ("gap", "primal", "dual"))
    require(primal <= Fraction(most), f"P(w) <= {most!r}: it is {digits(primal, 20)}")
    require(dual >= Fraction(least), f"P >= {least!r} everywhere: alpha proves {digits(dual, 20, ROUND_FLOOR)}")
    require(primal - dual <= Fraction(gap), f"P(w) - min P <= {gap!r}: what is proved is {digits(primal - dual, 20)}")
    return primal, dual


def main(arguments):
    """Print the verdict, and return the exit status."""
    if len(arguments) not in (2, 3):
        print(__doc__)
        return 2
    try:
        known, taken, primal, dual = check(*arguments)
    except Exception as error:  # any other one is of what reads files: then nothing is proved, either
        is_false = isinstance(error, Rejected)
        print(f"REJECT  This is not so: {error}." if is_false else f"UNREADABLE  {type(error).__name__}: {error}")
        return 1 if is_false else 2
    problem, about = known["problem"], known["data"]
    taken = ", ".join(f"{name} from {min(ends)!r} to {max(ends)!r}" for name, ends in taken.items()) or "nothing else"
    print(
        f"ACCEPT  P(w) - min P <= {digits(primal - dual, 3)}; claimed: {known['claim']['gap']!r}\n"
        f"  min P is from {digits(dual, 25, ROUND_FLOOR)}\n             to {digits(primal, 25)}\n"
        f"  Loss {problem['loss']}, l2 = {problem['l2']}, l1 = {problem['l1']}, intercept {problem['intercept']!r}\n"
        f"  Data {about['examples']} x {about['features']}, rows {about['rows']!r}, labels {about['labels']}, "
        f"label column {about['label_column']!r}\n"
        f"  From the certificate: {taken}\n"
        f"  Told by the producer and not checked: {known['about']!r}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
