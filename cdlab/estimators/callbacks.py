"""Callbacks of scikit-learn (1.9 or newer, where they are experimental), told of each record of a fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before 1.9: nothing can be told, and there is no `set_callbacks`

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands for scikit-learn's, whose `_init_callback_context` is documented for estimators of others."""

        def _init_callback_context(self, **about: Any) -> Any:
            return None

    def with_callbacks(fit: Any) -> Any:
        """The method itself."""
        return fit


class FitTasks:
    """The tasks that a fit is for callbacks: one for each record, or where there are several problems one for each.

    Parameters
    ----------
    estimator : CallbackSupportMixin
        The estimator that is fitted.
    problems : int
        Problems that are solved.
    X, y, metadata : (n, d) array or matrix, (n,) array, dict
        What it is fitted to; weights and offsets that there are not are None.
    """

    def __init__(self, estimator: Any, problems: int, X: Any, y: Any, metadata: dict[str, Any]) -> None:
        several, given = problems > 1, {name: each for name, each in metadata.items() if each is not None}
        self._known = {"estimator": estimator, "X": X, "y": y, "metadata": given or None}
        self._root = estimator._init_callback_context(
            max_subtasks=problems if several else None, sequential_subtasks=not several
        )
        if self._root is not None:
            self._root.call_on_fit_task_begin(**self._known)

    def tell(self, number: int | None, attributes: Callable[[], Any]) -> bool:
        """Tell of a task that is over, and what an estimator would be that ended now; return whether it is to end."""
        if self._root is None:
            return False
        context = self._root.subcontext(task_name="record" if number is None else "problem", task_id=number)
        context.call_on_fit_task_begin(**self._known)
        return bool(context.call_on_fit_task_end(**self._known, reconstruction_attributes=attributes))

    def end(self) -> None:
        """Tell that the fit is over."""
        if self._root is not None:
            self._root.call_on_fit_task_end(**self._known, reconstruction_attributes=dict)
