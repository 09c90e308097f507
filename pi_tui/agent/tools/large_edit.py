"""Editing a large file in a process of its own, so that neither keys nor the screen wait, and its memory is given back.

That process imports the standard library and our own code alone.
"""

import pickle
import subprocess
import sys
from pathlib import Path

from pi_tui.agent.tools.file_edit import Edited, EditJob, EditRefused, edit_file

_FIRST = "import sys; sys.path.append(sys.argv[1]); from pi_tui.agent.tools.large_edit import serve; serve()"
_ROOT = Path(__file__).parents[3]


def edit_large_file(job: EditJob) -> Edited:
    """As `file_edit.edit_file`, with the work done elsewhere. Blocks until it is done.

    Raises:
        EditRefused: As there, or that process did not come to its end.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _FIRST, str(_ROOT)],
        input=pickle.dumps(job),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        check=False,
    )
    if done.returncode != 0:
        raise EditRefused(
            f"Editing {job.shown} was broken off (code {done.returncode}), for want of memory perhaps. "
            "Read it to see whether it was changed."
        )
    # Made by `serve` in our own child.
    answer: Edited | EditRefused = pickle.loads(done.stdout)
    if isinstance(answer, EditRefused):
        raise answer
    return answer


def serve() -> None:
    """What the process does: one job from standard input, its outcome to standard output."""
    job: EditJob = pickle.load(sys.stdin.buffer)
    answer: Edited | EditRefused
    try:
        answer = edit_file(job)
    except EditRefused as refusal:
        answer = refusal
    pickle.dump(answer, sys.stdout.buffer)
