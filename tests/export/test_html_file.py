"""The file of an exported page: whole or not at all, and what it says of the session."""

import asyncio
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pi_tui.export.errors import ExportError
from pi_tui.export.html import export_html, write_html
from pi_tui.llm.messages import (
    AssistantMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.session.log import SessionLog
from pi_tui.tui.theme.palette import Palette
from tests.support.branched_session import write_branched_session
from tests.support.exported_page import ExportedPage

FIXTURES = Path(__file__).parents[1] / "fixtures"
STORED = sorted(FIXTURES.glob("reference/*.jsonl")) + sorted(FIXTURES.glob("synthetic/*.jsonl"))


def exported(source: SessionLog | Path, tmp_path: Path, **options: Any) -> ExportedPage:
    return ExportedPage(write_html(source, tmp_path / "page.html", **options))


@pytest.fixture
def log() -> SessionLog:
    return SessionLog.create(Path("/project"), None)


def answer(*blocks: Any, **fields: Any) -> AssistantMessage:
    content = [TextContent(block) if isinstance(block, str) else block for block in blocks]
    return AssistantMessage(content, provider="local", model="scripted", **fields)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_every_entry_of_a_stored_session_is_on_the_page(path: Path, tmp_path: Path) -> None:
    page = exported(path, tmp_path)
    log = SessionLog.open(path, read_only=True)
    assert page.tree["ids"] == log.entry_ids
    articles = [entry.all("article")[0].attributes["id"] for entry in page.entries]
    assert articles == [f"entry-{entry_id}" for entry_id in log.entry_ids]
    parents = [page.tree["ids"][parent] if parent >= 0 else None for parent in page.tree["parents"]]
    assert parents == [log.parent(entry_id) for entry_id in log.entry_ids]
    assert page.tree["ids"][page.tree["leaf"]] == log.leaf_id


def test_a_session_in_memory_can_be_exported(log: SessionLog, tmp_path: Path) -> None:
    first = log.append_message(UserMessage("hello"))
    log.append_label(first, "start")
    log.append_session_info("A name")
    page = exported(log, tmp_path)
    assert page.root.all("h1")[0].text == "A name"
    assert "hello" in page.entry(first).text and "start" in page.entry(first).text
    assert page.tree["labels"] == {"0": "start"}


def test_a_session_without_entries_is_a_page_too(log: SessionLog, tmp_path: Path) -> None:
    page = exported(log, tmp_path)
    assert page.html == [] and page.tree["leaf"] == -1
    assert page.root.all("h1")[0].text == "Session"


def test_an_answer_shows_thinking_markdown_calls_and_its_error(log: SessionLog, tmp_path: Path) -> None:
    call = ToolCall("c1", "deploy", {"where": "production"})
    shown = log.append_message(
        answer(
            ThinkingContent("a thought"), "**bold**", call, stop_reason="error", error_message="overloaded"
        )
    )
    article = exported(log, tmp_path).entry(shown)
    assert "a thought" in article.all("details", class_="thinking")[0].text
    assert article.all("strong")[0].text == "bold"
    assert article.all("summary")[1].text.split() == ["deploy", "where=production", "no", "result"]
    assert article.all("p", class_="error")[0].text == "overloaded"


def test_a_result_shows_its_call_and_an_edit_its_diff(log: SessionLog, tmp_path: Path) -> None:
    log.append_message(answer(ToolCall("c1", "edit", {"path": "src/a.py"})))
    diff = "--- a/src/a.py\n+++ b/src/a.py\n@@ -7,2 +7,3 @@\n same\n-old < line\n+new\n+more\n"
    done = log.append_message(
        ToolResultMessage("c1", "edit", [TextContent("Changed.")], False, {"diff": diff})
    )
    article = exported(log, tmp_path).entry(done)
    assert article.all("summary")[0].text.split() == ["edit", "src/a.py", "+2", "−1"]
    lines = [
        one.text.rstrip("\n") for one in article.all("pre")[0].all("span") if one.attributes["class"] != "dn"
    ]
    assert lines == ["7  same", "8- old < line", "8+ new", "9+ more"]


def test_results_in_any_order_find_the_calls_of_their_own_branch(log: SessionLog, tmp_path: Path) -> None:
    def result(call_id: str) -> str:
        return log.append_message(ToolResultMessage(call_id, "ls", [TextContent("out")], False))

    first = log.append_message(
        answer(ToolCall("c1", "ls", {"path": "one"}), ToolCall("c2", "ls", {"path": "two"}))
    )
    results = [result("c2"), result("c1")]
    log.append_message(answer(ToolCall("c1", "ls", {"path": "three"})))
    results += [result("c1"), result("nobody's")]
    log.move_to(first)
    results.append(result("c1"))
    page = exported(log, tmp_path)
    titles = [page.entry(one).all("summary")[0].text.split() for one in results]
    assert titles == [["ls", "two"], ["ls", "one"], ["ls", "three"], ["ls", "."], ["ls", "one"]]


def test_output_keeps_its_colours_and_its_failure(log: SessionLog, tmp_path: Path) -> None:
    log.append_message(answer(ToolCall("c1", "bash", {"command": "make\nmake test"})))
    details = {"exitCode": 2, "ansi": "\x1b[1;31mbroken\x1b[0m <b>"}
    text = "broken <b>\nCommand exited with code 2"
    done = log.append_message(ToolResultMessage("c1", "bash", [TextContent(text)], True, details))
    article = exported(log, tmp_path).entry(done)
    assert article.all("span", class_="c-red")[0].text == "broken"
    assert article.all("pre", class_="output")[0].text == "broken <b>"
    assert article.all("span", class_="outcome")[0].text == "Command exited with code 2"
    assert article.all("pre", class_="command")[0].text.split("\n") == ["make", "make test"]
    assert article.all("details", class_="failed")


def test_code_that_was_read_has_the_colours_of_its_language(log: SessionLog, tmp_path: Path) -> None:
    log.append_message(answer(ToolCall("c1", "read", {"path": "a.py", "offset": 5, "limit": 2})))
    done = log.append_message(ToolResultMessage("c1", "read", [TextContent("import os  # <here>\n")], False))
    article = exported(log, tmp_path).entry(done)
    assert article.all("span", class_="hk")[0].text.strip() == "import"
    assert article.all("span", class_="hc")[0].text == "# <here>"
    assert article.all("span", class_="path")[0].text == "a.py:5-6"


def test_a_themes_colours_are_used_and_made_readable(log: SessionLog, tmp_path: Path) -> None:
    colors = {"text": "#e0e0e0", "error": "#201010", "accent": "color(208)", "userMessageBg": "#30303a"}
    theme = Palette("faint", "dark", colors)
    style = exported(log, tmp_path, theme=theme).root.all("style")[0].text
    light, dark = style.split("prefers-color-scheme: dark")[0], style.split("prefers-color-scheme: dark")[1]
    assert "--user-message-bg: #30303a" in dark and "--user-message-bg: #30303a" not in light
    assert "--accent: #ff8700" in dark
    assert "--error: #201010" not in dark
    assert "color-scheme: light" in light


def test_what_is_there_is_replaced_in_one_step_and_keeps_its_mode(log: SessionLog, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    write_html(log, out)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    out.chmod(0o644)
    out.write_text("old")
    write_html(log, out)
    assert out.read_text().startswith("<!doctype html>")
    assert stat.S_IMODE(out.stat().st_mode) == 0o644
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize("place", ["missing/page.html", "folder"])
def test_a_place_that_cannot_be_written_is_named(place: str, log: SessionLog, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ExportError, match=f"{place} cannot be written: .*Choose another place"):
        write_html(log, tmp_path / place)
    assert [one.name for one in tmp_path.rglob("*")] == ["folder"]


def test_a_file_that_is_no_session_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(ExportError, match=r"notes\.txt is not a session file"):
        write_html(tmp_path / "notes.txt", tmp_path / "page.html")
    with pytest.raises(ExportError, match=r"gone\.jsonl cannot be read: No such file"):
        write_html(tmp_path / "gone.jsonl", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_a_damaged_session_is_exported_with_what_can_be_read(tmp_path: Path) -> None:
    source = write_branched_session(tmp_path / "s.jsonl")
    lines = source.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3][:40] + b"\xff\x00\n"
    source.write_bytes(b"".join(lines) + b'{"type":"mess')
    page = exported(source, tmp_path)
    assert page.tree["ids"] == ["e1", "e2", "e4", "e5", "e6", "l1", "e7"]
    assert "Line 4" in page.root.all("details", class_="notices")[0].text


def test_progress_is_told_and_cancelling_leaves_nothing(tmp_path: Path) -> None:
    source = write_branched_session(tmp_path / "s.jsonl")
    told: list[tuple[int, int]] = []
    exported(source, tmp_path, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 8) and told[-1] == (8, 8)
    (tmp_path / "page.html").write_text("old")
    with pytest.raises(ExportError, match="cancelled"):
        write_html(source, tmp_path / "page.html", cancelled=lambda: True)
    assert (tmp_path / "page.html").read_text() == "old"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["page.html", "s.jsonl"]


async def test_the_session_may_go_on_while_it_is_exported(log: SessionLog, tmp_path: Path) -> None:
    for number in range(300):
        log.append_message(UserMessage(f"question {number}"))
    known = log.entry_ids
    work = asyncio.create_task(export_html(log, tmp_path / "page.html"))
    while not work.done():
        log.append_message(UserMessage("and one more"))
        await asyncio.sleep(0)
    page = ExportedPage(await work)
    assert page.tree["ids"][: len(known)] == known
    assert len(page.html) == len(page.tree["ids"]) < len(log.entry_ids)


async def test_a_cancelled_export_ends_its_thread_and_leaves_nothing(log: SessionLog, tmp_path: Path) -> None:
    log.append_message(UserMessage("hello"))
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def held(done: int, total: int) -> None:
        loop.call_soon_threadsafe(begun.set)
        while not work.cancelling():
            time.sleep(0.001)

    work = asyncio.create_task(export_html(log, tmp_path / "page.html", progress=held))
    log.append_message(UserMessage("again"))
    await begun.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert list(tmp_path.iterdir()) == []


def test_nothing_heavy_is_loaded_before_a_page_is_written() -> None:
    heavy = {"jinja2", "markupsafe", "nh3", "markdown_it", "pygments", "rich", "textual", "PIL"}
    code = f"import sys, pi_tui.export.html; print(sorted({heavy!r} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
