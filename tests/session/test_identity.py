import time
import uuid

from pi_tui.session.identity import new_session_id


def test_a_session_id_is_a_version_7_uuid_of_now() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid.UUID(new_session_id())
    after = time.time_ns() // 1_000_000
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert before <= made.int >> 80 <= after


def test_session_ids_differ_and_sort_by_time() -> None:
    made = []
    for _ in range(3):
        made.append(new_session_id())
        now = time.time_ns() // 1_000_000
        while time.time_ns() // 1_000_000 == now:
            pass
    assert sorted(made) == made
    assert len({new_session_id() for _ in range(1000)}) == 1000
