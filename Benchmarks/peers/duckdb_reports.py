"""Answers each report from the raw events with DuckDB, in memory, and times it: see raw_events.py."""
import datetime, decimal, time, uuid
import duckdb
from raw_events import BOOLEANS, ENUMERATED, LATER, TIMES, answer_reports


def plain(value):
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (datetime.datetime, datetime.date, uuid.UUID)):
        return str(value)
    return value


class DuckDB:
    Error = duckdb.Error
    version = duckdb.__version__

    def __init__(self, task):
        self.period = {key: task[key] for key in ("from", "to")}
        self.connection = duckdb.connect(":memory:")
        self.connection.execute("SET TimeZone = 'UTC'")
        self.connection.execute(f"SET temp_directory = '{task['spill']}/duckdb'")
        self.connection.execute(f"SET memory_limit = '{task['memory'] // 2**20}MiB'")

    def load(self, path, copies):
        execute = self.connection.execute
        execute(f"CREATE TEMP TABLE base AS SELECT * FROM read_csv('{path}', header = true, all_varchar = true, nullstr = '')")
        columns = [row[0] for row in execute("DESCRIBE base").fetchall()]
        types = {"device_id": "VARCHAR", "token": "UUID", "duration_ms": "INTEGER", "status": "SMALLINT", "categories": "VARCHAR",
                 "notification_id": "VARCHAR", "order_id": "VARCHAR", "activity_id": "VARCHAR", "money": "BIGINT", "share": "DOUBLE"}
        types |= {name: "TIMESTAMPTZ" for name in TIMES} | {name: "BOOLEAN" for name in BOOLEANS}
        for name in ENUMERATED:
            execute(f"CREATE TYPE {name}_type AS ENUM (SELECT DISTINCT {name} FROM base WHERE {name} IS NOT NULL ORDER BY 1)")
            types[name] = f"{name}_type"
        made = []
        for name in columns:
            value = f"{name}::{types[name]}"
            if name == "device_id":
                value = "CASE WHEN device_id IS NULL THEN NULL ELSE (device_id[:-3] || printf('%02x', n))::UUID END"
            elif name == "token":
                value = "CASE WHEN n = 0 THEN token::UUID ELSE md5(token || n)::UUID END"
            elif name in TIMES:
                value += f" + n * INTERVAL {LATER} SECONDS"
            made.append(f"{value} AS {name}")
        execute(f"CREATE TABLE event AS SELECT {', '.join(made)} FROM base, range({copies}) AS r (n) ORDER BY received_at")
        execute("DROP TABLE base")
        return execute("SELECT count(*) FROM event").fetchone()[0]

    def prepare(self, text):
        self.connection.execute(text)

    def ask(self, text):
        parameters = {key: value for key, value in self.period.items() if f"${key}" in text}
        begun = time.monotonic()
        cursor = self.connection.execute(text, parameters)
        rows = cursor.fetchall()
        took = time.monotonic() - begun
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, map(plain, row))) for row in rows], took

    def memory(self):
        return self.connection.execute("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").fetchone()[0]


answer_reports(DuckDB)
