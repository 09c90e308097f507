"""When labels were given."""

from pi_tui.session.entries import LabelEntry
from pi_tui.session.identity import milliseconds_of
from pi_tui.session.log import SessionLog


def label_times(log: SessionLog) -> dict[str, int]:
    """For every labelled entry when it got its label, in Unix milliseconds."""
    times: dict[str, int] = {}
    for entry_id in log.entry_ids:
        entry = log.entry(entry_id) if log.head(entry_id).type == "label" else None
        if isinstance(entry, LabelEntry) and entry.target_id in log.labels:
            times[entry.target_id] = milliseconds_of(entry.timestamp)
    return times
