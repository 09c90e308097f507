"""Whether a failed request is sent again, and when."""

import random as randomness
from collections.abc import Callable

from msgspec import Struct

from pi_tui.llm.errors import ProviderError

JITTER = 0.25
"""The part of a delay that is left to chance, so that many clients do not come back at once."""

LOADING_RETRIES = 30
LOADING_DELAY_MS = 10_000
"""How often a server that loads its model is asked again, and the longest pause: five minutes in all."""


class RetryPolicy(Struct, frozen=True):
    """Settings `retry.enabled`, `.maxRetries`, `.baseDelayMs`, `.maxAgentDelayMs`; delays in milliseconds.

    `max_asked_ms` is `retry.provider.maxRetryDelayMs`: the longest wait a server may ask for, 0 for any.
    """

    enabled: bool = True
    max_retries: int = 3
    base_delay_ms: int = 2000
    max_delay_ms: int = 60_000
    max_asked_ms: int = 60_000

    def delay(
        self, attempt: int, error: Exception, random: Callable[[], float] = randomness.random
    ) -> float | None:
        """Seconds to wait before the retry, or None if there is to be none: `refusal` says why.

        Args:
            attempt: The number of the retry, from 1.
            error: What the last attempt failed with.
            random: A number from 0 up to 1.
        """
        if self.refusal(attempt, error) is not None:
            return None
        longest = min(self.max_delay_ms, LOADING_DELAY_MS) if _loads(error) else self.max_delay_ms
        backoff = min(self.base_delay_ms * 2.0 ** min(attempt - 1, 30), longest) / 1000
        backoff *= 1 - JITTER * random()
        asked = error.retry_after if isinstance(error, ProviderError) else None
        return max(backoff, asked or 0.0)

    def refusal(self, attempt: int, error: Exception) -> str | None:
        """Why the request is not sent again, as a sentence for the user; None if it is."""
        if not isinstance(error, ProviderError) or not error.retryable:
            return "Trying again would not help."
        if not self.enabled:
            return "Retries are switched off (retry.enabled)."
        if attempt > (max(self.max_retries, LOADING_RETRIES) if error.loading else self.max_retries):
            return f"Given up after {attempt - 1} retries (retry.maxRetries)."
        if error.retry_after is not None and 0 < self.max_asked_ms < error.retry_after * 1000:
            return (
                f"The server asks to wait {error.retry_after:.0f} s, longer than "
                f"the {self.max_asked_ms / 1000:.0f} s allowed (retry.provider.maxRetryDelayMs)."
            )
        return None


def _loads(error: Exception) -> bool:
    return isinstance(error, ProviderError) and error.loading
