"""The clock of a run. Its day does not end: what is sent at its beginning is of the same day for the checks at its end."""

import datetime

DAY_ENDS_WITHIN = datetime.timedelta(hours=1)


def actual():
    """What the service and PostgreSQL take for now."""
    return datetime.datetime.now(datetime.timezone.utc)


# A run that begins in the last hour of a day goes by a clock that is an hour slow, and so does the page.
SLOW = DAY_ENDS_WITHIN if (actual() + DAY_ENDS_WITHIN).date() > actual().date() else datetime.timedelta()


def now():
    """What the page takes for now."""
    return actual() - SLOW


def today():
    return now().date()


# Runs before any script of a document, which goes by a clock that is so many milliseconds slow, or that much slower, until `later`
# moves it on. A block: it may run twice.
SLOWER = """{
    const Actual = Date;
    let slow = %d;
    globalThis.later = milliseconds => { slow -= milliseconds; };
    globalThis.Date = class extends Actual {
        constructor(...parts) { parts.length ? super(...parts) : super(Actual.now() - slow); }
        static now() { return Actual.now() - slow; }
    };
}"""
