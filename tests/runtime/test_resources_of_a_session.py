"""What a session is given by the user and the project: with trust and without, at the start and after a reload."""

import json
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from pi_tui.resources.trust import load_decisions, save_decision
from pi_tui.runtime.launch import ChoiceNeeded, Launch
from pi_tui.runtime.loaded import loaded_lines
from pi_tui.runtime.open import open_session
from pi_tui.runtime.session import Session
from pi_tui.runtime.switching import resume
from pi_tui.runtime.written import CannotExpand


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def skill(folder: Path, description: str = "Does things.") -> Path:
    text = f"---\nname: {folder.name}\ndescription: {description}\n---\nBody of {description}"
    return write(folder / "SKILL.md", text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one of each."""
    cwd = tmp_path / "project"
    (cwd / ".git").mkdir(parents=True)
    write(cwd / "AGENTS.md", "Context of the project.")
    write(cwd / ".pi" / "settings.json", {"steeringMode": "all", "defaultProjectTrust": "always"})
    write(cwd / ".pi" / "SYSTEM.md", "You are the project's own.")
    write(cwd / ".pi" / "APPEND_SYSTEM.md", "And this.")
    write(cwd / ".pi" / "prompts" / "review.md", "Review $1.")
    skill(cwd / ".pi" / "skills" / "deploy", "Deploys.")
    skill(cwd / ".agents" / "skills" / "test", "Tests.")
    return cwd


def opened(cwd: Path, **more: object) -> Session:
    return open_session(Launch(cwd=cwd, in_memory=True, offline=True, **more))  # type: ignore[arg-type]


def prompt_of(session: Session) -> str:
    return session.services.prompt.text


def names(session: Session) -> list[str]:
    assert session.services.resources is not None
    return [one.name for one in session.services.resources.skills]


def problems(session: Session) -> str:
    return "\n".join(session.services.problems)


def test_without_trust_only_the_context_of_a_project_is_loaded(project: Path) -> None:
    session = opened(project)
    prompt = prompt_of(session)
    assert "Context of the project." in prompt
    assert "Deploys." not in prompt and "Tests." not in prompt and "project's own" not in prompt
    assert session.services.settings.steering_mode == "one-at-a-time"
    assert session.written("/review x") == "/review x"
    assert ".pi/settings.json" in problems(session) and "/trust" in problems(session)


def test_nothing_of_an_untrusted_project_is_opened(project: Path) -> None:
    for path in (project / ".pi").rglob("*"):
        if path.is_file():
            path.unlink()
            path.mkdir()
    session = opened(project, approve=False)
    assert not [one for one in session.services.problems if "is not a file" in one or "cannot be read" in one]


def test_with_trust_all_of_it_is_loaded(project: Path) -> None:
    session = opened(project, approve=True)
    prompt = prompt_of(session)
    assert prompt.startswith("You are the project's own.")
    assert all(text in prompt for text in ("And this.", "Deploys.", "Tests.", "Context of the project."))
    assert session.services.settings.steering_mode == "all"
    assert session.written("/review parser") == "Review parser."
    assert names(session)[:2] == ["deploy", "test"]


def test_a_project_cannot_trust_itself(project: Path) -> None:
    assert "Deploys." not in prompt_of(opened(project))
    assert "defaultProjectTrust" in problems(opened(project, approve=True))


@pytest.mark.parametrize(("default", "loaded"), [("always", True), ("never", False), ("ask", False)])
def test_the_users_default_counts_where_nobody_can_be_asked(
    project: Path, home: Path, default: str, loaded: bool
) -> None:
    write(home / ".pi" / "agent" / "settings.json", {"defaultProjectTrust": default})
    assert ("Deploys." in prompt_of(opened(project))) is loaded


def test_the_question_comes_before_anything_and_its_answer_is_remembered(project: Path, home: Path) -> None:
    with pytest.raises(ChoiceNeeded) as raised:
        opened(project, can_ask=True)
    assert raised.value.field == "trust"
    assert str(project) in raised.value.question and ".pi/skills" in raised.value.question
    assert "Deploys." in prompt_of(opened(project, can_ask=True, trust="trust"))
    stored = home / ".pi" / "agent" / "trust.json"
    assert json.loads(stored.read_text()) == {str(project): True}
    assert "Deploys." in prompt_of(opened(project, can_ask=True))


def test_an_answer_for_this_time_is_not_stored(project: Path, home: Path) -> None:
    assert "Deploys." in prompt_of(opened(project, can_ask=True, trust="once"))
    assert "Deploys." not in prompt_of(opened(project, can_ask=True, trust="refuse_once"))
    assert not (home / ".pi" / "agent" / "trust.json").exists()


def test_a_decision_that_cannot_be_stored_counts_for_this_run(project: Path, home: Path) -> None:
    path = write(home / ".pi" / "agent" / "trust.json", "{ broken")
    session = opened(project, can_ask=True, trust="trust")
    assert "Deploys." in prompt_of(session)
    assert "for this run only" in problems(session) and "trust.json" in problems(session)
    assert path.read_text() == "{ broken"


def test_the_decision_about_a_parent_counts(project: Path, home: Path) -> None:
    opened(project, can_ask=True, trust="parent")
    assert json.loads((home / ".pi" / "agent" / "trust.json").read_text()) == {str(project.parent): True}
    assert "Deploys." not in prompt_of(opened(project, approve=False))


def test_a_project_that_brings_nothing_is_not_asked_about(tmp_path: Path) -> None:
    (tmp_path / ".pi").mkdir()
    opened(tmp_path, can_ask=True)


def test_options_add_and_leave_out(project: Path, tmp_path: Path, home: Path) -> None:
    skill(tmp_path / "more" / "extra", "Extra.")
    skill(home / ".pi" / "agent" / "skills" / "mine", "Mine.")
    skill(home / ".agents" / "skills" / "shared", "Shared.")
    write(home / ".pi" / "agent" / "prompts" / "own.md", "own")
    other = write(tmp_path / "more" / "given.md", "given")
    everything = opened(project, approve=True, skills=["../more/extra"], templates=[str(other)])
    assert names(everything)[:5] == ["extra", "deploy", "test", "mine", "shared"]
    assert everything.written("/given") == "given" and everything.written("/own") == "own"
    only = opened(
        project,
        approve=True,
        skills=["../more"],
        discover_skills=False,
        templates=[str(other)],
        discover_templates=False,
    )
    assert names(only) == ["extra"]
    assert only.written("/given") == "given" and only.written("/own") == "/own"


def test_settings_of_user_and_project_name_more_and_leave_out(
    project: Path, tmp_path: Path, home: Path
) -> None:
    skill(home / ".pi" / "agent" / "lib" / "from-user", "U.")
    skill(project / ".pi" / "lib" / "from-project", "P.")
    write(home / ".pi" / "agent" / "settings.json", {"skills": ["lib", "!pi-*"], "prompts": ["p/**/*.md"]})
    write(project / ".pi" / "settings.json", {"skills": ["lib", "-skills/deploy"]})
    write(home / ".pi" / "agent" / "p" / "deep" / "deep.md", "deep")
    session = opened(project, approve=True)
    assert sorted(names(session)) == ["from-project", "from-user", "test"]
    assert session.written("/deep") == "deep"


def test_shipped_skills_are_there_and_a_users_own_takes_the_place_of_one(tmp_path: Path, home: Path) -> None:
    assert "pi-sessions" in names(opened(tmp_path))
    mine = skill(home / ".pi" / "agent" / "skills" / "pi-sessions", "My own.")
    session = opened(tmp_path)
    assert "My own." in prompt_of(session) and str(mine) in problems(session)


def test_a_model_that_cannot_read_is_not_told_of_skills(tmp_path: Path) -> None:
    assert "pi-sessions" in prompt_of(opened(tmp_path, tools=["read"]))
    assert "pi-sessions" not in prompt_of(opened(tmp_path, tools=["edit"]))


def test_skills_for_the_command_alone_are_not_in_the_prompt(tmp_path: Path, home: Path) -> None:
    path = skill(home / ".pi" / "agent" / "skills" / "quiet", "Quiet one.")
    path.write_text(path.read_text().replace("name:", "disable-model-invocation: true\nname:"))
    session = opened(tmp_path)
    assert "Quiet one." not in prompt_of(session)
    assert "Body of Quiet one." in session.written("/skill:quiet now")


def test_angle_brackets_of_a_description_are_text(tmp_path: Path, home: Path) -> None:
    skill(home / ".pi" / "agent" / "skills" / "x", "</skill></skills> <b>")
    assert "&lt;/skills&gt;" in prompt_of(opened(tmp_path))


@pytest.mark.parametrize(
    "text", ["/etc/hosts is a file", "/skill:unknown x", "/", "see /own", "/skill:", "//"]
)
def test_what_names_no_skill_and_no_template_stays_as_it_is(tmp_path: Path, text: str) -> None:
    assert opened(tmp_path).written(text) == text


def test_arguments_may_begin_on_the_next_line(tmp_path: Path, home: Path) -> None:
    write(home / ".pi" / "agent" / "prompts" / "own.md", "first: $1")
    assert opened(tmp_path).written("/own\nthis") == "first: this"


def test_a_template_that_is_gone_is_not_sent(tmp_path: Path, home: Path) -> None:
    path = write(home / ".pi" / "agent" / "prompts" / "own.md", "x")
    session = opened(tmp_path)
    path.unlink()
    with pytest.raises(CannotExpand, match=r"own\.md"):
        session.written("/own")


async def test_a_reload_reads_everything_and_keeps_the_session(project: Path, home: Path) -> None:
    session = opened(project, approve=True)
    log, tools = session.log, session.tools
    assert "Later." not in prompt_of(session)
    skill(project / ".pi" / "skills" / "later", "Later.")
    write(project / "AGENTS.md", "Changed context.")
    write(home / ".pi" / "agent" / "prompts" / "new.md", "new one")
    write(project / ".pi" / "settings.json", {"followUpMode": "all", "theme": 3})
    await session.reload()
    prompt = prompt_of(session)
    assert "Later." in prompt and "Changed context." in prompt
    assert session.written("/new") == "new one"
    assert (session.queue.steering_mode, session.queue.follow_up_mode) == ("one-at-a-time", "all")
    assert "theme" in problems(session)
    assert session.log is log and session.tools is tools


async def test_a_reload_takes_other_tools_where_the_settings_say_so(tmp_path: Path, home: Path) -> None:
    session = opened(tmp_path)
    assert "grep" not in [tool.name for tool in session.tools]
    write(home / ".pi" / "agent" / "settings.json", {"defaultTools": ["+grep"]})
    await session.reload()
    assert "grep" in [tool.name for tool in session.tools]
    write(home / ".pi" / "agent" / "settings.json", {"defaultTools": ["+nonsense"]})
    await session.reload()
    assert "nonsense" in problems(session) and "read" in [tool.name for tool in session.tools]


def test_what_was_loaded_is_listed_with_its_place(project: Path) -> None:
    lines = loaded_lines(opened(project, approve=True).services)
    assert f"Context: {project / 'AGENTS.md'}" in lines
    assert f"Skills: deploy  {project / '.pi' / 'skills' / 'deploy' / 'SKILL.md'}" in lines
    assert f"Templates: /review  {project / '.pi' / 'prompts' / 'review.md'}" in lines
    assert "Skills: pi-sessions  shipped" in lines


_opened: list[str] | None = None


def _note_opened(event: str, arguments: tuple[object, ...]) -> None:
    if _opened is not None and event in ("open", "os.listdir", "os.scandir"):
        _opened.append(str(arguments[0]))


def test_no_file_or_folder_of_an_untrusted_project_is_opened(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sys.addaudithook(_note_opened)
    monkeypatch.setattr(sys.modules[__name__], "_opened", [])
    _ = opened(project).services.prompt
    assert _opened is not None
    assert str(project / "AGENTS.md") in _opened
    assert not [path for path in _opened if f"{project}/.pi" in path or f"{project}/.agents" in path]
    _ = opened(project, approve=True).services.prompt
    assert str(project / ".pi" / "settings.json") in _opened


def stored_session(folder: Path) -> Path:
    """A session file of a folder, with one entry."""
    time = "2026-05-04T10:00:00.000Z"
    header = {"type": "session", "version": 3, "id": "s-1", "timestamp": time, "cwd": str(folder)}
    entry = {"type": "session_info", "id": "0000000a", "parentId": None, "timestamp": time, "name": "stored"}
    path = folder.parent / "stored.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, entry)))
    return path


def test_a_session_of_an_untrusted_folder_loads_nothing_of_it(project: Path, tmp_path: Path) -> None:
    path = stored_session(project)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    session = open_session(Launch(cwd=elsewhere, session=str(path), offline=True))
    assert session.cwd == project
    assert "Context of the project." in prompt_of(session)
    assert "Deploys." not in prompt_of(session)
    assert str(project) in problems(session) and "is not trusted" in problems(session)
    session.close()


@pytest.mark.parametrize(("decision", "loaded"), [(None, False), (True, True), (False, False)])
async def test_resuming_goes_by_what_was_decided_about_the_other_folder(
    project: Path, tmp_path: Path, home: Path, decision: bool | None, loaded: bool
) -> None:
    path = stored_session(project)
    if decision is not None:
        save_decision(home / ".pi" / "agent", project, decision)
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere / ".pi" / "APPEND_SYSTEM.md", "Of elsewhere.")
    session = open_session(Launch(cwd=elsewhere, offline=True, approve=True))
    assert "Of elsewhere." in prompt_of(session)
    await resume(session, path)
    assert session.cwd == project
    assert ("Deploys." in prompt_of(session)) is loaded
    session.close()


async def test_an_approval_stays_after_a_reload(project: Path) -> None:
    session = opened(project, approve=True)
    await session.reload()
    assert "Deploys." in prompt_of(session)


@pytest.mark.parametrize(("answer", "loaded"), [("once", True), ("refuse_once", False), ("trust", True)])
def test_the_folder_of_a_session_is_asked_about_where_that_is_possible(
    project: Path, tmp_path: Path, home: Path, answer: str, loaded: bool
) -> None:
    path = stored_session(project)
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere / ".pi" / "APPEND_SYSTEM.md", "Of elsewhere.")
    launch = Launch(cwd=elsewhere, session=str(path), offline=True, can_ask=True, trust="once")
    with pytest.raises(ChoiceNeeded, match=str(project)) as needed:
        open_session(launch)
    assert needed.value.field == "trust_elsewhere"
    session = open_session(replace(launch, trust_elsewhere=answer))
    assert not session.log.read_only
    assert ("Deploys." in prompt_of(session)) is loaded
    stored = load_decisions(home / ".pi" / "agent").by_folder
    assert stored == ({str(project): True} if answer == "trust" else {})
    session.close()
