"""Pictures of every view, wide and as on a phone, light and dark, of a service that runs; and how long the page took to come.

    python3 pictures.py http://127.0.0.1:8080 KEY FOLDER [VIEW …]
"""

import json
import pathlib
import sys
import urllib.parse

from page import Page
from web import VIEWS

SIZES = {"wide": (1440, 900), "phone": (390, 844)}


def parameters(page, view):
    """What a view is of: of a category, a campaign, a device or a notification the first that the page lists."""
    link = {"category": ("categories", "tbody th a"), "campaign": ("campaigns", "tbody th a"), "device": ("notifications", "a[href*='/device']"), "notification": ("notifications", "a[href*='/notification?']")}.get(view)
    if link is None:
        return {} if view == "saved" else VIEWS[view]
    page.go(link[0])
    href = page.find(link[1]).get_attribute("href")
    return {name: value for name, value in urllib.parse.parse_qsl(href.partition("?")[2], keep_blank_values=True) if name not in ("last", "tz")}


def main(url, key, folder, *views):
    page = Page(url, folder)
    try:
        page.driver.get(f"{url}/#key={key}")
        page.settle()
        for first in (True, False):
            if first:
                page.forget()
            page.open("overview")
            print(json.dumps({"first" if first else "again": page.load()}), flush=True)
        for view in views or VIEWS:
            more = parameters(page, view)
            for size, (width, height) in SIZES.items():
                page.size(width, height)
                for scheme in ("light", "dark"):
                    page.scheme(scheme)
                    page.open(view, **more)
                    page.screenshot(pathlib.Path(folder) / f"{view}-{size}-{scheme}.png")
            page.size(*SIZES["wide"])
    finally:
        page.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
