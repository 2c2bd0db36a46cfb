"""The hook of a wheel's build: it puts the page without Python into the wheel, so that `cdlab page` needs no compiler."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "cdlab.dashboard.frontend.wasm"
INSIDE = "cdlab/dashboard/frontend/built"  # of the wheel: BUILT of cdlab/dashboard/frontend/page.py
NEEDS = ("ziglang", "numba", "sympy", "panel")  # what the build of the page imports


class CustomBuildHook(BuildHookInterface):
    """Builds the page where its tools are there: in an environment with cdlab[page], without build isolation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build it, or say why not."""
        if self.target_name != "wheel" or version == "editable":
            return
        if missing := [name for name in NEEDS if find_spec(name) is None]:
            self.app.display_warning(
                f"the wheel is built without the page (cdlab page will build it): {', '.join(missing)} not installed "
                "here; pip install 'cdlab[page]' hatchling, then pip wheel --no-build-isolation --no-deps ."
            )
            return
        self.made = tempfile.TemporaryDirectory()
        subprocess.run([sys.executable, "-m", MODULE, self.made.name], cwd=self.root, check=True)
        build_data["force_include"][self.made.name] = INSIDE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete what the wheel now has."""
        if hasattr(self, "made"):
            self.made.cleanup()
