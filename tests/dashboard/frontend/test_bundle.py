"""The committed bundle is what its sources make."""

import hashlib
from pathlib import Path

from cdlab.dashboard import frontend

HERE = Path(frontend.__file__).parent
LARGEST = 110_000  # bytes, compressed


def test_the_bundle_was_built_from_these_sources():
    names = [
        path.relative_to(HERE).as_posix() for path in (HERE / "src").rglob("*.*") if not path.name.endswith(".d.ts")
    ]
    found = hashlib.sha256()
    for name in sorted([*names, "build.mjs", "package-lock.json"]):
        found.update(name.encode())
        found.update((HERE / name).read_bytes())
    built = (HERE / "bundle/sources.sha256").read_text().strip()
    assert found.hexdigest() == built, (
        "the sources have changed: run npm ci && npm run build in cdlab/dashboard/frontend"
    )


def test_the_bundle_is_small_and_asks_no_other_host():
    import gzip
    import re

    bundle = (HERE / "bundle/page.js").read_bytes()
    assert len(gzip.compress(bundle)) < LARGEST
    hosts = set(re.findall(rb"https?://[\w.]+", bundle))
    assert hosts <= {b"http://www.w3.org"}  # names of SVG and MathML
