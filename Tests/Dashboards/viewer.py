"""The page as people use it in Chromium: what every part of the checks has in common."""

import datetime

import clock

DEVICE, NOTIFICATION = "browser/device 1", "n 1?"
CATEGORY = "news"


class Viewer:
    """Whoever looks at the page, with the service at hand that it is of."""

    def __init__(self, service, page, axe):
        self.service = service
        self.page = page
        self.axe = axe

    def parameters(self, days=30, **more):
        """What the page asks for with a range of days up to now, in UTC."""
        first = clock.today() - datetime.timedelta(days=days - 1)
        return {"from": first.isoformat(), "tz": "UTC", **more}

    def figure(self, name):
        return self.page.text(f"[data-figure='{name}'] .figure-value")
