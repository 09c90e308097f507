"""Sorts everything a provider, its SDK or the network can do wrong into `ProviderError`s.

The type of the exception and the HTTP status decide first, the wording only where they do not. Exceptions are
told apart by the names of their classes, so that no SDK needs to be imported here.
"""

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Literal

import msgspec

from pi_tui.llm.error_wordings import kind_of_name, kind_of_wording, says_overflow, says_quota, says_refused
from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.model import Model
from pi_tui.llm.secrets import redact
from pi_tui.llm.sse import SseError

MAX_MESSAGE = 500
"""Characters of a provider's message that are kept."""

BY_STATUS: dict[int | None, ErrorKind] = {
    401: ErrorKind.AUTHENTICATION,
    402: ErrorKind.QUOTA,
    407: ErrorKind.AUTHENTICATION,
    408: ErrorKind.OVERLOADED,
    409: ErrorKind.OVERLOADED,
    413: ErrorKind.CONTEXT_OVERFLOW,
    425: ErrorKind.OVERLOADED,
}
UNLESS_WORDED = {403: ErrorKind.AUTHENTICATION}
TIMEOUTS = {"APITimeoutError", "TimeoutException", "TimeoutError"}
CONNECTION = {"APIConnectionError", "TransportError", "ConnectionError", "OSError", "StreamError"}
MALFORMED = {"DecodeError", "JSONDecodeError", "APIResponseValidationError", "DecodingError"}
BAD_URL = {"UnsupportedProtocol", "InvalidURL", "TooManyRedirects"}

ADVICE = {
    ErrorKind.CONTEXT_OVERFLOW: "The conversation is too long for {model}: /compact it, or choose a larger model.",
    ErrorKind.RATE_LIMIT: "{provider} asks for fewer requests: wait a little, or choose another model.",
    ErrorKind.OVERLOADED: "The trouble is at {provider}: try again in a moment, or choose another model.",
    ErrorKind.NETWORK: "Check that {where} can be reached (network, proxy, server running), then send again.",
    ErrorKind.AUTHENTICATION: "Check the key for {provider}: /login stores a new one.",
    ErrorKind.QUOTA: "Check plan and billing at {provider}, or choose another model with /model.",
    ErrorKind.INVALID_REQUEST: "{model} did not take the request: check models.json, or choose another model.",
    ErrorKind.CONTENT_FILTER: "The provider refused this content: rephrase it, or choose another model.",
    ErrorKind.INTERNAL: "This is a fault of the program, not of {provider}: send again, or choose another model.",
}


class provider_errors(AbstractContextManager[None]):
    """Whatever is raised inside leaves as `ProviderError` without `keys` in it; cancellation passes."""

    def __init__(self, keys: Iterable[str | None] = ()) -> None:
        self._keys = list(keys)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        if isinstance(error, ProviderError):
            error.message = redact(error.message, self._keys)
            error.args = (error.message,)
        elif isinstance(error, Exception):
            # No cause, since what it says may hold a key, and tracebacks are shown and sent around.
            raise failure_of(error, self._keys) from None
        return False


def failure_of(error: Exception, keys: Iterable[str | None] = ()) -> ProviderError:
    """The failure that an exception of an SDK, of httpx or of decoding stands for; without `keys` in it."""
    causes = _causes(error)
    names = {cls.__name__ for cause in causes for cls in type(cause).__mro__}
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and "APIResponseValidationError" not in names:
        return _status_failure(error, status, keys)
    # The SDKs wrap what really happened in a "Connection error.".
    said = _one_line(str(causes[-1]) or type(causes[-1]).__name__, keys)
    if "UnicodeEncodeError" in names or ("LocalProtocolError" in names and "header" in said.lower()):
        # httpx quotes the header, key and all.
        reason = "The API key or a header has characters that cannot be sent."
        return ProviderError(ErrorKind.AUTHENTICATION, reason)
    if names & BAD_URL:
        return ProviderError(ErrorKind.INVALID_REQUEST, f"The model's base URL does not work: {said}")
    if isinstance(causes[-1], SseError):
        return ProviderError(ErrorKind.OVERLOADED, f"The server sent {said}.")
    if names & MALFORMED:
        return ProviderError(ErrorKind.NETWORK, f"The server sent something malformed: {said}")
    if names & TIMEOUTS:
        return ProviderError(ErrorKind.NETWORK, f"No answer{_from_host(error)} in time.")
    if names & CONNECTION:
        return ProviderError(ErrorKind.NETWORK, f"The connection{_from_host(error)} failed: {said}")
    return ProviderError(ErrorKind.INTERNAL, f"Unexpected {type(error).__name__}: {said}")


def failure_of_body(
    body: Any, status: int | None = None, *, retry_after: float | None = None, keys: Iterable[str | None] = ()
) -> ProviderError:
    """The failure an error body tells of: from an HTTP error, or (without status) from inside a stream."""
    if isinstance(body, bytes | str):
        body = _decoded(body)
    code, kind_name, message = _parts(body)
    if status is None and code.isdigit() and 400 <= int(code) < 600:
        status = int(code)
    kind = _kind(status, code, kind_name, message, body)
    said = _one_line(message, keys) or _one_line(kind_name or code, keys) or "no reason given"
    return ProviderError(
        kind, f"{status}: {said}" if status else said, status=status, retry_after=retry_after
    )


def advice(kind: ErrorKind, model: Model) -> str:
    """One sentence that tells the user what to do about a failure."""
    where = re.sub("//[^/@]*@", "//", model.base_url) or model.provider
    return ADVICE[kind].format(model=model.ref, provider=model.provider, where=where)


def retry_after_of(headers: Any) -> float | None:
    """Seconds, from `retry-after-ms` or either form of `retry-after`."""
    milliseconds, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds:
            return max(0.0, float(milliseconds) / 1000)
        return max(0.0, float(value)) if value else None
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _status_failure(error: Any, status: int, keys: Iterable[str | None]) -> ProviderError:
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", {})
    body = getattr(error, "body", None)
    return failure_of_body(
        body if body is not None else "", status, retry_after=retry_after_of(headers), keys=keys
    )


def _kind(status: int | None, code: str, name: str, message: str, body: Any) -> ErrorKind:
    named = kind_of_name(code) or kind_of_name(name)
    if status in BY_STATUS:
        return BY_STATUS[status]
    # Cerebras refuses too long a prompt with an empty body.
    if named is ErrorKind.CONTEXT_OVERFLOW or (status == 400 and not message and not body):
        return ErrorKind.CONTEXT_OVERFLOW
    if named is ErrorKind.QUOTA:
        return named
    if status == 429:
        return ErrorKind.QUOTA if says_quota(message) else ErrorKind.RATE_LIMIT
    if status is not None and status >= 500:
        return _kind_of_trouble(status, message)
    if status is None:
        # An error inside a stream whose name we do not know is the server's own trouble.
        return named or kind_of_wording(message, ErrorKind.OVERLOADED)
    return kind_of_wording(message, named or UNLESS_WORDED.get(status, ErrorKind.INVALID_REQUEST))


def _kind_of_trouble(status: int, message: str) -> ErrorKind:
    """Proxies and small servers wrap a refused request in a 500, which no retry would help."""
    if status == 500 and says_overflow(message):
        return ErrorKind.CONTEXT_OVERFLOW
    if status == 500 and says_refused(message):
        return ErrorKind.INVALID_REQUEST
    return ErrorKind.OVERLOADED


def _decoded(body: bytes | str) -> Any:
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    if re.match(r"\s*(<!doctype|<html|<head|<body|<\?xml)", text, re.IGNORECASE):
        found = re.search(r"<(title|h1)[^>]*>(.*?)</\1>", text, re.IGNORECASE | re.DOTALL)
        page = re.sub(r"<[^>]+>|\s+", " ", found.group(2)).strip() if found else ""
        return f"The server answered with a web page{f': {page}' if page else ''}."
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _parts(body: Any) -> tuple[str, str, str]:
    """Code, type and message of an error body in any of the forms in use."""
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, str):
        inner = _decoded(body)
        return ("", "", inner) if isinstance(inner, str) else _parts(inner)
    if not isinstance(body, dict):
        return "", "", ""
    error = body.get("error", body)
    if isinstance(error, str):
        return str(body.get("code") or ""), "", error
    if not isinstance(error, dict):
        return "", "", ""
    message = error.get("message") or error.get("detail") or body.get("message") or body.get("detail") or ""
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and metadata.get("raw"):
        message = f"{message}: {metadata['raw']}"
    return str(error.get("code") or ""), str(error.get("type") or error.get("status") or ""), str(message)


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what it came from, the first cause last."""
    causes = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    return causes


def _from_host(error: Exception) -> str:
    try:
        host = error.request.url.host  # type: ignore[attr-defined]
    except (AttributeError, RuntimeError):
        return ""
    return f" to {host}" if isinstance(host, str) and host else ""


def _one_line(text: str, keys: Iterable[str | None]) -> str:
    line = redact(" ".join(text.split()), keys)
    return line if len(line) <= MAX_MESSAGE else line[: MAX_MESSAGE - 1] + "…"
