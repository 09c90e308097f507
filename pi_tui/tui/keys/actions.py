"""Everything a key can do: its name in `keybindings.json`, its keys as shipped, its description."""

from typing import Final, NamedTuple


class Action(NamedTuple):
    id: str
    keys: tuple[str, ...]
    """As they are written in `keybindings.json`."""
    description: str
    group: str
    """The heading under which `/hotkeys` lists it."""


EDITOR = "Editor"
LISTS = "Lists and dialogs"
TRANSCRIPT = "Transcript"
SEARCH = "Search in the conversation"
TREE = "Session tree"
SESSIONS = "List of sessions"
MODELS = "Lists of models"
APPLICATION = "Application"

ACTIONS: Final = (
    Action("tui.input.submit", ("enter",), "Send the prompt", EDITOR),
    Action("tui.input.newLine", ("shift+enter", "ctrl+j"), "Break the line", EDITOR),
    Action("tui.input.tab", ("tab",), "Complete a path or a command", EDITOR),
    Action("tui.editor.cursorUp", ("up",), "Up a line; on the first line, back in the history", EDITOR),
    Action(
        "tui.editor.cursorDown", ("down",), "Down a line; on the last line, forward in the history", EDITOR
    ),
    Action("tui.editor.historyPrevious", (), "Back in the prompt history", EDITOR),
    Action("tui.editor.historyNext", (), "Forward in the prompt history", EDITOR),
    Action("tui.editor.cursorLeft", ("left", "ctrl+b"), "Left a character", EDITOR),
    Action("tui.editor.cursorRight", ("right", "ctrl+f"), "Right a character", EDITOR),
    Action("tui.editor.cursorWordLeft", ("alt+left", "ctrl+left", "alt+b"), "Left a word", EDITOR),
    Action("tui.editor.cursorWordRight", ("alt+right", "ctrl+right", "alt+f"), "Right a word", EDITOR),
    Action("tui.editor.cursorLineStart", ("home", "ctrl+a"), "To the start of the line", EDITOR),
    Action("tui.editor.cursorLineEnd", ("end", "ctrl+e"), "To the end of the line", EDITOR),
    Action("tui.editor.jumpForward", ("ctrl+]",), "To the next place of the character typed then", EDITOR),
    Action(
        "tui.editor.jumpBackward", ("ctrl+alt+]",), "To the last place of the character typed then", EDITOR
    ),
    Action("tui.editor.pageUp", ("ctrl+pageUp",), "Up a page of the editor", EDITOR),
    Action("tui.editor.pageDown", ("ctrl+pageDown",), "Down a page of the editor", EDITOR),
    Action("tui.editor.deleteCharBackward", ("backspace",), "Delete the character before the cursor", EDITOR),
    Action(
        "tui.editor.deleteCharForward", ("delete", "ctrl+d"), "Delete the character at the cursor", EDITOR
    ),
    Action(
        "tui.editor.deleteWordBackward",
        ("ctrl+w", "alt+backspace"),
        "Cut the word before the cursor",
        EDITOR,
    ),
    Action("tui.editor.deleteWordForward", ("alt+d", "alt+delete"), "Cut the word after the cursor", EDITOR),
    Action("tui.editor.deleteToLineStart", ("ctrl+u",), "Cut to the start of the line", EDITOR),
    Action("tui.editor.deleteToLineEnd", ("ctrl+k",), "Cut to the end of the line", EDITOR),
    Action("tui.editor.yank", ("ctrl+y",), "Put back what was cut last", EDITOR),
    Action("tui.editor.yankPop", ("alt+y",), "After that, what was cut before it", EDITOR),
    Action("tui.editor.undo", ("ctrl+-",), "Undo", EDITOR),
    Action("tui.input.copy", ("ctrl+c",), "Copy what is selected in the editor", EDITOR),
    Action("app.editor.external", ("ctrl+g",), "Write in $VISUAL or $EDITOR", EDITOR),
    Action("app.clipboard.pasteImage", ("ctrl+v",), "Paste an image from the clipboard", EDITOR),
    Action("tui.select.up", ("up",), "Up", LISTS),
    Action("tui.select.down", ("down",), "Down", LISTS),
    Action("tui.select.pageUp", ("pageUp",), "Up a page", LISTS),
    Action("tui.select.pageDown", ("pageDown",), "Down a page", LISTS),
    Action("tui.select.confirm", ("enter",), "Choose", LISTS),
    Action("tui.select.cancel", ("escape", "ctrl+c"), "Cancel", LISTS),
    Action("tui.altScreen.pageUp", ("pageUp",), "Up a page", TRANSCRIPT),
    Action("tui.altScreen.pageDown", ("pageDown",), "Down a page", TRANSCRIPT),
    Action("tui.altScreen.halfPageUp", (), "Up half a page", TRANSCRIPT),
    Action("tui.altScreen.halfPageDown", (), "Down half a page", TRANSCRIPT),
    Action("tui.altScreen.lineUp", (), "Up a line", TRANSCRIPT),
    Action("tui.altScreen.lineDown", (), "Down a line", TRANSCRIPT),
    Action("tui.altScreen.previousPrompt", ("ctrl+shift+up", "ctrl+up"), "To the prompt before", TRANSCRIPT),
    Action("tui.altScreen.nextPrompt", ("ctrl+shift+down", "ctrl+down"), "To the prompt after", TRANSCRIPT),
    Action("tui.altScreen.top", ("ctrl+home",), "To the beginning", TRANSCRIPT),
    Action("tui.altScreen.bottom", ("ctrl+end",), "To the end, and follow it", TRANSCRIPT),
    Action("tui.altScreen.search", ("ctrl+shift+f", "f3"), "Search the conversation", TRANSCRIPT),
    Action("app.tools.expand", ("ctrl+o",), "Show tool results in full, or not", TRANSCRIPT),
    Action("app.thinking.toggle", ("ctrl+t",), "Show thinking, or not", TRANSCRIPT),
    Action(
        "tui.altScreen.searchNext",
        ("enter", "ctrl+g", "up"),
        "To the match above",
        SEARCH,
    ),
    Action(
        "tui.altScreen.searchPrevious",
        ("shift+enter", "ctrl+shift+g", "down"),
        "To the match below",
        SEARCH,
    ),
    Action("tui.altScreen.searchClose", ("escape",), "End the search, back to where it began", SEARCH),
    Action("app.tree.foldOrUp", ("ctrl+left", "alt+left"), "Fold the branch, or go to where it begins", TREE),
    Action(
        "app.tree.unfoldOrDown",
        ("ctrl+right", "alt+right"),
        "Unfold the branch, or go to where it ends",
        TREE,
    ),
    Action("app.tree.editLabel", ("shift+l",), "Label the entry", TREE),
    Action("app.tree.toggleLabelTimestamp", ("shift+t",), "Show when labels were given, or not", TREE),
    Action("app.tree.filter.default", ("ctrl+d",), "Show the conversation", TREE),
    Action("app.tree.filter.noTools", ("ctrl+t",), "Leave tools out", TREE),
    Action("app.tree.filter.userOnly", ("ctrl+u",), "Show your messages only", TREE),
    Action("app.tree.filter.labeledOnly", ("ctrl+l",), "Show labelled entries only", TREE),
    Action("app.tree.filter.all", ("ctrl+a",), "Show everything", TREE),
    Action("app.tree.filter.cycleForward", ("ctrl+o",), "Next filter", TREE),
    Action("app.tree.filter.cycleBackward", ("shift+ctrl+o",), "Filter before", TREE),
    Action("app.tree.previewUp", ("shift+up",), "Scroll the preview up", TREE),
    Action("app.tree.previewDown", ("shift+down",), "Scroll the preview down", TREE),
    Action("app.session.togglePath", ("ctrl+p",), "Show the files' paths, or not", SESSIONS),
    Action("app.session.toggleSort", ("ctrl+s",), "Sort otherwise", SESSIONS),
    Action("app.session.toggleNamedFilter", ("ctrl+n",), "Show named sessions only, or all", SESSIONS),
    Action("app.session.rename", ("ctrl+r",), "Rename the session", SESSIONS),
    Action("app.session.delete", ("ctrl+d",), "Delete the session", SESSIONS),
    Action(
        "app.session.deleteNoninvasive", ("ctrl+backspace",), "Delete it, when nothing is searched", SESSIONS
    ),
    Action("app.models.save", ("ctrl+s",), "Save as the default, or the models to switch between", MODELS),
    Action("app.thinking.save", ("ctrl+s",), "Save the thinking level as the default", MODELS),
    Action("app.models.enableAll", ("ctrl+a",), "Mark all models that are shown", MODELS),
    Action("app.models.clearAll", ("ctrl+x",), "Unmark them", MODELS),
    Action("app.models.toggleProvider", ("ctrl+p",), "Mark or unmark a provider", MODELS),
    Action("app.models.reorderUp", ("alt+up",), "Move the model up", MODELS),
    Action("app.models.reorderDown", ("alt+down",), "Move the model down", MODELS),
    Action("app.interrupt", ("escape",), "Stop what is running; twice: the session tree", APPLICATION),
    Action("app.clear", ("ctrl+c",), "Clear the editor; twice: leave", APPLICATION),
    Action("app.exit", ("ctrl+d",), "Leave, when the editor is empty", APPLICATION),
    Action("app.suspend", ("ctrl+z",), "Suspend; `fg` comes back", APPLICATION),
    Action("app.session.tree", (), "Open the session tree", APPLICATION),
    Action("app.session.new", (), "Start a new session", APPLICATION),
    Action("app.session.resume", (), "Go on with another session", APPLICATION),
    Action("app.session.fork", (), "Fork before an earlier message", APPLICATION),
    Action("app.model.select", ("ctrl+l",), "Choose a model", APPLICATION),
    Action("app.model.cycleForward", ("ctrl+p",), "Next model", APPLICATION),
    Action("app.model.cycleBackward", ("shift+ctrl+p",), "Model before", APPLICATION),
    Action("app.thinking.cycle", ("shift+tab",), "Next thinking level", APPLICATION),
    Action("app.message.copy", ("ctrl+x",), "Copy the last answer", APPLICATION),
    Action("app.message.followUp", ("alt+enter",), "Send when the run is done", APPLICATION),
    Action("app.message.dequeue", ("alt+up",), "Take queued messages back into the editor", APPLICATION),
)

ACTIONS_BY_ID: Final = {action.id: action for action in ACTIONS}
