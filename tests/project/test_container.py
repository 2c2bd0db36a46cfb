"""The container's build copies what a wheel is made from: no container is built here."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_container_copies_what_the_wheel_is_built_from():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hook = about["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["path"]
    project = about["project"]
    needed = {"pyproject.toml", "cdlab", hook, project["readme"], *project["license-files"]}
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    copied = {word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]}
    assert {Path(name).parts[0] for name in needed} <= copied
