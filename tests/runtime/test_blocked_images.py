import json
from pathlib import Path

import pytest

from pi_tui.llm.messages import ImageContent, TextContent, ToolResultMessage, UserMessage
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.runtime import services
from pi_tui.runtime.blocked_images import BLOCKED, without_images
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session

PICTURE = ImageContent(data="AAAA", mime_type="image/png")


def test_a_note_takes_the_place_of_each_image_and_the_rest_stays() -> None:
    plain = UserMessage(content="hello")
    shown = UserMessage(content=[TextContent("look"), PICTURE])
    result = ToolResultMessage(tool_call_id="1", tool_name="read", content=[PICTURE], is_error=False)
    kept, first, second = without_images([plain, shown, result])
    assert kept is plain
    assert first.content == [TextContent("look"), TextContent(BLOCKED)]
    assert second.content == [TextContent(BLOCKED)]
    assert shown.content[1] is PICTURE


@pytest.mark.parametrize("blocked", [True, False])
def test_the_setting_decides(
    blocked: bool, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / ".pi" / "agent" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"images": {"blockImages": blocked}}))
    session = open_session(Launch(cwd=tmp_path, demo=True, offline=True))
    sent: list[Context] = []
    monkeypatch.setattr(
        services, "stream_function", lambda api: lambda model, context, *_: sent.append(context)
    )
    context = Context("", [UserMessage(content=[PICTURE])])
    assert session.model is not None
    session.services.stream(session.model, context, StreamOptions(), None)  # type: ignore[arg-type]
    assert (BLOCKED in repr(sent)) is blocked
    session.close()
