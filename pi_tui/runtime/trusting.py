"""Decides whether what a project brings is loaded, before anything of it is read."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from pi_tui.llm.problems import Problem
from pi_tui.resources.trust import (
    TRUST_NAME,
    TrustFileError,
    load_decisions,
    protected_resources,
    save_decision,
)
from pi_tui.runtime.launch import Answer, ChoiceNeeded, TrustAnswer

Default: TypeAlias = Literal["ask", "always", "never"]

SHOWN = 6
"""Names of resources in the question."""


@dataclass
class ProjectTrust:
    """What is known of the user's trust in projects, in this process.

    Args:
        agent_dir: Where decisions are stored.
        option: `--approve` or `--no-approve`: it counts for the whole run; an approval for the folders that
            are opened at its start, and not for those of sessions one changes to.
    """

    agent_dir: Path
    option: bool | None = None
    problems: list[Problem] = field(default_factory=list)
    _this_run: dict[Path, bool] = field(default_factory=dict)

    def decide(self, cwd: Path, default: Default, *, can_ask: bool = False) -> bool:
        """Whether what the project in `cwd` brings may be loaded; False where it brings nothing.

        Raises:
            ChoiceNeeded: Nothing was decided yet, and the user can be asked.
        """
        found = protected_resources(cwd, self.agent_dir)
        if not found:
            return False
        if self.option is not None:
            self._this_run[cwd] = self.option
            return self.option
        if cwd in self._this_run:
            return self._this_run[cwd]
        decisions = load_decisions(self.agent_dir)
        self.problems = decisions.problems
        if (decision := decisions.closest(cwd)) is not None:
            return decision[1]
        if default == "ask" and can_ask:
            raise _question(cwd, found)
        return default == "always"

    def opened(self) -> None:
        """The run has begun: an approval has been used where it was meant."""
        if self.option:
            self.option = None

    def answer(self, cwd: Path, answer: TrustAnswer) -> None:
        """Carries out what the user chose: for this run, or for good; where it cannot be stored, for this run."""
        trusted = answer in ("trust", "parent", "once")
        self._this_run[cwd] = trusted
        if answer in ("once", "refuse_once"):
            return
        try:
            save_decision(self.agent_dir, cwd.parent if answer == "parent" else cwd, trusted)
        except (TrustFileError, OSError) as error:
            problem = f"the decision counts for this run only: it was not stored ({error})"
            self.problems.append(Problem(str(self.agent_dir / TRUST_NAME), None, "", problem))

    def forget_this_run(self) -> None:
        """What is stored counts again, instead of what was said for this run."""
        self.option = None
        self._this_run.clear()


def untrusted_notice(cwd: Path, agent_dir: Path) -> str | None:
    """What the user should know when a project's resources were left out; None where it has none."""
    found = protected_resources(cwd, agent_dir)
    if not found:
        return None
    return f"{cwd} is not trusted, so {_listed(found)} of it is not loaded: /trust or --approve changes that."


def _question(cwd: Path, found: list[str]) -> ChoiceNeeded:
    parent = cwd.parent
    return ChoiceNeeded(
        f"{cwd} is not trusted yet: --approve or --no-approve decides",
        f"{cwd} brings {_listed(found)}. They can change how the agent works and what it runs. Load them?",
        "trust",
        (
            Answer("trust", "yes, and remember it for this folder"),
            Answer("parent", f"yes, for everything in {parent}, and remember it"),
            Answer("once", "yes, this time"),
            Answer("refuse", "no, and remember it for this folder"),
            Answer("refuse_once", "no, not this time"),
        ),
    )


def _listed(found: list[str]) -> str:
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(found[:SHOWN]) + more
