"""What is on screen stays where it is while everything around it is measured."""

import random

import pytest
from rich.segment import Segment

from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.heights import Heights
from pi_tui.tui.transcript.line import Line, Look
from pi_tui.tui.transcript.viewport import MAX_KEPT_LINES, Viewport


class Rows(Block):
    """A block of numbered rows whose height is guessed wrongly on purpose."""

    def __init__(self, name: str, height: int, guess: int, *, prompt: bool = False) -> None:
        super().__init__()
        self.name = name
        self.height = height
        self.guess = guess
        self.is_prompt = prompt
        self.renders = 0

    def follow(self, before: Block | None) -> None:
        self.margin = 0

    def render(self, look: Look) -> list[Line]:
        self.renders += 1
        return [Line([Segment(f"{self.name}.{number}")]) for number in range(self.height)]

    def text(self) -> str:
        return self.name

    def estimate(self, look: Look) -> int:
        return self.guess


def made(look: Look, count: int, height: int = 10, seed: int = 1) -> Viewport:
    chance = random.Random(seed)
    viewport = Viewport(look)
    viewport.height = height
    viewport.extend(
        Rows(str(n), chance.randint(0, 12), chance.randint(1, 12), prompt=n % 7 == 0) for n in range(count)
    )
    return viewport


def shown(viewport: Viewport) -> list[str]:
    return [row.line.text for row in viewport.rows()]


def all_rows(viewport: Viewport) -> list[str]:
    return [f"{b.name}.{n}" for b in viewport.blocks if isinstance(b, Rows) for n in range(b.height)]


def test_it_opens_at_the_end_and_renders_only_the_last_screen(look: Look) -> None:
    viewport = made(look, 20_000)
    assert shown(viewport) == all_rows(viewport)[-10:]
    assert sum(block.renders for block in viewport.blocks if isinstance(block, Rows)) < 15


def test_scrolling_line_by_line_shows_every_line_once(look: Look) -> None:
    viewport = made(look, 120)
    expected = all_rows(viewport)
    viewport.rows()
    for top in range(len(expected) - 11, -1, -1):
        viewport.scroll_to(viewport.offset - 1)
        assert shown(viewport) == expected[top : top + 10]
    for top in range(1, len(expected) - 9):
        viewport.scroll_to(viewport.offset + 1)
        assert shown(viewport) == expected[top : top + 10]
    assert viewport.following


def test_pages_overlap_exactly_through_estimates(look: Look) -> None:
    viewport = made(look, 200, seed=5)
    before = shown(viewport)
    for _ in range(40):
        viewport.scroll_to(viewport.offset - 8)
        after = shown(viewport)
        assert after[-2:] == before[:2]
        before = after


def test_the_total_is_right_once_everything_was_seen(look: Look) -> None:
    viewport = made(look, 80)
    viewport.rows()
    while viewport.offset:
        viewport.scroll_to(max(0, viewport.offset - 5))
    assert viewport.total == len(all_rows(viewport))


def test_text_on_screen_does_not_move_when_a_block_above_grows(look: Look) -> None:
    viewport = made(look, 100)
    viewport.scroll_to_block(50)
    before = shown(viewport)
    block = viewport.blocks[10]
    assert isinstance(block, Rows)
    block.height, block.guess = 300, 250
    viewport.changed(block)
    assert shown(viewport) == before


def test_new_blocks_below_do_not_move_what_is_read(look: Look) -> None:
    viewport = made(look, 50)
    viewport.scroll_to(viewport.offset - 30)
    before = shown(viewport)
    viewport.extend([Rows("new", 5, 5)])
    assert shown(viewport) == before
    assert not viewport.following


def test_while_following_new_blocks_are_shown(look: Look) -> None:
    viewport = made(look, 50)
    viewport.rows()
    viewport.extend([Rows("new", 2, 9)])
    assert shown(viewport)[-2:] == ["new.0", "new.1"]


def test_a_jump_far_away_lands_near_where_it_was_aimed(look: Look) -> None:
    viewport = made(look, 10_000)
    viewport.rows()
    middle = viewport.total // 2
    viewport.scroll_to(middle)
    assert len(shown(viewport)) == 10
    assert abs(viewport.offset - middle) < 15


def test_a_changed_block_far_away_is_not_rendered(look: Look) -> None:
    viewport = made(look, 100)
    viewport.rows()
    block = viewport.blocks[3]
    assert isinstance(block, Rows)
    viewport.changed(block)
    viewport.rows()
    assert block.renders == 0


def test_a_new_look_keeps_the_block_at_the_top(look: Look, other_palette: object) -> None:
    viewport = made(look, 100)
    viewport.scroll_to_block(40)
    top = shown(viewport)[0]
    viewport.set_look(Look(20, look.palette))
    assert shown(viewport)[0] == top


def test_far_away_lines_are_given_back(look: Look) -> None:
    viewport = made(look, 3_000)
    for _ in range(2_000):
        viewport.scroll_to(viewport.offset - 9)
        viewport.rows()
    kept = sum(len(block._lines or ()) for block in viewport.blocks)
    assert kept <= MAX_KEPT_LINES + 40


def test_removing_blocks_keeps_the_rest_in_order(look: Look) -> None:
    viewport = made(look, 30)
    viewport.rows()
    for index in (29, 0, 13, 13):
        viewport.remove(viewport.blocks[index])
    assert shown(viewport) == all_rows(viewport)[-10:]
    assert [viewport.index(block) for block in viewport.blocks] == list(range(26))


def test_the_last_block_can_be_removed(look: Look) -> None:
    viewport = made(look, 1)
    viewport.rows()
    viewport.remove(viewport.blocks[0])
    assert shown(viewport) == []
    viewport.extend([Rows("x", 1, 1)])
    assert shown(viewport) == ["x.0"]


def test_prompts_are_found_in_both_directions(look: Look) -> None:
    viewport = made(look, 100)
    viewport.scroll_to_block(50)
    assert viewport.prompt(-1) == 49
    assert viewport.prompt(1) == 56


@pytest.mark.parametrize("height", [0, 1, 5, 100])
def test_any_height_of_the_screen_works(look: Look, height: int) -> None:
    viewport = made(look, 5, height=height)
    assert shown(viewport) == (all_rows(viewport)[-height:] if height else [])


def test_heights_agree_with_plain_sums() -> None:
    chance = random.Random(3)
    plain = [chance.randint(0, 9) for _ in range(50)]
    heights = Heights(plain)
    for _ in range(200):
        if chance.random() < 0.3:
            plain.append(chance.randint(0, 9))
            heights.append(plain[-1])
        else:
            index = chance.randrange(len(plain))
            plain[index] = chance.randint(0, 9)
            heights.set(index, plain[index])
        index = chance.randrange(len(plain) + 1)
        assert heights.before(index) == sum(plain[:index])
        assert heights.total == sum(plain)
        if heights.total:
            line = chance.randrange(heights.total)
            found, within = heights.find(line)
            assert sum(plain[:found]) + within == line
            assert within < plain[found]
