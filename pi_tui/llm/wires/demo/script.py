"""Which part of the script a conversation has reached."""

import re

from pi_tui.llm.messages import UserMessage, text_of
from pi_tui.llm.stream import Context
from pi_tui.llm.wires.demo.answers import honest_answer
from pi_tui.llm.wires.demo.prose import long_answer
from pi_tui.llm.wires.demo.reply import Reply
from pi_tui.llm.wires.demo.summary import summary_of
from pi_tui.llm.wires.demo.tour import Tour

_STREAM = re.compile(r"stream (\d[\d,]*) tokens(?:.*? at (\d+) tokens)?", re.IGNORECASE | re.DOTALL)
_TOUR = re.compile(r"\b(tour|demo|show me around|what can you do)\b", re.IGNORECASE)

MAX_STREAMED = 1_000_000
"""Tokens of the longest answer."""


def reply_to(context: Context) -> Reply:
    """What comes next, from the conversation alone."""
    asked = _last_user_text(context)
    if "<conversation>" in asked:
        return Reply(text=summary_of(asked))
    tour = Tour(context)
    # A compaction in mid-tour may have put a summary where the user's words were: what was done counts more.
    if tour.under_way:
        return tour.reply()
    if match := _STREAM.search(asked):
        count = min(int(match[1].replace(",", "")), MAX_STREAMED)
        rate = float(match[2]) if match[2] and int(match[2]) else Reply().tokens_per_second
        return Reply(long_text=long_answer(count), tokens_per_second=rate)
    if _TOUR.search(asked):
        return tour.reply()
    return Reply(text=honest_answer(asked), thinking="This needs a real language model, and I am not one.")


def _last_user_text(context: Context) -> str:
    for message in reversed(context.messages):
        if isinstance(message, UserMessage):
            return text_of(message.content)
    return ""
