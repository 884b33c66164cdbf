# SPDX-License-Identifier: Apache-2.0
"""Random tables of pyarrow, random conditions on them, and their right outcomes.

Python's operators on Python's values decide a test of a column, row by row. pyarrow
computes and, or and not by Kleene's logic.
"""

import datetime
import decimal
import operator
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

WORDS = ["", "a", "A", "abc", "abcabc", "b%c", "_x", "it's", "größe", "x" * 11]
WORDS += ["y" * 64 + "a", "y" * 70 + "b", "y" * 63 + "é"]
WORDS += ["x" * 12, "x" * 13, "prefix and more than twelve bytes", "pre", "日本語"]

UNITS = ["s", "ms", "us", "ns"]
INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64()]
INTEGERS += [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
MOMENTS = [pa.timestamp(unit) for unit in UNITS] + [pa.timestamp("us", "UTC")]
DATES = [pa.date32(), pa.date64()]
DECIMALS = [pa.decimal128(10, 2), pa.decimal128(38, 10), pa.decimal128(5, -2)]
STRINGS = [pa.string(), pa.large_string(), pa.string_view()]
STRINGS += [
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.large_string()),
    pa.dictionary(pa.int64(), pa.string_view()),
]
PLAIN = INTEGERS + FLOATS + [pa.bool_()] + STRINGS
TESTED = PLAIN + DATES + MOMENTS + DECIMALS
MOVED = [
    pa.time32("ms"),
    pa.time64("ns"),
    *(pa.duration(unit) for unit in UNITS),
    pa.decimal256(50, 3),
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
    pa.binary(5),
    pa.null(),
    pa.list_(pa.int32()),
    pa.large_list(pa.string()),
    pa.list_(pa.bool_(), 3),
    pa.list_(pa.list_(pa.int8(), 2)),
    pa.struct([("a", pa.int16()), ("b", pa.string()), ("c", pa.bool_())]),
    pa.list_(pa.struct([("x", pa.float32()), ("y", pa.list_(pa.string()))])),
    pa.map_(pa.string(), pa.int32()),
    pa.month_day_nano_interval(),
]
TYPES = TESTED + MOVED


def pick(random, values):
    return values[random.integers(len(values))]


def is_text(kind):
    if kinds.is_dictionary(kind):
        kind = kind.value_type
    return kinds.is_string(kind) or kinds.is_large_string(kind) or kind == pa.string_view()


def is_count(kind):
    """Return whether a type counts a unit: times, timestamps and durations."""
    return kinds.is_timestamp(kind) or kinds.is_duration(kind) or kinds.is_time(kind)


# -------------------------------------------------------------------- columns


def value(random, kind):
    """Draw a value of a type: often a small one, so that many are equal, or an end."""
    if kinds.is_integer(kind):
        ends = np.iinfo(kind.to_pandas_dtype())
        if random.random() < 0.1:
            return int(pick(random, [ends.min, ends.max]))
        return int(random.integers(max(ends.min, -6), 6))
    if kinds.is_floating(kind):
        if random.random() < 0.2:
            number = pick(random, [np.nan, np.inf, -np.inf, -0.0, 0.0])
        else:
            number = random.normal(0, 4)
        return kind.to_pandas_dtype()(number)
    if kinds.is_boolean(kind):
        return bool(random.integers(2))
    if kinds.is_date(kind):
        days = int(random.integers(-3, 3))
        return datetime.date(2024, 1, 31) + datetime.timedelta(days)
    if kinds.is_decimal(kind):
        digits = int(random.integers(-(10**4), 10**4))
        return decimal.Decimal(digits).scaleb(-kind.scale)
    if is_text(kind):
        return pick(random, WORDS)
    if kinds.is_fixed_size_binary(kind):
        return random.bytes(kind.byte_width)
    if kinds.is_binary(kind) or kinds.is_large_binary(kind) or kind == pa.binary_view():
        return random.bytes(random.integers(20))
    if kinds.is_map(kind):
        return [(f"{i}", item(random, kind.item_type)) for i in range(random.integers(3))]
    if kinds.is_fixed_size_list(kind):
        return [item(random, kind.value_type) for _ in range(kind.list_size)]
    if kinds.is_list(kind) or kinds.is_large_list(kind):
        return [item(random, kind.value_type) for _ in range(random.integers(5))]
    if kinds.is_struct(kind):
        return {field.name: item(random, field.type) for field in kind}
    if kind == pa.month_day_nano_interval():
        return pa.MonthDayNano([int(v) for v in random.integers(0, 9, 3)])
    raise AssertionError(f"no values of {kind}")


def item(random, kind, nulls=0.2):
    if kinds.is_null(kind) or random.random() < nulls:
        return None
    return value(random, kind)


def column(random, kind, n, with_nulls=True, null_entries=False):
    """Draw an array of n items, which often begins within its buffers."""
    before, after = random.integers(0, 20, 2) * random.integers(0, 2, 2)
    nulls = pick(random, [0, 0, 0.1, 0.5, 1]) if with_nulls else 0
    items = before + n + after
    if kinds.is_dictionary(kind):
        entries = [pick(random, WORDS) for _ in range(random.integers(1, 9))]
        entries += [None] * (null_entries and random.random() < 0.3)
        indices = [
            None if random.random() < nulls else int(random.integers(len(entries)))
            for _ in range(items)
        ]
        made = pa.DictionaryArray.from_arrays(
            pa.array(indices, kind.index_type), pa.array(entries, kind.value_type)
        )
    elif is_count(kind):
        number = pa.int32() if kind.bit_width == 32 else pa.int64()
        counts = [item(random, pa.int8(), nulls) for _ in range(items)]
        counts = [None if v is None else v & 7 for v in counts]
        made = pa.array(counts, number).cast(kind)
    else:
        made = pa.array([item(random, kind, nulls) for _ in range(items)], kind)
    return made.slice(before, n)


def table(random, n, types, with_nulls=True, null_entries=False):
    """Draw a table whose columns c0, c1, ... are divided into different chunks."""
    columns = []
    for kind in types:
        ends = sorted(random.integers(0, n + 1, random.integers(3)).tolist())
        pieces = [b - a for a, b in zip([0, *ends], [*ends, n])]
        chunks = [
            column(random, kind, piece, with_nulls, null_entries) for piece in pieces
        ]
        columns.append(pa.chunked_array(chunks, kind))
    return pa.table(columns, [f"c{i}" for i in range(len(types))])


# ----------------------------------------------------------------- conditions

SIGNS = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "<>": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


def literal(kind, number):
    """Return a value as text, and as Python compares it with a column's values."""
    if kinds.is_floating(kind):
        near = kind.to_pandas_dtype()(number)
        return repr(float(number)), near
    if kinds.is_date(kind):
        return f"date '{number}'", number
    if is_text(kind):
        return "'" + number.replace("'", "''") + "'", number
    if kinds.is_decimal(kind):
        return f"{number:f}", number
    return str(number), number


def finite(random, kind):
    while True:
        number = value(random, kind)
        if not kinds.is_floating(kind) or np.isfinite(number):
            return number


def counts_of(column):
    return column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())


def moment(random, kind):
    """Return a random literal of a timestamp, and the number of units it means."""
    count = int(random.integers(0, 8))
    digits = {"s": 0, "ms": 3, "us": 6, "ns": 9}[kind.unit]
    seconds, part = divmod(count, 10**digits)
    fraction = f".{part:0{digits}}" if digits else ""
    return f"timestamp '1970-01-01 00:00:{seconds:02}{fraction}'", count


def is_kept_by_parquet(kind):
    """Return whether Parquet has the unit of a type of timestamps or times."""
    return kinds.is_date32(kind) or (kinds.is_timestamp(kind) and kind.unit != "s")


def units_of(wanted):
    """Return a date as days, and another value as its count of units."""
    if isinstance(wanted, int):
        return wanted
    return (wanted - datetime.date(1970, 1, 1)).days


def pattern(random):
    """Draw a pattern of `like`, and return it with the same regular expression."""
    parts = [pick(random, ["a", "x", "b", "%", "%", "_", "größe", "pre", "c"])]
    parts += [pick(random, ["%", "%", "_", "bc", "x", ""]) for _ in range(3)]
    expression = "".join(
        {"%": ".*", "_": "."}.get(part, re.escape(part)) for part in parts
    )
    return "".join(parts), re.compile(expression, re.S)


def leaf(random, name, kind):
    """Draw a test of a column: its text, and a function of a value that is not null."""
    if kinds.is_boolean(kind):
        return pick(
            random,
            [
                (name, lambda v: v),
                (f"{name} = true", lambda v: v),
                (f"{name} <> true", lambda v: not v),
                (f"{name} = false", lambda v: not v),
            ],
        )
    if is_text(kind) and random.random() < 0.5:
        text, wanted = literal(kind, pick(random, ["a", "pre", "abc", "", "語", "'s"]))
        like, expression = pattern(random)
        return pick(
            random,
            [
                (f"starts_with({name}, {text})", lambda v: v.startswith(wanted)),
                (f"ends_with({name}, {text})", lambda v: v.endswith(wanted)),
                (f"contains({name}, {text})", lambda v: wanted in v),
                (f"{name} like '{like}'", lambda v: bool(expression.fullmatch(v))),
                (f"{name} not like '{like}'", lambda v: not expression.fullmatch(v)),
            ],
        )
    if kinds.is_timestamp(kind):
        literals = [moment(random, kind) for _ in range(4)]
    else:
        literals = [literal(kind, finite(random, kind)) for _ in range(4)]
    if is_kept_by_parquet(kind) and random.random() < 0.3:  # a number of units
        name = pick(random, [f"cast({name} as int64)", f"{name}::bigint"])
        literals = [(str(units_of(wanted)), wanted) for _, wanted in literals]
    (text, a), (other, b) = literals[:2]
    compare = (lambda v: v.encode()) if is_text(kind) else (lambda v: v)
    shape = random.integers(4)
    if shape < 2:
        sign = pick(random, list(SIGNS))
        test = SIGNS[sign]
        return f"{name} {sign} {text}", lambda v: test(compare(v), compare(a))
    if shape == 2:
        word, inside = pick(random, [("", True), ("not ", False)])
        return f"{name} {word}between {text} and {other}", lambda v: inside == (
            compare(a) <= compare(v) <= compare(b)
        )
    word, inside = pick(random, [("", True), ("not ", False)])
    listed = ", ".join(text for text, _ in literals)
    members = [number for _, number in literals]
    return f"{name} {word}in ({listed})", lambda v: inside == any(v == m for m in members)


def decided(column, test):
    """Return the outcome of a test for each item."""
    if is_count(column.type):
        column = counts_of(column)
    values = column.to_pylist()
    return pa.array([None if v is None else bool(test(v)) for v in values], pa.bool_())


def condition(random, rows, depth, with_is=True):
    """Draw a condition on a table, and return it with its outcome for each row."""
    if depth == 0:
        tested = [f for f in rows.schema if f.type in TESTED]
        field = pick(random, tested)
        if with_is and random.random() < 0.15:
            nulls = pc.is_null(rows[field.name]).combine_chunks()
            return pick(
                random,
                [
                    (f"{field.name} is null", nulls),
                    (f"{field.name} is not null", pc.invert(nulls)),
                ],
            )
        text, test = leaf(random, field.name, field.type)
        return text, decided(rows[field.name], test)
    shape = pick(random, [0, 1, 2, 3, 4] if with_is else [0, 2, 3])
    a, first = condition(random, rows, depth - 1, with_is)
    if shape == 0:
        return f"not ({a})", pc.invert(first)
    if shape == 1:
        word, outcome = pick(
            random,
            [
                ("is null", pc.is_null(first)),
                ("is not null", pc.is_valid(first)),
                ("is true", pc.fill_null(first, False)),
                ("is false", pc.fill_null(pc.invert(first), False)),
            ],
        )
        return f"({a}) {word}", outcome
    b, second = condition(random, rows, random.integers(depth), with_is)
    if shape == 2:
        return f"({a}) or ({b})", pc.or_kleene(first, second)
    return f"({a}) and ({b})", pc.and_kleene(first, second)


# ----------------------------------------------------------------- comparison


def contents(column):
    """Return the values of a column."""
    if is_count(column.type):
        column = counts_of(column)
    return column.to_pylist()


def assert_kept(test, kept, rows, mask, message):
    """Check that the rows of a mask were kept, with the same types, in valid memory."""
    kept.validate(full=True)
    test.assertEqual(kept.schema, rows.schema, message)
    mask = mask.to_pylist()
    for name in rows.column_names:
        wanted = [v for v, true in zip(contents(rows[name]), mask) if true]
        # Compare texts, in which NaN equals NaN, and -0 differs from 0.
        test.assertEqual(repr(contents(kept[name])), repr(wanted), (message, name))
        nulls = wanted.count(None)
        # A null among a dictionary's entries does not count as a null of the column.
        if not kinds.is_dictionary(rows[name].type):
            test.assertEqual(kept[name].null_count, nulls, (message, name))
