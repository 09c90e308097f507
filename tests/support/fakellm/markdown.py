"""Text that looks like a model's."""

import random

VOCABULARY = (
    "the agent reads file and applies small edit because parser expects token stream with stable order while "
    "session tree keeps every branch so that user may return later without losing context or history of work"
)
WORDS = VOCABULARY.split()


def markdown(tokens: int, seed: int = 7) -> str:
    """Varied Markdown (headings, lists, code, tables) of `tokens` × 4 characters."""
    rng = random.Random(seed)
    wanted = tokens * 4
    parts: list[str] = []
    size = number = 0
    while size < wanted:
        number += 1
        text = _section(rng, number)
        parts.append(text)
        size += len(text)
    return "".join(parts)[:wanted]


def _section(rng: random.Random, number: int) -> str:
    def word() -> str:
        return rng.choice(WORDS)

    def sentence(length: int) -> str:
        return " ".join(word() for _ in range(length)).capitalize() + "."

    lines = [f"## Section {number}: {word()} {word()}", ""]
    lines += [" ".join(sentence(rng.randint(7, 16)) for _ in range(rng.randint(2, 4))), ""]
    match number % 4:
        case 0:
            lines += [f"- **{word()}**: {sentence(9)} See `{word()}.py`." for _ in range(5)]
        case 1:
            lines += ["```python", f"def {word()}_{number}(value: int) -> int:"]
            lines += [f"    value += {rng.randint(1, 99)}  # {word()}" for _ in range(8)]
            lines += ["    return value", "```"]
        case 2:
            lines += ["| name | value | note |", "|---|---|---|"]
            lines += [f"| {word()} | {rng.randint(1, 999)} | {word()} |" for _ in range(5)]
        case _:
            lines += [*(f"{row}. {sentence(8)}" for row in range(1, 6)), "", f"> {sentence(12)}"]
    return "\n".join([*lines, ""]) + "\n"
