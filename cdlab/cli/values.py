"""Values on the command line and in sweep files: ``huber:gamma=0.5``, ``quartz@importance``, ``1/n``, ``0-4``.

Each function takes the text and raises a ValueError or a TypeError, with one sentence, if it cannot be read. The types
below are for signatures: what is read from the words of the command line, and its name in the help.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from .. import losses, methods, regularizers, samplings
from ..numerics.checks import call_in_text, short_repr
from ..runs.entries import NO_SAMPLING, MethodAndSampling, sampling_for

Weights = Callable[[int], list[float]]  # of n
MAX_SEEDS = 10_000
MAX_WHOLE = 2**31 - 1  # Column numbers are stored in 32 bits.
# Blocks of plain numbers can be typed; the parts of a bucket sampling cannot.
SAMPLINGS = samplings.SAMPLINGS | {name: made for name, made in samplings.BLOCKS.items() if name != "bucket"}
LOSS_NAMES = ", ".join(losses.LOSSES)
METHOD_NAMES = ", ".join(methods.METHODS)
SAMPLING_NAMES = f"{', '.join(samplings.SAMPLINGS)}; blocks: tau_nice:tau=8, independent:p=0.1, distributed:c=4,tau=8"


def loss(text: str) -> losses.Loss:
    """A loss: NAME[:key=value,...]."""
    return losses.resolve(_instance(text, losses.LOSSES, losses.resolve))


def method(text: str) -> methods.Method:
    """A method: NAME[:key=value,...]."""
    known = {name: methods.factory(cls) for name, cls in (methods.METHODS | {"auto": methods.Auto}).items()}
    return _instance(text, known, methods.resolve)


def sampling(text: str) -> samplings.Sampling | str:
    """A sampling: NAME[:key=value,...]. "none" stays a word, which has a meaning only beside a method."""
    return text if text == NO_SAMPLING else _instance(text, SAMPLINGS, _unknown_sampling)


def _unknown_sampling(name: str) -> samplings.Sampling:
    if name == "bucket":
        raise ValueError(
            "bucket sampling needs its buckets, which cannot be typed here: use cdlab.samplings.Bucket in Python, "
            "METHOD:batch_size=8 or tau_nice:tau=8"
        )
    raise samplings.unknown_sampling_error(name, list(SAMPLINGS))


def method_at_sampling(text: str) -> tuple[methods.Method, samplings.Sampling | str | None]:
    """A method and its sampling, METHOD[:key=value,...][@SAMPLING[:key=value,...]]; None if no sampling is named."""
    first, at, second = text.partition("@")
    if not first or (at and not second):
        raise ValueError(
            f"{short_repr(text)} is not an entry: write METHOD or METHOD@SAMPLING, as in "
            "quartz:averaged_primal=true@importance"
        )
    return method(first), sampling(second) if at else None


def entry(text: str) -> MethodAndSampling:
    """An entry of a race, as `method_at_sampling`; the sampling is uniform unless named."""
    chosen, named = method_at_sampling(text)
    return chosen, sampling_for(chosen, named)


def nonempty(text: str) -> str:
    """The name of a data set or a file."""
    if not text:
        raise ValueError("a data set or a file must be named; this name is empty")
    return text


def weights(text: str) -> Weights:
    """Numbers with commas, or c,.../n: each divided by the number of examples n."""
    numbers, slash, n = text.partition("/")
    if slash and n.strip() != "n":
        raise ValueError(
            f"weights are written 1,0.1,0.01 or 1,0.1/n, where /n is for all of them, not {short_repr(text)}"
        )
    each = [regularizers.parse_weight(number + slash + n) for number in numbers.split(",")]
    return lambda count: [weight(count) for weight in each]


def check_target(path: str) -> None:
    """Refuse a file that cannot be written before hours of work depend on it: a folder, or one in no folder."""
    if Path(path).is_dir() or not Path(path).absolute().parent.is_dir():
        raise ValueError(f"cannot write {path}: it must be a file in a folder that exists")


def limit(text: str) -> float | None:
    """A number, or none for no limit."""
    return None if text.lower() == "none" else number(text)


def number(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{short_repr(text)} is not a number") from None


def integer(text: str) -> int:
    """Read an integer from 0 to 2^31 - 1."""
    if not re.fullmatch(r"[0-9]{1,10}", text) or int(text) > MAX_WHOLE:
        raise ValueError(f"{short_repr(text)} is not a whole number from 0 to {MAX_WHOLE}")
    return int(text)


def per_feature(text: str) -> float | list[float]:
    """A number for all features, numbers with commas for each of them, or a file of such numbers."""
    file = Path(text).expanduser()
    words = re.split(r"[\s,]+", file.read_text(encoding="utf-8").strip()) if file.is_file() else text.split(",")
    found = [number(word) for word in words]
    return found if len(found) > 1 else found[0]


def seeds(text: str) -> list[int]:
    """Integer numbers and ranges: 0,1,7 or 0-4 (both ends included)."""
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"([0-9]{1,18})(?:-([0-9]{1,18}))?", part.strip())
        if ends is None:
            raise ValueError(f"seeds are whole numbers >= 0 and ranges, such as 0,1,7 or 0-4, not {short_repr(text)}")
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if len(found) + last - first >= MAX_SEEDS:
            raise ValueError(
                f"{short_repr(text)} names more than {MAX_SEEDS} seeds, and every entry runs once with each"
            )
        found += range(first, last + 1)
    if not found:
        raise ValueError(f"{short_repr(text)} names no seed; write ranges from small to large, as 0-4")
    if len(set(found)) < len(found):
        raise ValueError(f"{short_repr(text)} names a seed twice, and every entry runs once with each")
    return found


def _instance(text: str, table: Mapping[str, Callable[..., Any]], resolve: Callable[[str], Any]) -> Any:
    head, bracket, inside = text.partition("(")
    if bracket and head in table:
        raise ValueError(f"{short_repr(text)} is Python: here it is written {head}:{inside.rstrip(')') or 'key=value'}")
    make = call_in_text(text, table)
    return make() if make else resolve(text.partition(":")[0])  # raises: unknown name, with the close ones


# ---------------------------------------------------------------- types of options
def read_by(convert: Callable[[str], Any], metavar: str) -> Parameter:
    """An option whose text becomes what `convert` makes of it; the help calls it `metavar`."""
    return Parameter(converter=lambda _, tokens: convert(tokens[0].value), metavar=metavar, n_tokens=1)


def checked_by(convert: Callable[[str], Any], metavar: str) -> Parameter:
    """An option that stays a text, as the help shows its default, once `convert` has read it."""

    def check(text: str) -> str:
        convert(text)
        return text

    return read_by(check, metavar)


File = Annotated[str, read_by(nonempty, "FILE")]
Engine = Annotated[str, read_by(nonempty, "ENGINE")]
OutFile = Annotated[str, checked_by(check_target, "OUT")]
Folder = Annotated[str, Parameter(metavar="DIR")]
Number = Annotated[float, read_by(number, "NUMBER")]
Limit = Annotated[float | None, read_by(limit, "NUMBER")]
Integer = Annotated[int, read_by(integer, "N")]
Columns = Annotated[Sequence[str], read_by(lambda text: text.split(","), "COLUMN,...")]
Seeds = Annotated[Sequence[int], read_by(seeds, "LIST")]
Weight = Annotated[str, checked_by(regularizers.parse_weight, "C")]
WeightList = Annotated[str, checked_by(weights, "C,...")]
PerFeature = Annotated[str | None, checked_by(per_feature, "NUMBER,..."), Parameter(allow_leading_hyphen=True)]
LossName = Annotated[str, checked_by(loss, "NAME[:k=v]")]
MethodName = Annotated[str, checked_by(method_at_sampling, "NAME[:k=v][@SAMPLING]")]
SamplingName = Annotated[samplings.Sampling | str | None, read_by(sampling, "NAME[:k=v]")]
Entry = Annotated[MethodAndSampling, read_by(entry, "ENTRY")]
