"""What the demo says when it is asked for anything but a tour."""

LONGEST_ECHO = 60
"""Characters of the question that are repeated."""

_ANSWER = """\
I am the **demo** of pi: a fixed script without a language model, so I cannot help with “{asked}”.

What I can do:

- `tour`: I look around in this folder, write a small scratch file, change it and run it
- `stream 2000 tokens`: a long answer, to see how it scrolls

For real work, give pi a model:

1. `/login` stores an API key; or set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or another before the start
2. A local server (Ollama, llama.cpp, LM Studio) needs no key
3. `/model` then chooses
"""


def honest_answer(asked: str) -> str:
    """Says what the demo is, and how to get a real model."""
    shown = " ".join(asked.replace("`", "'").split())
    if len(shown) > LONGEST_ECHO:
        shown = f"{shown[:LONGEST_ECHO].rstrip()}…"
    return _ANSWER.format(asked=shown or "that")
