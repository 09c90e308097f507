"""Keys and passwords are found where they stand; what only looks long is left alone."""

from pathlib import Path

import pytest

from pi_tui.export.secrets import MAX_FOUND, SearchStopped, find_secrets, secrets_in
from pi_tui.llm.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.session.log import SessionLog


def made_up(length: int, signs: str = "aB3dE6gH9") -> str:
    """Nobody's secret. Prefixes are put before it at run time, so that no scanner takes this file for a leak."""
    return (signs * (length // len(signs) + 1))[:length]


KEYS = [
    ("Anthropic key", "sk-ant-" + "api03-" + made_up(90)),
    ("OpenAI key", "sk-" + "proj-" + made_up(120)),
    ("OpenAI key", "sk-" + made_up(20) + "T3Blbk" + "FJ" + made_up(20)),
    ("OpenRouter key", "sk-" + "or-v1-" + made_up(64, "0a1b2c")),
    ("model service's key", "sk-" + made_up(32, "0a1b2c3")),
    ("xAI key", "xai" + "-" + made_up(80)),
    ("Groq key", "gsk" + "_" + made_up(52)),
    ("Hugging Face token", "hf" + "_" + made_up(34)),
    ("Google API key", "AI" + "za" + made_up(35)),
    ("AWS access key id", "AK" + "IA" + made_up(16, "ABC2DEF3")),
    ("GitHub token", "gh" + "p_" + made_up(36)),
    ("GitHub token", "github" + "_pat_" + made_up(82)),
    ("GitLab token", "gl" + "pat-" + made_up(20)),
    ("npm token", "np" + "m_" + made_up(36)),
    ("PyPI token", "pypi-" + "AgE" + made_up(80)),
    ("Slack token", "xo" + "xb-123456789012-" + made_up(24)),
    ("Slack web hook", "hooks.slack" + ".com/services/T0000/B0000/" + made_up(24)),
    ("Stripe key", "sk_" + "live_" + made_up(24)),
    ("SendGrid key", "S" + "G." + made_up(22) + "." + made_up(43)),
    ("Telegram bot token", "123456789" + ":AA" + made_up(33)),
    ("signed token (JWT)", "ey" + "J" + made_up(20) + ".ey" + "J" + made_up(30) + "." + made_up(40)),
    ("age key", "AGE-SECRET" + "-KEY-1" + made_up(58, "QPZRY9X8")),
]


@pytest.mark.parametrize("around", ["{}", "text before {} and after", '{{"key": "{}"}}', "KEY={}\n", "'{}',"])
@pytest.mark.parametrize(("kind", "key"), KEYS)
def test_keys_are_known_by_their_form_wherever_they_stand(kind: str, key: str, around: str) -> None:
    assert (kind, key) in [(found, secret) for found, secret, _ in secrets_in(around.format(key))]


@pytest.mark.parametrize(
    ("text", "kind", "secret"),
    [
        ("DB_PASSWORD=hunter2secret!", "environment variable", "hunter2secret!"),
        ("export API_TOKEN='abc123def456'", "environment variable", "abc123def456"),
        ("docker run -e SECRET_KEY_BASE=0f0f0f0f1 x", "environment variable", "0f0f0f0f1"),
        ('"password": "tr0ub4dor&3"', "password or key in a file", "tr0ub4dor&3"),
        ("api_key = 'abcdef123456'", "password or key in a file", "abcdef123456"),
        ("postgres://app:s3cr3tpw@db.internal/x", "password in an address", "s3cr3tpw"),
        ("https://user:p4ssw0rd@10.0.0.1", "password in an address", "p4ssw0rd"),
        ("Authorization: Bearer abc.def-0123456789", "authorization header", "abc.def-0123456789"),
        ("AccountKey=" + made_up(86) + "==", "Azure storage key", made_up(86) + "=="),
        ("aws_secret_access_key = " + made_up(40), "AWS secret key", made_up(40)),
    ],
)
def test_passwords_are_known_by_what_they_are_given_to(text: str, kind: str, secret: str) -> None:
    assert [(kind, secret)] == [(found, one) for found, one, _ in secrets_in(text)]


@pytest.mark.parametrize("lines", ["\n", "\\n"])
def test_a_private_key_is_one_secret_from_its_first_line_to_its_last(lines: str) -> None:
    body = lines.join([made_up(64)] * 20)
    key = f"-----BEGIN RSA PRIVATE {'KEY'}-----{lines}{body}{lines}-----END RSA PRIVATE {'KEY'}-----"
    assert list(secrets_in(f"a\nb {key}\nc")) == [("private key", key, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "password = input('Password: ')",
        "API_KEY=os.environ['API_KEY']",
        "API_KEY=$OTHER_KEY_NAME",
        "API_KEY=${OPENAI_API_KEY}",
        "API_KEY=<your key here>",
        "API_KEY=your-key-here-123",
        "TOKEN=xxxxxxxxxxxx",
        "ANTHROPIC_API_KEY=...",
        '"password": "********"',
        '"token": "undefined"',
        "def token(self, secret: str = 'a') -> None:",
        "tokens = 1234567890123",
        "max_tokens: 100000000",
        "https://example.com:8080/a@b",
        "https://${USER}:${PASSWORD}@host",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "sha256-" + made_up(44),
        "01a22bc6-f691-7249-80e0-eada87fa1fa1",
        "task-" + "a" * 40,
        "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
        "the private key is kept in ~/.ssh",
    ],
)
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    assert list(secrets_in(text)) == []


def test_a_secret_far_into_a_very_long_line_is_found() -> None:
    key = KEYS[0][1]
    assert [one for _, one, _ in secrets_in("token key " * 50_000 + key + " secret" * 50_000)] == [key]


@pytest.mark.parametrize("at", range(1_900, 2_100, 7))
def test_a_secret_is_whole_wherever_a_line_is_cut_for_the_search(at: int) -> None:
    key = KEYS[0][1]
    assert [one for _, one, _ in secrets_in("sk-ant-" + " " * (at - 7) + key)] == [key]


def session() -> SessionLog:
    key = KEYS[0][1]
    log = SessionLog.create(Path("/srv"), None)
    log.append_message(UserMessage(f"my key\nis {key}"))
    log.append_message(AssistantMessage([TextContent("Thanks."), ToolCall("1", "bash", {"command": "env"})]))
    log.append_message(
        ToolResultMessage("1", "bash", [TextContent(f"A=1\nB={key}\nDB_PASSWORD=hunter2!")], False)
    )
    return log


def test_a_secret_is_told_once_with_its_first_place_and_how_often_it_is_there() -> None:
    log = session()
    first, second = find_secrets(log)
    assert (first.kind, first.secret, first.times) == ("Anthropic key", KEYS[0][1], 2)
    assert first.place == f"your message {log.entry_ids[0]}, line 2, 2 times in all"
    assert second.place == f"result of bash {log.entry_ids[2]}, line 3"


def test_a_secret_is_never_shown_in_full() -> None:
    for found in find_secrets(session()):
        assert found.secret not in found.masked
        shown = found.masked.partition("…")[0]
        assert 0 < len(shown) <= len(found.secret) / 4
        assert found.secret.startswith(shown)


def test_other_branches_are_searched_too() -> None:
    log = session()
    log.move_to(None)
    log.append_message(UserMessage("all new"))
    assert len(find_secrets(log)) == 2


def test_images_and_the_seals_of_providers_are_not_searched() -> None:
    key = KEYS[0][1]
    log = SessionLog.create(Path("/srv"), None)
    log.append_message(UserMessage([ImageContent(key, "image/png")]))
    log.append_message(AssistantMessage([ThinkingContent("hm", thinking_signature=key)]))
    assert find_secrets(log) == []


def test_hostile_names_do_not_reach_the_screen() -> None:
    log = SessionLog.create(Path("/srv"), None)
    log.append_message(
        ToolResultMessage("1", "\x1b[2J\nx" * 100, [TextContent("PASSWORD=\x1b[31mabc123def456")], False)
    )
    [found] = find_secrets(log)
    assert found.place.isprintable() and found.masked.isprintable()
    assert len(found.place) < 200


def test_the_list_of_secrets_is_bounded() -> None:
    log = SessionLog.create(Path("/srv"), None)
    log.append_message(
        UserMessage("\n".join(f"PASSWORD=pass{number:08}" for number in range(MAX_FOUND + 50)))
    )
    assert len(find_secrets(log)) == MAX_FOUND


def test_a_search_can_be_stopped() -> None:
    with pytest.raises(SearchStopped):
        find_secrets(session(), lambda: True)
