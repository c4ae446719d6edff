"""Rates of the Python library eventsourcing on PostgreSQL: its application recorder, which other code of it writes through.

Arguments: seconds for each measure. The database comes by PGHOST, PGUSER, PGDATABASE. Prints JSON: events a second, one
event a call from four threads, and 500 in a call from one, two and four threads, with its database functions and without.
"""
import json, os, sys, threading, time, uuid
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore

STATE = os.urandom(180).hex().encode()[:360]   # with ids and topic about as long as one of Notilog's events


def measure(recorder, threads, batch, seconds):
    """Events a second that so many threads insert, `batch` in one call, each of a stream of its own."""
    counts, until = [0] * threads, time.monotonic() + seconds

    def insert(n):
        while time.monotonic() < until:
            recorder.insert_events([StoredEvent(originator_id=uuid.uuid4(), originator_version=1,
                                                topic="notifications:ActionResponse", state=STATE) for _ in range(batch)])
            counts[n] += batch

    begun = time.monotonic()
    workers = [threading.Thread(target=insert, args=(n,)) for n in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(counts) / (time.monotonic() - begun)


def main():
    seconds = float(sys.argv[1])
    rates = {}
    for functions in (False, True):
        datastore = PostgresDatastore(os.environ["PGDATABASE"], os.environ["PGHOST"], 5432, os.environ["PGUSER"], "", pool_size=4,
                                      enable_db_functions=functions)
        recorder = PostgresApplicationRecorder(datastore, events_table_name=f"stored_events_{int(functions)}")
        recorder.create_table()
        which = "with functions" if functions else "without"
        rates[f"single, 4 threads, {which}"] = measure(recorder, 4, 1, seconds)
        for threads in (1, 2, 4):
            rates[f"500 a call, {threads} threads, {which}"] = measure(recorder, threads, 500, seconds)
        datastore.close()
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
