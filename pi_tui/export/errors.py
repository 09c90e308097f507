"""Why a session could not be exported."""


class ExportError(Exception):
    """The message names the file and says what to do."""


class ExportCancelled(ExportError):
    """Whoever asked for the export changed their mind; nothing was written."""
