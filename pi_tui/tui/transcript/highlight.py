"""Code in colours, line by line: a line once coloured never changes, however the text grows."""

from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MAX_LINE = 2_000
"""Characters; a longer line stays without colours."""
MAX_STEPS = 20_000
"""Matches within one line after which its rest stays without colours."""


class Piece(NamedTuple):
    """Text with the colour token it takes; an empty token is plain code."""

    text: str
    token: str


_TOKENS = {
    "Comment": "syntaxComment",
    "Keyword": "syntaxKeyword",
    "Keyword.Type": "syntaxType",
    "Keyword.Constant": "syntaxNumber",
    "Name.Attribute": "syntaxVariable",
    "Name.Builtin": "syntaxFunction",
    "Name.Builtin.Pseudo": "syntaxKeyword",
    "Name.Class": "syntaxType",
    "Name.Constant": "syntaxNumber",
    "Name.Decorator": "syntaxFunction",
    "Name.Exception": "syntaxType",
    "Name.Function": "syntaxFunction",
    "Name.Namespace": "syntaxType",
    "Name.Tag": "syntaxKeyword",
    "Name.Variable": "syntaxVariable",
    "Name.Property": "syntaxVariable",
    "Literal.String": "syntaxString",
    "Literal.Number": "syntaxNumber",
    "Operator": "syntaxOperator",
    "Operator.Word": "syntaxKeyword",
    "Punctuation": "syntaxPunctuation",
    "Generic.Deleted": "toolDiffRemoved",
    "Generic.Inserted": "toolDiffAdded",
    "Generic.Heading": "mdHeading",
    "Generic.Subheading": "accent",
    "Generic.Prompt": "syntaxKeyword",
    "Generic.Output": "toolOutput",
}

_ALIASES = {
    "shell-session": "console",
    "jsonc": "json",
    "json5": "json",
    "sh": "bash",
    "zsh": "bash",
    "mjs": "js",
}


@lru_cache(maxsize=256)
def _colour(token_type: Any) -> str:
    name = str(token_type).removeprefix("Token.")
    while name:
        if name in _TOKENS:
            return _TOKENS[name]
        name = name.rpartition(".")[0]
    return ""


_importing = Lock()
"""Lexers import one another; two threads at once can find one half made."""


@lru_cache(maxsize=64)
def _lexer(language: str) -> "Lexer | None":
    with _importing:
        from pygments.lexers import get_lexer_by_name
        from pygments.util import ClassNotFound

        try:
            return get_lexer_by_name(_ALIASES.get(language, language), stripnl=False, ensurenl=False)
        except ClassNotFound:
            return None


@lru_cache(maxsize=256)
def language_of(file_name: str) -> str:
    """The language a file's name stands for, as a fence would name it; empty if unknown."""
    from pygments.lexers import find_lexer_class_for_filename

    found = find_lexer_class_for_filename(file_name) if file_name else None
    return found.aliases[0] if found is not None and found.aliases else ""


class Highlighter:
    """Colours the lines of one text in one language.

    Pygments keeps its state to itself, so the loop over a lexer's rules is run here and stopped after each
    line. What spans lines is followed as far as a lexer's states tell, and block comments beyond that.
    """

    def __init__(self, language: str) -> None:
        self._lexer = _lexer(language.lower()) if language else None
        self._stateful = self._lexer is not None and _keeps_states(self._lexer)
        self._stack = ["root"]
        self._in_comment = False
        self._comment = _block_comment(language.lower()) if self._stateful else None

    def fork(self) -> "Highlighter":
        """A copy that can try a line without this one taking it in."""
        other = object.__new__(Highlighter)
        other.__dict__.update(self.__dict__)
        other._stack = list(self._stack)
        return other

    def line(self, line: str) -> list[Piece]:
        """The pieces of the next line, which is given without its line break."""
        if self._lexer is None or len(line) > MAX_LINE:
            return [Piece(line, "")]
        if self._in_comment and self._comment is not None:
            closing = self._comment[1]
            end = line.find(closing)
            if end < 0:
                return [Piece(line, "syntaxComment")]
            self._in_comment = False
            end += len(closing)
            return [Piece(line[:end], "syntaxComment"), *self._code(line[end:])]
        return self._code(line)

    def _code(self, line: str) -> list[Piece]:
        if self._comment is None:
            return self._lexed(line)
        opening, closing = self._comment
        start = line.find(opening)
        if start < 0 or line.find(closing, start + len(opening)) >= 0:
            return self._lexed(line)
        before = list(self._stack)
        pieces = self._lexed(line)
        position = 0
        for text, token in pieces:
            if position <= start < position + len(text) and token in ("syntaxString", "syntaxComment"):
                return pieces
            position += len(text)
        self._stack = before
        self._in_comment = True
        return [*self._lexed(line[:start]), Piece(line[start:], "syntaxComment")]

    def _lexed(self, line: str) -> list[Piece]:
        assert self._lexer is not None
        if self._stateful:
            found = self._run(line + "\n")
        else:
            found = [(kind, text) for _, kind, text in self._lexer.get_tokens_unprocessed(line + "\n")]
        pieces: list[Piece] = []
        for kind, text in found:
            shown = text.replace("\n", "")
            token = _colour(kind)
            if not shown:
                continue
            if pieces and (pieces[-1].token == token or shown.isspace()):
                pieces[-1] = Piece(pieces[-1].text + shown, pieces[-1].token)
            else:
                pieces.append(Piece(shown, token))
        return pieces

    def _run(self, text: str) -> list[tuple[Any, str]]:
        from pygments.token import Error, Whitespace, _TokenType

        definitions: dict[str, Any] = self._lexer._tokens  # type: ignore[union-attr]
        found: list[tuple[Any, str]] = []
        position = 0
        for _ in range(MAX_STEPS):
            if position >= len(text):
                return found
            for matches, action, new_state in definitions[self._stack[-1]]:
                match = matches(text, position)
                if not match:
                    continue
                if action is not None:
                    if type(action) is _TokenType:
                        found.append((action, match.group()))
                    else:
                        found += [(kind, value) for _, kind, value in action(self._lexer, match)]
                position = match.end()
                if new_state is not None:
                    self._enter(new_state)
                break
            else:
                if text[position] == "\n":
                    self._stack = ["root"]
                    found.append((Whitespace, "\n"))
                else:
                    found.append((Error, text[position]))
                position += 1
        found.append((Error, text[position:]))
        return found

    def _enter(self, new_state: Any) -> None:
        stack = self._stack
        steps = new_state if isinstance(new_state, tuple) else (new_state,)
        for step in steps:
            if step == "#pop" or (isinstance(step, int) and step < 0):
                count = 1 if step == "#pop" else -step
                del stack[max(1, len(stack) - count) :]
            elif step == "#push":
                stack.append(stack[-1])
            else:
                stack.append(step)
        # A text that only ever opens states must not grow the stack for ever.
        del stack[1:-200]


def _keeps_states(lexer: "Lexer") -> bool:
    from pygments.lexer import ExtendedRegexLexer, RegexLexer

    kind = type(lexer)
    return (
        isinstance(lexer, RegexLexer)
        and not isinstance(lexer, ExtendedRegexLexer)
        and kind.get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed
    )


@lru_cache(maxsize=64)
def _block_comment(language: str) -> tuple[str, str] | None:
    """The signs around a comment over several lines, if the language's lexer reads it in one go."""
    lexer = _lexer(language)
    if lexer is None:
        return None
    for opening, closing in (("/*", "*/"), ("<!--", "-->")):
        for _, kind, text in lexer.get_tokens_unprocessed(f"{opening} a\nb {closing}\n"):
            if "Comment" in str(kind) and "a\nb" in text:
                return opening, closing
    return None
