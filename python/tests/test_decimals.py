# SPDX-License-Identifier: Apache-2.0
"""Tests of conditions on random decimals, against Python's decimal and DuckDB."""

import decimal
import operator
import unittest
from decimal import Decimal

from arrays import SEED, needs, np, pa, trials

import winnow

N = 40
SIGNS = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "<>": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
PAPER = decimal.Context(prec=80, rounding=decimal.ROUND_HALF_UP)


def element(random, precision, scale):
    """Draw an integer of any size, or an end of the range."""
    digits = precision if random.integers(4) == 0 else int(random.integers(1, precision + 1))
    units = int("".join(str(d) for d in random.integers(0, 10, digits)))
    if random.integers(8) == 0:
        units = 10**precision - 1
    if random.integers(2):
        units = -units
    return None if random.integers(8) == 0 else Decimal(units).scaleb(-scale, PAPER)


def column(random):
    """Draw elements, and return them with their Arrow type, precision and scale."""
    precision = int(random.choice([4, 9, 15, 18, 19, 25, 38]))
    scale = int(random.integers(0, precision + 1))
    return [element(random, precision, scale) for _ in range(N)], precision, scale


class Computed:
    """An expression: its text, values, precision and scale, by winnow_language(7)."""

    def __init__(self, text, values, precision, scale):
        self.text, self.values = text, values
        self.precision, self.scale = min(precision, 38), scale

    def rounded(self, value):
        exact = value is None or abs(value) < Decimal(10) ** (38 - self.scale)
        return value if exact else None

    @classmethod
    def of(cls, op, a, b):
        scale, precision = max(a.scale, b.scale), 0
        whole = max(a.precision - a.scale, b.precision - b.scale)
        precision = whole + scale + 1
        if op == "*":
            scale, precision = a.scale + b.scale, a.precision + b.precision
        made = cls(f"({a.text} {op} {b.text})", None, precision, scale)
        pairs = zip(a.values, b.values)
        made.values = [
            None if None in pair else made.rounded(OPERATORS[op](*pair)) for pair in pairs
        ]
        return made


def drawn(random, names):
    """Draw a column, or an operation on two expressions."""
    a = Computed(*names[int(random.integers(len(names)))])
    if random.integers(3) == 0:
        return a
    return Computed.of(str(random.choice(list(OPERATORS))), a, drawn(random, names))


def kept(table, text):
    """Return the rows that pass, or None if the expression is too long."""
    try:
        return winnow.filter(table, text)["row"].to_pylist()
    except winnow.UnsupportedError as error:
        if "more than 128 operations" not in str(error):
            raise
        return None


@needs("pyarrow")
class Decimals(unittest.TestCase):
    def setUp(self):
        self.enterContext(decimal.localcontext(PAPER))

    def cases(self):
        for trial in range(trials(200)):
            random = np.random.default_rng([SEED, trial])
            names, table = [], {}
            for name in "abc":
                values, precision, scale = column(random)
                table[name] = pa.array(values, pa.decimal128(precision, scale))
                names.append((name, values, precision, scale))
            yield random, pa.table(table | {"row": pa.array(range(N))}), names

    def test_on_paper(self):
        tested = 0
        for random, table, names in self.cases():
            left, right = drawn(random, names), drawn(random, names)
            sign = str(random.choice(list(SIGNS)))
            text = f"{left.text} {sign} {right.text}"
            if max(left.scale, right.scale) > 38:
                with self.assertRaisesRegex(winnow.UnsupportedError, "behind the point|128 operations"):
                    winnow.filter(table, text)
                continue
            wanted = [
                i
                for i, (x, y) in enumerate(zip(left.values, right.values))
                if x is not None and y is not None and SIGNS[sign](x, y)
            ]
            found = kept(table, text)
            if found is not None:
                self.assertEqual(found, wanted, text)
                tested += 1
        self.assertGreater(tested, trials(200) // 3)

    def test_of_floats(self):
        """A float counts with all its binary digits."""
        exact = decimal.Context(prec=1200, rounding=decimal.ROUND_HALF_UP)
        for trial in range(trials(60)):
            random = np.random.default_rng([SEED, 7, trial])
            kind = (np.float16, np.float32, np.float64)[trial % 3]
            precision = int(random.integers(1, 39))
            scale = int(random.integers(0, precision + 1))
            odd = 2 * random.integers(-9999, 9999, 4 * N) + 1
            values = np.concatenate(
                [
                    odd / 2.0 ** random.integers(0, 45, 4 * N),
                    odd * 10.0 ** random.integers(-38, 38, 4 * N),
                    [0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1e38, -1e300, 0.5, 2.5],
                ]
            )
            with np.errstate(over="ignore"):
                values = values.astype(kind)
            wanted = []
            for value in values.tolist():
                units = exact.scaleb(exact.create_decimal(value), scale)
                units = units.to_integral_value(decimal.ROUND_HALF_UP, exact) if units.is_finite() else units
                fits = units.is_finite() and abs(units) < 10**precision
                wanted.append(exact.scaleb(units, -scale) if fits else None)
            table = pa.table(
                {
                    "x": values,
                    "w": pa.array(wanted, pa.decimal128(precision, scale)),
                    "row": pa.array(range(len(values))),
                }
            )
            cast = f"cast(x as decimal({precision}, {scale}))"
            fits = [i for i, value in enumerate(wanted) if value is not None]
            self.assertEqual(kept(table, f"{cast} = w"), fits, cast)
            self.assertEqual(kept(table, f"{cast} is not null"), fits, cast)

    def test_rounds_of_many_digits(self):
        """An expression has room for one such rounding, whatever the type."""
        for precision, scale in ((37, 19), (38, 20), (38, 28), (38, 37)):
            one = 10**scale
            units = [0, one // 2, one // 2 + 1, 3 * one // 2, -one // 2, -3 * one // 2, -one, 10**precision - 1]
            units = [u for u in units if abs(u) < 10**precision]
            data = b"".join(u.to_bytes(16, "little", signed=True) for u in units)
            kind = pa.decimal128(precision, scale)
            column = pa.Array.from_buffers(kind, len(units), [None, pa.py_buffer(data)])
            table = pa.table({"a": column, "row": pa.array(range(len(units)))})
            for text, way in (
                ("round(a)", decimal.ROUND_HALF_EVEN),
                ("floor(a)", decimal.ROUND_FLOOR),
                ("ceil(a)", decimal.ROUND_CEILING),
                ("cast(a as decimal(38, 0))", decimal.ROUND_HALF_UP),
            ):
                made = [Decimal(u).scaleb(-scale, PAPER).to_integral_value(way, PAPER) for u in units]
                for value in {*made, Decimal(7)}:
                    for sign in "=", ">":
                        wanted = [i for i, m in enumerate(made) if SIGNS[sign](m, value)]
                        with self.subTest(text=text, kind=kind, value=value, sign=sign):
                            found = winnow.filter(table, f"{text} {sign} {value:f}")
                            self.assertEqual(found["row"].to_pylist(), wanted)

    def test_scales_above_the_precision(self):
        """Rounding removes more digits than the number has."""
        ways = {
            "round(a)": (0, decimal.ROUND_HALF_EVEN),
            "floor(a)": (0, decimal.ROUND_FLOOR),
            "ceil(a)": (0, decimal.ROUND_CEILING),
            "cast(a as int64)": (0, decimal.ROUND_DOWN),
            "cast(a as decimal(8, 1))": (1, decimal.ROUND_HALF_UP),
            "cast(a as decimal(38, 0))": (0, decimal.ROUND_HALF_UP),
        }
        random = np.random.default_rng([SEED, 11])
        for precision in (1, 9, 17, 18, 19, 26, 27, 30, 37, 38):
            for scale in range(precision, 39):
                units = [0, 1, -1, 7, -7, 10**precision - 1, 1 - 10**precision]
                units += [int(d * 10**precision) for d in random.uniform(-1, 1, 5)]
                half = 5 * 10 ** (scale - 1)
                units += [u for u in (half - 1, half, -half) if abs(u) < 10**precision]
                data = b"".join(u.to_bytes(16, "little", signed=True) for u in units)
                kind = pa.decimal128(precision, scale)
                column = pa.Array.from_buffers(kind, len(units), [None, pa.py_buffer(data)])
                table = pa.table({"a": column, "row": pa.array(range(len(units)))})
                for text, (places, way) in ways.items():
                    made = [
                        PAPER.scaleb(PAPER.scaleb(Decimal(u), places - scale).to_integral_value(way, PAPER), -places)
                        for u in units
                    ]
                    for value in set(made):
                        wanted = [i for i, m in enumerate(made) if m == value]
                        with self.subTest(text=text, kind=kind, value=value):
                            self.assertEqual(kept(table, f"{text} = {value:f}"), wanted)

    @needs("duckdb")
    def test_beside_duckdb(self):
        """DuckDB gives the same if it has a type for the result. It rounds operands."""
        import duckdb

        tested = 0
        connection = self.enterContext(duckdb.connect())
        for random, table, names in self.cases():
            left, right = drawn(random, names), drawn(random, names)
            sign = str(random.choice(list(SIGNS)))
            text = f"{left.text} {sign} {right.text}"
            scale = max(left.scale, right.scale)
            if max(x.precision - x.scale for x in (left, right)) + scale > 37:
                continue
            try:
                connection.register("rows", table)
                query = f"select row from rows where {text} order by row"
                found = connection.execute(query).fetchall()
            except duckdb.Error:
                continue
            rows = kept(table, text)
            if rows is not None:
                self.assertEqual(rows, [row for (row,) in found], text)
                tested += 1
        self.assertGreater(tested, trials(200) // 20)


if __name__ == "__main__":
    unittest.main()
