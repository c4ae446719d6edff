"""What was noted of the app, where the page draws time."""

import datetime

import clock
from viewer import Viewer

LABEL = "release 4.2"
DAY = (clock.now() - datetime.timedelta(days=4)).replace(hour=9, minute=0, second=0, microsecond=0)


def fill(service):
    service.post({"label": LABEL, "at": DAY.isoformat()}, "provider", "/v1/annotations")


class Annotations(Viewer):
    CHECKS = ["draws_annotations"]

    def draws_annotations(self):
        page = self.page
        for view in ("overview", "provider"):
            page.go(view)
            # Each chart of time says it in words, beside the interval that it is in.
            rows = page.script(
                "return [...document.querySelectorAll('.chart')].filter(c => c.querySelector('.key.noted')).map(chart => {"
                "const values = chart.querySelector('details.values'); values.open = true; values.dispatchEvent(new Event('toggle'));"
                "return [...chart.querySelectorAll('tbody tr')].map(row => [...row.querySelectorAll('th .noted')].map(e => e.innerText)) })"
            )
            assert rows, f"{view}: no chart has it"
            for chart in rows:
                assert [texts for texts in chart if texts] == [[LABEL]], f"{view}: {chart}"
            index = next(i for i, texts in enumerate(rows[0]) if texts)
            assert len(rows[0]) - 1 - index == 4, f"{view}: beside interval {index} of {len(rows[0])}"
            # And draws a line there, from above all bars to below.
            drawn = page.script(
                "const chart = [...document.querySelectorAll('.chart')].find(c => c.querySelector('.key.noted'));"
                "const canvas = chart.querySelector('canvas'); const shown = globalThis.Chart.getChart(canvas);"
                # Read once: the browser warns of more.
                "const {data, width} = shown.ctx.getImageData(0, 0, canvas.width, canvas.height);"
                "const scale = shown.currentDevicePixelRatio; const {top, bottom} = shown.chartArea;"
                "const at = index => [0.02, 0.5, 0.9].map(part => {"
                "const x = Math.round(Math.round(shown.scales.x.getPixelForValue(index)) * scale);"
                "const y = Math.round((top + (bottom - top) * part) * scale); return data[4 * (y * width + x) + 3] });"
                "return [at(arguments[0]), at(arguments[0] - 10)]",
                index,
            )
            assert drawn[0] == [255, 255, 255] and drawn[1][0] == 0, f"{view}: {drawn}"
