"""The committed bundles are what their sources make."""

import gzip
import hashlib
import re
from pathlib import Path

import pytest

from cdlab.dashboard import frontend

HERE = Path(frontend.__file__).parent
LARGEST = {"page.js": 110_000, "worker.js": 40_000}  # bytes, compressed


def test_the_bundles_were_built_from_these_sources():
    files = (path for folder in ("src", "wasm", "worker", "checker") for path in (HERE / folder).rglob("*.*"))
    names = [path.relative_to(HERE).as_posix() for path in files if path.suffix in (".js", ".jsx", ".css")]
    found = hashlib.sha256()
    for name in sorted([*names, "build.mjs", "package-lock.json"]):
        found.update(name.encode())
        found.update((HERE / name).read_bytes())
    built = (HERE / "bundle/sources.sha256").read_text().strip()
    assert found.hexdigest() == built, (
        "the sources have changed: run npm ci && npm run build in cdlab/dashboard/frontend"
    )


@pytest.mark.parametrize("name", LARGEST)
def test_a_bundle_is_small_and_asks_no_other_host(name):
    bundle = (HERE / "bundle" / name).read_bytes()
    assert len(gzip.compress(bundle)) < LARGEST[name]
    hosts = set(re.findall(rb"https?://[\w.]+", bundle))
    assert hosts <= {b"http://www.w3.org"}  # names of SVG and MathML
