"""Takes pictures of an exported session for the documentation: `python scripts/make_export_images.py`.

Needs Debian's `chromium` and the Python package `playwright`; writes `docs/images/export-*.png`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from pi_tui.export.html import write_html  # noqa: E402
from scripts.export_session import tea_session  # noqa: E402

IMAGES = ROOT / "docs" / "images"
SIZES = {"dark": (1280, 860), "light": (1280, 860), "phone": (390, 780)}
SCALE = 1.5


def main() -> int:
    chromium = shutil.which("chromium")
    if chromium is None:
        print("chromium is missing: apt-get install chromium", file=sys.stderr)
        return 1
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = write_html(tea_session(Path(folder)), Path(folder) / "session.html")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (width, height) in SIZES.items():
            scheme = "light" if name == "light" else "dark"
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=SCALE
            )
            page.goto(page_file.as_uri())
            page.wait_for_selector("article")
            if name == "dark":
                page.locator("#rows .row", has_text="edit").click()
                page.mouse.move(0, 0)
            page.screenshot(path=IMAGES / f"export-{name}.png", animations="disabled")
            print(IMAGES / f"export-{name}.png")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
