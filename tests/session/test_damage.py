"""Damaged files: what is still read, what is said, and the bytes of the file after one more append."""

from typing import NamedTuple

import msgspec
import pytest

from pi_tui.llm.messages import UserMessage
from tests.session.conftest import OpenBytes
from tests.session.session_lines import HEADER, entry_line, label_line, user_line

A = user_line("aaaaaaaa", None, "first")
B = user_line("bbbbbbbb", "aaaaaaaa", "second")
C = user_line("cccccccc", "bbbbbbbb", "third")
TORN = C[: len(C) // 2]
CALL = entry_line(
    "message",
    "dddddddd",
    "aaaaaaaa",
    '"message":{"role":"assistant","content":[{"type":"toolCall","id":"call_1","name":"read",'
    '"arguments":{"path":"x"}}],"stopReason":"toolUse","extra":"',
)[:-1]
"""Torn inside the message, behind a whole block that has a type and an id."""


class Damage(NamedTuple):
    name: str
    body: bytes
    """Everything after the header's line."""
    path: list[str]
    """The branch to the leaf, by ids."""
    notices: tuple[str, ...] | list[str] = ()
    """A piece of each notice, in order."""
    joint: bytes = b""
    """What the next append puts before its line."""


DAMAGE = [
    Damage("nothing but the header", b"", []),
    Damage("sound", A + b"\n" + B + b"\n", ["aaaaaaaa", "bbbbbbbb"]),
    Damage("the last newline is missing", A + b"\n" + B, ["aaaaaaaa", "bbbbbbbb"], [], b"\n"),
    Damage("a torn last line", A + b"\n" + TORN, ["aaaaaaaa"], ["Line 3, the last one"], b"\n"),
    Damage("one byte of a last line", A + b"\n{", ["aaaaaaaa"], ["Line 3, the last one"], b"\n"),
    Damage(
        "a last line torn inside a character", A + b'\n{"type":"\xe4\xb8', ["aaaaaaaa"], ["Line 3"], b"\n"
    ),
    Damage(
        "a torn line that was continued on a fresh one",
        A + b"\n" + TORN + b"\n" + B + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
        [f"Line 3: {len(TORN)} bytes that are no entry; skipped"],
    ),
    Damage(
        "a whole entry after a torn one on the same line",
        A + b"\n" + TORN + B + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
        ["Line 3"],
    ),
    Damage(
        "a torn message with a whole tool call in it, then an entry",
        A + b"\n" + CALL + B + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
        ["Line 3"],
    ),
    Damage("two entries on a line", A + B + b"\n", ["aaaaaaaa", "bbbbbbbb"], ["Line 2 holds 2 entries"]),
    Damage("three on a line", A + B + C + b"\n", ["aaaaaaaa", "bbbbbbbb", "cccccccc"], ["holds 3 entries"]),
    Damage("two on a line with a space", A + b" " + B + b"\n", ["aaaaaaaa", "bbbbbbbb"], ["holds 2 entries"]),
    Damage(
        "two on the last line, without a newline", A + B, ["aaaaaaaa", "bbbbbbbb"], ["holds 2 entries"], b"\n"
    ),
    Damage(
        "an entry and a torn one on the last line", A + TORN, ["aaaaaaaa"], ["Line 2, the last one"], b"\n"
    ),
    Damage(
        "a line of NULs",
        A + b"\n" + b"\0" * 300 + b"\n" + B + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
        ["Line 3: 300 NUL bytes; skipped"],
    ),
    Damage(
        "NULs before an entry",
        A + b"\n" + b"\0" * 9 + B + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
        ["Line 3: 9 NUL bytes before an entry"],
    ),
    Damage("NULs at the end", A + b"\n" + b"\0" * 512, ["aaaaaaaa"], ["Line 3, the last one"], b"\n"),
    Damage("text in the middle", A + b"\nhello\n" + B + b"\n", ["aaaaaaaa", "bbbbbbbb"], ["Line 3: 5 bytes"]),
    Damage("bytes that are not UTF-8", A + b"\n\xff\xfe\n" + B + b"\n", ["aaaaaaaa", "bbbbbbbb"], ["Line 3"]),
    Damage("a JSON array", A + b"\n[1]\n" + B + b"\n", ["aaaaaaaa", "bbbbbbbb"], ["Line 3"]),
    Damage(
        "a number and null", A + b"\n7\nnull\n" + B + b"\n", ["aaaaaaaa", "bbbbbbbb"], ["Line 3", "Line 4"]
    ),
    Damage("an empty object", A + b"\n{}\n" + B + b"\n", ["aaaaaaaa", "bbbbbbbb"], ["Line 3"]),
    Damage(
        "an entry without an id", A + b'\n{"type":"x"}\n' + B + b"\n", ["aaaaaaaa", "bbbbbbbb"], ["Line 3"]
    ),
    Damage(
        "an entry with an empty id", A + b"\n" + entry_line("x", "", None) + b"\n", ["aaaaaaaa"], ["Line 3"]
    ),
    Damage(
        "an id that is a number", A + b'\n{"type":"x","id":7}\n' + B + b"\n", ["aaaaaaaa", "bbbbbbbb"], ["3"]
    ),
    Damage("blank lines", b"\n" + A + b"\n\n  \n" + B + b"\n\n", ["aaaaaaaa", "bbbbbbbb"]),
    Damage("CRLF", A + b"\r\n" + B + b"\r\n", ["aaaaaaaa", "bbbbbbbb"]),
    Damage(
        "a second header", A + b"\n" + HEADER + B + b"\n", ["aaaaaaaa", "bbbbbbbb"], ["second session header"]
    ),
    Damage(
        "an unreadable parent",
        A + b"\n" + B[:40] + b"\n" + C + b"\n",
        ["aaaaaaaa", "cccccccc"],
        ["Line 3", "Line 4: the parent bbbbbbbb cannot be read; cccccccc follows aaaaaaaa"],
    ),
    Damage("an unreadable parent of the first entry", C + b"\n", ["cccccccc"], ["cccccccc is now a root"]),
    Damage(
        "two children of an unreadable parent",
        A + b"\n" + C + b"\n" + user_line("dddddddd", "bbbbbbbb") + b"\n",
        ["aaaaaaaa", "dddddddd"],
        ["Line 3: the parent bbbbbbbb"],
    ),
    Damage(
        "an entry that is its own parent", user_line("aaaaaaaa", "aaaaaaaa") + b"\n", ["aaaaaaaa"], ["cycle"]
    ),
    Damage(
        "two entries that are each other's parents",
        user_line("aaaaaaaa", "bbbbbbbb") + b"\n" + B + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
        ["Line 2: the parents of aaaaaaaa form a cycle"],
    ),
    Damage(
        "a parent further down",
        A + b"\n" + C + b"\n" + B + b"\n" + user_line("dddddddd", "cccccccc") + b"\n",
        ["aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"],
    ),
    Damage(
        "one id twice",
        A + b"\n" + B + b"\n" + user_line("bbbbbbbb", "aaaaaaaa", "again") + b"\n" + C + b"\n",
        ["aaaaaaaa", "bbbbbbbb~2", "cccccccc"],
        ["Line 4: the id bbbbbbbb is taken"],
    ),
    Damage(
        "one id twice, the second under the first",
        A + b"\n" + user_line("aaaaaaaa", "aaaaaaaa", "again") + b"\n",
        ["aaaaaaaa", "aaaaaaaa~2"],
        ["Line 3: the id aaaaaaaa is taken"],
    ),
    Damage(
        "a control character in a string",
        A + b"\n" + user_line("bbbbbbbb", "aaaaaaaa", "a\x01b") + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
    ),
    Damage(
        "a lone surrogate",
        A + b"\n" + user_line("bbbbbbbb", "aaaaaaaa", r"a\ud83d") + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
    ),
    Damage(
        "NaN",
        A + b"\n" + entry_line("custom", "bbbbbbbb", "aaaaaaaa", '"customType":"x","data":NaN') + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
    ),
    Damage(
        "bad UTF-8 in a text", A + b"\n" + B.replace(b"second", b"\xff\xfe") + b"\n", ["aaaaaaaa", "bbbbbbbb"]
    ),
    Damage(
        "brackets without end",
        A + b'\n{"type":"x","id":"eeeeeeee","data":' + b"[" * 100_000 + b"\n" + B + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
        ["Line 3"],
    ),
    Damage(
        "a label whose target is not there",
        A + b"\n" + label_line("bbbbbbbb", "aaaaaaaa", "ffffffff", "x") + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
    ),
    Damage(
        "unknown types",
        A + b"\n" + entry_line("later", "bbbbbbbb", "aaaaaaaa", '"x":[1]') + b"\n",
        ["aaaaaaaa", "bbbbbbbb"],
    ),
]


@pytest.fixture(params=DAMAGE, ids=lambda damage: damage.name)
def damage(request: pytest.FixtureRequest) -> Damage:
    found: Damage = request.param
    return found


def test_what_can_be_read_is_in_the_branch(damage: Damage, open_bytes: OpenBytes) -> None:
    assert open_bytes(HEADER + damage.body).branch() == damage.path


def test_damage_is_reported_by_line(damage: Damage, open_bytes: OpenBytes) -> None:
    notices = open_bytes(HEADER + damage.body).notices
    assert len(notices) == len(damage.notices), notices
    for notice, piece in zip(notices, damage.notices, strict=True):
        assert piece in notice


def test_opening_and_leaving_changes_no_byte(damage: Damage, open_bytes: OpenBytes) -> None:
    log = open_bytes(HEADER + damage.body)
    assert log.path is not None
    log.project()
    for entry_id in log.entry_ids:
        log.entry(entry_id)
    log.close()
    assert log.path.read_bytes() == HEADER + damage.body


def test_an_append_adds_one_line_behind_the_old_bytes(damage: Damage, open_bytes: OpenBytes) -> None:
    log = open_bytes(HEADER + damage.body)
    assert log.path is not None
    appended = log.append_message(UserMessage(content="more"))
    log.close()
    data = log.path.read_bytes()
    old = HEADER + damage.body + damage.joint
    assert data.startswith(old)
    line = data[len(old) :]
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert msgspec.json.decode(line)["id"] == appended
    again = open_bytes(data)
    assert again.branch() == [*damage.path, appended]


def test_a_header_glued_to_the_first_entry_is_read(open_bytes: OpenBytes) -> None:
    log = open_bytes(HEADER.rstrip(b"\n") + A + b"\n" + B + b"\n")
    assert log.branch() == ["aaaaaaaa", "bbbbbbbb"]


def test_a_byte_order_mark_before_the_header_is_passed_over(open_bytes: OpenBytes) -> None:
    assert open_bytes(b"\xef\xbb\xbf" + HEADER + A + b"\n").branch() == ["aaaaaaaa"]


def test_the_number_of_notices_is_bounded(open_bytes: OpenBytes) -> None:
    notices = open_bytes(HEADER + b"rubbish\n" * 10_000).notices
    assert len(notices) == 51
    assert "more damage" in notices[-1]


def test_unicode_line_separators_are_text(open_bytes: OpenBytes) -> None:
    for separator in ("\u2028", "\u2029", "\u0085", "\x0b", "\x0c"):
        log = open_bytes(HEADER + user_line("aaaaaaaa", None, f"a{separator}b") + b"\n" + B + b"\n")
        assert log.branch() == ["aaaaaaaa", "bbbbbbbb"], hex(ord(separator))
        message = log.project().messages[0]
        assert isinstance(message, UserMessage)
        assert message.content == f"a{separator}b"
