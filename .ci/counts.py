"""The numbers of methods, theorems, lemmas and formulas in paper.md, from the package itself.

python .ci/counts.py            write them
python .ci/counts.py --check    exit with 1 where they are not as written
"""

import re
import sys
from pathlib import Path

from written import write_or_check

from cdlab import methods, theory

PAGE = Path(__file__).parent.parent / "paper.md"


def sentences() -> dict[str, str]:
    """Patterns of a count on the page, each with the words that are true."""
    stated = theory.bounds(), theory.lemmas()
    counted = [len({(each.method, each.theorem) for each in about}) for about in stated]
    formulas = {(each.method, each.theorem, each.sampling) for about in stated for each in about}
    return {
        r"\d+ methods from the literature": f"{len(methods.METHODS)} methods from the literature",
        r"\d+ theorems and \d+ lemmas, \d+ formulas": f"{counted[0]} theorems and {counted[1]} lemmas, "
        f"{len(formulas)} formulas",
    }


def main() -> int:
    new = PAGE.read_text()
    for pattern, words in sentences().items():
        new, found = re.subn(pattern, words, new)
        if found != 1:
            print(f"{PAGE.name} has {found} places like {pattern!r}, not one: mend it, or .ci/counts.py")
            return 1
    return write_or_check(PAGE, new, "the counts are old")


if __name__ == "__main__":
    sys.exit(main())
