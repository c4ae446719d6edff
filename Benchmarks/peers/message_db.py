"""Rates of message-db's write_message, from a checkout that MESSAGE_DB_DIR names, driven by pgbench."""
import os, re, subprocess, tempfile
from harness.postgres import Database

NAME = "message_db"
DATA = '{"kind": "action_response", "action_id": "default", "category_id": "news", "padding": "' + "x" * 270 + '"}'


def installer():
    """The checkout's installer; None where there is no checkout."""
    path = os.environ.get("MESSAGE_DB_DIR", "") + "/database/install.sh"
    return path if os.path.exists(path) else None


def install(server):
    """A database made by the checkout's own installer."""
    server.drop(NAME)
    env = dict(server.env, DATABASE_NAME=NAME, PGDATABASE="postgres")
    done = subprocess.run(["bash", installer()], env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"message-db's installer failed: {done.stderr[-1000:]}")
    return Database(server, NAME)


def write(stream):
    return f"message_store.write_message(gen_random_uuid()::varchar, 'device-' || {stream}, 'ActionResponse', '{DATA}'::jsonb)"


def pgbench(database, statement, clients, seconds):
    """Transactions a second; each is the one statement, prepared."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write("\\set stream random(1, 5000)\n" + statement + ";\n")
        script.flush()
        out = subprocess.run([f"{database.server.bin}/pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T",
                              str(seconds), "-f", script.name, database.name],
                             env=dict(database.env, PGOPTIONS="-c search_path=message_store,public"), capture_output=True, text=True)
    found = re.search(r"tps = ([\d.]+)", out.stdout)
    if not found:
        raise RuntimeError(out.stderr[-1000:])
    return float(found.group(1))


def measure(server, seconds):
    """Events a second: one a transaction, and 500 in a transaction, by number of clients."""
    database = install(server)
    single = f"SELECT {write(':stream')}"
    batch = f"SELECT count({write('(:stream + n)')}) FROM generate_series(1, 500) AS n"
    rates = {}
    for clients in (1, 4, 16, 64):
        rates[f"single, {clients} clients"] = pgbench(database, single, clients, seconds)
    for clients in (1, 2):
        rates[f"500 a transaction, {clients} clients"] = 500 * pgbench(database, batch, clients, seconds)
    server.drop(NAME)
    return rates
