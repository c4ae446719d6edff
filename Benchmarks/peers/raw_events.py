"""What the peers of reports have in common: a store in the memory of its process takes the raw events in, and answers each report.

Each reads one JSON object from its standard input:
  csv       the raw events (sql/raw.sql), once
  copies    how many times they are in the log, each later by 431 seconds, with people of their own (sql/fill.sql)
  prelude   path of the SQL that makes views
  queries   {report: path of its SQL}
  from, to  the dates of the period, UTC
  spill     a folder for what does not fit into memory
  memory    how many bytes a store may take: without a bound the largest log takes the machine's, and the machine stands still
  rounds    how often each is timed, after a first time that warms up; once where that takes long
and prints JSON: events, seconds to load, bytes in memory, and for each report its rows and seconds, or its error.
"""
import json, sys, time

# Few distinct values: an enumeration is what such a store reads fastest.
ENUMERATED = """kind category trigger campaign variant error origin source outcome surface action_id delegate reason provider
  type topic environment state platform os_version app_version locale time_zone authorization_status alert sound badge
  lock_screen notification_center time_sensitive scheduled_delivery asked status_before
  alert_style interruption_level conversion attributes_type started_by updates_by activity_event""".split()
TIMES = "occurrence effective_at received_at delivered_at scheduled_for dead_at".split()
BOOLEANS = "repeats alerting mutable_content has_alert has_sound has_text has_context granted".split()
LATER = 431   # seconds, of each copy
SLOW = 20     # seconds


def read(path):
    with open(path) as file:
        return file.read()


def answer_reports(make):
    """Reads the task, answers it with the store that `make(task)` opens, and prints the answer.

    A store has `load(path, copies)`, which gives the number of events; `prepare(text)`; `ask(text)`, which gives the rows as objects and the
    seconds until the last of them was here; `memory()`; `version`; and `Error`.
    """
    task = json.load(sys.stdin)
    store = make(task)
    begun = time.monotonic()
    events = store.load(task["csv"], task["copies"])
    answer = {"events": events, "load_seconds": time.monotonic() - begun, "version": store.version, "reports": {}}
    store.prepare(read(task["prelude"]))
    for name, path in task["queries"].items():
        text = read(path)
        try:
            first = store.ask(text)
            # What takes long is not asked as often, and has no need to warm up.
            rounds = [store.ask(text) for _ in range(task["rounds"])] if first[1] < SLOW else [first]
            answer["reports"][name] = {"rows": rounds[-1][0], "seconds": [took for _, took in rounds]}
        except store.Error as error:
            answer["reports"][name] = {"error": str(error)}
    answer["memory"] = store.memory()
    json.dump(answer, sys.stdout)
