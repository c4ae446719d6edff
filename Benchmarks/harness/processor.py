"""Processor time, which says what an event costs also where other work disturbs the rate."""
import os, resource

TICKS = os.sysconf("SC_CLK_TCK")


def _times(pid):
    with open(f"/proc/{pid}/stat") as file:
        return [int(field) / TICKS for field in file.read().rsplit(")", 1)[1].split()[11:15]]


def of_process(pid):
    """Seconds that a process has taken so far, all threads together."""
    user, system, _, _ = _times(pid)
    return user + system


def of_family(pid):
    """Seconds of a process, of its children, and of those that have ended."""
    total = sum(_times(pid))
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        children = file.read().split()
    for child in children:
        try:
            total += of_process(child)
        except FileNotFoundError:
            pass   # ended meanwhile
    return total


def of_commands():
    """Seconds of the commands that this process has run and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(meters, send):
    """What `send` returns, a load's result, and in `processor_us` the microseconds an event of each of the meters and of the client."""
    meters = {**meters, "client": of_commands}
    before = {name: meter() for name, meter in meters.items()}
    result = send()
    spent = {name: meter() - before[name] for name, meter in meters.items()}
    result["processor_us"] = {name: round(seconds / result["events"] * 1e6, 1) for name, seconds in spent.items()}
    return result
