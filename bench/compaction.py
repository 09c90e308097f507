"""What a compaction costs beside its requests, the projection it works on, and how far estimates are off."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.sessions import SessionWriter
from bench.setting import Setting
from bench.table import Row
from pi_tui.llm.estimate import TokenCounter, counter_for, estimate_message
from pi_tui.llm.messages import UserMessage
from pi_tui.llm.model import Model
from pi_tui.session.compaction.budgets import budgets_for
from pi_tui.session.compaction.prepare import prepare
from pi_tui.session.context import project_path
from pi_tui.session.log import SessionLog
from tests.support.fakellm.markdown import markdown

ENTRIES = 20_000
MEGABYTES = 100
TICK = 0.001
"""Seconds between two looks of the thread that stands for the screen."""
MODEL = Model(id="m", provider="local", api="openai-completions", context_window=200_000)
VOCABULARY = Model(id="gpt-5", provider="openai", api="openai-completions")
CHINESE = "这个程序需要重新编译才能运行，请先检查配置文件，然后再次启动服务器。" * 200


def compaction(setting: Setting) -> list[Row]:
    """Over a session of 20,000 entries and 100 MB that was never compacted."""
    file = setting.root / "long.jsonl"
    SessionWriter(entries=ENTRIES, megabytes=MEGABYTES, cwd=str(setting.project)).write(file)
    log = SessionLog.open(file)
    rows = [*_projections(log), *_preparation(log)]
    log.close()
    return [*rows, *_estimates()]


def _projections(log: SessionLog) -> list[Row]:
    items, reader = log.path_items(), log.reader()
    decoded = {entry_id: reader(entry_id) for entry_id, _ in items}
    whole = _best(lambda: project_path(items, decoded.__getitem__))
    log.keep(log.leaf_id, project_path(items, decoded.__getitem__))
    # Of a branch this large no projection is kept; a smaller one says what an entry more costs.
    small = SessionLog.create(Path("/project"), None)
    for number in range(ENTRIES):
        small.append_message(UserMessage(f"message {number}", number))
    small.project()

    def one_more() -> None:
        small.append_message(UserMessage("one more", 1))
        small.project()

    short, lines = small.path_items(), small.reader()
    return [
        Row(
            f"projection of {ENTRIES:,} short entries from their lines",
            _best(lambda: project_path(short, lines)),
            "ms",
        ),
        Row(f"projection of {ENTRIES:,} decoded entries", whole, "ms", at_most=50),
        Row("projection after one more entry", _best(one_more), "ms", at_most=2),
    ]


def _preparation(log: SessionLog) -> list[Row]:
    projection = log.project()
    count = counter_for(MODEL)
    sizes = [estimate_message(message, count) for message in projection.messages]
    budgets = budgets_for(MODEL.context_window)
    work: Callable[[], Any] = lambda: prepare(projection, sizes, budgets, log.reader())  # noqa: E731
    counting: Callable[[], Any] = lambda: [  # noqa: E731
        estimate_message(message, TokenCounter(MODEL)) for message in projection.messages
    ]
    counter_for(VOCABULARY)("the vocabulary is loaded once")

    def exactly() -> None:
        # A counter counts so much and no more: each run has one of its own.
        vocabulary = counter_for(VOCABULARY)
        for message in projection.messages[-200:]:
            estimate_message(message, vocabulary)

    what = f"compaction of {MEGABYTES} MB"
    gap = "longest gap on screen"
    return [
        Row(f"{what}: preparation", _best(work), "ms", at_most=300),
        Row(f"{what}: counting", _best(counting), "ms"),
        Row(f"{what}: {gap}", _gap(work), "ms", at_most=100, note="two threads"),
        Row(f"{what}: {gap} while counting", _gap(counting), "ms", at_most=100, note="two threads"),
        Row(f"counting with a vocabulary: {gap}", _gap(exactly), "ms", at_most=100, note="two threads"),
    ]


def _estimates() -> list[Row]:
    """Against the count of OpenAI's own vocabulary, which is what its provider bills."""
    code = "".join(path.read_text() for path in sorted(Path(__file__).parent.glob("*.py")))
    texts = {"prose": markdown(5_000), "code": code, "Chinese": CHINESE}
    rows = []
    for name, text in texts.items():
        counted = counter_for(VOCABULARY)(text)
        judged = TokenCounter(MODEL)(text)
        plain = len(text) / 4
        note = f"{judged:,} for {counted:,}; characters / 4 is off by {100 * abs(plain - counted) / counted:.0f} %"
        rows.append(
            Row(f"estimate of {name}, not calibrated", 100 * abs(judged - counted) / counted, "%", note=note)
        )
    return rows


def _best(work: Callable[[], object], runs: int = 7) -> float:
    """Milliseconds of this thread's own time, in the run that others disturbed least."""
    times = []
    for _ in range(runs):
        began = time.thread_time()
        work()
        times.append(1000 * (time.thread_time() - began))
    return min(times)


def _gap(work: Callable[[], object], runs: int = 3) -> float:
    """Milliseconds for which another thread waited at most while `work` went on, in the least disturbed run."""
    return min(_longest_wait(work) for _ in range(runs))


def _longest_wait(work: Callable[[], object]) -> float:
    thread = threading.Thread(target=work)
    thread.start()
    longest, last = 0.0, time.perf_counter()
    while thread.is_alive():
        time.sleep(TICK)
        now = time.perf_counter()
        longest, last = max(longest, now - last - TICK), now
    thread.join()
    return 1000 * longest
