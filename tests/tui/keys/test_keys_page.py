from itertools import groupby

from pi_tui.tui.keys.actions import ACTIONS
from scripts.make_keys_page import PAGE, page


def test_the_page_about_keys_is_that_of_the_table():
    assert PAGE.read_text() == page(), "python scripts/make_keys_page.py writes it"


def test_actions_of_a_group_stand_together():
    groups = [group for group, _ in groupby(ACTIONS, key=lambda action: action.group)]
    assert len(groups) == len(set(groups))
