"""The page in headless Chromium, by what people see and do."""

import base64
import datetime
import pathlib
import shutil
import time
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.common.by import By

import clock

BUSY = "return !document.querySelector('.panels, .signin') || Boolean(document.querySelector('[aria-busy=true]'))"


class Page:
    def __init__(self, url, downloads, slow=clock.SLOW):
        """`slow`: by how much its clock is. Workers go by the actual one."""
        self.url = url
        self.downloads = pathlib.Path(downloads)
        self.visits = 0
        options = Options()
        options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en-GB"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"intl.accept_languages": "en-GB"})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Driver(shutil.which("chromedriver")))
        self.driver.set_script_timeout(30)
        self.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        if slow:
            self.command("Page.addScriptToEvaluateOnNewDocument", source=clock.SLOWER % (slow / datetime.timedelta(milliseconds=1)))
        self.size(1440, 900)

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def size(self, width, height):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def scheme(self, name):
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def forget(self):
        """Makes the browser forget what it keeps of the page's files."""
        self.command("Network.clearBrowserCache")

    def language(self, tag):
        agent = self.script("return navigator.userAgent")
        self.command("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=tag)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def wait(self, what, condition, seconds=40):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"{what}: not within {seconds} s")

    def settle(self):
        """Waits until every panel has its figures, or says why not."""
        self.wait("the view is complete", lambda: not self.script(BUSY))
        # A chart is painted in the frame after the one in which it has its place.
        self.wait("the charts are painted", lambda: not self.script("return [...document.querySelectorAll('canvas')].some(c => !globalThis.Chart?.getChart(c))"))

    def open(self, view, **parameters):
        """Opens a view as a link does: the document too."""
        query = urllib.parse.urlencode({"last": "30d", "tz": "UTC", **parameters}, doseq=True)
        self.script("window.name = 'old'")
        self.driver.get("about:blank")
        self.driver.get(f"{self.url}/#/{view}?{query}")
        self.settle()

    def go(self, view, **parameters):
        """Goes to a view without loading the document again."""
        # The page takes no notice of an address that it is at already.
        self.visits += 1
        query = urllib.parse.urlencode({"last": "30d", "tz": "UTC", **parameters, "visit": self.visits}, doseq=True)
        self.script("document.querySelector('main').replaceChildren(); location.hash = arguments[0]", f"#/{view}?{query}")
        self.wait(f"the view {view} is drawn", lambda: self.script("return Boolean(document.querySelector('main h1'))"))
        self.settle()

    def find(self, selector):
        return self.wait(selector, lambda: self.driver.find_elements(By.CSS_SELECTOR, selector))[0]

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        self.find(selector)
        # In one step, as the page may be drawing.
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def choose(self, name, value):
        self.script(
            "const s = document.querySelector(`select[name='${arguments[0]}']`); s.value = arguments[1];"
            "s.dispatchEvent(new Event('change', {bubbles: true}))",
            name, value,
        )

    def address(self):
        """The view and its parameters."""
        view, _, query = urllib.parse.urlparse(self.driver.current_url).fragment.lstrip("/").partition("?")
        return view, urllib.parse.parse_qs(query, keep_blank_values=True)

    def column(self, report, key):
        """Texts of a column, in the table of the panel that a report is shown in."""
        return self.script(
            "const found = [...document.querySelectorAll('.panel')].filter(p => p.matches(`[data-reports~='${arguments[0]}']`)"
            " && p.querySelector(`[data-key='${arguments[1]}']`))[0];"
            "return found ? [...found.querySelectorAll(`[data-key='${arguments[1]}']`)].map(c => c.innerText.split('\\n')[0].trim()) : null",
            report, key,
        )

    def console(self):
        """What the console says is wrong since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def refused(self):
        """Waits until the console says of every answer that refused this document something, and takes that away."""
        said = []

        def complete():
            count = self.script("return performance.getEntriesByType('resource').filter(e => e.responseStatus >= 400).length")
            said.extend(self.console())
            return 0 < count <= len(said)

        self.wait("the console says what was refused", complete)

    def axe(self, source, only=None):
        """Violations. Takes away what only repeats what stands before it, which costs most of the time."""
        self.script("document.querySelectorAll('tbody > tr:nth-child(n+5), .timeline > li:nth-child(n+16)').forEach(e => e.closest('.heatmap') || e.remove())")
        # Evaluated from outside, which the page's policy has no say in.
        if not self.script("return 'axe' in window"):
            self.command("Runtime.evaluate", expression=source)
        # Levels A and AA of the Web Content Accessibility Guidelines, 2.0 to 2.2.
        rules = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
        options = {"resultTypes": ["violations"], "runOnly": rules, "preload": False, "selectors": False}
        if only:
            options["runOnly"] = {"type": "rule", "values": only}
        result = self.driver.execute_async_script(
            "const done = arguments[1]; axe.run(document, arguments[0]).then(r => done(r.violations), e => done(String(e)))", options
        )
        if isinstance(result, str):
            raise AssertionError(result)
        return [f"{v['id']}: {n['html'][:120]}" for v in result for n in v["nodes"][:3]]

    def screenshot(self, path):
        shot = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def export(self, report):
        """Takes a report from the view's menu."""
        self.script("document.querySelector('.menu').open = true")
        self.find(f"[data-csv='{report}']").click()

    def downloaded(self, name):
        """A file that was downloaded whole; taken away, so that the next is not taken for it."""
        path = self.downloads / name
        # Chromium makes an empty file of the name first, and renames the partial file to it at the end.
        partial = self.downloads / f"{name}.crdownload"
        self.wait(f"{name} is downloaded", lambda: path.exists() and not partial.exists())
        content = path.read_bytes()
        path.unlink()
        return content

    def load(self):
        """How the document came, by the browser's own entries: milliseconds until its first paint and until every panel was
        complete, requests, those that went out, and bytes."""
        return self.script(
            "const all = [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')];"
            "const at = entry => entry ? Math.round(entry.startTime) : null;"
            "return {requests: all.length, sent: all.filter(e => e.transferSize > 0).length, "
            "bytes: all.reduce((n, e) => n + e.transferSize, 0), paint: at(performance.getEntriesByName('first-contentful-paint')[0]), "
            "complete: at(performance.getEntriesByName('complete')[0])}"
        )

    def close(self):
        self.driver.quit()


def axe_source(folder):
    """axe-core, as its Python package brings it along."""
    found = sorted(pathlib.Path(folder).glob("**/axe.min.js"))
    if not found:
        raise RuntimeError(f"axe-core is missing in {folder}: run .ci/dependencies tests")
    return found[0].read_text()
