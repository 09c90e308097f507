"""What the scripted model does in the end-to-end tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

Response = dict[str, Any]

PROGRAM = 'print("Hello, the answer is", 6 * 7)\n'
CHANGED_PROGRAM = 'print("Goodbye, the answer is", 6 * 7)\n'
PROGRAM_OUTPUT = "Goodbye, the answer is 42"
ANSWER = "The greeting is now a farewell."


def call(name: str, text: str = "", **arguments: Any) -> Response:
    """A response that calls one tool."""
    return {"text": text, "tool_calls": [{"name": name, "arguments": arguments}]}


def read_edit_run_answer(project: Path) -> list[Response]:
    """Writes `greet.py` into the project; the responses read it, edit it, run it, and answer."""
    (project / "greet.py").write_text(PROGRAM)
    return [
        call("read", "I look at the program first.", path="greet.py"),
        call("edit", path="greet.py", edits=[{"oldText": "Hello", "newText": "Goodbye"}]),
        call("bash", command="python3 greet.py"),
        {"text": ANSWER},
    ]


def slow(text: str, rate: float = 30.0) -> Response:
    """A response whose words drip, `rate` deltas of four characters a second."""
    return {"text": text, "rate": rate}


def numbered_lines(count: int) -> str:
    """A long answer whose every line can be told apart: `row 0001` …, each a paragraph."""
    return "\n\n".join(f"row {number:04d} of the answer" for number in range(1, count + 1))


LATER_ROW = re.compile(r"row (?!0001)\d{4} of")
"""A line of such an answer after its first, whichever is on screen: each is scrolled away by those that follow."""
