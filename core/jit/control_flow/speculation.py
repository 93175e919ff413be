"""Looking at a condition before it is known what becomes of it."""

from __future__ import annotations

from core.kernels.dispatch import dispatcher


class undone:
    """A ``with`` block in which whatever is recorded is forgotten at its end, unless it is kept."""

    def __init__(self) -> None:
        trace = dispatcher.state.trace
        assert trace is not None
        self.trace = trace
        self.forgotten = True

    def __enter__(self) -> undone:
        trace = self.trace
        self.lengths = len(trace.operations), len(trace.guards)
        self.changes = dict(trace.updates), dict(trace.rebound)
        self.values = [(handle, handle._value) for handle, _ in trace.rebound.values()]
        return self

    def keep(self) -> None:
        """Keep what was recorded."""
        self.forgotten = False

    def acts(self) -> bool:
        """Return whether anything recorded does more than compute: draws numbers, prints, changes a tensor."""
        trace = self.trace
        changed = len(trace.rebound) != len(self.changes[1]) or any(h._value is not v for h, v in self.values)
        done = trace.operations[self.lengths[0] :]
        return changed or any(not operation.inputs or operation.operator.is_control_flow for operation in done)

    def __exit__(self, *_: object) -> None:
        if not self.forgotten:
            return
        trace = self.trace
        del trace.operations[self.lengths[0] :]
        del trace.guards[self.lengths[1] :]
        for handle, original in trace.rebound.values():
            handle._value = original
        for handle, value in self.values:
            handle._value = value
        trace.updates, trace.rebound = self.changes
