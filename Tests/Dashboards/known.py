"""Events whose figures are known: experiments, hours of a week and days that are far from each other."""

import datetime

import clock

TRIAL, HOURS, RARE = "trial", "hours", "rare"
# A campaign whose categories a client made up, one for each notification.
MANY, CATEGORIES = "many", 230
# Of each campaign: variants with the devices that got them, and those of them that responded.
CAMPAIGNS = {
    "even": {"control": (200, 40), "up": (200, 90), "down": (200, 8), "same": (200, 43)},
    "uneven": {"control": (400, 120), "a": (200, 10)},
}
# The same where of each variant all devices responded, or none did.
CERTAIN = {"all or none": {"control": (20, 0), "a": (20, 20)}, "none at all": {"control": (20, 0), "a": (20, 0)}, "one alone": {"control": (20, 0), "a": (1, 1)}}
# The same where nobody responded of one of them alone, and too few of the other to tell them apart.
HARDLY, ANSWERS = "hardly any", {"control": (50, 0), "a": (50, 5)}
# What reached devices at hours of a Monday, and how much of it was responded to.
AT_HOURS = {7: (300, 15), 8: (200, 16), 9: (17, 12), 10: (4, 4)}
# The days ago on which the rare category came, and how much of it; each a third responded to.
RARE_DAYS = {24: 30, 17: 30}
OPT_OUTS = 15
# A category of two weeks, of as many notifications each: how many were responded to in the last, when it was a
# campaign, and in the one before.
MOVED, MOVES, EACH = "moved", (150, 60), 300


# Of two versions of the app, one after the other, the second hears of nothing but responses on every other device.
VERSIONS, HEARD = ("7.0.1", "7.0.2"), 300
# A campaign with devices held out of it, some of which may not be notified, and what they bought.
HELD, BOUGHT = "held", "subscription"
# Another, of which few devices were held out.
SCANT = "scant"
# A conversion that came for the first time an hour ago, without an amount.
RENEWED = "renewal"
# A campaign of two days.
LONG = "long"
# Names that are legal: as long as one may be, one that turns the direction of text round, and one of which nothing is seen.
LONGEST, REVERSED, UNSEEN = "x" * 256, "\u202edesrever", "\u200b \u200b"
# The variants of the campaign with the longest name, with the devices that got them, and those of them that responded.
NAMED = {"control": (60, 6), REVERSED: (60, 40), LONGEST: (60, 5)}


def monday():
    """The start of the last week that is over, in UTC, and so of one whose time to respond is too."""
    today = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return today - datetime.timedelta(days=today.weekday() + 7)


def notification(device, name, at, responds, **more):
    common = {"device_id": device, "notification_id": name, "context": {"time_zone": "UTC", "platform": "ios"}, **more}
    yield {"kind": "delivery", "source": "will_present", "occurred_at": at.isoformat(), **common}
    if responds:
        after = at + datetime.timedelta(minutes=2)
        yield {"kind": "action_response", "action_id": "default", "occurred_at": after.isoformat(), **common}


def trial():
    at = monday() + datetime.timedelta(days=1)
    for campaign, variants in CAMPAIGNS.items():
        for variant, (devices, responding) in variants.items():
            for number in range(devices):
                device = f"{campaign} {variant} {number}"
                yield from notification(device, campaign, at, number < responding, category_id=TRIAL, campaign_id=campaign, variant=variant)
                # One after another, so that who opted out after what is known.
                if campaign == "even" and variant == "control" and number < OPT_OUTS:
                    for status, hours in (("authorized", -1), ("denied", 1)):
                        moment = at + datetime.timedelta(hours=hours)
                        yield {"kind": "settings", "device_id": device, "authorization_status": status, "occurred_at": moment.isoformat()}
    # A few devices got two in the week.
    for number in range(5):
        for name in ("one", "two"):
            yield from notification(f"twice {number}", name, at, False, category_id=TRIAL)


def hours():
    for hour, (devices, responding) in AT_HOURS.items():
        for number in range(devices):
            at = monday() + datetime.timedelta(hours=hour, seconds=number)
            yield from notification(f"hour {hour} {number}", "n", at, number < responding, category_id=HOURS)


def rare():
    today = monday().replace(hour=12) + datetime.timedelta(days=7 + clock.now().weekday())
    for days, devices in RARE_DAYS.items():
        for number in range(devices):
            yield from notification(f"rare {days} {number}", "n", today - datetime.timedelta(days=days), number % 3 == 0, category_id=RARE)


def many():
    for number in range(CATEGORIES):
        yield from notification(f"many {number}", "n", monday(), False, category_id=f"made up {number:03}", campaign_id=MANY)


def moved():
    for weeks, responding in enumerate(MOVES):
        at = monday() + datetime.timedelta(days=2 - 7 * weeks)
        for number in range(EACH):
            yield from notification(f"moved {weeks} {number}", "n", at, number < responding, category_id=MOVED, **({} if weeks else {"campaign_id": MOVED}))


def versions():
    for order, version in enumerate(VERSIONS):
        # Before the weeks that are compared.
        at = monday() - datetime.timedelta(days=10, hours=-order)
        for number in range(HEARD):
            told = list(notification(f"heard {order} {number}", "n", at, True, category_id="heard"))
            for event in told[1:] if order and number % 2 else told:
                event["context"] = {**event["context"], "app_version": version}
                yield event


def long():
    for day in (3, 4):
        at = monday() + datetime.timedelta(days=day, hours=12)
        for number in range(20):
            yield from notification(f"long {day} {number}", "n", at, number < 5, category_id=LONG, campaign_id=LONG)


def certain():
    at = monday() + datetime.timedelta(days=1)
    for campaign, variants in CERTAIN.items():
        for variant, (devices, responding) in variants.items():
            for number in range(devices):
                yield from notification(f"{campaign} {variant} {number}", campaign, at, number < responding, category_id="certain", campaign_id=campaign, variant=variant)


def hardly():
    at = monday() + datetime.timedelta(days=1)
    for variant, (devices, responding) in ANSWERS.items():
        for number in range(devices):
            yield from notification(f"{HARDLY} {variant} {number}", "n", at, number < responding, category_id=HARDLY, campaign_id=HARDLY, variant=variant)


def named():
    at = monday() + datetime.timedelta(days=1)
    for variant, (devices, responding) in NAMED.items():
        for number in range(devices):
            name = f"named {list(NAMED).index(variant)} {number}"
            yield from notification(name, "n", at, number < responding, category_id=LONGEST, campaign_id=LONGEST, variant=variant)
    for number in range(20):
        yield from notification(f"unseen {number}", "n", at, number < 5, category_id=UNSEEN, campaign_id=REVERSED)


def held():
    """Of 80 devices half are held out, and every fourth may not be notified; three are sent it all the same."""
    at = monday() + datetime.timedelta(days=1)
    for number in range(80):
        device = f"held {number}"
        status = "denied" if number % 8 < 2 else "authorized"
        yield {"kind": "settings", "device_id": device, "authorization_status": status, "occurred_at": (at - datetime.timedelta(hours=1)).isoformat()}
        common = {"device_id": device, "campaign_id": HELD}
        if number % 2:
            yield {"kind": "holdout", "share": 0.5, "occurred_at": at.isoformat(), **common}
        if number % 2 == 0 or number < 6:
            moment = at + datetime.timedelta(minutes=number % 2)
            yield {"kind": "request", "trigger": {"type": "time_interval"}, "notification_id": "n", "occurred_at": moment.isoformat(), **common}
            yield from notification(device, "n", moment + datetime.timedelta(minutes=1), False, campaign_id=HELD)
        if number % 8 in (4, 5, 6) or number < 2:
            currency, value = ("JPY", 200) if number % 8 == 6 else ("EUR", 2000 if number % 8 == 4 else 1999)
            bought = (at + datetime.timedelta(hours=2)).isoformat()
            yield {"kind": "conversion", "name": BOUGHT, "device_id": device, "value": value, "currency": currency, "occurred_at": bought}


def scant():
    at = monday() + datetime.timedelta(days=1)
    for number in range(16):
        common = {"device_id": f"scant {number}", "campaign_id": SCANT, "occurred_at": at.isoformat()}
        if number % 2:
            yield {"kind": "holdout", "share": 0.5, **common}
        else:
            yield {"kind": "request", "trigger": {"type": "time_interval"}, "notification_id": "n", **common}


def renewed():
    at = clock.now() - datetime.timedelta(hours=1)
    yield from notification("renewed", "n", at - datetime.timedelta(minutes=5), True, campaign_id=RENEWED)
    yield {"kind": "conversion", "name": RENEWED, "device_id": "renewed", "occurred_at": at.isoformat()}


def fill(service):
    events = [*trial(), *hours(), *rare(), *many(), *moved(), *versions(), *long(), *certain(), *hardly(), *named()]
    for start in range(0, len(events), 500):
        service.post(events[start:start + 500])
    # Who is held out is the provider's to say.
    service.post([*held(), *scant(), *renewed()], "admin")
