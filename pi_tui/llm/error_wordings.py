"""How providers word and name their errors, where the HTTP status does not say enough."""

import re

from pi_tui.llm.errors import ErrorKind

_OVERFLOW = re.compile(
    "|".join(
        (
            r"prompt (is )?too long",
            r"request_too_large",
            r"exceeds? the context window",
            r"context[ _](window|length|size)[ _]?exceed",
            r"context_length_exceeded",
            r"exceed_context_size",
            r"context ?window ?exceed",
            r"maximum (context|prompt) length",
            r"max(imum)? context length",
            r"input token count .*exceeds the maximum",
            r"reduce the length of the (messages|prompt|input)",
            r"maximum allowed input length",
            r"longer than the model's context length",
            r"prompt token count of \d+ exceeds",
            r"exceeds? the available context",
            r"greater than the context length",
            r"context window exceeds",
            r"exceeded model token limit",
            r"too large for model with \d+",
            r"prompt exceeds max",
            r"range of input length should be",
            r"input is too long",
            r"input length and .?max_tokens.? exceed",
            r"input (is )?longer than the (maximum|model)",
            r"tokens? (in|of) (the )?(prompt|input).* exceeds? the (model|context|limit|maximum)",
            r"model_context_window_exceeded",
        )
    ),
    re.IGNORECASE,
)

_QUOTA = re.compile(
    r"insufficient[_ ](quota|balance|credits?|funds)|exceeded your current quota|credit balance is too low"
    r"|billing|payment required|out of credits|not enough credits|spending limit|quota exhausted|add credits",
    re.IGNORECASE,
)

_AUTHENTICATION = re.compile(
    r"(invalid|incorrect|missing|expired|no) (x-)?api[- ]?key|api key not (valid|found)|api[_ ]key[_ ]invalid"
    r"|unauthori[sz]ed|authentication failed|invalid (bearer )?token",
    re.IGNORECASE,
)

_FILTER = re.compile(
    r"content[ _](filter|policy|management)|flagged|moderation|safety system|usage policy"
    r"|data_inspection_failed|inappropriate content",
    re.IGNORECASE,
)

_REFUSED = re.compile(
    r"image input is not supported|does not support (image|vision|audio|tool)|mmproj|unsupported (image|content)"
    r"|failed to (parse|decode|load|process) (the )?(messages|image|tool|input|request|json|template)"
    r"|json\.exception|parse[ _]error|invalid (message|role|json|image)|chat[ _]template|jinja"
    r"|unknown argument|unexpected role|roles must alternate",
    re.IGNORECASE,
)
"""What small servers say in a 500 about a request that will never pass."""

_NAMES = {
    "overloaded_error": ErrorKind.OVERLOADED,
    "overloaded": ErrorKind.OVERLOADED,
    "api_error": ErrorKind.OVERLOADED,
    "server_error": ErrorKind.OVERLOADED,
    "internal_server_error": ErrorKind.OVERLOADED,
    "unavailable": ErrorKind.OVERLOADED,
    "unavailable_error": ErrorKind.OVERLOADED,
    "timeout_error": ErrorKind.OVERLOADED,
    "rate_limit_error": ErrorKind.RATE_LIMIT,
    "rate_limit_exceeded": ErrorKind.RATE_LIMIT,
    "resource_exhausted": ErrorKind.RATE_LIMIT,
    "authentication_error": ErrorKind.AUTHENTICATION,
    "permission_error": ErrorKind.AUTHENTICATION,
    "invalid_api_key": ErrorKind.AUTHENTICATION,
    "billing_error": ErrorKind.QUOTA,
    "insufficient_quota": ErrorKind.QUOTA,
    "request_too_large": ErrorKind.CONTEXT_OVERFLOW,
    "context_length_exceeded": ErrorKind.CONTEXT_OVERFLOW,
    "exceed_context_size_error": ErrorKind.CONTEXT_OVERFLOW,
    "content_filter": ErrorKind.CONTENT_FILTER,
    "content_policy_violation": ErrorKind.CONTENT_FILTER,
    "data_inspection_failed": ErrorKind.CONTENT_FILTER,
}


def kind_of_name(name: str) -> ErrorKind | None:
    """What an error's `type` or `code` says, where it says enough: `invalid_request_error` does not."""
    return _NAMES.get(name.lower())


def says_overflow(message: str) -> bool:
    return _OVERFLOW.search(message) is not None


def says_refused(message: str) -> bool:
    """Whether a server that calls it its own trouble complains of the request in fact."""
    return _REFUSED.search(message) is not None


def says_quota(message: str) -> bool:
    return _QUOTA.search(message) is not None


def kind_of_wording(message: str, otherwise: ErrorKind) -> ErrorKind:
    """What the words of a refusal mean."""
    for pattern, kind in (
        (_OVERFLOW, ErrorKind.CONTEXT_OVERFLOW),
        (_QUOTA, ErrorKind.QUOTA),
        (_AUTHENTICATION, ErrorKind.AUTHENTICATION),
        (_FILTER, ErrorKind.CONTENT_FILTER),
    ):
        if pattern.search(message):
            return kind
    return otherwise
