"""Primal or dual coordinate descent? Start with ``cdlab serve``; or ``panel serve``, as README.md does."""

from cdlab.dashboard.app import page

page().servable()
