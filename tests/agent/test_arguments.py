"""What models send, what a tool gets of it, and what the model is told otherwise."""

import copy
import json

import pytest

from pi_tui.agent.arguments import MAX_PROBLEMS, MAX_SHOWN, ArgumentError, prepare

READ = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "offset": {"type": "integer", "minimum": 1},
        "ratio": {"type": "number"},
        "all": {"type": "boolean"},
        "kind": {"enum": ["text", "image"]},
        "note": {"type": ["string", "null"]},
    },
    "required": ["path"],
    "additionalProperties": False,
}
EDIT = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "edits": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}},
                "required": ["oldText", "newText"],
            },
        },
        "tags": {"type": "array", "items": {"type": "string"}},
        "lines": {"type": "array", "items": {"type": "integer"}},
        "where": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]},
        "options": {"type": "object", "properties": {"deep": {"type": "boolean"}}},
    },
}
ONE_EDIT = {"oldText": "a", "newText": "b"}


@pytest.mark.parametrize(
    ("schema", "sent", "taken"),
    [
        pytest.param(READ, {"path": "a"}, {"path": "a"}, id="as it should be"),
        pytest.param(READ, {"path": "1"}, {"path": "1"}, id="a text that looks like a number stays a text"),
        pytest.param(READ, {"path": "{}"}, {"path": "{}"}, id="a text that looks like JSON stays a text"),
        pytest.param(
            READ, {"path": "a", "offset": "12"}, {"path": "a", "offset": 12}, id="integer in a string"
        ),
        pytest.param(READ, {"path": "a", "offset": " 12 "}, {"path": "a", "offset": 12}, id="with blanks"),
        pytest.param(READ, {"path": "a", "offset": 12.0}, {"path": "a", "offset": 12}, id="whole float"),
        pytest.param(
            READ, {"path": "a", "offset": "12.0"}, {"path": "a", "offset": 12}, id="whole float in a string"
        ),
        pytest.param(
            READ, {"path": "a", "ratio": "0.5"}, {"path": "a", "ratio": 0.5}, id="number in a string"
        ),
        pytest.param(READ, {"path": "a", "ratio": 2}, {"path": "a", "ratio": 2}, id="an integer is a number"),
        pytest.param(READ, {"path": "a", "all": "true"}, {"path": "a", "all": True}, id="true in a string"),
        pytest.param(
            READ, {"path": "a", "all": "False"}, {"path": "a", "all": False}, id="False in a string"
        ),
        pytest.param(READ, {"path": "a", "offset": None}, {"path": "a"}, id="null for an absent field"),
        pytest.param(
            READ, {"path": "a", "note": None}, {"path": "a", "note": None}, id="null where null is meant"
        ),
        pytest.param(EDIT, {"edits": [ONE_EDIT]}, {"edits": [ONE_EDIT]}, id="a list"),
        pytest.param(EDIT, {"edits": json.dumps([ONE_EDIT])}, {"edits": [ONE_EDIT]}, id="a list in a string"),
        pytest.param(EDIT, {"edits": ONE_EDIT}, {"edits": [ONE_EDIT]}, id="the one element of a list"),
        pytest.param(
            EDIT, {"edits": json.dumps(ONE_EDIT)}, {"edits": [ONE_EDIT]}, id="that element in a string"
        ),
        pytest.param(
            EDIT, {"edits": [json.dumps(ONE_EDIT)]}, {"edits": [ONE_EDIT]}, id="an element in a string"
        ),
        pytest.param(
            EDIT,
            {"edits": '[{"oldText": "a\n\tb", "newText": ""}]'},
            {"edits": [{"oldText": "a\n\tb", "newText": ""}]},
            id="raw newlines in a JSON text",
        ),
        pytest.param(EDIT, {"tags": "one"}, {"tags": ["one"]}, id="the one text of a list"),
        pytest.param(EDIT, {"tags": '["one", "two"]'}, {"tags": ["one", "two"]}, id="texts in a string"),
        pytest.param(
            EDIT, {"tags": "[draft"}, {"tags": ["[draft"]}, id="a text that only begins like a list"
        ),
        pytest.param(EDIT, {"lines": ["1", 2]}, {"lines": [1, 2]}, id="inside a list"),
        pytest.param(EDIT, {"lines": "7"}, {"lines": [7]}, id="a number in a string for a list"),
        pytest.param(
            EDIT,
            {"options": '{"deep": "true"}'},
            {"options": {"deep": True}},
            id="inside an object in a string",
        ),
        pytest.param(EDIT, {"where": "3"}, {"where": 3}, id="the first that can be meant of several"),
        pytest.param(EDIT, {"where": ["3"]}, {"where": [3]}, id="the one it has the type of, of several"),
        pytest.param(EDIT, {"other": {"x": 1}}, {"other": {"x": 1}}, id="what the schema does not know"),
        pytest.param({}, {"x": "1"}, {"x": "1"}, id="a schema that says nothing"),
    ],
)
def test_what_is_taken(schema, sent, taken):
    before = copy.deepcopy(sent)
    got = prepare(schema, sent)
    assert got == taken
    assert [type(value) for value in got.values()] == [type(value) for value in taken.values()]
    assert sent == before


@pytest.mark.parametrize(
    ("schema", "sent", "told"),
    [
        pytest.param(READ, {}, ["path: missing"], id="missing"),
        pytest.param(
            READ, {"path": None}, ["path: must be of type string, not null"], id="null where needed"
        ),
        pytest.param(READ, {"path": {}}, ["path: must be of type string, not {}"], id="an object for a text"),
        pytest.param(
            READ,
            {"path": "a", "offset": "many"},
            ['offset: must be of type integer, not "many"'],
            id="no number",
        ),
        pytest.param(
            READ,
            {"path": "a", "offset": "1.5"},
            ['offset: must be of type integer, not "1.5"'],
            id="not whole",
        ),
        pytest.param(
            READ,
            {"path": "a", "offset": True},
            ["offset: must be of type integer, not true"],
            id="true is no number",
        ),
        pytest.param(
            READ,
            {"path": "a", "all": "maybe"},
            ['all: must be of type boolean, not "maybe"'],
            id="no boolean",
        ),
        pytest.param(
            READ, {"path": "a", "kind": "x"}, ['kind: must be one of "text", "image", not "x"'], id="enum"
        ),
        pytest.param(
            READ,
            {"path": "a", "file": 1},
            ["file: no such field; there are: path, offset, ratio, all, kind, note"],
            id="unknown",
        ),
        pytest.param(
            READ, {"path": "a", "offset": 0}, ["offset: 0 is less than the minimum of 1"], id="a limit"
        ),
        pytest.param(
            READ, {"offset": "x"}, ["offset: must be of type integer", "path: missing"], id="two at once"
        ),
        pytest.param(
            EDIT, {"edits": [{}]}, ["edits[0].oldText: missing", "edits[0].newText: missing"], id="nested"
        ),
        pytest.param(
            EDIT, {"edits": "[{"}, ['edits: must be of type array, not "[{"'], id="half a JSON text"
        ),
        pytest.param(EDIT, {"where": "x"}, ["where: "], id="none of several"),
    ],
)
def test_what_is_told(schema, sent, told):
    with pytest.raises(ArgumentError) as caught:
        prepare(schema, sent)
    for line in told:
        assert f"- {line}" in str(caught.value)
    assert len(str(caught.value).splitlines()) == len(told)


def test_a_huge_wrong_value_is_shown_in_part():
    with pytest.raises(ArgumentError) as caught:
        prepare(READ, {"path": ["x" * 1_000_000]})
    assert len(str(caught.value)) < MAX_SHOWN + 100


def test_many_problems_are_told_in_part():
    with pytest.raises(ArgumentError) as caught:
        prepare(EDIT, {"lines": ["x"] * 1000})
    lines = str(caught.value).splitlines()
    assert len(lines) == MAX_PROBLEMS + 1 and lines[-1] == f"- and {1000 - MAX_PROBLEMS} more"


def test_a_reference_in_a_schema_fetches_nothing():
    with pytest.raises(Exception, match="Unresolvable") as caught:
        prepare({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}}, {"a": 1})
    assert not isinstance(caught.value, ArgumentError)


def test_a_local_reference_works():
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "integer"}},
    }
    assert prepare(schema, {"a": 1}) == {"a": 1}
    with pytest.raises(ArgumentError, match="a: must be of type integer"):
        prepare(schema, {"a": []})
