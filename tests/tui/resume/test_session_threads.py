"""The order of the resume picker's rows."""

from pathlib import Path

from pi_tui.session.listing import SessionInfo
from pi_tui.tui.resume.rows import size_text
from pi_tui.tui.resume.threads import MAX_DEPTH_SHOWN, arranged


def info(name: str, modified: float, parent: str | None = None, size: int = 1) -> SessionInfo:
    return SessionInfo(
        path=Path(f"/s/{name}"),
        id=name,
        cwd="/project",
        name=None,
        first_message=name,
        created="",
        modified=modified,
        messages=1,
        size=size,
        parent=Path(f"/s/{parent}") if parent else None,
        complete=True,
        last_entry="",
        last_user_entry="",
    )


def shown(infos: list[SessionInfo], sort: str = "threads") -> list[str]:
    return [row.lead + row.info.id for row in arranged(infos, sort)]  # type: ignore[arg-type]


FAMILY = [
    info("old", 1),
    info("child", 5, "old"),
    info("grandchild", 3, "child"),
    info("other child", 2, "old"),
    info("alone", 4),
]


def test_forks_stand_under_their_parents_and_threads_by_their_last_use() -> None:
    assert shown(FAMILY) == ["old", "├ child", "│ └ grandchild", "└ other child", "alone"]


def test_a_thread_stays_where_its_newest_session_stood_when_its_parent_becomes_known() -> None:
    assert shown([FAMILY[1], FAMILY[4]]) == ["child", "alone"]
    assert shown([FAMILY[1], FAMILY[4], FAMILY[0]]) == ["old", "└ child", "alone"]


def test_other_orders_are_flat() -> None:
    assert shown(FAMILY, "newest") == ["child", "alone", "grandchild", "other child", "old"]
    assert shown([info("a", 1, size=5), info("b", 2, "a", size=9)], "largest") == ["b", "a"]


def test_sessions_that_name_each_other_as_parents_are_all_listed_once() -> None:
    ring = [
        info("a", 1, "b"),
        info("b", 2, "c"),
        info("c", 3, "a"),
        info("self", 4, "self"),
        info("x", 5, "b"),
    ]
    assert sorted(row.info.id for row in arranged(ring, "threads")) == ["a", "b", "c", "self", "x"]


def test_a_very_long_line_of_forks_is_no_deeper_than_the_list_can_show() -> None:
    line = [info(str(number), number, str(number - 1) if number else None) for number in range(3_000)]
    rows = arranged(line, "threads")
    assert len(rows) == 3_000
    assert max(len(row.lead) for row in rows) <= 2 * (MAX_DEPTH_SHOWN + 1)


def test_sizes_are_short() -> None:
    assert [size_text(size) for size in (0, 999, 1_000, 999_499, 1_234_567, 123_456_789)] == [
        "0 B",
        "999 B",
        "1 kB",
        "999 kB",
        "1.2 MB",
        "123 MB",
    ]
