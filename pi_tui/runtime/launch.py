"""What a front end asks for when it opens a session."""

from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

WhenElsewhere = Literal["fork", "there"]
WhenGone = Literal["fork", "here"]
WhenBusy = Literal["fork", "read_only"]
TrustAnswer = Literal["trust", "parent", "once", "refuse", "refuse_once"]


class Launch(Struct, kw_only=True):
    """The options that decide which session opens, with which model, tools and prompt.

    Fields are None (or empty) where the user said nothing: then settings and the session itself decide.
    """

    cwd: Path
    continue_last: bool = False
    session: str | None = None
    """A path or the beginning of an id."""
    fork: str | None = None
    """A path or the beginning of an id, of the session that is copied into this folder."""
    resume: bool = False
    """The user chooses from the list of sessions; until then a new one is open."""
    when_elsewhere: WhenElsewhere | None = None
    """What is done when `session` is the id of another folder's session; None asks."""
    when_gone: WhenGone | None = None
    """What is done when the session's own folder is no longer there; None asks."""
    when_busy: WhenBusy | None = None
    """What is done when another process has the session open; None asks."""
    session_id: str | None = None
    session_dir: Path | None = None
    in_memory: bool = False
    name: str | None = None
    provider: str | None = None
    model: str | None = None
    models: list[str] | None = None
    """Patterns of the models to begin and to switch with; None leaves it to the settings."""
    api_key: str | None = None
    thinking: str | None = None
    tools: list[str] | None = None
    """Names replace the default set; `+name` and `-name` change it; an empty list means no tools."""
    exclude_tools: list[str] = msgspec.field(default_factory=list)
    context_files: bool = True
    system_prompt: str | None = None
    append_system_prompt: list[str] = msgspec.field(default_factory=list)
    skills: list[str] = msgspec.field(default_factory=list)
    """Files and folders of skills, beside those that are found."""
    discover_skills: bool = True
    templates: list[str] = msgspec.field(default_factory=list)
    discover_templates: bool = True
    approve: bool | None = None
    """Whether what the project brings is loaded, whatever was decided about it."""
    trust: TrustAnswer | None = None
    """The answer to the question whether it is loaded."""
    trust_elsewhere: TrustAnswer | None = None
    """The same about the folder of a session that belongs to another one than `cwd`."""
    can_ask: bool = False
    """Whether that question can be put; if not, what nobody trusted yet is left out."""
    demo: bool = False
    offline: bool = False


class LaunchError(Exception):
    """A session that cannot be opened as asked: says why and what to do. Exit code 2."""


class Answer(NamedTuple):
    """One way on from a question."""

    value: str
    label: str


class ChoiceNeeded(LaunchError):
    """Only the user can say how a session is to be opened.

    Whoever can ask puts `question` and `answers`, sets the field of that name to the value that was chosen,
    and tries again; whoever cannot shows the error itself.

    Args:
        message: For those who cannot ask: what is the matter and which option helps.
        field: `when_elsewhere`, `when_gone`, `when_busy`, `trust` or `trust_elsewhere`.
    """

    def __init__(self, message: str, question: str, field: str, answers: tuple[Answer, ...]) -> None:
        super().__init__(message)
        self.question = question
        self.field = field
        self.answers = answers
