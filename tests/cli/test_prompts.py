"""How piped input, files and messages become prompts."""

import base64
import io
import os
from pathlib import Path

import pytest

from pi_tui.cli.arguments import UsageError
from pi_tui.cli.inline_size import MAX_INLINE_BYTES
from pi_tui.cli.prompts import build_prompts, read_piped

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_each_message_is_a_prompt_of_its_own(tmp_path: Path) -> None:
    built = build_prompts(["one", "two"], [], "", tmp_path)
    assert [(prompt.text, prompt.images) for prompt in built] == [("one", []), ("two", [])]


def test_nothing_said_is_no_prompt(tmp_path: Path) -> None:
    assert build_prompts([], [], " \n", tmp_path) == []


def test_piped_input_stands_before_the_prompt_and_apart_from_it(tmp_path: Path) -> None:
    [prompt] = build_prompts(["Summarize"], [], "piped text\n", tmp_path)
    assert prompt.text == "<stdin>\npiped text\n</stdin>\n\nSummarize"


def test_piped_input_alone_is_the_prompt_itself(tmp_path: Path) -> None:
    assert build_prompts([], [], "what is 6 × 7?\n", tmp_path)[0].text == "what is 6 × 7?"


def test_a_file_stands_whole_in_the_first_prompt_with_its_absolute_path(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("x = 1\n", encoding="utf-8")
    first, second = build_prompts(["explain", "more"], ["src/a.py"], "", tmp_path)
    assert first.text == f'<file name="{tmp_path}/src/a.py">\nx = 1\n</file>\n\nexplain'
    assert second.text == "more"


def test_piped_input_files_and_message_keep_this_order(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    [prompt] = build_prompts(["do"], ["a", "b"], "in", tmp_path)
    positions = [prompt.text.index(part) for part in ("<stdin>", f"{tmp_path}/a", f"{tmp_path}/b", "\n\ndo")]
    assert positions == sorted(positions)


def test_a_file_without_a_message_is_a_prompt(tmp_path: Path) -> None:
    (tmp_path / "todo.md").write_text("- this")
    assert "- this" in build_prompts([], ["todo.md"], "", tmp_path)[0].text


def test_an_image_is_sent_as_an_image(tmp_path: Path) -> None:
    (tmp_path / "shot").write_bytes(PIXEL)
    [prompt] = build_prompts(["look"], ["shot"], "", tmp_path)
    assert prompt.text == f'<file name="{tmp_path}/shot"></file>\n\nlook'
    [image] = prompt.images
    assert image.mime_type == "image/png"
    assert base64.b64decode(image.data)[:8] == PIXEL[:8]


def test_text_in_another_encoding_is_taken_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    assert "caf�" in build_prompts([], ["latin"], "", tmp_path)[0].text


@pytest.mark.parametrize(
    ("name", "content"),
    [("gone", None), ("zip", b"PK\x03\x04\x00\x00"), ("broken.png", PIXEL[:20]), ("nul\0name", None)],
)
def test_a_file_that_cannot_be_sent_is_named(tmp_path: Path, name: str, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError) as raised:
        build_prompts(["x"], [name], "", tmp_path)
    assert f"@{name}" in str(raised.value)


def test_a_folder_or_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(UsageError, match="not a file"):
            build_prompts([], [name], "", tmp_path)


def test_too_much_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"a" * (MAX_INLINE_BYTES + 1))
    with pytest.raises(UsageError, match="@big is larger than 4 MiB"):
        build_prompts([], ["big"], "", tmp_path)
    with pytest.raises(UsageError, match="standard input is larger than 4 MiB"):
        read_piped(io.BytesIO(b"a" * (MAX_INLINE_BYTES + 1)))


def test_piped_bytes_that_are_not_utf8_are_replaced() -> None:
    assert read_piped(io.BytesIO(b"caf\xe9")) == "caf�"
