"""The escape sequences that turn terminal modes on and off.

Sources: xterm's control sequences, the kitty keyboard protocol, and the in-band resize and
colour-scheme notifications (modes 2048 and 2031) many terminals share.
"""

from typing import Final

KITTY_KEYBOARD_SET: Final = "\x1b[=5;1u"
"""Disambiguate keys, and report the key of the base layout, so that Ctrl+C works on any layout."""

MODIFY_OTHER_KEYS_ON: Final = "\x1b[>4;1m"
MODIFY_OTHER_KEYS_OFF: Final = "\x1b[>4m"

COLOR_SCHEME_REPORTS_ON: Final = "\x1b[?2031h"
COLOR_SCHEME_REPORTS_OFF: Final = "\x1b[?2031l"

COLOR_QUERIES: Final = "".join(
    f"\x1b]{color};?\x1b\\" for color in ("10", "11", *(f"4;{number}" for number in range(16)))
)
"""Asks for foreground, background and the 16 ANSI colours; a terminal answers what it can."""
KITTY_KEYBOARD_QUERY: Final = "\x1b[?u"
DEVICE_ATTRIBUTES_QUERY: Final = "\x1b[c"
"""Every terminal answers this, so its answer marks the end of the answers to what was asked before."""

FULL_SCREEN: Final = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?1004h" + COLOR_SCHEME_REPORTS_ON
MOUSE: Final = "\x1b[?1000h\x1b[?1003h\x1b[?1006h"
PASTE: Final = "\x1b[?2004h"
"""Harmless to repeat, unlike the above: some terminals clear the screen, or report the focus again."""

RESET: Final = "".join(
    (
        "\x1b[?2026l",
        "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l",
        "\x1b[?1004l",
        "\x1b[?2004l",
        "\x1b[?2048l",
        COLOR_SCHEME_REPORTS_OFF,
        MODIFY_OTHER_KEYS_OFF,
        "\x1b[<u",
        "\x1b[?1049l",
        "\x1b[?7h",
        "\x1b[?25h",
        "\x1b[0m",
    )
)
"""Gives the terminal back as a shell expects it. The keyboard stack is popped before the main screen is
shown, because kitty keeps one stack for each screen."""
