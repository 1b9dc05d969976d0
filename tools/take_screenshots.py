"""Write pictures of every view of the page to docs/screenshots: three widths, light and dark.

A sandbox is started for it. Each view declares itself in `SHOTS`, one line each; a view of the page that is not
registered in `page/views.js` is left out. `--only convert,board` takes those of some views.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "screenshots"
VIEWS = ROOT / "src" / "cambist" / "web" / "static" / "page" / "views.js"
SIZES = ((390, 780), (820, 860), (1440, 810))
SCHEMES = ("light", "dark")


class Shot(NamedTuple):
    """A picture: its name, its route, and the seconds until everything that moves has settled."""

    name: str
    route: str
    seconds: float = 1.5


SHOTS = (
    Shot("convert", "#/convert?amount=2500&from=EUR&to=JPY"),
    Shot("charts", "#/charts"),
    Shot("board", "#/board", 6),
    Shot("sources", "#/sources"),
    Shot("coverage", "#/coverage"),
    Shot("currency", "#/currency?code=BGN"),
    Shot("try", "#/try"),
    Shot("reference", "docs#/convert?from=EUR&to=USD&amount=100"),
)
"""The views, with a route that shows them well."""


def main() -> int:
    """Take the pictures, and say how large they are."""
    sys.path.insert(0, str(ROOT))
    from tests.web.sandbox import missing_requirement, serving_page  # noqa: PLC0415  only with the line above

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="names of views with commas; all registered ones if left out")
    only = parser.parse_args().only
    missing = missing_requirement()
    if missing:
        print(f"No screenshots: {missing}.")
        return 0
    registered = set(re.findall(r'name: "(\w+)"', VIEWS.read_text(encoding="utf-8")))
    shots = [shot for shot in SHOTS if shot.name in (only.split(",") if only else registered | {"reference"})]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, serving_page(Path(folder)) as service:
        take(shots, service.url, service.key)
    sizes = [path.stat().st_size for path in FOLDER.glob("*.png")]
    print(f"{len(sizes)} pictures in {FOLDER.relative_to(ROOT)}, {sum(sizes) / 1e6:.1f} MB")
    return 0


def take(shots: list[Shot], url: str, key: str) -> None:
    """Take all pictures with one browser."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  it is not installed everywhere
    from tests.web.browsing import enter_key  # noqa: PLC0415  as above
    from tests.web.sandbox import CHROMIUM  # noqa: PLC0415  as above

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        for scheme in SCHEMES:
            for width, height in SIZES:
                size = {"width": width, "height": height}
                context = browser.new_context(viewport=size, color_scheme=scheme, locale="en-GB", timezone_id="UTC")
                for shot in shots:
                    page = context.new_page()
                    page.goto(f"{url}{shot.route}")
                    enter_key(page, key)
                    page.wait_for_timeout(shot.seconds * 1000)
                    page.screenshot(path=FOLDER / f"{shot.name}-{width}-{scheme}.png", animations="disabled")
                    page.close()
                context.close()
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
