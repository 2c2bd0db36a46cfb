"""Take docs/screenshot.png: the dashboard as it opens. Needs a chromium and the extra "test".

python docs/screenshot.py
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "ui"))

from browsing import Visitor, browser, dashboard  # noqa: E402

with dashboard() as (address, _), browser() as chromium:
    visitor = Visitor(chromium, address)
    visitor.page.wait_for_timeout(1500)  # fonts and canvas settle
    visitor.page.screenshot(path=ROOT / "docs" / "screenshot.png")
print("docs/screenshot.png", visitor.complaints or "without complaints")
