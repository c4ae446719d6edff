"""An app's own dimensions, on the page as in the service."""

from viewer import Viewer

KEY, VALUE = "tier", "gold"
# What simulated requests carry.
SIMULATED = "section"
NAME = f"attribute.{KEY}"


def name(service):
    """Before there is anything to count."""
    service.post({"dimensions": [SIMULATED, KEY]}, "admin", "/v1/dimensions", method="PUT")


class Own(Viewer):
    CHECKS = ["offers_own_dimensions"]

    def offers_own_dimensions(self):
        page = self.page
        page.go("overview")
        for select in ("filter-name", "breakdown"):
            last = page.script("const o = [...document.querySelector(`select[name='${arguments[0]}']`).options].at(-1); return [o.value, o.innerText]", select)
            assert last == [NAME, KEY], (select, last)
        page.choose("breakdown", NAME)
        page.wait("its values", lambda: page.all(f".breakdown [data-value='{VALUE}']"))
        rows = self.service.rows("engagement", by=NAME, **self.parameters(limit=10))
        shown = page.script("return [...document.querySelectorAll('.breakdown tbody tr')].map(row => [row.querySelector('[data-value]').dataset.value, row.querySelector('[data-key=reached]').innerText])")
        expected = sorted([row[NAME] or "", f"{row['reached']:,}"] for row in rows if row["reached"])
        assert sorted(shown) == expected and len(shown) == 2, (shown, expected)
        page.script("document.querySelector(arguments[0]).click()", f".breakdown [data-value='{VALUE}']")
        page.wait("the filter", lambda: page.address()[1].get(NAME) == [VALUE])
        page.settle()
        assert page.text(".chip").startswith(f"{KEY}: {VALUE}"), page.text(".chip")
        row = self.service.rows("engagement", by="none", **self.parameters(**{NAME: VALUE}))[0]
        assert self.figure("reached") == f"{row['reached']:,}" == "1", (self.figure("reached"), row)
