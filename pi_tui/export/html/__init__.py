"""A session as one HTML file that needs no network.

`write_html(source, out, theme=…)` does it in the calling thread, `await export_html(log, out, theme=…)` beside a
running event loop. The page is made by Jinja2 with autoescape (`templates/`), Markdown is cleaned by nh3, and what
is not on screen lies in inert JSON that `assets/*.js` turns into elements when somebody comes near it.
"""

from pi_tui.export.html.colors import Theme
from pi_tui.export.html.write import export_html, write_html

__all__ = ["Theme", "export_html", "write_html"]
