import subprocess
import sys
from pathlib import Path

import pytest

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.wires.registry import stream_function

ROOT = Path(__file__).parents[2]


def fresh(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_an_unknown_api_is_named_with_those_that_are_known() -> None:
    with pytest.raises(ProviderError, match=r"'telepathy'.*anthropic-messages") as caught:
        stream_function("telepathy")
    assert caught.value.kind is ErrorKind.INVALID_REQUEST


@pytest.mark.parametrize("api", ["anthropic-messages", "openai-completions"])
def test_a_wire_format_itself_loads_no_sdk(api: str) -> None:
    code = (
        "import sys; from pi_tui.llm.wires.registry import stream_function;"
        f"stream_function({api!r}); print(sorted({{'openai', 'anthropic', 'pydantic', 'httpx2'}} & set(sys.modules)))"
    )
    assert fresh(code) == "[]"


@pytest.mark.parametrize("first", ["", "importing.somebody_types();"])
def test_preloading_loads_one_sdk_and_leaves_the_interpreter_as_it_was(first: str) -> None:
    code = (
        f"from pi_tui.llm.wires import importing; {first} "
        "import sys, threading; from pi_tui.llm.wires.registry import preload;"
        "before = sys.getswitchinterval(), len(sys.meta_path);"
        "thread = threading.Thread(target=preload, args=('openai-completions',)); thread.start(); thread.join();"
        "print('openai' in sys.modules, 'anthropic' in sys.modules, "
        "before == (sys.getswitchinterval(), len(sys.meta_path)))"
    )
    assert fresh(code) == "True False True"


def test_an_import_steps_aside_only_where_somebody_types() -> None:
    code = (
        "import time; from pi_tui.llm.wires import importing; pauses = []; time.sleep = pauses.append\n"
        "with importing.considerate(): import colorsys\n"
        "quick = len(pauses); importing.somebody_types()\n"
        "with importing.considerate(): import sched\n"
        "print(quick, len(pauses) > 0)"
    )
    assert fresh(code) == "0 True"
