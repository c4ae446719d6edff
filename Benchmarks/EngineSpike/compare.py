"""Whether the arms' rows are the same, cell by cell."""

KEYS = {
    "device_period": "app_id, device_id, series, first_at, first_id",
    "device_extension": "app_id, device_id",
    "category": "app_id, category_id, app_version",
    "notification_action": "app_id, device_id, notification_id, occurrence, action_id",
    "engagement": "app_id, dimension, grain, bucket, category, value",
    "engagement_latency": "app_id, dimension, grain, bucket, category, value, outcome, app_opened, reached, timed, latency",
    "notification": "app_id, device_id, notification_id, occurrence",
}


def relation(schema, table):
    return f"{schema}.{'notification_wide' if table == 'notification' and schema != 'projection' else table}"


def columns(database, schema):
    """The columns of a notification that every arm has."""
    return database.sql(f"SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '{schema}.notification_wide'::regclass AND attnum > 0")


def differences(database, left, right):
    """Of each table the rows in both, those that one alone has, and the columns that differ with how often."""
    found = {}
    wide = columns(database, right)
    for table, key in KEYS.items():
        names = wide if table == "notification" else database.sql(
            f"SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '{relation(right, table)}'::regclass AND attnum > 0 AND NOT attisdropped")
        rows, lone = database.sql(
            f"SET work_mem = '256MB'; SET jit = off; WITH a AS (SELECT {names} FROM {relation(left, table)}), b AS (SELECT {names} FROM {relation(right, table)})"
            f"SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM (TABLE a EXCEPT TABLE b) x) + (SELECT count(*) FROM (TABLE b EXCEPT TABLE a) x)").split("|")
        found[table] = {"rows": int(rows), "differing": int(lone)}
        if int(lone):
            cells = ", ".join(f"count(*) FILTER (WHERE a.{c} IS DISTINCT FROM b.{c})" for c in names.split(", "))
            counts = database.sql(f"SET work_mem = '256MB'; SELECT count(*) FILTER (WHERE a.app_id IS NULL), count(*) FILTER (WHERE b.app_id IS NULL), {cells} FROM {relation(left, table)} a "
                                  f"FULL JOIN {relation(right, table)} b USING ({key})".replace(f"USING ({key})", "ON " + " AND ".join(f"a.{k} = b.{k}" for k in key.split(", ")))).split("|")
            found[table]["columns"] = {name: int(n) for name, n in zip(["only_right", "only_left", *names.split(", ")], counts) if int(n)}
    return found
