"""Which sessions a query finds."""

import json
from pathlib import Path

import pytest

from pi_tui.session import pieces
from pi_tui.session.listing import read_info
from pi_tui.session.search import find_in_file, metadata_text, terms_of
from tests.session.session_lines import HEADER, entry_line, label_line, user_line


def never() -> bool:
    return False


@pytest.fixture
def session(tmp_path: Path) -> Path:
    image = {"type": "image", "data": "aW1hZ2Vieglect", "mimeType": "image/png"}
    asked = {"role": "user", "content": [{"type": "text", "text": 'Größe "quoted" C:\\dir Ünïcode'}, image]}
    answer = {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "secretly"}, {"type": "text", "text": "The Zebra"}],
    }
    lines = [
        user_line("aaaaaaaa", None, "First words"),
        entry_line("message", "bbbbbbbb", "aaaaaaaa", f'"message":{json.dumps(asked)}'),
        entry_line("message", "cccccccc", "bbbbbbbb", f'"message":{json.dumps(answer, ensure_ascii=False)}'),
        entry_line(
            "message",
            "dddddddd",
            "cccccccc",
            '"message":{"role":"toolResult","content":[{"type":"text","text":"tooloutput"}]}',
        ),
        entry_line(
            "message",
            "d1d1d1d1",
            "dddddddd",
            '"message":{"role":"bashExecution","command":"make frob","output":"o"}',
        ),
        label_line("eeeeeeee", "dddddddd", "aaaaaaaa", "turning point"),
        entry_line(
            "compaction",
            "ffffffff",
            "eeeeeeee",
            '"summary":"Goals reached","firstKeptEntryId":"aaaaaaaa","tokensBefore":1',
        ),
        entry_line("session_info", "11111111", "ffffffff", '"name":"Older name"'),
        b"\0\0\0rubbish",
        user_line("22222222", "11111111", "glued") + user_line("33333333", "22222222", "together"),
    ]
    path = tmp_path / "session.jsonl"
    path.write_bytes(HEADER + b"\n".join(lines) + b"\n")
    return path


@pytest.mark.parametrize(
    "query",
    [
        "first words",
        "zebra",
        "ZEBRA",
        "größe",
        "GRÖ",
        "ünïcode",
        "turning",
        "goals",
        "older",
        "frob",
        "together",
        '"the zebra"',
        '"turning point" zebra first',
        "c:\\dir",
    ],
)
@pytest.mark.parametrize("piece", [64, pieces.PIECE_BYTES])
def test_what_was_said_is_found(
    session: Path, query: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", piece)
    assert find_in_file(session, terms_of(query), never)


@pytest.mark.parametrize(
    "query",
    [
        "tooloutput",
        "parentid",
        "toolresult",
        "aw1hz2",
        "secretly",
        "missing",
        "zebra missing",
        '"zebra the"',
        "mimetype",
    ],
)
def test_the_rest_is_not(session: Path, query: str) -> None:
    assert not find_in_file(session, terms_of(query), never)


def test_a_query_is_words_and_quoted_phrases() -> None:
    assert terms_of(' One "two  Three" one "open end') == ("one", "two  three", "open end")
    assert terms_of("  ") == ()


def test_metadata_answers_what_it_can(session: Path) -> None:
    info = read_info(session)
    assert info is not None
    found = [term for term in terms_of("FIRST older zebra") if term in metadata_text(info)]
    assert found == ["first", "older"]


def test_a_search_ends_when_told(session: Path) -> None:
    assert not find_in_file(session, ("zebra",), lambda: True)


def test_a_file_that_is_gone_has_nothing(tmp_path: Path) -> None:
    assert not find_in_file(tmp_path / "gone.jsonl", ("x",), never)
