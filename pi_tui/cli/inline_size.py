"""How much text a command line may put into a prompt."""

MAX_INLINE_BYTES = 4 * 1024 * 1024
"""Of piped input and of each text file; more fits no model."""


def too_large() -> str:
    """What is said of more."""
    return f"is larger than {MAX_INLINE_BYTES // (1024 * 1024)} MiB"
