"""Parts of any temperature, iterated together, each in the form that suits it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan

from thatch.arrays import Floats
from thatch.beliefs import Beliefs
from thatch.result import Status
from thatch.solvers.belief_propagation.messages import Messages
from thatch.solvers.belief_propagation.part import Part
from thatch.solvers.belief_propagation.schedule import Schedule

# Messages that move less than this, times the inverse temperature, have settled.
_SETTLED = 1e-6


class Batch:
    """The messages of some parts, in as many unions as there are forms among them.

    Parts at extreme temperatures take a slower form, and only they.
    """

    def __init__(
        self, parts: Sequence[Part], schedule: Schedule, *, num_threads: int
    ) -> None:
        self._schedule = schedule
        self._forms = [Messages.suitable_form(part) for part in parts]
        self._unions = {
            form: Messages(
                [p for p, own in zip(parts, self._forms, strict=True) if own is form],
                form=form,
                num_threads=num_threads,
            )
            for form in dict.fromkeys(self._forms)
        }

    def iterate(self, t: int) -> None:
        """Update every message for the t-th time, counted from 0."""
        share = self._schedule.share_at(t)
        for messages in self._unions.values():
            if t > 0:
                messages.adapt_prices(t)
            if share > 0:
                messages.reinforce(share)
            messages.iterate(self._schedule.damping)

    @property
    def largest_change(self) -> float:
        """The most that a message moved in the last iteration."""
        changes = (m.largest_changes.max(initial=0.0) for m in self._unions.values())
        return float(max(changes, default=0.0))

    @property
    def status(self) -> Status:
        """Whether the messages have settled: what to say if nobody stopped them."""
        changes = (m.largest_scaled_change for m in self._unions.values())
        has_settled = max(changes, default=inf) <= _SETTLED
        return Status.CONVERGED if has_settled else Status.ITERATION_LIMIT

    @property
    def price(self) -> float:
        """The present price, if there is one part; NaN otherwise."""
        if len(self._forms) != 1:
            return nan
        return float(self._unions[self._forms[0]].prices[0])

    @property
    def item_fields(self) -> Floats:
        """Scaled fields of the items of a single part, as the last iteration began."""
        (messages,) = self._unions.values()
        return messages.item_fields()

    def beliefs(self) -> list[Beliefs]:
        """Beliefs by the present messages, in the order of the parts."""
        read = {form: iter(union.beliefs()) for form, union in self._unions.items()}
        return [next(read[form]) for form in self._forms]
