"""The page in a real browser: nothing runs, nothing is fetched, and it can be used."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from bench.sessions import LAST_WORDS, SessionWriter
from pi_tui.export.html import write_html
from pi_tui.session.log import SessionLog
from tests.support.branched_session import NEEDLE, write_branched_session
from tests.support.exported_page import ExportedPage
from tests.support.hostile_session import IDS, write_hostile_session

NO_BROWSER = "needs the Python package playwright"

expect = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER).expect
MIN_CONTRAST = 4.5

CONTRASTS = """() => {
  const parts = (color) => {
    const numbers = color.match(/[\\d.]+/g).map(Number);
    const scale = color.startsWith("color(") ? 255 : 1;
    return [...numbers.slice(0, 3).map((one) => one * scale), numbers[3] ?? 1];
  };
  const over = (top, below) => top.slice(0, 3).map((one, i) => one * top[3] + below[i] * (1 - top[3]));
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const own = parts(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own.slice(0, 3) : over(own, behind(element.parentElement));
  };
  const light = (rgb) => rgb
    .map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility({ checkOpacity: true })) continue;
    const back = behind(element);
    const ink = light(over(parts(getComputedStyle(element).color), back)), paper = light(back);
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    found.push([ratio, `${element.tagName}.${element.className} ${walker.currentNode.data.slice(0, 30)}`]);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    return write_html(write_hostile_session(folder / "s.jsonl"), folder / "s.html")


@pytest.fixture(scope="module")
def branched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("branched")
    return write_html(write_branched_session(folder / "s.jsonl"), folder / "s.html")


def rows(page: Any) -> list[str]:
    return [row.strip() for row in page.locator("#rows .row .text").all_inner_texts()]


def in_view(page: Any, entry_id: str) -> bool:
    return bool(
        page.evaluate(
            """async (id) => {
              const frame = () => new Promise((done) => requestAnimationFrame(done));
              for (let tries = 0; tries < 60; tries++) {
                const found = document.getElementById(`entry-${id}`);
                if (found) {
                  const box = found.getBoundingClientRect();
                  if (box.height && box.top >= 0 && box.top < innerHeight) return true;
                }
                await frame();
              }
              return false;
            }""",
            entry_id,
        )
    )


def test_nothing_of_a_hostile_session_runs_or_is_fetched(hostile: Path, open_page: Any) -> None:
    watched = open_page(hostile)
    page = watched.page
    for button in ("thinking", "tools", "tools"):
        page.click(f"#{button}-button")
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    for filter_mode in ("all", "no-tools", "user-only", "labeled-only", "default", "all"):
        page.check(f"input[value={filter_mode}]", force=True)
    page.fill("#search", "<script>")
    expect(page.locator("#found")).to_contain_text("entr")
    page.press("#search", "Enter")
    for entry_id in IDS:
        page.evaluate("(id) => { location.hash = '#entry-' + encodeURIComponent(id) }", entry_id)
        assert in_view(page, entry_id)
    for link in page.locator("article a[href^='#']").all()[:20]:
        link.click()
    page.mouse.move(400, 400)
    page.wait_for_timeout(100)
    assert page.evaluate("window.pwned") is None
    assert watched.complaints == []
    assert (
        page.locator("article script, article iframe, article form, article style, article svg").count() == 0
    )
    assert page.title().startswith("<script>")


def test_the_policy_stops_what_should_ever_get_into_the_page(hostile: Path, open_page: Any) -> None:
    page = open_page(hostile).page
    page.evaluate(
        """() => {
          const made = document.createElement("div");
          try { made.setAttribute("onclick", "window.pwned = 1"); } catch {}
          document.body.append(made);
          made.click();
          const script = document.createElement("script");
          try { script.textContent = "window.pwned = 2"; document.body.append(script); } catch {}
          const image = document.createElement("img");
          image.src = "http://127.0.0.1:9/x.png";
          document.body.append(image);
        }"""
    )
    assert page.evaluate("window.pwned") is None
    with pytest.raises(Exception, match="TrustedHTML"):
        page.evaluate("document.body.innerHTML = '<img src=x onerror=\"window.pwned = 3\">'")


def test_search_finds_what_a_tool_printed_on_another_branch_and_opens_it(
    branched: Path, open_page: Any
) -> None:
    page = open_page(branched).page
    page.keyboard.press("/")
    page.keyboard.type(NEEDLE.upper())
    expect(page.locator("#found")).to_have_text("1 entry")
    assert rows(page) == ["ls ls -a"]
    page.keyboard.press("Enter")
    assert in_view(page, "e4")
    assert page.url.endswith("#entry-e4")
    page.press("#search", "Escape")
    expect(page.locator("#rows .row")).to_have_count(6)


def test_filters_show_the_rows_that_they_show_in_the_client(branched: Path, open_page: Any) -> None:
    page = open_page(branched).page
    talk = ["What is here?", "Two ways.", "Go the second way", "The second way, at its end."]
    assert rows(page) == [*talk, "ls ls -a", "The first way."]
    expected = {
        "no-tools": [*talk, "The first way."],
        "user-only": [talk[0], talk[2]],
        "labeled-only": [talk[0]],
        "all": [*talk[:3], "start", talk[3], "bash ls ls -a", "ls ls -a", "The first way."],
    }
    for mode, shown in expected.items():
        page.check(f"input[value={mode}]", force=True)
        assert rows(page) == shown, mode


def test_a_branch_folds_and_unfolds(branched: Path, open_page: Any) -> None:
    page = open_page(branched).page
    page.locator("#rows .row", has_text="Go the second way").locator(".fold").click()
    assert rows(page) == ["What is here?", "Two ways.", "Go the second way", "ls ls -a", "The first way."]
    folded = page.locator("#rows .row", has_text="Go the second way")
    assert folded.get_attribute("aria-expanded") == "false"
    page.focus("#rows")
    page.keyboard.press("ArrowRight")
    assert "The second way, at its end." in rows(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert "The second way, at its end." not in rows(page)


def test_the_active_branch_is_shown_and_marked(branched: Path, open_page: Any) -> None:
    page = open_page(branched).page
    shown = [one.get_attribute("id") for one in page.locator("article").all()]
    assert shown == ["entry-e1", "entry-e2", "entry-e6", "entry-l1", "entry-e7"]
    active = page.locator("#rows .row.active .text").all_inner_texts()
    assert active == ["What is here?", "Two ways.", "Go the second way", "The second way, at its end."]
    assert page.locator("#elsewhere").is_hidden()


def test_a_deep_link_opens_an_entry_on_another_branch(branched: Path, open_page: Any) -> None:
    page = open_page(branched, fragment="#entry-e5").page
    assert in_view(page, "e5")
    assert page.locator("#elsewhere").is_visible()
    assert page.locator("#rows .row[aria-current]").inner_text().strip().endswith("The first way.")
    page.click("#back")
    assert page.locator("#entry-e7").is_visible() and page.locator("#entry-e5").count() == 0
    assert "#" not in page.url


@pytest.mark.parametrize("odd", ["a b#?/%41'", 'ä/ö"<', "100%"])
def test_a_deep_link_works_for_any_id(odd: str, tmp_path: Path, open_page: Any) -> None:
    out = write_html(write_branched_session(tmp_path / "s.jsonl", odd_id=odd), tmp_path / "s.html")
    watched = open_page(out, fragment=f"#entry-{quote(odd, safe='')}")
    assert in_view(watched.page, odd)
    assert watched.complaints == []


def test_the_way_goes_back_and_forth_between_branches(branched: Path, open_page: Any) -> None:
    page = open_page(branched).page
    assert page.locator(".branches").inner_text().split("\n")[1] == "Branch 2 of 2"
    page.click("[aria-label='The branch before']")
    assert in_view(page, "e3") or in_view(page, "e4")
    page.go_back()
    page.click("#rows .row.leaf")
    assert in_view(page, "e7")


def test_a_call_is_shown_once_with_its_result_and_alone_without_one(tmp_path: Path, open_page: Any) -> None:
    source = write_branched_session(tmp_path / "s.jsonl")
    page = open_page(write_html(source, tmp_path / "s.html"), fragment="#entry-e5").page
    assert page.locator("details.tool:visible").count() == 1
    lines = source.read_text().splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_text("".join(lines[:4]))
    page = open_page(write_html(tmp_path / "cut.jsonl", tmp_path / "cut.html")).page
    assert "no result" in page.locator("#entry-e3").inner_text()


def test_tools_thinking_and_long_output_open_and_close(branched: Path, open_page: Any) -> None:
    page = open_page(branched, fragment="#entry-e4").page
    more = page.locator("#entry-e4 button.more")
    assert more.inner_text() == "Show all 41 lines"
    more.click()
    assert more.get_attribute("aria-expanded") == "true"
    assert page.evaluate("getComputedStyle(document.querySelector('#entry-e4 .output')).maxHeight") == "none"
    page.keyboard.press("o")
    assert page.locator("#entry-e4 .output").is_hidden()
    assert page.locator("#entry-e2 .thinking .prose").is_hidden()
    page.keyboard.press("t")
    assert page.locator("#entry-e2 .thinking .prose").is_visible()


def test_all_of_it_can_be_done_with_keys(branched: Path, open_page: Any) -> None:
    page = open_page(branched).page
    reached = []
    for _ in range(24):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
    for name in ("skip", "thinking-button", "tools-button", "theme-button", "search", "rows", "anchor"):
        assert name in reached, name
    page.focus("#rows")
    page.keyboard.press("End")
    selected = page.locator("#rows .row[aria-selected=true]")
    assert selected.inner_text().strip().endswith("The first way.")
    assert page.get_attribute("#rows", "aria-activedescendant") == selected.get_attribute("id")
    page.keyboard.press("Enter")
    assert in_view(page, "e5")
    assert page.evaluate("document.activeElement.id") == "entry-e5"


def test_light_and_dark_follow_the_system_until_somebody_chooses(branched: Path, open_page: Any) -> None:
    brightness = "parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"
    light = open_page(branched, color_scheme="light").page
    page = open_page(branched, color_scheme="dark").page
    assert light.evaluate(brightness) > 200 and page.evaluate(brightness) < 60
    page.click("#theme-button")
    assert page.inner_text("#theme-button") == "Theme: light"
    assert page.evaluate(brightness) > 200
    page.reload()
    assert page.inner_text("#theme-button") == "Theme: light" and page.evaluate(brightness) > 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(scheme: str, hostile: Path, open_page: Any) -> None:
    page = open_page(hostile, color_scheme=scheme).page
    page.check("input[value=all]", force=True)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    found = page.evaluate(CONTRASTS)
    assert len(found) > 200
    assert [one for one in found if one[0] < MIN_CONTRAST] == []


def test_the_page_has_what_a_screen_reader_needs(branched: Path, open_page: Any) -> None:
    page = open_page(branched).page
    assert page.title() == "What is here? · pi"
    assert page.get_attribute("html", "lang") == "en"
    for role, name in (("banner", None), ("main", None), ("navigation", "Session tree"), ("tree", "Entries")):
        assert page.get_by_role(role, **({"name": name} if name else {})).count() == 1, role
    assert page.get_by_role("heading", level=1).count() == 1
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, a[href], input, img")].filter((one) =>
          !(one.ariaLabel || one.alt || one.labels?.[0]?.textContent || one.textContent).trim()).length"""
    )
    assert nameless == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(scheme: str, hostile: Path, branched: Path, open_page: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for path in (hostile, branched):
        page = open_page(path, color_scheme=scheme).page
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        assert axe.run(page).response["violations"] == []


def test_a_phone_shows_it_without_scrolling_sideways(hostile: Path, open_page: Any) -> None:
    page = open_page(hostile, width=360).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("#search").is_hidden()
    page.click("#tree-button")
    assert page.locator("#search").is_visible()
    page.locator("#rows .row").nth(1).click()
    expect(page.locator("#side")).to_be_hidden()


def test_paper_gets_the_conversation_alone_in_dark_ink(branched: Path, open_page: Any) -> None:
    page = open_page(branched, color_scheme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("#side").is_hidden() and page.locator(".tools").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(252, 252, 251)"
    assert page.pdf().startswith(b"%PDF")


def test_a_session_without_entries_says_so(tmp_path: Path, open_page: Any) -> None:
    log = SessionLog.create(Path("/project"), None)
    watched = open_page(write_html(log, tmp_path / "page.html"))
    watched.page.focus("#rows")
    for key in ("ArrowDown", "ArrowLeft", "End", "Enter", "o", "t"):
        watched.page.keyboard.press(key)
    assert watched.page.inner_text("#stretches") == "There is nothing in this session."
    assert watched.complaints == []


def test_a_long_session_puts_only_what_is_near_into_the_document(tmp_path: Path, open_page: Any) -> None:
    source = tmp_path / "long.jsonl"
    SessionWriter(entries=2_500, megabytes=2, cwd="/project").write(source)
    out = write_html(source, tmp_path / "long.html")
    last = ExportedPage(out).tree["ids"][-1]
    watched = open_page(out)
    page = watched.page
    assert page.locator("article").count() < 600
    assert page.locator("#rows .row").count() < 100
    page.evaluate("(id) => { location.hash = '#entry-' + id }", last)
    assert in_view(page, last)
    assert LAST_WORDS in page.inner_text(f"#entry-{last}")
    assert page.locator("article").count() < 700
    assert watched.complaints == []
