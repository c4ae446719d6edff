"""What a bar came to, the table of all, and the file."""
import datetime, json, os, platform
from dataclasses import asdict, dataclass, field
from .paths import RESULTS, ROOT


@dataclass
class Row:
    """One line of the table. Either side may be missing; `bar` is what the ratio has to be, or `ours` where there is none."""
    id: str
    what: str
    ours: float | None = None
    unit: str = "/s"
    limit: float | None = None
    peer: float | None = None
    ratio: float | None = None
    bar: float | None = None
    at_most: bool = False
    guide: bool = False
    note: str = ""
    rounds: dict = field(default_factory=dict)

    @property
    def met(self):
        value = self.ours if self.ratio is None else self.ratio
        if value is None or self.bar is None:
            return None
        return value <= self.bar if self.at_most else value >= self.bar

    def record(self):
        return {**asdict(self), "met": self.met}


def figure(value, unit):
    if value is None:
        return ""
    text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"
    return f"{text} {unit}" if unit != "/s" else text + "/s"


def bound(row):
    if row.bar is None:
        return ""
    sign = "≤ " if row.at_most else "≥ "
    return sign + (f"{row.bar:g}" if row.ratio is not None else figure(row.bar, row.unit)) + (" (guide)" if row.guide else "")


def table(rows):
    """The rows as lines of text, the columns aligned."""
    cells = [("bar", "what", "ours", "limit", "peer", "ratio", "bar", "met")]
    for row in rows:
        cells.append((row.id, row.what, figure(row.ours, row.unit), figure(row.limit, row.unit), figure(row.peer, row.unit),
                      "" if row.ratio is None else f"{row.ratio:.2f}", bound(row),
                      {None: row.note or "–", True: "yes", False: "no"}[row.met]))
    widths = [max(len(line[i]) for line in cells) for i in range(7)]
    left = {0, 1, 6}
    return "\n".join("  ".join(cell.ljust(widths[i]) if i in left else cell.rjust(widths[i]) for i, cell in enumerate(line[:7]))
                     + "  " + line[7] for line in cells)


def machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.processor())
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) / 1024 / 1024
    return {"cores": os.cpu_count(), "processor": model, "memory_gib": round(memory, 1), "system": platform.platform()}


def write(document, folder=RESULTS):
    """Writes a run under today's date; a second run of the day gets a number."""
    os.makedirs(folder, exist_ok=True)
    day = datetime.date.today().isoformat()
    names = [f"{day}.json"] + [f"{day}-{n}.json" for n in range(2, 1000)]
    path = next(f"{folder}/{name}" for name in names if not os.path.exists(f"{folder}/{name}"))
    with open(path, "w") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")
    return os.path.relpath(path, ROOT)
