"""Draws the chart of docs/scale.md: rates, report times and disk by the number of events. Arguments: scale.json, the SVG."""
import json, sys
import matplotlib
matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "notilog", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
                            "grid.alpha": 0.3})
from matplotlib import pyplot
from matplotlib.ticker import FuncFormatter


def main():
    with open(sys.argv[1]) as file:
        points = json.load(file)["points"]
    events = [p["events"] / 1e6 for p in points]
    figure, (rates, reports, disk) = pyplot.subplots(1, 3, figsize=(12, 4))
    for name, label in (("batch_rate", "batch ingest"), ("single_rate", "single events"), ("projection_rate", "all projections")):
        rates.plot(events, [p[name] / 1000 for p in points], marker="o", label=label)
    rates.set(title="Rates, thousand events/s", ylim=(0, None))
    slow = sorted(points[-1]["reports"], key=points[-1]["reports"].get, reverse=True)
    for n, name in enumerate(slow):
        reports.plot(events, [p["reports"][name] * 1000 for p in points], marker=".", linewidth=1, color=pyplot.cm.tab20(n % 20), label=name)
    reports.set(title="Reports over 90 days, ms", yscale="log")
    parts = (("projection_bytes", "projections"), ("identity_bytes", "identity table"), ("log_bytes", "log"))
    disk.stackplot(events, [[p[name] / 1e9 for p in points] for name, _ in parts], labels=[label for _, label in parts], alpha=0.8)
    disk.set(title="Disk, GB", ylim=(0, None))
    for axes in (rates, reports, disk):
        axes.set(xscale="log", xlabel="million events in the log", xticks=events)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))
        axes.minorticks_off()
    rates.legend()
    reports.legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))
    disk.legend(loc="upper left")
    figure.tight_layout()
    figure.savefig(sys.argv[2], metadata={"Date": None})


if __name__ == "__main__":
    main()
