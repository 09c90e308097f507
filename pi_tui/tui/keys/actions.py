"""Everything a key can do: its name in `keybindings.json`, its keys as shipped, its description."""

from typing import Final, NamedTuple


class Action(NamedTuple):
    id: str
    keys: tuple[str, ...]
    """As they are written in `keybindings.json`."""
    description: str
    group: str
    """The heading under which `/hotkeys` lists it."""


_EDITOR = "Editor"
_LIST = "Lists and dialogs"
_TRANSCRIPT = "Transcript"
_TREE = "Session tree"
_SESSIONS = "List of sessions"
_MODELS = "Lists of models"
_APP = "Application"

ACTIONS: Final = (
    Action("tui.input.submit", ("enter",), "Send the prompt", _EDITOR),
    Action("tui.input.newLine", ("shift+enter", "ctrl+j"), "Break the line", _EDITOR),
    Action("tui.input.tab", ("tab",), "Complete a path or a command", _EDITOR),
    Action("tui.editor.cursorUp", ("up",), "Up a line; on the first line, back in the history", _EDITOR),
    Action(
        "tui.editor.cursorDown", ("down",), "Down a line; on the last line, forward in the history", _EDITOR
    ),
    Action("tui.editor.historyPrevious", (), "Back in the prompt history", _EDITOR),
    Action("tui.editor.historyNext", (), "Forward in the prompt history", _EDITOR),
    Action("tui.editor.cursorLeft", ("left", "ctrl+b"), "Left a character", _EDITOR),
    Action("tui.editor.cursorRight", ("right", "ctrl+f"), "Right a character", _EDITOR),
    Action("tui.editor.cursorWordLeft", ("alt+left", "ctrl+left", "alt+b"), "Left a word", _EDITOR),
    Action("tui.editor.cursorWordRight", ("alt+right", "ctrl+right", "alt+f"), "Right a word", _EDITOR),
    Action("tui.editor.cursorLineStart", ("home", "ctrl+a"), "To the start of the line", _EDITOR),
    Action("tui.editor.cursorLineEnd", ("end", "ctrl+e"), "To the end of the line", _EDITOR),
    Action(
        "tui.editor.deleteCharBackward", ("backspace",), "Delete the character before the cursor", _EDITOR
    ),
    Action(
        "tui.editor.deleteCharForward", ("delete", "ctrl+d"), "Delete the character at the cursor", _EDITOR
    ),
    Action(
        "tui.editor.deleteWordBackward",
        ("ctrl+w", "alt+backspace"),
        "Cut the word before the cursor",
        _EDITOR,
    ),
    Action("tui.editor.deleteWordForward", ("alt+d", "alt+delete"), "Cut the word after the cursor", _EDITOR),
    Action("tui.editor.deleteToLineStart", ("ctrl+u",), "Cut to the start of the line", _EDITOR),
    Action("tui.editor.deleteToLineEnd", ("ctrl+k",), "Cut to the end of the line", _EDITOR),
    Action("tui.editor.yank", ("ctrl+y",), "Put back what was cut last", _EDITOR),
    Action("tui.editor.yankPop", ("alt+y",), "After that, what was cut before it", _EDITOR),
    Action("tui.editor.undo", ("ctrl+-",), "Undo", _EDITOR),
    Action("app.editor.external", ("ctrl+g",), "Write in $VISUAL or $EDITOR", _EDITOR),
    Action("app.clipboard.pasteImage", ("ctrl+v",), "Paste an image from the clipboard", _EDITOR),
    Action("tui.select.up", ("up",), "Up", _LIST),
    Action("tui.select.down", ("down",), "Down", _LIST),
    Action("tui.select.pageUp", ("pageUp",), "Up a page", _LIST),
    Action("tui.select.pageDown", ("pageDown",), "Down a page", _LIST),
    Action("tui.select.confirm", ("enter",), "Choose", _LIST),
    Action("tui.select.cancel", ("escape", "ctrl+c"), "Cancel", _LIST),
    Action("tui.altScreen.pageUp", ("pageUp",), "Up a page", _TRANSCRIPT),
    Action("tui.altScreen.pageDown", ("pageDown",), "Down a page", _TRANSCRIPT),
    Action("tui.altScreen.halfPageUp", (), "Up half a page", _TRANSCRIPT),
    Action("tui.altScreen.halfPageDown", (), "Down half a page", _TRANSCRIPT),
    Action("tui.altScreen.lineUp", (), "Up a line", _TRANSCRIPT),
    Action("tui.altScreen.lineDown", (), "Down a line", _TRANSCRIPT),
    Action("tui.altScreen.previousPrompt", ("ctrl+shift+up", "ctrl+up"), "To the prompt before", _TRANSCRIPT),
    Action("tui.altScreen.nextPrompt", ("ctrl+shift+down", "ctrl+down"), "To the prompt after", _TRANSCRIPT),
    Action("tui.altScreen.top", ("ctrl+home",), "To the beginning", _TRANSCRIPT),
    Action("tui.altScreen.bottom", ("ctrl+end",), "To the end, and follow it", _TRANSCRIPT),
    Action("tui.altScreen.search", ("ctrl+shift+f", "f3"), "Search the conversation", _TRANSCRIPT),
    Action(
        "tui.altScreen.searchNext",
        ("enter", "ctrl+g", "up"),
        "While searching: to the match above",
        _TRANSCRIPT,
    ),
    Action(
        "tui.altScreen.searchPrevious",
        ("shift+enter", "ctrl+shift+g", "down"),
        "While searching: to the match below",
        _TRANSCRIPT,
    ),
    Action("tui.altScreen.searchClose", ("escape",), "End the search, back to where it began", _TRANSCRIPT),
    Action("app.tools.expand", ("ctrl+o",), "Show tool results in full, or not", _TRANSCRIPT),
    Action("app.thinking.toggle", ("ctrl+t",), "Show thinking, or not", _TRANSCRIPT),
    Action(
        "app.tree.foldOrUp", ("ctrl+left", "alt+left"), "Fold the branch, or go to where it begins", _TREE
    ),
    Action(
        "app.tree.unfoldOrDown",
        ("ctrl+right", "alt+right"),
        "Unfold the branch, or go to where it ends",
        _TREE,
    ),
    Action("app.tree.editLabel", ("shift+l",), "Label the entry", _TREE),
    Action("app.tree.toggleLabelTimestamp", ("shift+t",), "Show when labels were given, or not", _TREE),
    Action("app.tree.filter.default", ("ctrl+d",), "Show the conversation", _TREE),
    Action("app.tree.filter.noTools", ("ctrl+t",), "Leave tools out", _TREE),
    Action("app.tree.filter.userOnly", ("ctrl+u",), "Show your messages only", _TREE),
    Action("app.tree.filter.labeledOnly", ("ctrl+l",), "Show labelled entries only", _TREE),
    Action("app.tree.filter.all", ("ctrl+a",), "Show everything", _TREE),
    Action("app.tree.filter.cycleForward", ("ctrl+o",), "Next filter", _TREE),
    Action("app.tree.filter.cycleBackward", ("shift+ctrl+o",), "Filter before", _TREE),
    Action("app.tree.previewUp", ("shift+up",), "Scroll the preview up", _TREE),
    Action("app.tree.previewDown", ("shift+down",), "Scroll the preview down", _TREE),
    Action("app.session.togglePath", ("ctrl+p",), "Show the files' paths, or not", _SESSIONS),
    Action("app.session.toggleSort", ("ctrl+s",), "Sort otherwise", _SESSIONS),
    Action("app.session.toggleNamedFilter", ("ctrl+n",), "Show named sessions only, or all", _SESSIONS),
    Action("app.session.rename", ("ctrl+r",), "Rename the session", _SESSIONS),
    Action("app.session.delete", ("ctrl+d",), "Delete the session", _SESSIONS),
    Action(
        "app.session.deleteNoninvasive", ("ctrl+backspace",), "Delete it, when nothing is searched", _SESSIONS
    ),
    Action("app.models.save", ("ctrl+s",), "Save as the default, or the models to switch between", _MODELS),
    Action("app.thinking.save", ("ctrl+s",), "Save the thinking level as the default", _MODELS),
    Action("app.models.enableAll", ("ctrl+a",), "Mark all models that are shown", _MODELS),
    Action("app.models.clearAll", ("ctrl+x",), "Unmark them", _MODELS),
    Action("app.models.toggleProvider", ("ctrl+p",), "Mark or unmark a provider", _MODELS),
    Action("app.models.reorderUp", ("alt+up",), "Move the model up", _MODELS),
    Action("app.models.reorderDown", ("alt+down",), "Move the model down", _MODELS),
    Action("app.interrupt", ("escape",), "Stop what is running; twice: the session tree", _APP),
    Action("app.clear", ("ctrl+c",), "Clear the editor; twice: leave", _APP),
    Action("app.exit", ("ctrl+d",), "Leave, when the editor is empty", _APP),
    Action("app.suspend", ("ctrl+z",), "Suspend; `fg` comes back", _APP),
    Action("app.session.tree", (), "Open the session tree", _APP),
    Action("app.session.new", (), "Start a new session", _APP),
    Action("app.session.resume", (), "Go on with another session", _APP),
    Action("app.session.fork", (), "Fork before an earlier message", _APP),
    Action("app.model.select", ("ctrl+l",), "Choose a model", _APP),
    Action("app.model.cycleForward", ("ctrl+p",), "Next model", _APP),
    Action("app.model.cycleBackward", ("shift+ctrl+p",), "Model before", _APP),
    Action("app.thinking.cycle", ("shift+tab",), "Next thinking level", _APP),
    Action("app.message.copy", ("ctrl+x",), "Copy the last answer", _APP),
    Action("app.message.followUp", ("alt+enter",), "Send when the run is done", _APP),
    Action("app.message.dequeue", ("alt+up",), "Take queued messages back into the editor", _APP),
)

ACTIONS_BY_ID: Final = {action.id: action for action in ACTIONS}
