# SPDX-License-Identifier: Apache-2.0
"""Predicate pushdown: what the text of a condition says of a file's statistics.

An expression of pyarrow's is made that no row fails which the condition keeps. It
may let others pass: it decides which row groups and partitions are read, and the
library filters the rows of those. What is not understood here says nothing, and so
leaves nothing out. The library has checked the text before.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
import struct
from fractions import Fraction
from typing import Any, Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from ._prepare import _GRAMMAR, without_comments

# A necessary condition; None: there is none, any row may pass.
Needed = Any

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<moment>(?i:date|timestamp)\s*'(?:[^']|'')*')
    | (?P<text>'(?:[^']|'')*')
    | "(?P<quoted>(?:[^"]|"")+)"
    | (?P<number>(?:0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
        (?![A-Za-z0-9_.\x80-\U0010ffff]))
    | (?P<name>[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*)
    | (?P<sign><=|>=|<>|!=|==|&&|\|\||//|::|[-+*/%&()<>=,!])
    | (?P<end>\Z))""",
    re.VERBOSE,
)
_SAME = {"&&": "and", "||": "or", "==": "=", "!=": "<>"}
_OPPOSITE = {"<": ">=", "<=": ">", "=": "<>", "<>": "=", ">=": "<", ">": "<="}
_TURNED = {"<": ">", "<=": ">=", "=": "=", "<>": "<>", ">=": "<=", ">": "<"}


class _Unknown(Exception):
    """The text has what is not understood here."""


class _Literal:
    """A number, a text, or a date or timestamp in its quotes."""

    def __init__(self, kind: str, text: str, sign: int = 1) -> None:
        self.kind = kind
        self.text = text
        self.sign = sign


class _Name(str):
    """A column, as opposed to a word of the grammar."""


Token = Any  # _Literal, _Name, or a str that is a word or a sign


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _Unknown
        at = match.end()
        kind, value = match.lastgroup, match[match.lastgroup or 0]
        if kind == "number":
            # A minus that no operand stands before is the number's.
            sign = 1
            if tokens[-1:] == ["-"] and not (tokens[-2:-1] and _ends(tokens[-2])):
                tokens.pop()
                sign = -1
            tokens.append(_Literal(kind, value, sign))
        elif kind in ("text", "moment"):
            inside = value[value.index("'") + 1 : -1].replace("''", "'")
            tokens.append(_Literal(kind, inside))
        elif kind == "quoted":
            tokens.append(_Name(value.replace('""', '"')))
        elif kind == "name":
            word = value.lower()
            tokens.append(word if word in _GRAMMAR else _Name(value))
        elif kind == "sign":
            tokens.append(_SAME.get(value, value))
    return tokens


def _ends(token: Token) -> bool:
    """Does an operand end here?"""
    return isinstance(token, (_Literal, _Name)) or token == ")"


def _split(tokens: Sequence[Token], word: str) -> list[Sequence[Token]]:
    """The parts between a word outside of parentheses; not the and of a between."""
    parts, start, depth, between = [], 0, 0, 0
    for i, token in enumerate(tokens):
        if isinstance(token, (_Literal, _Name)):
            continue
        if token in "()":
            depth += 1 if token == "(" else -1
        elif depth == 0 and token == "between":
            between += 1
        elif depth == 0 and token == "and" and between:
            between -= 1
        elif depth == 0 and token == word:
            parts.append(tokens[start:i])
            start = i + 1
    return [*parts, tokens[start:]]


def _is_group(tokens: Sequence[Token]) -> bool:
    """Is it all in one pair of parentheses?"""
    depth = 0
    for i, token in enumerate(tokens):
        if not isinstance(token, (_Literal, _Name)):
            depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0:
            return i > 0 and i == len(tokens) - 1
    return False


def _all(parts: list[Needed]) -> Needed:
    known = [part for part in parts if part is not None]
    needed = known[0] if known else None
    for part in known[1:]:
        needed = needed & part
    return needed


def _any(parts: list[Needed]) -> Needed:
    if any(part is None for part in parts):
        return None
    needed = parts[0]
    for part in parts[1:]:
        needed = needed | part
    return needed


class _Reader:
    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema

    def condition(self, tokens: Sequence[Token], no: bool) -> Needed:
        """What is needed for the tokens to be true; with `no`, to be false."""
        joins: tuple[tuple[str, Callable[[list[Needed]], Needed]], ...]
        joins = (("or", _all if no else _any), ("and", _any if no else _all))
        for word, join in joins:
            parts = _split(tokens, word)
            if len(parts) > 1:
                return join([self.condition(part, no) for part in parts])
        if len(tokens) > 1:
            if tokens[0] == "not" and not isinstance(tokens[0], _Name):
                return self.condition(tokens[1:], not no)
            if tokens[0] == "!" and _is_group(tokens[1:]):
                return self.condition(tokens[1:], not no)
        if _is_group(tokens):
            return self.condition(tokens[1:-1], no)
        try:
            return self.test(list(tokens), no)
        except _Unknown:
            return None

    def without_cast(self, tokens: list[Token]) -> list[Token]:
        """A column of moments stands for its cast, which counts the same units."""
        words = [t.lower() if isinstance(t, str) else "" for t in tokens]
        for i in range(len(tokens)):
            for shape, name in (("cast ( n as int64 )", 2), ("n :: int64", 0)):
                end = i + len(shape.split())
                found = ["int64" if word == "bigint" else word for word in words[i:end]]
                if len(found) > name:
                    found[name] = "n"
                if " ".join(found) == shape and isinstance(tokens[i + name], _Name):
                    if not _is_of_moments(self.column(tokens[i + name])[1]):
                        raise _Unknown
                    return [*tokens[:i], tokens[i + name], *tokens[end:]]
        return tokens

    def test(self, tokens: list[Token], no: bool) -> Needed:
        """Of a test of one column."""
        tokens = self.without_cast(tokens)
        # n: a column, v: a value; all else stands for what it is.
        shape = " ".join(
            "n" if isinstance(t, _Name) else "v" if isinstance(t, _Literal) else t
            for t in tokens
        )
        if shape == "n":
            field, kind = self.column(tokens[0])
            if not kinds.is_boolean(kind):
                raise _Unknown
            return ~field if no else field
        if re.fullmatch("n (<|<=|=|<>|>=|>) v", shape):
            return self.compare(tokens[0], tokens[1], tokens[2], no)
        if re.fullmatch("v (<|<=|=|<>|>=|>) n", shape):
            return self.compare(tokens[2], _TURNED[tokens[1]], tokens[0], no)
        if re.fullmatch("v (<=? n <=?|>=? n >=?) v", shape):
            first = self.compare(tokens[2], _TURNED[tokens[1]], tokens[0], no)
            second = self.compare(tokens[2], tokens[3], tokens[4], no)
            return (_any if no else _all)([first, second])
        if re.fullmatch("n is (not )?null", shape):
            field, kind = self.column(tokens[0])
            return field.is_valid() if (tokens[2] == "not") != no else field.is_null()
        if re.match("n not (in|like|between) ", shape):
            del tokens[1]
            shape = shape.replace(" not", "", 1)
            no = not no
        if shape == "n between v and v":
            low = self.compare(tokens[0], ">=", tokens[2], no)
            high = self.compare(tokens[0], "<=", tokens[4], no)
            return (_any if no else _all)([low, high])
        if re.fullmatch(r"n in \( v( , v)*( ,)? \)", shape):
            values = [t for t in tokens[2:] if isinstance(t, _Literal)]
            return self.one_of(tokens[0], values, no)
        if shape == "n ( n , v )" and tokens[0].lower() == "starts_with" and not no:
            return self.prefix(tokens[2], tokens[4].text)
        if shape == "n like v" and not no:
            return self.prefix(tokens[0], re.split("[%_]", tokens[2].text)[0])
        raise _Unknown

    def column(self, name: str) -> tuple[Any, pa.DataType]:
        if self.schema.names.count(name) != 1:
            raise _Unknown
        return pc.field(name), self.schema.field(name).type

    def prefix(self, name: str, text: str) -> Needed:
        """Of texts that begin with this one: they are not before it."""
        field, kind = self.column(name)
        if not _is_text(kind):
            raise _Unknown
        return field >= pc.scalar(pa.scalar(text, kind))

    def one_of(self, name: str, literals: list[_Literal], no: bool) -> Needed:
        field, kind = self.column(name)
        if no:
            return _all([self.compare(name, "=", literal, no) for literal in literals])
        ends = [_ends_of(literal, kind) for literal in literals]
        if any(low != high for low, high in ends) or kinds.is_string_view(kind):
            raise _Unknown
        values = pa.array([low for low, _ in ends], kind)
        if kinds.is_floating(kind) and pc.any(pc.equal(values, 0)).as_py():
            # isin() compares bits, and statistics have zeros of either sign.
            values = pa.concat_arrays([values, pa.array([0.0, -0.0], kind)])
        return field.isin(values)

    def compare(self, name: str, sign: str, literal: _Literal, no: bool) -> Needed:
        field, kind = self.column(name)
        if no:
            sign = _OPPOSITE[sign]
        # A NaN is in no statistics, and passes <> and not (x < 5).
        if kinds.is_floating(kind) and (no or sign == "<>"):
            raise _Unknown
        low, high = _ends_of(literal, kind)
        if low != high:
            if sign == "<>":
                raise _Unknown
            sign = {"<": "<=", ">": ">="}.get(sign, sign)
        least, most = pc.scalar(low), pc.scalar(high)
        if sign == "=":
            return (field >= least) & (field <= most)
        if sign == "<>":
            return field != least
        if sign in ("<", "<="):
            return field < most if sign == "<" else field <= most
        return field > least if sign == ">" else field >= least


def _is_text(kind: pa.DataType) -> bool:
    return bool(
        kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind)
    )


def _is_of_moments(kind: pa.DataType) -> bool:
    return bool(kinds.is_date(kind) or kinds.is_timestamp(kind))


def _number(literal: _Literal) -> Fraction:
    if literal.kind != "number":
        raise _Unknown
    text = literal.text.lower()
    if text.startswith("0x"):
        return Fraction(literal.sign * int(text, 16))
    if re.fullmatch("0[0-7]+", text):
        return Fraction(literal.sign * int(text, 8))
    if re.search("e[+-]?[0-9]{5}", text):
        raise _Unknown
    return literal.sign * Fraction(decimal.Decimal(text))


def _ends_of(literal: _Literal, kind: pa.DataType) -> tuple[Any, Any]:
    """A value as a scalar of the column's type, twice; where the type does not have
    it, or it is not sure which one it is rounded to, one below and one above."""
    if kinds.is_floating(kind):
        return _rounded(_number(literal), kind)
    if _is_text(kind):
        if literal.kind != "text":
            raise _Unknown
        return (pa.scalar(literal.text, kind),) * 2
    count = _count(literal, kind)
    return _scalar(math.floor(count), kind), _scalar(math.ceil(count), kind)


def _rounded(number: Fraction, kind: pa.DataType) -> tuple[Any, Any]:
    try:
        value = float(number)
        if kinds.is_float64(kind):
            return (pa.scalar(value, kind),) * 2
        if not kinds.is_float32(kind):
            raise _Unknown
        # Rounded twice, it may be the neighbour of the nearest.
        apart = abs(value) * 2.0**-22 + 1e-44
        ends = [struct.unpack("<f", struct.pack("<f", value + d))[0] for d in (-apart, apart)]
    except OverflowError:
        raise _Unknown from None
    return pa.scalar(ends[0], kind), pa.scalar(ends[1], kind)


_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_DAY = 24 * 3600 * 10**9
_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?"
    r"(?:(Z)|([+-])(\d\d)(?::?(\d\d))?)?",
    re.ASCII,
)


def _count(literal: _Literal, kind: pa.DataType) -> Fraction:
    """A value in the units that a column of integers, times or decimals counts."""
    if kinds.is_integer(kind):
        return _number(literal)
    if kinds.is_decimal128(kind):
        return _number(literal) * Fraction(f"1e{kind.scale}")
    if kinds.is_date32(kind):
        unit = _DAY
    elif kinds.is_date64(kind):
        unit = _NANOSECONDS["ms"]
    elif kinds.is_timestamp(kind):
        unit = _NANOSECONDS[kind.unit]
    else:
        raise _Unknown
    if literal.kind == "number":  # beside a cast
        return _number(literal)
    return Fraction(_nanoseconds(literal.text, getattr(kind, "tz", None)), unit)


def _nanoseconds(text: str, zone: str | None) -> int:
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise _Unknown
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    fraction, utc, sign, hours, minutes = match.groups()[6:]
    try:
        date = datetime.date(year, month, day)
        datetime.time(hour, minute, second)
    except ValueError:
        raise _Unknown from None
    offset = int(hours or 0) * 60 + int(minutes or 0)
    if sign == "-":
        offset = -offset
    # A literal without an offset is a time of the column's zone.
    with_offset = utc is not None or sign is not None
    if with_offset != (zone is not None) and zone not in ("UTC", "GMT"):
        raise _Unknown
    days = date.toordinal() - datetime.date(1970, 1, 1).toordinal()
    seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    return seconds * 10**9 + int((fraction or "").ljust(9, "0"))


def _scalar(count: int, kind: pa.DataType) -> Any:
    """So many units, as a scalar of the type."""
    try:
        if kinds.is_decimal128(kind):
            digits = tuple(int(digit) for digit in str(abs(count)))
            value = decimal.Decimal((int(count < 0), digits, -kind.scale))
            return pa.scalar(value, kind)
        if kinds.is_integer(kind):
            return pa.scalar(count, kind)
        number = pa.int32() if kinds.is_date32(kind) else pa.int64()
        return pa.scalar(count, number).cast(kind)
    except (OverflowError, pa.ArrowException):
        raise _Unknown from None


def needed(text: str, schema: pa.Schema) -> Needed:
    """An expression that is true of each row that the text keeps; None: of any."""
    try:
        return _Reader(schema).condition(_tokens(without_comments(text)), False)
    except (_Unknown, RecursionError):
        return None
