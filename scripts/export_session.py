"""The session of the pictures of an exported page: a tea timer gets a bell, on the second try."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

from pi_tui.llm.messages import (
    AssistantMessage,
    BashExecutionMessage,
    Cost,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from pi_tui.session.log import SessionLog

SOURCE = '''"""Tells when the tea is ready."""

import sys
import time

MINUTES = {"green": 2, "black": 4, "herbs": 8}


def main() -> None:
    kind = sys.argv[1]
    time.sleep(60 * MINUTES[kind])
    print(f"Your {kind} tea is ready.")
'''

DIFF = """@@ -3,10 +3,17 @@
 import sys
 import time

 MINUTES = {"green": 2, "black": 4, "herbs": 8}
+BELL = "\\a"
+
+
+def ring(times: int = 3) -> None:
+    for _ in range(times):
+        print(BELL, end="", flush=True)
+        time.sleep(0.4)


 def main() -> None:
     kind = sys.argv[1]
     time.sleep(60 * MINUTES[kind])
-    print(f"Your {kind} tea is ready.")
+    ring()
+    print(f"Your {kind} tea is ready. 🍵")
"""

ANSWER = """The bell rings now, three times, **before** the message:

```python
def ring(times: int = 3) -> None:
    for _ in range(times):
        print(BELL, end="", flush=True)
        time.sleep(0.4)
```

| Tea   | Minutes | Rings |
|-------|--------:|------:|
| green |       2 |     3 |
| black |       4 |     3 |

- `ring()` is a function of its own, so a test can replace it.
- The pause between two rings is 0.4 s: most terminals merge faster ones. See [the ASCII table](https://example.com/ascii).
"""

TESTED = (
    "\x1b[1mtest_tea.py\x1b[0m \x1b[32m..\x1b[0m\x1b[31mF\x1b[0m\n\n\x1b[31mE   assert 'ready' in ''\x1b[0m\n"
    "\x1b[31m1 failed\x1b[0m, \x1b[32m2 passed\x1b[0m in 0.04s"
)
PASSED = "\x1b[1mtest_tea.py\x1b[0m \x1b[32m...\x1b[0m\n\n\x1b[32m3 passed\x1b[0m in 0.02s"


class Talk:
    """Appends to a session in the words of a conversation."""

    def __init__(self, log: SessionLog) -> None:
        self.log = log
        self._calls = 0

    def ask(self, text: str, *images: ImageContent) -> str:
        return self.log.append_message(UserMessage([TextContent(text), *images], timestamp=0))

    def answer(self, *blocks: Any, stop: str = "stop", error: str | None = None) -> str:
        usage = Usage(input=2_400, output=310, total_tokens=2_710, cost=Cost(total=0.0118))
        content = [TextContent(block) if isinstance(block, str) else block for block in blocks]
        return self.log.append_message(
            AssistantMessage(
                content,
                "anthropic-messages",
                "anthropic",
                "claude-sonnet",
                usage,
                stop,
                0,
                error_message=error,
            )
        )

    def use(
        self,
        name: str,
        arguments: dict[str, Any],
        output: str,
        *before: Any,
        failed: bool = False,
        **details: Any,
    ) -> str:
        self._calls += 1
        call = f"call-{self._calls}"
        self.answer(*before, ToolCall(call, name, arguments), stop="toolUse")
        return self.log.append_message(
            ToolResultMessage(call, name, [TextContent(output)], failed, details or None)
        )


def tea_session(folder: Path) -> SessionLog:
    """Makes the session's file in `folder`: two branches, a label, and something of every kind."""
    log = SessionLog.create(Path("/home/you/tea-timer"), folder)
    talk = Talk(log)
    log.append_model_change("anthropic", "claude-sonnet")
    first = talk.ask(
        "The timer should ring a bell when the tea is ready.\nHere is how the kettle's lamp looks:", lamp()
    )
    log.append_session_info("A bell for the tea timer")
    thought = ThinkingContent(
        "The program prints a line only. A terminal rings on BEL, `\\a`: no dependency needed."
    )
    talk.use("read", {"path": "tea.py"}, SOURCE, thought, "I look at the program first.")
    fork = log.leaf_id
    talk.use(
        "bash", {"command": "pip install playsound"}, "error: externally-managed-environment", failed=True
    )
    talk.answer("A sound file needs a package that cannot be installed here.")
    tried = log.leaf_id
    log.move_to(fork)
    log.append_branch_summary(
        "Playing a sound file was tried:\n\n- `playsound` cannot be installed here", tried
    )
    edit = {"path": "tea.py", "edits": [{"oldText": "print(", "newText": "ring()"}]}
    talk.use("edit", edit, "Changed tea.py", "Then the terminal's own bell.", diff=DIFF, added=9, removed=1)
    failure = "1 failed\nCommand exited with code 1"
    talk.use("bash", {"command": "python -m pytest -q"}, failure, failed=True, exitCode=1, ansi=TESTED)
    log.append_label(first, "bell")
    talk.use(
        "bash",
        {"command": "python -m pytest -q"},
        "3 passed",
        "The test has to take in the bell.",
        ansi=PASSED,
    )
    talk.answer(ANSWER)
    log.append_message(
        BashExecutionMessage(
            "git diff --stat", " tea.py | 10 +++++++++-\n 1 file changed, 9 insertions(+), 1 deletion(-)", 0
        )
    )
    log.append_compaction(
        "## Goal\nA bell for the tea timer.\n\n## Done\n- `ring()` in `tea.py`, tested", first, 48_200
    )
    talk.ask("Thank you! Can it ring longer for herbs?")
    talk.answer(
        ThinkingContent("MINUTES could become a table with rings."),
        "Yes: `MINUTES` becomes a small table with *two* columns.",
    )
    return log


def lamp() -> ImageContent:
    """A small picture: a red lamp."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (220, 90), "#20262e")
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((18, 22, 202, 68), 12, fill="#353d49")
    draw.ellipse((34, 33, 58, 57), fill="#f0524f")
    for place in range(4):
        draw.rectangle((80 + 28 * place, 38, 98 + 28 * place, 52), fill="#5b6675")
    file = io.BytesIO()
    image.save(file, "PNG")
    return ImageContent(base64.b64encode(file.getvalue()).decode(), "image/png")
