"""What the tour says, and the program it writes."""

THINKING_LOOK = (
    "The user would like to see what this program does. The honest way is to use the tools for real, "
    "here in this folder: list it first, then decide what to read."
)
THINKING_READ = (
    "Two things are independent of each other now: reading a file, and seeing whether a scratch file of an "
    "earlier tour is in the way. Both calls can go out together."
)
THINKING_EDIT = (
    "The file is there. A small change to it shows what a diff looks like, and leaves the rest alone."
)
THINKING_END = "Everything was run, so what is left is to sum it up and to say where to go from here."

LOOK = "I will show you around. First I look at what is in this folder."
READ = "I read `{name}` and check, at the same time, whether a scratch file is already here."
NOTHING_TO_READ = "There is no text file to read here, so I only check whether a scratch file is in the way."
WRITE = "Now I write a small program, `{path}`. No file of yours is touched."
EDIT = "I change two places of it. The screen shows the difference."
RUN = "And now it runs."

PROGRAM = '''\
"""A scratch file of the demo; delete it whenever you like."""

from pathlib import Path

GREETING = "Hello"


def main() -> None:
    names = sorted(path.name for path in Path.cwd().iterdir())
    print(f"{GREETING}, this folder has {len(names)} entries.")


if __name__ == "__main__":
    main()
'''
CHANGES = (
    ('GREETING = "Hello"', 'GREETING = "Hello from the demo"'),
    (
        '    print(f"{GREETING}, this folder has {len(names)} entries.")\n',
        '    print(f"{GREETING}, this folder has {len(names)} entries.")\n'
        "    for name in names[:3]:\n"
        '        print(f"  {name}")\n',
    ),
)

_KEYS = """\
What to try next:

- **Ctrl+O** shows the whole output of every tool, **Ctrl+T** the thinking
- **Enter** while something runs steers it, **Alt+Enter** waits for its end, **Esc** stops it
- `/model` and `/login` bring in a real model; I am only a script
"""


def report(rows: list[str], output: str, scratch: str | None) -> str:
    """The end of the tour: a table of what was done, what the program printed, and what to try."""
    if not rows:
        return f"No tool is switched on, so there is nothing I can show here.\n\n{_KEYS}"
    parts = ["## The tour is over", "\n".join(["| tool | on | result |", "|---|---|---|", *rows])]
    if output:
        parts.append(f"The program printed:\n\n```text\n{output}\n```")
    if scratch:
        parts.append(f"`{scratch}` is yours to keep or to delete (`!rm {scratch}`).")
    return "\n\n".join([*parts, _KEYS])
