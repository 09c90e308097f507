"""Whatever a session holds is text on the page: looked at with a parser, without a browser."""

import hashlib
import re
from base64 import b64encode
from pathlib import Path

import pytest

from pi_tui.export.html import write_html
from pi_tui.export.html.code import CodePainter
from pi_tui.export.html.markdown import MarkdownWriter
from tests.support.exported_page import ExportedPage, parse
from tests.support.hostile_session import ALL, HUGE, IDS, MARKDOWN, RUN, write_hostile_session

BLOCKS = {"article", "header", "div", "p", "pre", "blockquote", "ul", "ol", "li", "hr", "details", "summary"}
PHRASES = {"span", "time", "a", "br", "strong", "em", "s", "code", "ins", "del", "img", "button"}
HEADINGS = {"h2", "h3", "h4", "h5", "h6"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}
ALLOWED_TAGS = BLOCKS | PHRASES | HEADINGS | TABLES
OF_ANY = {
    "id",
    "class",
    "tabindex",
    "aria-label",
    "aria-expanded",
    "title",
    "data-call",
    "data-lines",
    "open",
    "type",
}
ALLOWED_ATTRIBUTES = OF_ANY | {
    "datetime",
    "href",
    "rel",
    "src",
    "alt",
    "loading",
    "decoding",
    "start",
    "align",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> ExportedPage:
    folder = tmp_path_factory.mktemp("hostile")
    return ExportedPage(write_html(write_hostile_session(folder / "s.jsonl"), folder / "s.html"))


def test_no_entry_has_an_element_or_attribute_that_the_templates_do_not_write(page: ExportedPage) -> None:
    for entry in page.entries:
        for element in entry:
            assert element.tag in ALLOWED_TAGS
            assert set(element.attributes) <= ALLOWED_ATTRIBUTES


def test_the_page_has_its_own_scripts_and_no_other(page: ExportedPage) -> None:
    scripts = page.root.all("script")
    assert sum(script.attributes.get("type") is None for script in scripts) == 1
    assert {script.attributes.get("type") for script in scripts} == {None, "application/json"}
    assert all(set(script.attributes) <= {"type", "class", "id"} for script in scripts)
    assert len(page.root.all("style")) == 1 and not page.root.all("link") and not page.root.all("base")


def test_inert_json_has_no_tag_and_no_line_separator_in_it(page: ExportedPage) -> None:
    for script in page.root.all("script", type="application/json"):
        assert "<" not in script.text
        assert "\u2028" not in script.text and "\u2029" not in script.text


def test_every_link_leads_to_a_site_or_to_an_entry(page: ExportedPage) -> None:
    links = [link.attributes.get("href") for entry in page.entries for link in entry.all("a")]
    assert "https://example.com/a?b=1&c=2" in links
    for link in links:
        assert link is None or re.match(r"https?://[a-z]|mailto:|#entry-", link), link


def test_only_pictures_with_sound_base64_are_loaded(page: ExportedPage) -> None:
    sources = [image.attributes["src"] or "" for entry in page.entries for image in entry.all("img")]
    assert sources
    assert all(re.fullmatch(r"data:image/gif;base64,[A-Za-z0-9+/]+=*", source) for source in sources)
    user = page.entry(IDS[0])
    assert len(user.all("img")) == 1
    assert "image/svg+xml, 24 bytes: not shown" in user.text


def test_the_policy_allows_the_pages_own_style_and_script_by_their_hashes(page: ExportedPage) -> None:
    (meta,) = (one for one in page.root.all("meta") if "http-equiv" in one.attributes)
    policy = meta.attributes["content"] or ""
    assert "default-src 'none'" in policy and "unsafe" not in policy
    (script,) = (one for one in page.root.all("script") if "type" not in one.attributes)
    (style,) = page.root.all("style")
    for text in (script.text, style.text):
        digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_the_words_of_an_attack_are_there_to_read(page: ExportedPage) -> None:
    said = page.entry(IDS[0]).text
    assert f"<script>{RUN}</script>" in said
    assert "{{ 7 * 7 }}" in said and "49" not in said


def test_no_control_character_and_no_direction_mark_is_left(page: ExportedPage) -> None:
    text = page.source + "".join(page.html)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_ids_are_known_exactly_and_cannot_take_the_name_of_an_element_of_the_page(page: ExportedPage) -> None:
    assert set(IDS) <= set(page.tree["ids"])
    for entry_id in IDS:
        (article,) = page.entry(entry_id).all("article")
        assert article.attributes["id"] == f"entry-{entry_id}"
    ids = [
        element.attributes["id"] for entry in page.entries for element in entry if "id" in element.attributes
    ]
    assert all((one or "").startswith("entry-") for one in ids)


def test_a_damaged_line_is_named_and_the_rest_is_there(page: ExportedPage) -> None:
    (notices,) = page.root.all("details", class_="notices")
    assert re.search(r"Line \d+: \d+ bytes that are no entry", notices.text)


def test_an_image_larger_than_a_page_shows_is_named(tmp_path: Path) -> None:
    source = write_hostile_session(tmp_path / "s.jsonl", huge=True)
    out = write_html(source, tmp_path / "s.html")
    assert f"{len(HUGE) * 3 // 4:,} bytes: not shown" in ExportedPage(out).entry(IDS[0]).text
    assert out.stat().st_size < 2_000_000


@pytest.mark.parametrize(
    "text",
    [MARKDOWN, ALL, "<" * 5000, "[" * 3000 + "](x)" * 3000, "> " * 2000, "*a " * 4000],
    ids=["hostile", "attacks", "tags", "brackets", "quotes", "stars"],
)
def test_markdown_of_any_kind_becomes_allowed_elements_alone(text: str) -> None:
    root = parse(str(MarkdownWriter(CodePainter()).html(text)))
    assert all(
        element.tag in ALLOWED_TAGS and set(element.attributes) <= ALLOWED_ATTRIBUTES for element in root
    )


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "//evil.invalid",
        "/\\evil.invalid",
        "%5cevil",
        "#rows",
    ],
)
def test_a_link_of_another_scheme_leads_nowhere(target: str) -> None:
    root = parse(str(MarkdownWriter(CodePainter()).html(f"[here]({target}) <a href='{target}'>raw</a>")))
    assert not [link for link in root.all("a") if link.attributes.get("href")]
    assert "here" in root.text
