"""Changing a member of a JSON object changes its bytes alone."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_tui.session.patch import member, remove_member, replace_members

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), JSON, max_size=5)


@settings(max_examples=80, deadline=None)
@given(OBJECTS, st.text(st.characters(exclude_categories=["Cs"]), max_size=5), st.booleans())
def test_one_member_changes_and_the_others_keep_value_and_order(
    fields: dict[str, object], name: str, escaped: bool
) -> None:
    raw = json.dumps(fields, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    changed = json.loads(replace_members(raw, {name: "new"}).decode("utf-8", "surrogatepass"))
    assert changed == {**fields, name: "new"}
    assert [key for key in changed if key != name] == [key for key in fields if key != name]
    removed = json.loads(remove_member(raw, name).decode("utf-8", "surrogatepass"))
    assert removed == {key: value for key, value in fields.items() if key != name}


def test_only_the_top_level_is_touched() -> None:
    raw = b'{"a": {"id": "x"}, "text": "\\"id\\":\\"y\\"", "id" : "old" , "n":1e999}'
    assert replace_members(raw, {"id": "new"}) == raw.replace(b'"old"', b'"new"')


def test_a_missing_member_is_put_in_front() -> None:
    assert (
        replace_members(b'{"type":"x"}', {"id": "a", "parentId": None})
        == b'{"id":"a","parentId":null,"type":"x"}'
    )
    assert replace_members(b"{}", {"id": "a"}) == b'{"id":"a"}'


def test_bytes_that_are_not_utf8_survive() -> None:
    raw = b'{"id":"a","text":"\xff\xfe","\xff":1}'
    assert replace_members(raw, {"id": "b"}) == raw.replace(b'"a"', b'"b"')
    assert remove_member(raw, "id") == b'{"text":"\xff\xfe","\xff":1}'


def test_the_bytes_of_a_member() -> None:
    assert member(b'{"a": [1,  2] , "b":3}', "a") == b"[1,  2]"
    assert member(b'{"a":1}', "b") is None


@pytest.mark.parametrize("raw", [b"", b"[]", b'{"a"', b'{"a":1', b'{"a" 1}', b"{1:2}", b'{"a":1,}'])
def test_what_is_no_object_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError):
        replace_members(raw, {"id": "x"})
