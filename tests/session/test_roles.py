import json

import pytest

from pi_tui.session.roles import role_of


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"message","id":"a","message":{"role":"user","content":"x"}}',
        b'{"type": "message", "message": {"role": "user", "content": "x"}}',
        b'{"type":"message","message":{"content":"' + b"x" * 1000 + b'","role":"user"}}',
        b'{"message":{"timestamp":1,"role":"user"},"type":"message"}',
    ],
)
def test_the_role_is_found_wherever_it_stands(line: bytes) -> None:
    assert role_of(line) == json.loads(line)["message"]["role"] == "user"


@pytest.mark.parametrize("line", [b"{}", b'{"message":null}', b"rubbish", b'{"message":{"role":7}}'])
def test_a_line_without_a_role_has_none(line: bytes) -> None:
    assert role_of(line) == ""


def test_text_that_looks_like_a_role_is_not_one() -> None:
    quoted = json.dumps({"type": "message", "id": '"message":{"role":"system"', "message": {"role": "user"}})
    assert role_of(quoted.encode()) == "user"
