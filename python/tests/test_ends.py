# SPDX-License-Identifier: Apache-2.0
"""Tests of dates, timestamps and durations at the ends of 64 bits, against Python's
integers."""

import operator
import random
import unittest

from arrays import SEED, needs, pa, trials

import winnow

DAY = 86400 * 10**9
UNITS = {"D": DAY, "s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
END = 2**63
ZONES = {None: 0, "UTC": 0, "+05:30": 19800, "-08:00": -28800, "+14:00": 50400,
         "-23:59": -86340, "+00:01": 60}
PARTS = ("year", "month", "day", "hour", "minute", "second")
COMPARE = {"<": operator.lt, "<=": operator.le, "=": operator.eq, "<>": operator.ne,
           ">": operator.gt, ">=": operator.ge}
ITEMS = 40


def date_of(days):
    """Return the year, month and day, also for years that datetime does not support."""
    era, day = divmod(days + 719468, 146097)
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5 - 1
    month += 3 if month < 10 else -9
    return 400 * era + year + (month <= 2), month, day


def part_of(name, nanoseconds, zone):
    days, inside = divmod(nanoseconds + ZONES[zone] * 10**9, DAY)
    seconds = inside // 10**9
    parts = (*date_of(days), seconds // 3600, seconds // 60 % 60, seconds % 60)
    return parts[PARTS.index(name)]


class Column:
    """A column. `values` has nanoseconds or None."""

    def __init__(self, draw, kinds, zone):
        kind = draw.choice(kinds)
        self.is_duration = kind == "duration"
        self.zone = zone if kind == "timestamp" else None
        self.unit = "D" if kind == "date32" else draw.choice(("s", "ms", "us", "ns"))
        end = 2**31 if kind == "date32" else END
        counts = [None if draw.random() < 0.05 else self.draw_one(draw, end)
                  for _ in range(ITEMS)]
        self.values = [None if x is None else x * UNITS[self.unit] for x in counts]
        array = pa.array(counts, pa.int32() if kind == "date32" else pa.int64())
        self.array = array.view(
            pa.date32() if kind == "date32"
            else pa.duration(self.unit) if self.is_duration
            else pa.timestamp(self.unit, zone))

    def draw_one(self, draw, end):
        """Draw a value near the ends of this or another unit, or anywhere."""
        steps = (1, 60, 1000, 86400000)
        where = draw.randrange(4)
        if where == 0:
            x = draw.choice((-end, end - 1)) + draw.randrange(-10**5, 10**5) * draw.choice(steps)
        elif where == 1:
            finer = draw.choice(list(UNITS.values()))
            x = draw.choice((-END, END - 1)) * finer // UNITS[self.unit] + draw.randrange(-3, 4)
        elif where == 2:
            x = draw.randrange(-100, 100)
        else:
            x = draw.randrange(-end, end)
        return min(max(x, -end), end - 1)


def written(number):
    return str(number) if number >= 0 else f"-{-number}"


@needs("pyarrow")
class Ends(unittest.TestCase):
    def keeps(self, text, table, outcomes):
        wanted = [i for i, passes in enumerate(outcomes) if passes]
        table = {"i": pa.array(range(ITEMS)), **{name: x.array for name, x in table.items()}}
        table = pa.table(table)
        self.assertEqual(winnow.filter(table, text)["i"].to_pylist(), wanted,
                         f"{text}: {table.schema.types}")

    def compares(self, draw, value, values, table):
        """Check a random comparison of the text `value`, which has `values`."""
        known = [x for x in values if x is not None]
        number = draw.choice(known or [0])
        sign, compare = draw.choice(list(COMPARE.items()))
        self.keeps(f"{value} {sign} {written(number)}", table,
                   [x is not None and compare(x, number) for x in values])
        self.keeps(f"{value} is null", table, [x is None for x in values])

    def test_parts(self):
        draw = random.Random(1 + SEED)
        for _ in range(trials(150)):
            x = Column(draw, ("date32", "timestamp"), draw.choice(list(ZONES)))
            name = draw.choice(PARTS)
            parts = [None if v is None else part_of(name, v, x.zone) for v in x.values]
            self.compares(draw, f"{name}(x)", parts, {"x": x})
            self.compares(draw, f"{name}(x) + 0", parts, {"x": x})
            some = [p for p in parts if p is not None][:3] or [0]
            self.keeps(f"{name}(x) in ({', '.join(map(written, some))})", {"x": x},
                       [p in some for p in parts])

    def operands(self, draw):
        """Draw two columns, and return them with the operators that take them."""
        zone = draw.choice(list(ZONES))
        instants = ("timestamp",) if zone else ("timestamp", "date32")
        a = Column(draw, (*instants, "duration"), zone)
        b = Column(draw, (*instants, "duration"), zone)
        operations = {"max": max, "min": min} if a.is_duration == b.is_duration else {}
        if a.is_duration or b.is_duration:
            operations["+"] = operator.add
        if b.is_duration or not a.is_duration:
            operations["-"] = operator.sub
        return a, b, operations

    def test_operations(self):
        draw = random.Random(2 + SEED)
        for _ in range(trials(150)):
            a, b, operations = self.operands(draw)
            table = {"a": a, "b": b}
            sign, operation = draw.choice(list(operations.items()))
            value = f"a {sign} b" if sign in "+-" else f"{sign}(a, b)"
            unit = min(UNITS[a.unit], UNITS[b.unit])
            made = [None if x is None or y is None else operation(x, y) // unit
                    for x, y in zip(a.values, b.values)]
            made = [x if x is None or -END <= x < END else None for x in made]
            self.compares(draw, f"cast({value} as int64)", made, table)
            is_instant = not (a.is_duration and b.is_duration) and not (
                sign == "-" and a.is_duration == b.is_duration)
            zone = a.zone or b.zone
            c = Column(draw, ("timestamp",) if is_instant else ("duration",), zone)
            sign, compare = draw.choice(list(COMPARE.items()))
            self.keeps(f"{value} {sign} c", {**table, "c": c},
                       [x is not None and y is not None and compare(x * unit, y)
                        for x, y in zip(made, c.values)])
            if is_instant:
                name = draw.choice(PARTS)
                self.compares(draw, f"{name}({value})",
                              [None if x is None else part_of(name, x * unit, zone)
                               for x in made], table)

    def test_comparisons(self):
        draw = random.Random(3 + SEED)
        for _ in range(trials(100)):
            a, b, _ = self.operands(draw)
            if a.is_duration != b.is_duration:
                continue
            for sign, compare in COMPARE.items():
                self.keeps(f"a {sign} b", {"a": a, "b": b},
                           [x is not None and y is not None and compare(x, y)
                            for x, y in zip(a.values, b.values)])


if __name__ == "__main__":
    unittest.main()
