# SPDX-License-Identifier: Apache-2.0
"""Tests of constants from random literals, against fractions.Fraction."""

import decimal
import operator
import unittest
from fractions import Fraction

from arrays import SEED, needs, np, pa, trials

import winnow

SIGNS = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "<>": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
MOST = 10**38


class TooManyDigits(Exception):
    pass


def places_of(number):
    """Return the least number of digits after the point that a fraction needs."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    return places


def checked(number, places=None):
    if abs(number * 10 ** (places_of(number) if places is None else places)) >= MOST:
        raise TooManyDigits
    return number


def text_of(number):
    """Write all digits of a fraction, with a point or without."""
    places = places_of(number)
    digits = f"{abs(number.numerator) * 10**places // number.denominator:0{places + 1}}"
    point = len(digits) - places
    return ("-" if number < 0 else "") + digits[:point] + ("." + digits[point:] if places else "")


def literal(random, longest):
    digits = int(random.integers(1, longest))
    units = int("".join(str(d) for d in random.integers(0, 10, digits)))
    form = random.integers(6)
    if form == 0:
        return hex(units), Fraction(units)
    if form == 1:
        return f"0{units:o}", Fraction(units)
    if form < 4:
        return str(units), Fraction(units)
    places = int(random.integers(0, 20))
    text = f"{units:0{places + 1}}"
    point = len(text) - places
    text = text[:point] + "." + text[point:] + "0" * int(random.integers(3))
    return text, Fraction(text if text[-1] != "." else text[:-1])


def constant(random, depth, longest):
    """Draw a text and return it with its value, or TooManyDigits if it is an error."""
    if depth == 0:
        return literal(random, longest)
    first, a = constant(random, depth - 1, longest)
    if random.random() < 0.2:
        return f"(- {first})", a if a is TooManyDigits else -a
    second, b = constant(random, int(random.integers(depth)), longest)
    sign = str(random.choice(["+", "-", "*", "*"]))
    text = f"({first}{random.choice(['', ' '])}{sign} {second})"
    if a is TooManyDigits or b is TooManyDigits:
        return text, TooManyDigits
    try:
        if sign == "*":
            return text, checked(a * b)
        # Both operands and the result have the larger of both scales.
        places = max(places_of(a), places_of(b))
        b = b if sign == "+" else -b
        return text, checked(checked(a, places) + checked(b, places), places)
    except TooManyDigits:
        return text, TooManyDigits


def nearest(number, dtype):
    """Return the nearest float. Ties go to the even mantissa."""
    near = np.dtype(dtype).type(float(number))
    around = [np.nextafter(near, dtype(-np.inf)), near, np.nextafter(near, dtype(np.inf))]
    bits = f"u{np.dtype(dtype).itemsize}"
    return min(
        (v for v in around if np.isfinite(v)),
        key=lambda v: (abs(Fraction(float(v)) - number), int(v.view(bits)) & 1),
    )


@needs("numpy")
class Constants(unittest.TestCase):
    def drawn(self):
        """Yield valid texts with their numbers."""
        random = np.random.default_rng(SEED)
        refused = 0
        for trial in range(trials(500)):
            text, number = constant(random, int(random.integers(1, 5)), 4 + trial % 20)
            text = text[1:-1] if random.random() < 0.5 else text
            if number is TooManyDigits:
                with self.assertRaisesRegex(winnow.UnsupportedError, "38 digits", msg=text):
                    winnow.count_if(np.zeros(1), f"x < {text}")
                refused += 1
            else:
                yield random, text, number
        self.assertGreater(refused, 20)

    def compare(self, random, x, text, number, exact):
        """Compare x with a constant. `exact` has x's values as fractions."""
        sign = str(random.choice(list(SIGNS)))
        kept = winnow.select(x, f"x {sign} {text}").mask().tolist()
        wanted = [SIGNS[sign](v, number) for v in exact]
        self.assertEqual(kept, wanted, (x, sign, text))

    def test_alone(self):
        for _, text, number in self.drawn():
            if len(text_of(number)) <= 100:
                x = np.zeros(1)
                self.assertEqual(winnow.count_if(x, f"{text} = {text_of(number)}"), 1, text)
                self.assertEqual(winnow.count_if(x, f"{text} <> {text_of(number)}"), 0, text)

    def test_beside_integers(self):
        for random, text, number in self.drawn():
            for dtype in (np.int64, np.uint64, np.int8):
                ends = np.iinfo(dtype)
                near = [min(max(int(number) + i, ends.min), ends.max) for i in range(-2, 3)]
                self.compare(random, np.array(near, dtype), text, number, near)

    def test_beside_floats(self):
        for random, text, number in self.drawn():
            for dtype in (np.float64, np.float32):
                value = nearest(number, dtype)
                lower, upper = (np.nextafter(value, dtype(e)) for e in (-np.inf, np.inf))
                x = np.array([lower, value, upper])
                self.compare(random, x, text, value, x.tolist())
                # The same with the constant as an operand, which keeps its sign.
                if value != 0 and "." in text:
                    self.assertEqual(
                        winnow.count_if(x, f"x - ({text}) = 0"), 1, (x, text)
                    )

    @needs("pyarrow")
    def test_beside_decimals(self):
        for random, text, number in self.drawn():
            precision = int(random.choice([18, 38]))
            scale = int(random.integers(0, 12))
            near = [int(number * 10**scale) + i for i in range(-1, 2)]
            if max(abs(i) for i in near) >= 10**precision:
                continue
            with decimal.localcontext(prec=50):
                values = [decimal.Decimal(i).scaleb(-scale) for i in near]
            rows = pa.table({"x": pa.array(values, pa.decimal128(precision, scale))})
            sign = str(random.choice(list(SIGNS)))
            kept = winnow.filter(rows, f"x {sign} {text}")["x"].to_pylist()
            wanted = [v for v in values if SIGNS[sign](Fraction(v), number)]
            self.assertEqual(kept, wanted, (values, sign, text))
