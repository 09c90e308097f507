import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from pi_tui.llm.errors import ErrorKind
from pi_tui.llm.failures import MAX_MESSAGE, advice, failure_of, failure_of_body, retry_after_of
from pi_tui.llm.model import Model

WORDINGS = json.loads((Path(__file__).parents[1] / "fixtures" / "overflow-errors.json").read_text("utf-8"))
MODEL = Model(id="m", provider="p", api="openai-completions", base_url="http://127.0.0.1:1/v1")


def named(row: dict) -> str:
    return f"{row['provider']} {row['status']} {row['message'][:30]}"


def body_of(message: str) -> dict | str:
    return {"error": {"message": message, "type": "invalid_request_error"}} if message else ""


@pytest.mark.parametrize("row", WORDINGS["overflow"], ids=named)
def test_every_known_wording_of_an_overflow_is_one(row: dict) -> None:
    assert failure_of_body(body_of(row["message"]), row["status"]).kind is ErrorKind.CONTEXT_OVERFLOW


@pytest.mark.parametrize("row", WORDINGS["not_overflow"], ids=named)
def test_a_rate_limit_that_counts_tokens_is_no_overflow(row: dict) -> None:
    assert failure_of_body(body_of(row["message"]), row["status"]).kind is not ErrorKind.CONTEXT_OVERFLOW


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (
            429,
            {"error": {"message": "rate limit reached: 30000 input tokens per minute"}},
            ErrorKind.RATE_LIMIT,
        ),
        (429, {"error": {"message": "x", "code": "insufficient_quota"}}, ErrorKind.QUOTA),
        (400, {"error": {"message": "Your credit balance is too low to access the API."}}, ErrorKind.QUOTA),
        (402, {"error": {"message": "Payment required"}}, ErrorKind.QUOTA),
        (401, {"error": {"message": "no auth"}}, ErrorKind.AUTHENTICATION),
        (403, {"error": {"message": "forbidden"}}, ErrorKind.AUTHENTICATION),
        (403, {"error": {"message": "Input flagged by moderation"}}, ErrorKind.CONTENT_FILTER),
        (
            400,
            [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}],
            ErrorKind.AUTHENTICATION,
        ),
        (400, {"error": {"message": "filtered", "code": "content_filter"}}, ErrorKind.CONTENT_FILTER),
        (400, {"detail": "tools[0].name is bad"}, ErrorKind.INVALID_REQUEST),
        (404, {"error": {"message": "model not found"}}, ErrorKind.INVALID_REQUEST),
        (
            503,
            {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}},
            ErrorKind.OVERLOADED,
        ),
        (529, {"error": {"message": "Overloaded"}}, ErrorKind.OVERLOADED),
        (
            500,
            {"error": {"message": "the request exceeds the available context size"}},
            ErrorKind.CONTEXT_OVERFLOW,
        ),
        (None, {"error": {"code": 502, "message": "upstream"}}, ErrorKind.OVERLOADED),
        (None, {"error": {"message": "strange", "type": "never_seen"}}, ErrorKind.OVERLOADED),
        (None, {"type": "error", "error": {"type": "billing_error", "message": "x"}}, ErrorKind.QUOTA),
        (None, {"error": "prompt is too long"}, ErrorKind.CONTEXT_OVERFLOW),
    ],
    ids=str,
)
def test_status_first_then_name_then_wording(status: int | None, body: object, kind: ErrorKind) -> None:
    assert failure_of_body(body, status).kind is kind


def test_a_web_page_is_cut_to_a_sentence() -> None:
    page = (
        "<!DOCTYPE html><html><head><style>x{}</style><title>502 Bad\nGateway</title></head><body>long</body>"
    )
    assert failure_of_body(page, 502).message == "502: The server answered with a web page: 502 Bad Gateway."


def test_a_long_message_is_cut() -> None:
    assert len(failure_of_body({"error": {"message": "word " * 5000}}, 400).message) <= MAX_MESSAGE + len(
        "400: "
    )


@pytest.mark.parametrize(
    "said",
    [
        "Incorrect API key provided: sk-proj-abcdefghijklmnop.",
        "Header: Bearer abcdefgh12345678",
        "bad my-own-key!",
    ],
)
def test_no_key_is_repeated(said: str) -> None:
    message = failure_of_body({"error": {"message": said}}, 401, keys=["my-own-key"]).message
    assert "[key hidden]" in message
    assert not any(secret in message for secret in ("abcdefgh", "my-own-key"))


def test_a_local_servers_pretence_of_a_key_is_not_cut_out_of_words() -> None:
    assert (
        failure_of_body({"error": {"message": "nonexistent"}}, 404, keys=["none"]).message
        == "404: nonexistent"
    )


def test_an_exception_nobody_foresaw_is_still_sorted() -> None:
    failure = failure_of(KeyError("choices"))
    assert failure.kind is ErrorKind.INTERNAL
    assert "KeyError" in failure.message


def test_retry_after_in_seconds_in_milliseconds_and_as_a_date() -> None:
    assert retry_after_of({"retry-after": "2.5"}) == 2.5
    assert retry_after_of({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert retry_after_of({"retry-after": later}) == pytest.approx(60, abs=3)
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=60), usegmt=True)
    assert retry_after_of({"retry-after": past}) == 0
    assert retry_after_of({"retry-after": "soon"}) is None
    assert retry_after_of({}) is None


@pytest.mark.parametrize("kind", ErrorKind)
def test_every_kind_comes_with_one_sentence_of_advice(kind: ErrorKind) -> None:
    sentence = advice(kind, MODEL)
    assert sentence.endswith(".")
    assert "\n" not in sentence
