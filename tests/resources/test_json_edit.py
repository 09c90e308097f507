import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_tui.resources.json_edit import CannotEdit, edited

TEXT = """{
  // Colours.
  "theme": "dark", /* the usual */
  "retry": {
    "maxRetries": 3, // three
  },
  'single': [1, {"a": "}"}],
  "last": "https://example.org/x" // no comma
}
"""


@pytest.mark.parametrize(
    ("keys", "value", "change"),
    [
        (["theme"], "light", ('"theme": "dark"', '"theme": "light"')),
        (["retry", "maxRetries"], 5, ('"maxRetries": 3,', '"maxRetries": 5,')),
        (
            ["retry", "enabled"],
            False,
            ('"maxRetries": 3, // three\n', '"maxRetries": 3,\n    "enabled": false, // three\n'),
        ),
        (["last"], "x", ('"https://example.org/x" //', '"x" //')),
        (["new"], True, ('example.org/x" //', 'example.org/x",\n  "new": true //')),
        (["a", "b"], 1, ('example.org/x" //', 'example.org/x",\n  "a": {\n    "b": 1\n  } //')),
        (["theme"], None, ('\n  "theme": "dark", /*', " /*")),
        (["last"], None, (',\n  "last": "https://example.org/x" //', " //")),
        (["not there"], None, ("", "")),
    ],
)
def test_one_value_changes_and_every_comment_stays(keys, value, change):
    assert edited(TEXT, keys, value, 2) == TEXT.replace(*change, 1)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a" 1}', '{"a": {', '{"a": 1} /', '{"a": 3}'])
def test_what_is_not_understood_is_left_alone(text):
    with pytest.raises(CannotEdit):
        edited(text, ["a", "b"], 1, 2)


def test_an_empty_object_gets_its_first_member():
    assert edited("{ }\n", ["a"], 1, 4) == '{\n    "a": 1\n}\n'


WORDS = st.text('ab/*{,"\\é', max_size=4)
VALUES = st.none() | st.booleans() | st.integers(0, 9) | WORDS | st.lists(WORDS, max_size=2)
OBJECTS = st.dictionaries(WORDS, VALUES | st.dictionaries(WORDS, VALUES, max_size=2), max_size=3)


@settings(max_examples=40, deadline=None)
@given(OBJECTS, WORDS, VALUES.filter(lambda value: value is not None))
def test_the_result_means_what_was_asked(data, key, value):
    text = json.dumps(data, indent=2)
    assert json.loads(edited(text, [key], value, 2)) == data | {key: value}
    assert json.loads(edited(text, [key], None, 2)) == {k: v for k, v in data.items() if k != key}
