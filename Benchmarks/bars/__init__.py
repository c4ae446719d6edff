"""The bars, one file for each reason. A module has BARS, the names it answers for, and measure(run), which gives rows."""
from . import disk, exports, full_log, hostile, ingest, lanes, memory, peers, rebuild, reports, start, sustained

MODULES = (ingest, memory, start, disk, peers, sustained, rebuild, lanes, hostile, reports, full_log, exports)
