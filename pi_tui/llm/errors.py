"""What can go wrong at a provider, sorted by what the user or the loop can do about it."""

from enum import StrEnum


class ErrorKind(StrEnum):
    CONTEXT_OVERFLOW = "context_overflow"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    """The server's own trouble: 5xx, 529, a model that is still loading."""
    NETWORK = "network"
    """No connection, a reset, silence, or a stream that ended without a stop reason."""
    AUTHENTICATION = "authentication"
    QUOTA = "quota"
    INVALID_REQUEST = "invalid_request"
    CONTENT_FILTER = "content_filter"
    INTERNAL = "internal"
    """No fault of the provider: an unexpected exception in this program or an extension."""


RETRYABLE = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED, ErrorKind.NETWORK})

LOADING_STATUS = 503


class ProviderError(Exception):
    """A request that failed at the provider or on the way there.

    Args:
        kind: What sort of failure it is.
        message: What the provider said, in one line, without keys.
        status: The HTTP status, where there was one.
        retry_after: Seconds the server asks us to wait.
    """

    def __init__(
        self, kind: ErrorKind, message: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = status
        self.retry_after = retry_after

    @property
    def loading(self) -> bool:
        """Whether a server is still reading its model from the disk: it will answer, if not soon."""
        return self.status == LOADING_STATUS and "loading" in self.message.lower()

    @property
    def retryable(self) -> bool:
        return self.kind in RETRYABLE
