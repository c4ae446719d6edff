"""Answers each report from the raw events with DuckDB, in memory, and times it.

Arguments, as one JSON object on standard input:
  csv       the raw events (sql/raw.sql), once
  copies    how many times they are in the log, each later by 431 seconds, with people of their own (sql/fill.sql)
  prelude   path of the SQL that makes views
  queries   {report: path of its SQL}
  from, to  the dates of the period, UTC
  spill     a folder for what does not fit into memory
  rounds    how often each is timed, after a first time that warms up
Prints JSON: events, seconds to load, bytes in memory, and for each report its rows and seconds, or its error.
"""
import datetime, decimal, json, sys, time, uuid
import duckdb

# Few distinct values: an enumeration is what DuckDB reads fastest.
ENUMERATED = """kind category trigger campaign variant error origin source outcome surface action_id delegate reason provider
  type topic environment state platform os_version app_version locale time_zone authorization_status alert sound badge
  lock_screen notification_center time_sensitive scheduled_delivery asked status_before""".split()
TIMES = "occurrence effective_at received_at delivered_at scheduled_for dead_at".split()


def load(connection, path, copies):
    """The table `event`, and how many rows it has."""
    connection.execute(f"CREATE TEMP TABLE base AS SELECT * FROM read_csv('{path}', header = true, all_varchar = true, nullstr = '')")
    columns = [row[0] for row in connection.execute("DESCRIBE base").fetchall()]
    types = {"device_id": "VARCHAR", "token": "UUID", "duration_ms": "INTEGER", "status": "SMALLINT", "categories": "VARCHAR",
             "notification_id": "VARCHAR"}
    types |= {name: "TIMESTAMPTZ" for name in TIMES}
    types |= {name: "BOOLEAN" for name in ("repeats", "alerting", "mutable_content", "has_alert", "has_sound", "has_text", "has_context", "granted")}
    for name in ENUMERATED:
        connection.execute(f"CREATE TYPE {name}_type AS ENUM (SELECT DISTINCT {name} FROM base WHERE {name} IS NOT NULL ORDER BY 1)")
        types[name] = f"{name}_type"
    made = []
    for name in columns:
        value = f"{name}::{types[name]}"
        if name == "device_id":
            value = "CASE WHEN device_id IS NULL THEN NULL ELSE (device_id[:-3] || printf('%02x', n))::UUID END"
        elif name == "token":
            value = "CASE WHEN n = 0 THEN token::UUID ELSE md5(token || n)::UUID END"
        elif name in TIMES:
            value += " + n * INTERVAL 431 SECONDS"
        made.append(f"{value} AS {name}")
    connection.execute(f"""CREATE TABLE event AS SELECT {', '.join(made)}
        FROM base, range({copies}) AS r (n) ORDER BY received_at""")
    connection.execute("DROP TABLE base")
    return connection.execute("SELECT count(*) FROM event").fetchone()[0]


def plain(value):
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (datetime.datetime, datetime.date, uuid.UUID)):
        return str(value)
    return value


def ask(connection, text, parameters):
    """The answer's rows as objects, and the seconds until the last of them was here."""
    begun = time.monotonic()
    cursor = connection.execute(text, parameters)
    rows = cursor.fetchall()
    took = time.monotonic() - begun
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, map(plain, row))) for row in rows], took


def main():
    task = json.load(sys.stdin)
    connection = duckdb.connect(":memory:")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"SET temp_directory = '{task['spill']}/duckdb'")
    begun = time.monotonic()
    events = load(connection, task["csv"], task["copies"])
    answer = {"events": events, "load_seconds": time.monotonic() - begun, "version": duckdb.__version__, "reports": {}}
    with open(task["prelude"]) as file:
        connection.execute(file.read())
    for name, path in task["queries"].items():
        with open(path) as file:
            text = file.read()
        parameters = {key: task[key] for key in ("from", "to") if f"${key}" in text}
        try:
            ask(connection, text, parameters)
            rounds = [ask(connection, text, parameters) for _ in range(task["rounds"])]
            answer["reports"][name] = {"rows": rounds[-1][0], "seconds": [took for _, took in rounds]}
        except duckdb.Error as error:
            answer["reports"][name] = {"error": str(error)}
    answer["memory"] = connection.execute("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").fetchone()[0]
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
