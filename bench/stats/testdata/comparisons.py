"""Writes comparisons.json: paired comparisons worked out from the formulas alone,
Student's t by numerical integration of its density. Run: python3 comparisons.py"""
import json, math
from collections import defaultdict


def tail(t, df, steps=40000):
    """P(T > t) for t >= 0, Simpson's rule on x = tan(u)."""
    c = math.gamma((df + 1) / 2) / math.gamma(df / 2) / math.sqrt(df * math.pi)
    f = lambda u: c * (1 + math.tan(u) ** 2 / df) ** (-(df + 1) / 2) / math.cos(u) ** 2
    a, b = 0.0, math.atan(t)
    h = (b - a) / steps
    s = f(a) + f(b) + sum((4 if i % 2 else 2) * f(a + i * h) for i in range(1, steps))
    return 0.5 - s * h / 3


def quantile(p, df):
    lo, hi = 0.0, 1000.0
    for _ in range(60):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if tail(mid, df, 4000) > 1 - p else (lo, mid)
    return (lo + hi) / 2


def case(name, level, rows):
    """rows: task, cluster, weight, A, B"""
    w = [r[2] for r in rows]
    d = [sum(r[4]) / len(r[4]) - sum(r[3]) / len(r[3]) for r in rows]
    W = sum(w)
    mean = sum(a * b for a, b in zip(w, d)) / W
    share = defaultdict(float)
    for r, wi in zip(rows, w):
        unit = r[1] or r[0]
        share[unit] += wi / W
    # delete one cluster at a time, literally
    leave = []
    for k in share:
        keep = [i for i, r in enumerate(rows) if (r[1] or r[0]) != k]
        leave.append(sum(w[i] * d[i] for i in keep) / sum(w[i] for i in keep))
    se = math.sqrt((len(share) - 1) / len(share) * sum((x - mean) ** 2 for x in leave))
    df = 1 / sum(s * s for s in share.values()) - 1
    t, p = quantile(1 - (1 - level) / 2, df), tail(abs(mean) / se, df)
    want = {"Difference": mean, "SE": se, "Lo": max(-1, mean - t * se), "Hi": min(1, mean + t * se),
            "P": p if mean >= 0 else 1 - p, "Detectable": min(1, (t + quantile(0.8, df)) * se)}
    pairs = [{"Task": r[0], "Cluster": r[1], "Weight": r[2], "A": r[3], "B": r[4]} for r in rows]
    return {"Name": name, "Level": level, "Pairs": pairs, "Want": want}


lcg = 12345
def rnd():
    global lcg
    lcg = (1103515245 * lcg + 12345) % 2**31
    return lcg / 2**31


cases = [
    case("five tasks by hand", .95, [(f"t{i}", "", 1, [a], [b]) for i, (a, b) in enumerate([(0, 1), (0, 1), (1, 1), (1, 0), (0, 1)])]),
    case("repeats", .9, [(f"t{i}", "", 1, [a, .5], [b, .75, 1]) for i, (a, b) in enumerate([(0, 1), (.2, .9), (1, 1), (1, 0), (0, .3), (.4, .1)])]),
    case("weights", .95, [(f"t{i}", "", 1 + i % 3, [rnd()], [rnd()]) for i in range(12)]),
    case("clusters", .95, [(f"t{i}", f"c{i % 7}" if i < 20 else "", 1, [rnd()], [rnd() ** .5]) for i in range(30)]),
    case("clusters and weights", .99, [(f"t{i}", f"c{i * i % 11}", 1 + (i % 4) / 2, [rnd() ** .5, rnd()], [rnd(), rnd()]) for i in range(40)]),
]
with open("comparisons.json", "w") as f:
    json.dump(cases, f, indent=1)
    f.write("\n")
