"""Saved views, on the page as in the service."""

from viewer import Viewer

NAME = "news by week"
VIEW = {"report": "engagement", "parameters": {"by": "category", "interval": "week"}}
COMPARED = "variants compared"
VIEWS = {NAME: VIEW, COMPARED: {"report": "experiment", "parameters": {}}}


def fill(service):
    for name, view in VIEWS.items():
        service.post(view, "admin", f"/v1/views/{name.replace(' ', '%20')}", method="PUT")


class Saved(Viewer):
    CHECKS = ["shows_saved_views"]

    def shows_saved_views(self):
        page = self.page
        page.go("saved")
        names = page.script("return [...document.querySelectorAll('tbody [data-key=name] a')].map(a => [a.innerText, a.getAttribute('href')])")
        assert [name for name, _ in names] == list(VIEWS), names
        # The link holds the name, and shows what the question shows.
        page.script("document.querySelector('tbody [data-key=name] a').click()")
        page.wait("the view is shown", lambda: page.script("return document.querySelector('main h1')?.innerText") == NAME)
        page.settle()
        rows = self.service.rows("engagement", **VIEW["parameters"])
        texts = page.script("return [...document.querySelectorAll('tbody [data-key=reached]')].map(c => c.innerText)")
        assert texts == [f"{row['reached']:,}" for row in rows] and texts, (texts, rows)
        # Those that say most stand there; all, for who asks.
        heads = lambda: len(page.all("main thead th"))
        usual = heads()
        page.script("document.querySelector('a[href*=\"columns=all\"]').click()")
        page.wait("all columns", lambda: heads() > usual)
        assert heads() == len(rows[0]), (heads(), rows[0])
        page.script("history.back()")
        page.wait("the usual columns", lambda: heads() == usual)
        page.settle()
        page.export(NAME)
        saved = page.downloaded(self.file()).decode()
        assert saved.count("\n") == len(rows) + 1, (saved, rows)

        # Of no report does a table mix words with names of columns, or call two columns the same.
        raw = page.script(
            "const main = document.querySelector('script[type=module]').src; const [reports] = arguments;"
            "return import(new URL('../parts/columns.js', main)).then(({columnLabel}) => reports.flatMap(({name, columns}) => columns.map(column => [name, column.name, columnLabel(column, {name, columns})]))"
            ".filter(([name, column, label], index, all) => label.includes('_') || label === column || label.includes('{') || all.some((one, place) => place !== index && one[0] === name && one[2] === label)))",
            [{"name": one["name"], "columns": [column for column in one["columns"] if not column["name"].startswith("attribute.")]} for one in self.service.get("/v1/reports")["reports"]],
        )
        assert not raw, raw
        # Differences are said in percentage points, not in percent.
        page.go("saved", name=COMPARED)
        texts = page.script("return [...document.querySelectorAll('tbody [data-key=difference]')].map(c => c.innerText)")
        differences = [row["difference"] for row in self.service.rows("experiment")]
        assert any(differences) and len(texts) == len(differences), (texts, differences)
        for text, difference in zip(texts, differences):
            assert (text == "–") if difference is None else text.endswith(" pp") and abs(float(text[:-3]) - difference * 100) <= 0.051, (text, difference)

    def file(self):
        return f"notilog-{self.service.app}-saved-news_by_week.csv"
