"""Answers each report from the raw events with ClickHouse in this process, in memory, and times it: see raw_events.py."""
import json, time
import chdb
from chdb.session import Session
from raw_events import BOOLEANS, ENUMERATED, LATER, TIMES, answer_reports

SETTINGS = {
    "join_use_nulls": 1, "prefer_column_name_to_alias": 1, "session_timezone": "'UTC'", "output_format_json_quote_64bit_integers": 0,
    "output_format_json_quote_denormals": 1, "least_greatest_legacy_null_behavior": 0,
}
# What no event lacks.
ALWAYS = ["kind", "notification_id", "effective_at", "received_at", "repeats", "alerting", "mutable_content", "has_context"]


class ClickHouse:
    Error = RuntimeError
    version = chdb.__version__

    def __init__(self, task):
        self.session = Session(task["spill"] + "/clickhouse")
        memory = task["memory"]
        for name, value in {**SETTINGS, "max_memory_usage": memory, "max_bytes_before_external_group_by": memory // 3,
                            "max_bytes_before_external_sort": memory // 3}.items():
            self.session.query(f"SET {name} = {value}")
        for name in ("from", "to"):
            self.session.query(f"SET param_{name} = '{task[name]} 00:00:00'")

    def objects(self, text):
        return [json.loads(line) for line in str(self.session.query(text, "JSONEachRow")).splitlines() if line]

    def load(self, path, copies):
        with open(path) as file:
            columns = file.readline().strip().split(",")
        made = []
        for name in columns:
            value = name
            if name == "device_id":
                value = "toUUIDOrNull(concat(substring(device_id, 1, length(device_id) - 2), leftPad(lower(hex(n)), 2, '0')))"
            elif name == "token":
                value = "toUUIDOrNull(if(n = 0, token, UUIDNumToString(MD5(concat(token, toString(n))))))"
            elif name in TIMES:
                value = f"parseDateTime64BestEffortOrNull({name}, 6, 'UTC') + toIntervalSecond(n * {LATER})"
            elif name in BOOLEANS:
                value = f"CAST({name} = 't' AS Nullable(Bool))"
            elif name == "share":
                value = "toFloat64OrNull(share)"
            elif name in ("duration_ms", "status", "money"):
                value = f"toInt32OrNull({name})"
            elif name in ENUMERATED:
                value = f"toLowCardinality({name})"
            made.append(f"assumeNotNull({value}) AS {name}" if name in ALWAYS else f"{value} AS {name}")
        structure = ", ".join(f"{name} Nullable(String)" for name in columns)
        self.session.query(f"CREATE TABLE base ENGINE = Memory AS SELECT * FROM file('{path}', 'CSVWithNames', '{structure}')")
        # A copy at a time: to sort all of them takes more memory than to keep them.
        event = f"SELECT {', '.join(made)} FROM base CROSS JOIN (SELECT toUInt8(%d) AS n) AS copy ORDER BY received_at"
        self.session.query("CREATE TABLE event ENGINE = Memory AS " + event % 0)
        for copy in range(1, copies):
            self.session.query("INSERT INTO event " + event % copy)
        self.session.query("DROP TABLE base")
        return self.objects("SELECT count() AS events FROM event")[0]["events"]

    def prepare(self, text):
        for statement in text.split(";\n"):
            if statement.strip():
                self.session.query(statement)

    def ask(self, text):
        begun = time.monotonic()
        rows = self.objects(text.strip().rstrip(";"))
        return rows, time.monotonic() - begun

    def memory(self):
        return self.objects("SELECT total_bytes AS bytes FROM system.tables WHERE name = 'event'")[0]["bytes"]


answer_reports(ClickHouse)
