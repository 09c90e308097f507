import pytest

from pi_tui.agent.retry import JITTER, LOADING_RETRIES, RetryPolicy
from pi_tui.llm.errors import ErrorKind, ProviderError

POLICY = RetryPolicy()


def error(kind=ErrorKind.OVERLOADED, retry_after=None):
    return ProviderError(kind, "Something.", retry_after=retry_after)


def no_chance():
    return 0.0


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 2), (2, 4), (3, 8)])
def test_the_delay_doubles_with_every_attempt(attempt, seconds):
    assert POLICY.delay(attempt, error(), no_chance) == seconds


def test_the_delay_has_an_upper_limit_for_any_attempt():
    policy = RetryPolicy(max_retries=10_000)
    assert policy.delay(7, error(), no_chance) == 60
    assert policy.delay(10_000, error(), no_chance) == 60


def test_chance_only_makes_it_shorter_and_by_a_bounded_part():
    assert POLICY.delay(1, error(), lambda: 0.5) == pytest.approx(2 * (1 - JITTER / 2))
    assert len({POLICY.delay(1, error()) for _ in range(20)}) > 1


def test_the_server_is_not_asked_again_before_it_wants_to_be():
    assert POLICY.delay(1, error(retry_after=30), lambda: 0.99) == 30
    assert POLICY.delay(3, error(retry_after=0.1), no_chance) == 8


def test_a_server_that_asks_for_too_long_is_not_waited_for_and_the_reason_names_both():
    late = error(ErrorKind.RATE_LIMIT, retry_after=300)
    assert POLICY.delay(1, late) is None
    assert "300 s" in POLICY.refusal(1, late) and "60 s" in POLICY.refusal(1, late)


@pytest.mark.parametrize("kind", [ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED, ErrorKind.NETWORK])
def test_what_passes_by_itself_is_retried(kind):
    assert POLICY.delay(1, error(kind)) is not None and POLICY.refusal(1, error(kind)) is None


@pytest.mark.parametrize(
    "kind",
    [
        ErrorKind.QUOTA,
        ErrorKind.AUTHENTICATION,
        ErrorKind.INVALID_REQUEST,
        ErrorKind.CONTEXT_OVERFLOW,
        ErrorKind.CONTENT_FILTER,
        ErrorKind.INTERNAL,
    ],
)
def test_what_stays_wrong_is_never_retried(kind):
    assert POLICY.delay(1, error(kind, retry_after=1)) is None and POLICY.refusal(1, error(kind))


def test_an_exception_that_is_no_provider_error_is_never_retried():
    assert POLICY.delay(1, KeyError("x")) is None


def test_the_last_attempt_is_the_last():
    assert POLICY.delay(3, error()) is not None
    assert POLICY.delay(4, error()) is None and "3 retries" in POLICY.refusal(4, error())


def test_retries_can_be_switched_off():
    policy = RetryPolicy(enabled=False)
    assert policy.delay(1, error()) is None and "retry.enabled" in policy.refusal(1, error())


def test_how_long_a_server_may_ask_us_to_wait_is_a_limit_of_its_own():
    patient = RetryPolicy(max_delay_ms=1000, max_asked_ms=0)
    assert patient.delay(1, error(ErrorKind.RATE_LIMIT, retry_after=300)) == 300
    assert RetryPolicy(max_asked_ms=5000).delay(1, error(ErrorKind.RATE_LIMIT, retry_after=6)) is None


def test_a_server_that_loads_its_model_is_waited_for_in_short_steps():
    loading = ProviderError(ErrorKind.OVERLOADED, "503: Loading model", status=503)
    delays = [POLICY.delay(attempt, loading, no_chance) for attempt in range(1, LOADING_RETRIES + 1)]
    assert delays[:4] == [2, 4, 8, 10]
    assert 240 < sum(delays) < 360
    assert POLICY.delay(LOADING_RETRIES + 1, loading) is None
    assert POLICY.delay(4, ProviderError(ErrorKind.OVERLOADED, "503: Busy", status=503)) is None
    assert RetryPolicy(enabled=False).delay(1, loading) is None
