"""What keys, tokens and passwords look like.

The formats are those that the services publish. The libraries for this were tried: they know few of the keys of model
services, take milliseconds a line, and report every long word besides.
"""

import re
from functools import cache
from typing import NamedTuple


class SecretPattern(NamedTuple):
    """One kind of secret."""

    kind: str
    """What it is, for the user."""
    marks: tuple[str, ...]
    """In lower case; a line with none of these, in whatever case, has no such secret."""
    expression: str
    """What it looks like; a group `secret` is the part that is secret, else all of it is."""
    judged: bool = False
    """The form alone says little: the value must look like a secret too."""
    reach: int = 2_000
    """Bytes from a mark to the end of the secret."""
    lines: bool = False
    """It goes over several lines."""


_NAME = r"(?:secret|token|passw(?:or)?d|passphrase|api_?key|private_?key|access_?key|auth_?key|credentials?)"
_NAMES = ("secret", "token", "passw", "passphrase", "key", "credential")

PATTERNS = (
    SecretPattern(
        "private key",
        ("private key",),
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?s:.{0,20000}?)(?:-----END [A-Z0-9 ]*-----|\Z)",
        reach=20_500,
        lines=True,
    ),
    SecretPattern("Anthropic key", ("sk-ant-",), r"\bsk-ant-[\w-]{20,}"),
    SecretPattern("OpenRouter key", ("sk-or-",), r"\bsk-or-(?:v\d-)?[\w-]{20,}"),
    SecretPattern(
        "OpenAI key",
        ("sk-proj-", "sk-svcacct-", "sk-admin-", "t3blbkfj"),
        r"\bsk-(?:(?:proj|svcacct|admin)-[\w-]{20,}|[\w-]{10,}T3BlbkFJ[\w-]{10,})",
    ),
    SecretPattern("model service's key", ("sk-",), r"\bsk-(?=[a-zA-Z]*\d)[A-Za-z0-9]{32,}\b"),
    SecretPattern("xAI key", ("xai-",), r"\bxai-[A-Za-z0-9]{40,}"),
    SecretPattern("Groq key", ("gsk_",), r"\bgsk_[A-Za-z0-9]{40,}"),
    SecretPattern("Perplexity key", ("pplx-",), r"\bpplx-[A-Za-z0-9]{40,}"),
    SecretPattern("Replicate token", ("r8_",), r"\br8_[A-Za-z0-9]{37}\b"),
    SecretPattern("Hugging Face token", ("hf_",), r"\bhf_[A-Za-z0-9]{30,}"),
    SecretPattern("Google API key", ("aiza",), r"\bAIza[\w-]{35}(?![\w-])"),
    SecretPattern("Google OAuth secret", ("gocspx-",), r"\bGOCSPX-[\w-]{20,}"),
    SecretPattern("Google access token", ("ya29.",), r"\bya29\.[\w-]{20,}"),
    SecretPattern("AWS access key id", ("akia", "asia"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    SecretPattern(
        "AWS secret key",
        ("secret",),
        r"(?i:aws_?secret_?(?:access_?)?key)[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![\w/+=])",
    ),
    SecretPattern("Azure storage key", ("accountkey=",), r"AccountKey=(?P<secret>[A-Za-z0-9/+]{60,}={0,2})"),
    SecretPattern(
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{50,})",
    ),
    SecretPattern("GitLab token", ("glpat-",), r"\bglpat-[\w-]{20,}"),
    SecretPattern("npm token", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    SecretPattern("PyPI token", ("pypi-age",), r"\bpypi-AgE[\w-]{50,}"),
    SecretPattern("Docker token", ("dckr_",), r"\bdckr_(?:pat|oat)_[\w-]{20,}"),
    SecretPattern("DigitalOcean token", ("_v1_",), r"\bdo[opr]_v1_[a-f0-9]{64}"),
    SecretPattern("Slack token", ("xox", "xapp-"), r"\b(?:xox[abeoprs]-|xapp-\d-)[\w-]{10,}"),
    SecretPattern("Slack web hook", ("hooks.slack.com",), r"hooks\.slack\.com/services/[\w/]{20,}"),
    SecretPattern(
        "Discord web hook", ("/webhooks/",), r"discord(?:app)?\.com/api/webhooks/\d{10,}/[\w-]{30,}"
    ),
    SecretPattern("Telegram bot token", (":aa",), r"\b\d{8,10}:AA[\w-]{33}(?![\w-])"),
    SecretPattern("Stripe key", ("_live_", "_test_"), r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    SecretPattern("SendGrid key", ("sg.",), r"\bSG\.[\w-]{20,24}\.[\w-]{40,46}"),
    SecretPattern("age key", ("age-secret-key-",), r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    SecretPattern("signed token (JWT)", ("eyj",), r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
    SecretPattern(
        "password in an address",
        ("://",),
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,100}:(?P<secret>[^\s/:@\"'<>]{3,200})@[\w.\[-]",
        judged=True,
    ),
    SecretPattern(
        "authorization header",
        ("uthorization",),
        r"\b[Aa]uthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:[Bb]earer|[Bb]asic|[Tt]oken)\s{1,3}"
        r"(?P<secret>[\w.~+/=-]{16,})",
        judged=True,
    ),
    SecretPattern(
        "environment variable",
        _NAMES,
        rf"(?m:^|[\s\"'`;&])(?:[A-Z0-9]+_)*{_NAME.upper()}S?(?:_[A-Z0-9]+)*=[\"']?(?P<secret>[^\s\"'`;&\\]{{8,}})",
        judged=True,
    ),
    SecretPattern(
        "password or key in a file",
        _NAMES,
        rf"(?i:{_NAME})[\"']?\s{{0,3}}[:=]\s{{0,3}}(?P<quote>[\"'])(?P<secret>[^\s\"'\\]{{8,200}})(?P=quote)",
        judged=True,
    ),
)

_PLACEHOLDER = re.compile(
    r"^[$%{<(\[]|[(<{]|\.\.\.|…|^(.)\1+$|^x+$|^\*+|"
    r"(?i:your|example|change.?me|placeholder|dummy|redacted|secret.?here|insert|todo|process\.env|environ|"
    r"^(?:password|passwd|secret|token|undefined|none|null|true|false)$)"
)
_DIGIT_OR_SIGN = re.compile(r"[^A-Za-z]")


def looks_secret(value: str) -> bool:
    """Whether a value stands for itself: no variable, no example, no plain word."""
    return not _PLACEHOLDER.search(value) and _DIGIT_OR_SIGN.search(value) is not None


@cache
def compiled(expression: str) -> re.Pattern[bytes]:
    """The expression for UTF-8."""
    return re.compile(expression.encode())


@cache
def encoded_marks(pattern: SecretPattern) -> tuple[bytes, ...]:
    return tuple(mark.encode() for mark in pattern.marks)
