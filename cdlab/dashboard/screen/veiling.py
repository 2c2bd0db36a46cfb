"""What theory says waits in a story for the guess: one does not guess with the answer in view."""

from __future__ import annotations

from typing import Any

from ..choices.choosing import Choosing
from ..stage.component import StageView


def veil(choosing: Choosing, stage: StageView) -> None:
    """Keep the stage in step with what may be seen, and let the person look without a guess."""

    def show(*_: Any) -> None:
        stage.show({"veiled": choosing.veiled})

    stage.asked = choosing.look
    choosing.param.watch(show, "veiled")
    show()
