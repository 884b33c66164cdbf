# SPDX-License-Identifier: Apache-2.0
"""Conditions that are written as Python expressions: winnow.col("price") < 24."""

from __future__ import annotations

import datetime
import decimal
import math
import re
import sys
from typing import Any, Callable, Iterable, Union

from . import _tensors
from ._kinds import numpy

Number = Union[int, float]
# The values that a column can be compared with: numbers, text, dates and times.
Value = Union[
    int,
    float,
    str,
    decimal.Decimal,
    datetime.date,  # the base class of datetime.datetime
    datetime.time,
    datetime.timedelta,
    "_Operand",
]


_MOMENTS = ("datetime64", "timedelta64")


def _plain(value: Any) -> Any:
    """Convert a scalar of NumPy or pyarrow to Python's type if nothing is lost."""
    if hasattr(value, "as_py"):
        if getattr(value.type, "unit", "") == "ns" and value.is_valid:
            return _nanoseconds(value.value, value.type)
        return value.as_py()
    if hasattr(value, "compressed") and value.mask.any():
        raise TypeError("a masked value equals nothing: use is_null()")
    if hasattr(value, "item") and type(value).__name__ not in _MOMENTS:
        # item() of an array without dimensions makes an int of a datetime64.
        is_moment = getattr(getattr(value, "dtype", None), "kind", "") in ("m", "M")
        return value[()] if is_moment else value.item()
    return value


def _number(value: Any) -> str:
    """Write a number in the library's grammar."""
    value = _plain(value)
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, int):
        return str(int(value))  # a subclass may have its own __str__()
    if isinstance(value, float):
        value = float(value)
        if not math.isfinite(value):
            raise ValueError(
                f"a condition compares with numbers, not with {value}: use "
                "isnan() or isfinite()"
            )
        return _float(value)
    raise TypeError(f"a number is wanted, not {value!r}")


# The longest number that the library's grammar accepts, in characters.
_MOST_DIGITS = 128


def _float(value: float) -> str:
    """Write a float: its shortest text if that is exact enough, else all of its digits.

    The library compares integers with the exact value of the text. For a column of
    float32 or smaller floats it rounds the text, so a float that is halfway between two
    such floats needs all digits.
    """
    text = repr(value)
    if 2.0**-151 < abs(value) < 2.0**128:
        top = abs(value.as_integer_ratio()[0])
        is_short = top // (top & -top) < 2**25
        if (is_short or value.is_integer()) and decimal.Decimal(text) != value:
            digits = format(decimal.Decimal(value), "e" if "e" in text else "f")
            return digits if len(digits) <= _MOST_DIGITS else text
    return text


def quoted(text: str) -> str:
    """Write text in the library's grammar, in single quotes."""
    if not isinstance(text, str):
        raise TypeError(f"text is wanted, not {text!r}")
    if "\0" in text:
        raise ValueError(f"text in a condition cannot have a zero byte: {text!r}")
    return "'" + text.replace("'", "''") + "'"


def _in_minutes(value: Any) -> Any:
    """Return the same instant with an offset of whole minutes.

    The offset is rounded in the direction that keeps the local time within the years 1
    to 9999.
    """
    minute = datetime.timedelta(minutes=1)
    offset = value.utcoffset()
    is_east = offset > datetime.timedelta(0)
    later = -offset % minute if is_east else -(offset % minute)
    zone = datetime.timezone(offset + later)
    return (value.replace(tzinfo=None) + later).replace(tzinfo=zone)


def _moment(value: Any) -> str:
    """Write a date, a time or a timestamp in the library's grammar."""
    if type(value).__name__ == "datetime64":
        text = str(value)
        text += ":00" if len(text) == len("2024-01-31T10") else ""
        kind = "timestamp" if "T" in text else "date"
        if text == "NaT" or len(text) < len("2024-01-31"):
            raise ValueError(f"a condition compares with dates, not with {text}")
        return f"{kind} '{text.replace('T', ' ')}'"
    if isinstance(value, datetime.datetime):
        if value != value:
            raise ValueError(f"a condition compares with times, not with {value}")
        if value.tzinfo is not None:  # an instant: write it in UTC
            try:
                there = value.astimezone(datetime.timezone.utc)
            except (OverflowError, ValueError):
                there = None
            # In UTC the year may be 0 or 10000.
            is_right = there is not None and 1 <= there.year <= 9999
            value = there if is_right else _in_minutes(value)
        # isoformat() of a pandas.Timestamp includes nanoseconds.
        return f"timestamp '{value.isoformat(sep=' ')}'"
    kind = "time" if isinstance(value, datetime.time) else "date"
    return f"{kind} '{value.isoformat()}'"


# NumPy's units: the name in the library's grammar, and the number in a day.
_UNITS = {
    "ns": ("ns", 86_400_000_000_000),
    "us": ("us", 86_400_000_000),
    "ms": ("ms", 86_400_000),
    "s": ("s", 86_400),
    "m": ("min", 1440),
    "h": ("h", 24),
    "D": ("d", 1),
}


def _duration(count: int, unit: str) -> str:
    """Write a duration in the library's grammar. Its numbers have at most 15 digits, so
    days are written apart."""
    name, per_day = _UNITS[unit]
    days, rest = divmod(abs(count), per_day)
    text = f"{days} d {rest} {name}" if days and rest else f"{days} d"
    text = text if days else f"{rest} {name}"
    return f"duration '{'-' if count < 0 else ''}{text}'"


def _timedelta64(value: Any) -> str:
    unit, step = numpy().datetime_data(value.dtype)
    if str(value) == "NaT":
        raise ValueError(f"a condition compares with durations, not with {value!r}")
    if unit == "W":
        unit, step = "D", 7 * step
    if unit not in _UNITS:
        raise ValueError(
            "a condition has durations in W, D, h, m, s, ms, us and ns, not "
            f"{value!r}"
        )
    return _duration(int(value.astype(int)) * step, unit)


def _nanoseconds(count: int, dtype: Any) -> _Operand:
    """Write a duration, time or timestamp of pyarrow or polars in nanoseconds. Python's
    own types have only microseconds."""
    kind = str(dtype).lower()
    if kind.startswith("duration"):
        return _Operand(_duration(count, "ns"))
    days, rest = divmod(count, 86_400_000_000_000)
    seconds, rest = divmod(rest, 1_000_000_000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:09}"
    if kind.startswith("time") and not kind.startswith("timestamp"):
        return _Operand(f"time '{clock}'")
    zone = getattr(dtype, "tz", None) or getattr(dtype, "time_zone", None)
    date = datetime.date.fromordinal(719_163 + days)
    return _Operand(f"timestamp '{date} {clock}{'+00:00' if zone else ''}'")


def _literal(value: Any) -> str:
    """Write a value or an expression in the library's grammar."""
    value = _plain(value)
    if isinstance(value, _Operand):
        return value._text
    if hasattr(value, "to_timedelta64"):  # a pandas.Timedelta has nanoseconds
        value = value.to_timedelta64()
    if type(value).__name__ == "timedelta64":
        return _timedelta64(value)
    if isinstance(value, datetime.timedelta):
        return _duration(value // datetime.timedelta(microseconds=1), "us")
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (bytes, bytearray)):
        return f"x'{value.hex()}'"
    if isinstance(value, decimal.Decimal) and value.is_finite():
        return f"{value:f}"
    if (
        isinstance(value, (datetime.date, datetime.time))
        or type(value).__name__ == "datetime64"
    ):
        return _moment(value)
    if value is None:
        raise TypeError("nothing equals None: use is_null() or is_not_null()")
    if not isinstance(value, (int, float)):
        raise TypeError(
            "a condition compares with numbers, text, dates and times, not with "
            f"{value!r}"
        )
    return _number(value)


_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\r\n]*|/\*.*?\*/|//""", re.S)


def _grouped(text: str) -> str:
    """Put a text in parentheses.

    The text must not close them itself, and a comment at its end must not hide them.
    """
    depth, rest = 0, _QUOTED.sub(" ", text)
    for sign in re.findall(r"""[()'"]|/\*""", rest):
        depth += {"(": 1, ")": -1}.get(sign, -len(rest))
        if depth < 0:
            break
    if depth != 0:
        from ._winnow import ConditionError

        raise ConditionError(
            f"{text!r} is not a complete condition: parentheses, quotes or comments do "
            "not match"
        )
    return f"({text}\n)" if "--" in text else f"({text})"


class Condition:
    """Which items pass: text in the library's grammar.

    Conditions join with ``&``, ``|`` and ``~``, and can be pickled. The text is
    that of winnow_condition_parse(3)::

        winnow.Condition("price < 24 && id in (4, 8)")
        (winnow.col("price") < 24) & winnow.col("id").isin([4, 8])
    """

    # PyTorch compiles code for one object. A weak reference tells it when that is gone.
    __slots__ = ("text", "_parts", "_kept", "__weakref__")

    __array_ufunc__ = None  # NumPy leaves operators to this class

    text: str
    # The parts of a condition with a set of values or CUDA C, which no text has:
    # ("in", name, values), ("cuda", body, names, parameters), ("and", a, b),
    # ("or", a, b), ("not", a). None: the text is the whole condition.
    _parts: tuple[Any, ...] | None
    # What was prepared from these parts. Sets are large, so it is freed with the
    # condition.
    _kept: dict[Any, Any] | None

    def __init__(self, text: str, _parts: tuple[Any, ...] | None = None) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a condition is text, not {type(text).__name__}")
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "_parts", _parts)
        object.__setattr__(self, "_kept", None if _parts is None else {})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("conditions do not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return Condition, (self.text, self._parts)

    def __repr__(self) -> str:
        return f"winnow.Condition({self.text!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Condition):
            return NotImplemented
        if self._parts is None and other._parts is None:
            return self.text == other.text
        return self is other

    def __hash__(self) -> int:
        return hash(self.text)

    def __and__(self, other: Condition | Column | str) -> Condition:
        return _joined("and", self, other)

    def __rand__(self, other: str) -> Condition:
        return _joined("and", other, self)

    def __or__(self, other: Condition | Column | str) -> Condition:
        return _joined("or", self, other)

    def __ror__(self, other: str) -> Condition:
        return _joined("or", other, self)

    def __invert__(self) -> Condition:
        parts = None if self._parts is None else ("not", self)
        return Condition(f"!{_grouped(self.text)}", parts)

    def __bool__(self) -> bool:
        raise TypeError(
            "a condition is neither true nor false: join conditions with &, | "
            "and ~, in parentheses, and write a range as between(low, high)"
        )


Joined = Union[Condition, "Column", str]


def _condition(x: Joined) -> Condition:
    if isinstance(x, Condition):
        return x
    return Condition(x._text if isinstance(x, Column) else x)


def _joined(word: str, a: Joined, b: Joined) -> Condition:
    first, second = _condition(a), _condition(b)
    sign = {"and": "&&", "or": "||"}[word]
    text = f"{_grouped(first.text)} {sign} {_grouped(second.text)}"
    if first._parts is None and second._parts is None:
        return Condition(text)
    # Conditions that are joined by the same word become parts of one condition.
    parts: list[Condition] = []
    for each in (first, second):
        same = each._parts if each._parts and each._parts[0] == word else (word, each)
        parts += same[1:]
    return Condition(text, (word, *parts))


def written(condition: Any) -> str:
    """Return the text of a condition, with all values of its sets."""
    if isinstance(condition, str):
        return condition
    if isinstance(condition, Column):
        return condition._text
    if not isinstance(condition, Condition):
        raise TypeError(
            "a condition for a table is text, or winnow.col(...) with a comparison, "
            f"not {type(condition).__name__}"
        )
    if condition._parts is None or condition._kept is None:
        return condition.text
    text: str | None = condition._kept.get("text")
    if text is None:
        try:
            text = condition._kept["text"] = _written(*condition._parts)
        except RecursionError:
            from ._winnow import UnsupportedError

            raise UnsupportedError("the condition is nested too deeply") from None
    return text


def _written(word: str, *parts: Any) -> str:
    if word == "cuda":
        raise TypeError("a condition in CUDA C is not for Arrow tables: it has no text")
    if word == "in":
        name, array = parts
        numbers = [int(v) if v is True or v is False else v for v in array.tolist()]
        # Sets are large: _listed() would be slow, as it checks the type of each value.
        return _among(
            Column(name)._text,
            numbers,
            lambda all_: ", ".join(_float(v) if type(v) is float else str(v) for v in all_),
        )
    if word == "not":
        return f"!{_grouped(written(parts[0]))}"
    sign = {"and": "&&", "or": "||"}[word]
    return f" {sign} ".join(_grouped(written(part)) for part in parts)


def _is_beyond(value: Any) -> bool:
    """Return whether a value is a NaN, a NaT or an infinity. The grammar has none."""
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, decimal.Decimal):
        return not value.is_finite()
    return type(value).__name__ in (*_MOMENTS, "NaTType") and str(value) == "NaT"


def _among(text: str, values: list[Any], listed: Callable[[list[Any]], str]) -> str:
    """Write the test that `text` equals one of these values. A NaN equals nothing."""
    beyond = [value for value in values if _is_beyond(value)]
    if beyond:
        values = [value for value in values if not _is_beyond(value)]
    tests = [f"{text} in ({listed(values)})"]
    # Infinity is what exceeds the greatest finite number. An integer never does.
    most = repr(sys.float_info.max)
    for name, test in (("inf", f"> {most}"), ("-inf", f"< -{most}")):
        if any(str(value).lower().startswith(name) for value in beyond):
            tests.append(f"cast({text} as float64) {test}")
    return " || ".join(tests)


# Up to this many numbers are written as text; more numbers make a set.
_MOST_WRITTEN = 16


class _Operand:
    """A column, an expression, or the bits of one under a mask."""

    __slots__ = ("_text",)

    # NumPy leaves operators to this class. It would pass a datetime64 as an integer.
    __array_ufunc__ = None

    def __init__(self, text: str) -> None:
        self._text = text

    def __eq__(self, value: Any) -> Condition:  # type: ignore[override]
        return self._tested(lambda text: f"{text} == {_literal(value)}", value)

    def __ne__(self, value: Any) -> Condition:  # type: ignore[override]
        return self._tested(lambda text: f"{text} != {_literal(value)}", value)

    def _tested(self, test: Callable[[str], str], *values: Any) -> Condition:
        """Make a condition that tests this operand against values.

        True and False equal true and false of a boolean column, and 1 and 0 of a column
        of numbers. If another number is among the values, they count as 1 and 0.
        """
        plain = [_plain(value) for value in values]
        is_bool = any(isinstance(value, bool) for value in plain)
        is_truth = is_bool and all(
            isinstance(value, (int, float)) and value in (0, 1) for value in plain
        )
        if not is_truth or not isinstance(self, _Value):  # bits are integers
            return Condition(test(self._text))
        # A + makes 1 and 0 of booleans, and leaves numbers as they are.
        return Condition(test(f"+{self._text}"))

    __hash__ = None  # type: ignore[assignment]

    def isin(self, values: Iterable[Number]) -> Condition:
        """One of these values."""
        given = [_plain(value) for value in _without_nulls(values)]
        finite = [value for value in given if not _is_beyond(value)]
        if not isinstance(self, _Value):  # bits are integers
            given = finite
        return self._tested(lambda text: _among(text, given, _listed), *finite)


def _listed(values: Iterable[Value]) -> str:
    return ", ".join(_literal(value) for value in values)


def _without_nulls(values: Any) -> Any:
    """Drop the nulls of a series of polars or pandas, or of a pyarrow array.

    Returns numbers as a NumPy array of their type, and other values as a list.
    """
    if isinstance(values, (str, bytes)):
        raise TypeError(f"isin() takes a list of values, not {values!r}")
    if hasattr(values, "compressed"):
        raise TypeError("values are a masked array: pass compressed() of it")
    if _tensors.is_tensor(values) and _tensors.is_traced():
        raise TypeError("values are traced, and would be constants of the trace")
    if hasattr(values, "drop_null"):  # pyarrow, whose scalars lose nothing
        types = sys.modules["pyarrow"].types
        if types.is_integer(values.type) or types.is_floating(values.type):
            return values.drop_null().to_numpy(zero_copy_only=False)
        return [value for value in values if value.is_valid]
    for method in ("drop_nulls", "dropna"):
        if hasattr(values, method):
            there = getattr(values, method)()
            if hasattr(there, "to_physical"):  # polars
                dtype = there.dtype
                if str(dtype) == "Time" or getattr(dtype, "time_unit", "") == "ns":
                    counts = there.to_physical().to_list()
                    return [_nanoseconds(count, dtype) for count in counts]
            array = there.to_numpy()
            return array if array.dtype.kind in "iuf" else list(there)
    return values


def _are_numbers(values: Any) -> bool:
    """Return whether all values are numbers. Of an array only the type is checked,
    unless it has Python objects."""
    if isinstance(values, list) or values.dtype.kind == "O":
        return all(isinstance(v, (int, float)) for v in values)
    return True


class _Value(_Operand):
    """A column or an expression. It can be compared and computed with.

    The operators mean what they mean in the text of a condition; see
    winnow_language(7). The result of ``%`` has the sign of the dividend. ``//`` and
    ``%`` by 0 give null.
    """

    __slots__ = ()

    def __lt__(self, value: Value) -> Condition:
        return Condition(f"{self._text} < {_literal(value)}")

    def __le__(self, value: Value) -> Condition:
        return Condition(f"{self._text} <= {_literal(value)}")

    def __gt__(self, value: Value) -> Condition:
        return Condition(f"{self._text} > {_literal(value)}")

    def __ge__(self, value: Value) -> Condition:
        return Condition(f"{self._text} >= {_literal(value)}")

    def between(self, low: Value, high: Value) -> Condition:
        """low <= x and x <= high"""
        return Condition(f"{_literal(low)} <= {self._text} <= {_literal(high)}")

    def is_null(self) -> Condition:
        """This value is null."""
        return Condition(f"{self._text} is null")

    def is_not_null(self) -> Condition:
        """This value is not null."""
        return Condition(f"{self._text} is not null")

    def isnan(self) -> Condition:
        """This value is NaN."""
        return Condition(f"isnan({self._text})")

    def isfinite(self) -> Condition:
        """This value is neither infinite nor NaN."""
        return Condition(f"isfinite({self._text})")

    def __add__(self, other: Value) -> Expression:
        return _combined(self, "+", other)

    def __radd__(self, other: Value) -> Expression:
        return _combined(other, "+", self)

    def __sub__(self, other: Value) -> Expression:
        return _combined(self, "-", other)

    def __rsub__(self, other: Value) -> Expression:
        return _combined(other, "-", self)

    def __mul__(self, other: Value) -> Expression:
        return _combined(self, "*", other)

    def __rmul__(self, other: Value) -> Expression:
        return _combined(other, "*", self)

    def __truediv__(self, other: Value) -> Expression:
        return _combined(self, "/", other)

    def __rtruediv__(self, other: Value) -> Expression:
        return _combined(other, "/", self)

    def __floordiv__(self, other: Value) -> Expression:
        return _combined(self, "//", other)

    def __rfloordiv__(self, other: Value) -> Expression:
        return _combined(other, "//", self)

    def __mod__(self, other: Value) -> Expression:
        return _combined(self, "%", other)

    def __rmod__(self, other: Value) -> Expression:
        return _combined(other, "%", self)

    def __neg__(self) -> Expression:
        return Expression(f"(-{self._text})")

    def __abs__(self) -> Expression:
        return self._of("abs")

    def _of(self, function: str) -> Expression:
        return Expression(f"{function}({self._text})")

    def floor(self) -> Expression:
        """The value rounded down to a whole number."""
        return self._of("floor")

    def ceil(self) -> Expression:
        """The value rounded up to a whole number."""
        return self._of("ceil")

    def round(self) -> Expression:
        """The nearest whole number; ties go to the even one."""
        return self._of("round")

    def sqrt(self) -> Expression:
        """The square root."""
        return self._of("sqrt")

    def year(self) -> Expression:
        """The year of a date or a timestamp."""
        return self._of("year")

    def month(self) -> Expression:
        """The month of a date or a timestamp."""
        return self._of("month")

    def day(self) -> Expression:
        """The day of a date or a timestamp."""
        return self._of("day")

    def hour(self) -> Expression:
        """The hour of a timestamp or a time."""
        return self._of("hour")

    def minute(self) -> Expression:
        """The minute of a timestamp or a time."""
        return self._of("minute")

    def second(self) -> Expression:
        """The second of a timestamp or a time."""
        return self._of("second")

    def length(self) -> Expression:
        """The number of bytes of a string."""
        return self._of("length")

    def minimum(self, other: Value) -> Expression:
        """The smaller of two values."""
        return Expression(f"min({self._text}, {_literal(other)})")

    def maximum(self, other: Value) -> Expression:
        """The greater of two values."""
        return Expression(f"max({self._text}, {_literal(other)})")

    def cast(self, type: str) -> Expression:
        """The value as this type; null if the type cannot hold it."""
        if not isinstance(type, str) or not re.fullmatch(r"\w+(\([\d, ]*\))?", type, re.ASCII):
            raise TypeError(f"a type is a name such as 'int32' or 'decimal(12, 2)', not {type!r}")
        return Expression(f"cast({self._text} as {type})")


def _combined(a: Value, sign: str, b: Value) -> Expression:
    return Expression(f"({_literal(a)} {sign} {_literal(b)})")


class Expression(_Value):
    """A value computed from columns: winnow.col("price") * 2."""

    __slots__ = ()

    def __and__(self, other: Any) -> _Operand:
        """The bits of this value under a mask."""
        return _Operand(f"({self._text} & {_number(other)})")

    def __bool__(self) -> bool:
        raise TypeError("an expression is neither true nor false: compare it")

    def __repr__(self) -> str:
        return f"<winnow expression {self._text}>"


class Column(_Value):
    """A column in a condition, by its name: winnow.col("price")."""

    __slots__ = ("name",)

    name: str
    # A boolean column is itself a condition, which has no parts.
    _parts = None
    _kept = None

    @property
    def text(self) -> str:
        return self._text

    def __init__(self, name: str) -> None:
        plain = _NAME.match(name) and name.lower() not in _WORDS
        quoted = '"' + name.replace('"', '""') + '"'
        super().__init__(name if plain else quoted)
        self.name = name

    def __and__(self, other: Any) -> Any:
        """With a number: the bits under that mask; compare them by ==, != and isin().
        With a condition: this boolean column is true, and the condition holds."""
        if isinstance(other, (Condition, Column, str)):
            return _joined("and", self, other)
        return _Operand(f"({self._text} & {_number(other)})")

    def __rand__(self, other: str) -> Condition:
        return _joined("and", other, self)

    def __or__(self, other: Joined) -> Condition:
        return _joined("or", self, other)

    def __ror__(self, other: str) -> Condition:
        return _joined("or", other, self)

    def __invert__(self) -> Condition:
        """This boolean column is false."""
        return ~Condition(self._text)

    def isin(self, values: Iterable[Value]) -> Condition:
        """One of these values: a list or an array, of any length.

        No set contains NaN, or a null of a series. -0 equals 0.
        """
        given: Any = _without_nulls(values)
        if not hasattr(given, "dtype"):
            given = [_plain(value) for value in given]
            if len(given) <= _MOST_WRITTEN or not _are_numbers(given):
                return _Operand.isin(self, given)
        np = numpy()
        array = np.array(given).reshape(-1)
        if array.dtype.kind == "b":
            array = np.unique(array)
        is_number = array.dtype.kind in "iufO" or array.dtype.name == "bfloat16"
        if not is_number or not _are_numbers(array):
            return _Operand.isin(self, array)
        if array.dtype.kind == "f" and isinstance(given, list):
            # Keep integers exact: beside floats, NumPy would round them.
            if any(isinstance(v, int) for v in given):
                array = np.array(given, object)
        text = f"{self._text} in ({len(array)} values)"
        return Condition(text, ("in", self.name, array))

    def starts_with(self, text: str) -> Condition:
        """Strings that begin with this text."""
        return Condition(f"starts_with({self._text}, {quoted(text)})")

    def ends_with(self, text: str) -> Condition:
        """Strings that end with this text."""
        return Condition(f"ends_with({self._text}, {quoted(text)})")

    def contains(self, text: str) -> Condition:
        """Strings that contain this text."""
        return Condition(f"contains({self._text}, {quoted(text)})")

    def like(self, pattern: str, escape: str | None = None) -> Condition:
        """Strings that match a pattern: % matches any text, and _ one character. After
        the character `escape` both stand for themselves."""
        end = "" if escape is None else f" escape {quoted(escape)}"
        return Condition(f"{self._text} like {quoted(pattern)}{end}")

    def __bool__(self) -> bool:
        raise TypeError("a column is neither true nor false: compare it")

    def __repr__(self) -> str:
        return f"winnow.col({self.name!r})"


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORDS = set(
    "and as or not in between like escape is null isnull notnull unknown true false".split()
)


def col(name: str) -> Column:
    """The column of that name, in a condition.

    >>> winnow.col("price") < 24
    winnow.Condition('price < 24')
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"the name of a column is text, and not empty: not {name!r}")
    return Column(name)
