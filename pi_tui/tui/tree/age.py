"""How long ago something was, in a few cells."""

from datetime import datetime
from typing import Final

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY
YEAR: Final = 365 * DAY
_UNITS: Final = ((YEAR, "y"), (WEEK, "w"), (DAY, "d"), (HOUR, "h"), (MINUTE, "m"))


def age(then: float, now: float) -> str:
    """`now`, `12m`, `3h`, `5d`, `4w`, `2y`: between two Unix times in seconds; empty where `then` is unknown."""
    if then <= 0:
        return ""
    seconds = max(0.0, now - then)
    for unit, letter in _UNITS:
        if seconds >= unit:
            return f"{int(seconds // unit)}{letter}"
    return "now"


def clock_time(then: float, now: float) -> str:
    """The local time, with the date if it was on another day: `14:05`, `30 Nov 14:05`, `30 Nov 2025`."""
    if then <= 0:
        return ""
    moment, today = datetime.fromtimestamp(then), datetime.fromtimestamp(now)
    if moment.date() == today.date():
        return f"{moment:%H:%M}"
    return f"{moment.day} {moment:%b %H:%M}" if moment.year == today.year else f"{moment.day} {moment:%b %Y}"
