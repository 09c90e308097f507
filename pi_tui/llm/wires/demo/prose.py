"""Long answers of Markdown that varies, the same at every call: for scrolling, measuring and pictures."""

from collections.abc import Iterator
from itertools import count, islice

from pi_tui.llm.wires.demo.pace import pieces

_SUBJECTS = (
    "The parser",
    "A session",
    "The event loop",
    "Each worker",
    "The cache",
    "This module",
    "The index",
)
_VERBS = ("reads", "keeps", "rebuilds", "skips", "compares", "streams", "folds")
_OBJECTS = (
    "the whole file",
    "one entry",
    "its own state",
    "every open branch",
    "a row of cells",
    "the last answer",
)
_ENDS = (
    "before anything is drawn",
    "without a second copy",
    "*once* per change",
    "in **linear** time",
    "as `tail -f` would",
    "unless [told otherwise](https://example.com/docs)",
    "and says so – naïveté included",
)
_TOPICS = ("How it reads", "What it costs", "Where it fails", "Names", "Order of events", "Limits")
_CODE = {
    "python": """\
def step_{n}(entries: list[Entry], limit: int = {m}) -> Iterator[Entry]:
    \"\"\"Yields what is left after the cut.\"\"\"
    for index, entry in enumerate(entries):
        if index % {m} == 0 and entry.kind != "label":  # every {m}th
            yield entry
""",
    "bash": """\
set -euo pipefail
for file in src/part_{n}/*.py; do
    grep -n "limit={m}" "$file" || echo "nothing in $file"
done
""",
    "json": """\
{{"id": {n}, "limit": {m}, "names": ["alpha", "beta"], "nested": {{"on": true, "ratio": 0.{m}}}}}
""",
}


def long_answer(tokens: int) -> Iterator[str]:
    """Pieces of Markdown, `tokens` of them."""
    return islice(_pieces(), tokens)


def _pieces() -> Iterator[str]:
    for number in count():
        yield from pieces(_section(number))


def _section(n: int) -> str:
    language = list(_CODE)[n % len(_CODE)]
    code = _CODE[language].format(n=n, m=n % 7 + 2)
    parts = [
        f"{'#' * (2 + n % 2)} {n + 1}. {_TOPICS[n % len(_TOPICS)]}",
        " ".join(_sentence(n * 5 + k) for k in range(4)),
        _items(n),
        f"```{language}\n{code}```",
        f"> {_sentence(n * 3)}",
        _table(n) if n % 2 else _sentence(n + 2),
    ]
    return "\n\n".join(parts) + "\n\n"


def _sentence(n: int) -> str:
    subject, verb = _SUBJECTS[n % len(_SUBJECTS)], _VERBS[n * 3 % len(_VERBS)]
    return f"{subject} {verb} {_OBJECTS[n * 5 % len(_OBJECTS)]} {_ENDS[(n + n // 7) % len(_ENDS)]}."


def _items(n: int) -> str:
    lines = [f"- {_sentence(n + 1)}", f"  - {_sentence(n + 4)}", f"- `limit_{n}`: {_sentence(n + 2)}"]
    if n % 3 == 0:
        lines = [f"{number}. {line.lstrip(' -')}" for number, line in enumerate(lines, 1)]
    return "\n".join(lines)


def _table(n: int) -> str:
    rows = [f"| `case_{n}_{k}` | {n * k % 97} | {_OBJECTS[(n + k) % len(_OBJECTS)]} |" for k in range(4)]
    return "\n".join(["| case | ms | what |", "|---|---:|---|", *rows])
