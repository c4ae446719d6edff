#!/usr/bin/env python3
"""Writes statistics.json: what scipy, statsmodels and lifelines make of a few made-up samples.

The tests send the same samples through Notilog as events and compare its reports with these numbers.

    pip install scipy statsmodels lifelines
    ./statistics.py > statistics.json
"""

import json
import random
import warnings

import numpy
from lifelines import AalenJohansenFitter
from scipy import stats
from statsmodels.api import OLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint, proportions_ztest

warnings.simplefilter("error")
HORIZONS = [60, 300, 900, 3600, 21600, 86400, 259200]
OUTCOMES = ["opened", "acted", "replied", "dismissed", "withdrawn", "gone"]


def chi_square():
    xs = [1e-8, 0.02, 0.5, 1, 2.7, 3.9, 5, 10, 30, 80, 200, 600, 1300]
    # Many variants that are filled nearly alike: the lower tail is less than a double holds.
    even = [(x, df) for x in [1e-28, 1e-8, 0.5, 30] for df in [60, 400, 999]]
    return [[x, df, float(stats.chi2.sf(x, df))] for x, df in [(x, df) for x in xs for df in [1, 2, 3, 4, 7, 20]] + even]


def wilson():
    pairs = [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (1, 1000), (515, 1000), (33, 51234)]
    return [[x, n, *map(float, proportion_confint(x, n, method="wilson"))] for x, n in pairs]


def differences():
    """Newcombe's interval of the difference of two proportions, and the p value of the pooled z test."""
    samples = [
        (56, 70, 48, 80), (0, 10, 0, 10), (9, 10, 3, 10), (0, 10, 2, 300), (700, 10000, 500, 10000), (33, 51234, 20, 5000),
        (10, 10, 0, 20), (1, 1, 1, 2),
    ]
    found = []
    for x, n, y, m in samples:
        low, high = confint_proportions_2indep(x, n, y, m, compare="diff", method="newcomb")
        p = float(proportions_ztest([x, y], [n, m])[1]) if x + y > 0 else None
        found.append([x, n, y, m, float(low), float(high), p])
    return found


def outcomes():
    """Campaigns: devices sent to and held out, those of each that buy, and the share declared to be held out."""
    samples = [(150, 12, 140, 5, 0.5), (90, 9, 10, 0, 0.1), (300, 3, 40, 1, 0.1), (60, 0, 60, 0, 0.5)]
    found = []
    for sent, x, held, y, share in samples:
        low, high = confint_proportions_2indep(x, sent, y, held, compare="diff", method="newcomb")
        p = float(proportions_ztest([x, y], [sent, held])[1]) if x + y > 0 else None
        whole = sent + held
        ratio = float(stats.chisquare([sent, held], [whole * (1 - share), whole * share]).pvalue)
        found.append([sent, x, held, y, share, float(low), float(high), p, ratio])
    return found


def changes():
    """Categories: notifications reached and responded to, now and before, and Holm's correction over them."""
    samples = [(120, 30, 110, 12), (80, 8, 90, 11), (40, 2, 45, 9), (200, 50, 210, 51)]
    found = []
    for n, x, m, y in samples:
        low, high = confint_proportions_2indep(x, n, y, m, compare="diff", method="newcomb")
        found.append([n, x, m, y, float(low), float(high), float(proportions_ztest([x, y], [n, m])[1])])
    for row, p in zip(found, multipletests([row[6] for row in found], method="holm")[1]):
        row.append(float(p))
    return found


def campaigns():
    """One campaign beside the rest of its category: reached and responded to, its Wilson interval, and Newcombe's of the difference."""
    x, n, y, m = 21, 90, 40, 260
    return [n, x, m, y, *map(float, proportion_confint(x, n, method="wilson")),
            *map(float, confint_proportions_2indep(x, n, y, m, compare="diff", method="newcomb"))]


def incidence(seed):
    """Notifications with competing outcomes, followed for 3 days or for less where they are young."""
    source = random.Random(seed)
    times = source.sample(range(1, 250_000), 900)
    sample = []
    for _ in range(400):
        # Most things happen early; distinct times, as lifelines moves tied ones at random.
        time = min(times.pop() for _ in range(2))
        outcome = source.choices([None] + OUTCOMES, [8, 4, 2, 1, 3, 1, 2])[0]
        sample.append((time, outcome))
    sample += [(259_200, None)] * 150
    durations = [time for time, _ in sample]
    curves = []
    for number, outcome in enumerate(OUTCOMES, 1):
        fitter = AalenJohansenFitter()
        codes = [OUTCOMES.index(o) + 1 if o else 0 for _, o in sample]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitter.fit(durations, codes, event_of_interest=number)
        for horizon in HORIZONS:
            upto = fitter.cumulative_density_.loc[:horizon]
            bounds = fitter.confidence_interval_.loc[upto.index[-1]]
            value = float(upto.iloc[-1, 0])
            low, high = sorted(map(float, bounds)) if value > 0 else (None, None)
            curves.append([outcome, horizon, value, low, high])
    return {"sample": sample, "incidence": curves}


def experiment(seed, devices, split, is_crossed):
    """Variants on devices that got one to eight notifications, and answer alike."""
    source = numpy.random.default_rng(seed)
    units = []
    for device in range(devices):
        habit = source.beta(1, 6)
        for _ in range(2 if is_crossed else 1):
            variant = str(source.choice(list(split), p=numpy.array(list(split.values())) / sum(split.values())))
            if any(unit[:2] == [f"d{device}", variant] for unit in units):
                continue
            number = int(source.integers(1, 9))
            engaged = int(source.binomial(number, min(1, habit * (1.6 if variant == "a" else 1))))
            units.append([f"d{device}", variant, number, engaged])

    def arm(variant):
        own = [u for u in units if u[1] == variant]
        m, x = numpy.array([u[2] for u in own], float), numpy.array([u[3] for u in own], float)
        rate = x.sum() / m.sum()
        # Delta method for a ratio of means.
        (vx, c), (_, vm) = numpy.cov(x, m)
        variance = (vx - 2 * rate * c + rate**2 * vm) / (len(own) * m.mean() ** 2)
        return len(own), rate, variance

    control = arm("control")
    rows, raw = {}, []
    for variant in split:
        n, rate, variance = arm(variant)
        row = {"devices": n, "rate": rate, "rate_low": rate - 1.959963984540054 * variance**0.5}
        if variant != "control":
            if is_crossed:
                # Every notification a row, errors clustered by device, which a device may share between variants.
                long = [(u[0], float(u[1] == variant), float(i < u[3])) for u in units if u[1] in (variant, "control") for i in range(u[2])]
                groups = numpy.unique([d for d, _, _ in long], return_inverse=True)[1]
                fit = OLS([y for _, _, y in long], [[1, t] for _, t, _ in long]).fit(
                    cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
                error = float(fit.bse[1])
            else:
                error = (variance + control[2]) ** 0.5
            row["difference"] = rate - control[1]
            row["error"] = error
            row["p_value"] = float(2 * stats.norm.sf(abs(row["difference"]) / error))
            raw.append(row)
        rows[variant] = row
    for row, p in zip(raw, multipletests([r["p_value"] for r in raw], method="holm")[1]):
        row["p_holm"] = float(p)
    seen = numpy.array([sum(u[1] == v for u in units) for v in split], float)
    planned = numpy.array(list(split.values())) / sum(split.values()) * seen.sum()
    return {"units": units, "split": split, "rows": rows, "sample_ratio_p": float(stats.chisquare(seen, planned).pvalue)}


print(json.dumps({
    "chi_square_tail": chi_square(),
    "wilson": wilson(),
    "differences": differences(),
    "outcomes": outcomes(),
    "changes": changes(),
    "campaigns": campaigns(),
    "incidence": incidence(1),
    "experiments": [
        experiment(2, 300, {"control": 2, "a": 1, "b": 1}, False),
        experiment(3, 500, {"control": 1, "a": 1, "b": 1, "c": 1}, False),
    ],
    "crossed": experiment(4, 500, {"control": 1, "a": 1}, True),
}))
