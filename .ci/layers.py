"""The table of layers in CONTRIBUTING.md, from the import contract in pyproject.toml and the packages' docstrings.

python .ci/layers.py            write it
python .ci/layers.py --check    exit with 1 where it is not as written
"""

import ast
import sys
import tomllib
from pathlib import Path

from written import write_or_check

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- layers: written by .ci/layers.py -->\n", "<!-- end of layers -->\n"


def layers() -> list[list[str]]:
    """The packages of each layer, the top one first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    found = next(each for each in contracts if each["name"].startswith("the layers"))["layers"]
    return [[name.strip() for name in layer.split("|")] for layer in found]


def first_line(package: str) -> str:
    """What the docstring of a package or module says first."""
    path = ROOT / package.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return (ast.get_docstring(ast.parse(source.read_text())) or "").split("\n\n")[0].replace("\n", " ")


def table() -> str:
    rows = ["| layer | folder | what it holds |", "|---|---|---|"]
    for number, packages in reversed(list(enumerate(reversed(layers()), start=1))):
        for package in packages:
            name = package.removeprefix("cdlab.")
            ending = "/" if (ROOT / package.replace(".", "/")).is_dir() else ".py"
            if not name.startswith("_"):
                rows.append(f"| {number} | [{name}](cdlab/{name}{ending}) | {first_line(package)} |")
    return "\n".join(rows) + "\n"


def main() -> int:
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    new = f"{before}{BEGIN}\n{table()}\n{END}{after}"
    return write_or_check(PAGE, new, "the table of layers is old")


if __name__ == "__main__":
    sys.exit(main())
