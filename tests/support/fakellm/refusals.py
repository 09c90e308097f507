"""The services' ready-made errors."""

from .script import Json

# name: status, Anthropic type, OpenAI type, OpenAI code, message
PRESETS = {
    "rate_limit": (
        429,
        "rate_limit_error",
        "rate_limit_error",
        "rate_limit_exceeded",
        "Rate limit reached for requests",
    ),
    "overloaded": (529, "overloaded_error", "overloaded_error", "overloaded", "Overloaded"),
    "quota": (
        429,
        "rate_limit_error",
        "insufficient_quota",
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details.",
    ),
    "bad_request": (
        400,
        "invalid_request_error",
        "invalid_request_error",
        "invalid_request",
        "Invalid request",
    ),
    "auth": (
        401,
        "authentication_error",
        "invalid_request_error",
        "invalid_api_key",
        "Incorrect API key provided",
    ),
    "server": (500, "api_error", "server_error", "server_error", "Internal server error"),
    "unavailable": (503, "api_error", "server_error", "unavailable", "Service unavailable"),
    "too_large": (
        413,
        "request_too_large",
        "invalid_request_error",
        "request_too_large",
        "Request exceeds the maximum size",
    ),
}
OVERFLOWS = {
    "anthropic": (400, "invalid_request_error", "", "", "prompt is too long: 213462 tokens > 200000 maximum"),
    "openai": (
        400,
        "",
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens.",
    ),
    "responses": (
        400,
        "",
        "invalid_request_error",
        "context_length_exceeded",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ),
}
HTML = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


def refusal(wire: str, response: Json) -> tuple[int, dict[str, str], Json | str]:
    """Status, headers and body of the error a response asks for."""
    name = response["error"]
    if name == "html":
        return 502, {"content-type": "text/html"}, HTML
    row = OVERFLOWS[wire] if name == "overflow" else PRESETS[name]
    status, anthropic_type, openai_type, code, text = row
    headers = (
        {"retry-after": str(response.get("retry_after", 2))} if name in ("rate_limit", "unavailable") else {}
    )
    message = response.get("message", text)
    if wire == "anthropic":
        return status, headers, {"type": "error", "error": {"type": anthropic_type, "message": message}}
    return status, headers, {"error": {"message": message, "type": openai_type, "param": None, "code": code}}


def not_legal(wire: str, message: str) -> Json:
    """The body of a 400 for a request the real service would refuse."""
    if wire == "anthropic":
        return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
