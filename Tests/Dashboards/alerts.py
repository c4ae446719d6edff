"""Alert rules, as Prometheus would run them: Debian's promtool checks them, and that each fires when it is meant to.

Grafana evaluates an expression and compares it with a threshold; as a rule of Prometheus both are one expression.
"""

import json
import pathlib
import shutil
import subprocess
import tempfile

OPERATORS = {"gt": ">", "lt": "<"}
MINUTES = 95
POSTS = "notilog_http_request_duration_seconds_count{job='notilog',route='/v1/events',method='POST',status='%s'}"
UP = "up{job='notilog',instance='%s'}"
DATABASE = "notilog_database_up{job='notilog',instance='%s'}"
ITEMS = "notilog_quarantine_items{job='notilog',code='invalid_value',instance='%s'}"
LAG = "notilog_projection_lag_seconds{job='notilog',projection='%s'}"
# By an alert's uid, values at each minute in promtool's notation: of series there in any case, of those that it must fire
# for, and of those that it must not fire for.
SERIES = {
    "notilog-away": (
        {UP % "b": "1x100", DATABASE % "b": "1x100"},
        {UP % "a": "1x100", DATABASE % "a": "1x10 0x90"},
        {UP % "a": "1x100", DATABASE % "a": "1x100"},
    ),
    # A projection that is held back on purpose is no reason to wake anybody.
    "notilog-lag": (
        {"notilog_projection_paused{job='notilog',projection='held'}": "1x100", LAG % "held": "900x100"},
        {LAG % "a": "0x10 61x90"},
        {LAG % "a": "0x90 900x2 59x10"},
    ),
    # Without a standby there is nothing to read from it.
    "notilog-standby": (
        {"notilog_database_up{job='notilog'}": "1x100"},
        {"notilog_standby_following{job='notilog'}": "1x10 0x90"},
        {"notilog_database_up{job='notilog'}": "1x100"},
    ),
    "notilog-projection-failed": (
        {},
        {"notilog_projection_failed{job='notilog',projection='a'}": "0x10 1x90"},
        {"notilog_projection_failed{job='notilog',projection='a'}": "0x100"},
    ),
    "notilog-set-aside": (
        {},
        {"notilog_projection_set_aside{job='notilog',projection='a'}": "0x10 1x90"},
        {"notilog_projection_set_aside{job='notilog',projection='a'}": "0x100"},
    ),
    "notilog-paused": (
        {},
        {"notilog_projection_paused{job='notilog',projection='a'}": "0x10 1x90"},
        {"notilog_projection_paused{job='notilog',projection='a'}": "0x50 1x50"},
    ),
    "notilog-erasures": (
        {}, {"notilog_erasures_pending{job='notilog'}": "0x10 2x90"}, {"notilog_erasures_pending{job='notilog'}": "0x85 2x15"},
    ),
    "notilog-deliveries": (
        {},
        {"notilog_deliveries{job='notilog',state='failing'}": "0x10 1x90"},
        {"notilog_deliveries{job='notilog',state='failing'}": "0x75 1x25", "notilog_deliveries{job='notilog',state='waiting'}": "5x100"},
    ),
    # Every instance tells the same of the database.
    "notilog-quarantine": (
        {},
        {ITEMS % "a": "7x79 7+9x20", ITEMS % "b": "7x79 7+9x20"},
        {ITEMS % "a": "7x79 7+5x20", ITEMS % "b": "7x79 7+5x20"},
    ),
    "notilog-quarantine-full": (
        {}, {"notilog_quarantine_full_total{job='notilog'}": "0x79 0+10x20"}, {"notilog_quarantine_full_total{job='notilog'}": "9x100"},
    ),
    "notilog-rejected": (
        {"notilog_events_total{job='notilog',kind='delivery',outcome='stored'}": "0+1000x100"},
        {"notilog_events_rejected_total{job='notilog',code='invalid_value'}": "0+20x100"},
        {"notilog_events_rejected_total{job='notilog',code='invalid_value'}": "0+5x100"},
    ),
    "notilog-ingest-errors": ({POSTS % "2xx": "0+1000x100"}, {POSTS % "5xx": "0+20x100"}, {POSTS % "5xx": "0+5x100"}),
    "notilog-partitions": (
        {},
        {"notilog_log_partitions_ahead_months{job='notilog'}": "1x5 0x95"},
        {"notilog_log_partitions_ahead_months{job='notilog'}": "1x100"},
    ),
}
# An instance that is no longer scraped, beside one that is.
GONE = {"notilog-away": {UP % "a": "1x10 0x90", DATABASE % "a": "1x10 _x90", UP % "b": "1x100", DATABASE % "b": "1x100"}}
# Of the alerts on a share, series in which it is high, but of so little that nobody must be woken.
SCARCE = {
    "notilog-rejected": {
        "notilog_events_total{job='notilog',kind='delivery',outcome='stored'}": "0+1x100",
        "notilog_events_rejected_total{job='notilog',code='invalid_value'}": "0x80 5x20",
    },
    "notilog-ingest-errors": {POSTS % "2xx": "0+1x100", POSTS % "5xx": "0+0.25x100"},
}


def expression(rule):
    """A rule's expression with its threshold; None where it asks a database."""
    asked = {part["refId"]: part["model"] for part in rule["data"]}
    threshold = asked[rule["condition"]]
    found = asked[threshold["expression"]]
    if "expr" not in found:
        return None
    test = threshold["conditions"][0]["evaluator"]
    return f"({found['expr'].strip()}) {OPERATORS[test['type']]} {test['params'][0]}"


def check(rules):
    """Whatever promtool finds wrong with the rules, or with when they fire; the names of those that it looked at."""
    asking = [rule for rule in rules if expression(rule)]
    assert {rule["uid"] for rule in asking} == set(SERIES), "an alert has no series that it fires for"
    assert {rule["uid"] for rule in asking if " / " in expression(rule)} == set(SCARCE), "an alert on a share has no least number"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        written = {"groups": [{"name": "whole", "rules": [rendered(rule) for rule in asking]}]}
        # What promtool expects of an alert says nothing of annotations where the rule has none.
        bare = [{key: value for key, value in rendered(rule).items() if key != "annotations"} for rule in asking]
        (path / "whole.json").write_text(json.dumps(written))
        (path / "bare.json").write_text(json.dumps({"groups": [{"name": "bare", "rules": bare}]}))
        cases = []
        for rule in asking:
            always, firing, quiet = SERIES[rule["uid"]]
            cases += [case(rule, {**always, **firing}, True), case(rule, {**always, **quiet}, False)]
            if rule["uid"] in GONE:
                cases.append(case(rule, GONE[rule["uid"]], True))
            if rule["uid"] in SCARCE:
                cases.append(case(rule, SCARCE[rule["uid"]], False))
        (path / "tests.json").write_text(json.dumps({"rule_files": ["bare.json"], "evaluation_interval": "1m", "tests": cases}))
        promtool("check", "rules", str(path / "whole.json"))
        promtool("test", "rules", str(path / "tests.json"))
    return [rule["title"] for rule in asking]


def rendered(rule):
    return {
        "alert": rule["uid"], "expr": expression(rule), "for": rule["for"], "labels": rule["labels"], "annotations": rule["annotations"],
    }


def case(rule, series, fires):
    labels = {"job": "notilog", **rule["labels"]}
    if "by (job, projection)" in expression(rule):
        labels["projection"] = "a"
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [{"eval_time": f"{MINUTES}m", "alertname": rule["uid"], "exp_alerts": [{"exp_labels": labels}] if fires else []}],
    }


def promtool(*arguments):
    program = shutil.which("promtool")
    assert program, "promtool is missing: run .ci/dependencies tests"
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"promtool {' '.join(arguments[:2])}: {done.stdout}{done.stderr}"
