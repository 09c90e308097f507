"""Questions on the normal screen, before there is a client."""

import io

import pytest

from pi_tui.runtime.launch import Answer, ChoiceNeeded, Launch
from pi_tui.tui.ask_before import Declined, ask, open_asking

BUSY = ChoiceNeeded(
    "busy", "It is open.", "when_busy", (Answer("fork", "fork it"), Answer("read_only", "look"))
)
GONE = ChoiceNeeded(
    "gone", "It is \x1b[31mgone.", "when_gone", (Answer("here", "here"), Answer("fork", "fork it"))
)


def typed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


@pytest.mark.parametrize(
    ("text", "value"), [("1\n", "fork"), (" 2 \n", "read_only"), ("x\n9\n\n2\n", "read_only")]
)
def test_a_number_chooses(text: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(text, monkeypatch)
    assert ask(BUSY) == value


@pytest.mark.parametrize("text", ["3\n", "", "x\n", "x\n" * 100])
def test_leaving_is_always_possible(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(text, monkeypatch)
    with pytest.raises(Declined):
        ask(BUSY)


def test_one_question_may_follow_another(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path
) -> None:
    typed("1\n2\n", monkeypatch)
    readied = []

    def open_it(launch: Launch) -> Launch:
        if launch.when_gone is None:
            raise GONE
        if launch.when_busy is None:
            raise BUSY
        return launch

    launch = open_asking(Launch(cwd=tmp_path), open_it, lambda: readied.append(True))
    assert (launch.when_gone, launch.when_busy, readied) == ("here", "read_only", [True])
    said = capsys.readouterr().out
    assert "It is ?[31mgone." in said and "  3  leave" in said
