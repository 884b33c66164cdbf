# SPDX-License-Identifier: Apache-2.0
"""Parse the types of columns that --types gives, by the names of winnow_language(7)."""

from __future__ import annotations

import re

import pyarrow as pa

_NAMED = {
    **{f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float32": "float32",
    "float64": "float64",
    "bool": "bool_",
    "boolean": "bool_",
    "string": "string",
    "binary": "binary",
    "date": "date32",
    # the names in SQL
    "tinyint": "int8",
    "smallint": "int16",
    "int": "int32",
    "integer": "int32",
    "bigint": "int64",
    "utinyint": "uint8",
    "usmallint": "uint16",
    "uinteger": "uint32",
    "ubigint": "uint64",
    "float": "float32",
    "real": "float32",
    "double": "float64",
    "text": "string",
    "varchar": "string",
}
KNOWN = (
    "int8 to int64, uint8 to uint64, float32, float64, boolean, string, binary, date, time, "
    "timestamp, timestamp[ns], timestamp[us, UTC], duration[s], decimal(12, 2)"
)
_UNITS = re.compile(
    r"(time|timestamp|duration)(?:\[\s*(s|ms|us|ns)\s*(?:,\s*([^\]\s]+)\s*)?\])?\Z"
)
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)\Z")
_ONE = re.compile(
    r"""\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<name>[^"=,][^=,]*?))\s*=\s*
        (?P<type>[^,()\[\]=]*(?:\([^()]*\)|\[[^\[\]]*\])?)\s*(?:,|\Z)""",
    re.VERBOSE,
)


def _timed(kind: str, unit: str | None, zone: str | None) -> pa.DataType | None:
    unit = unit or "us"
    if kind == "timestamp":
        return pa.timestamp(unit, zone)
    if zone is not None:
        return None
    if kind == "duration":
        return pa.duration(unit)
    return pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)


def type_of(text: str) -> pa.DataType | None:
    """Return the type of a name, or None if there is no such type."""
    name = text.strip()
    if name.lower() in _NAMED:
        made: pa.DataType = getattr(pa, _NAMED[name.lower()])()
        return made
    if timed := _UNITS.match(name):
        return _timed(*timed.groups())
    if digits := _DECIMAL.match(name.lower()):
        precision, scale = (int(number) for number in digits.groups())
        if 1 <= precision <= 38 and scale <= precision:
            return pa.decimal128(precision, scale)
    return None


def types_of(options: list[str]) -> dict[str, pa.DataType]:
    """Parse texts "NAME=TYPE,...", where a name may be in double quotes."""
    types: dict[str, pa.DataType] = {}
    for text in options:
        at = 0
        while at < len(text):
            one = _ONE.match(text, at)
            if one is None:
                raise ValueError(f"--types {text}: wanted NAME=TYPE,...")
            at = one.end()
            quoted = one["quoted"]
            name = one["name"] if quoted is None else quoted.replace('""', '"')
            kind = type_of(one["type"])
            if kind is None:
                raise ValueError(f"--types has {one['type']!r} of {name!r}: types are {KNOWN}")
            if name in types:
                raise ValueError(f"--types has {name!r} twice")
            types[name] = kind
    return types
