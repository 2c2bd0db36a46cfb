"""Primal or dual coordinate descent? Start with ``panel serve apps/faceoff.py`` or ``cdlab serve``."""

from cdlab.dashboard.app import page

page().servable()
