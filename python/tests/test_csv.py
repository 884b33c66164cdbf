# SPDX-License-Identifier: Apache-2.0
"""Tests of CSV and TSV: fields are written as they were read. Types are guessed, or
given by --types."""

import csv
import datetime
import gzip
import io
import pathlib
import subprocess
import unittest

from arrays import SEED, needs, np, pa, trials
from test_files import Folder, read

TRIALS = trials(25)
EVERYTHING = "x = x or x is null"
FIELDS = [
    "00123", "0x10", "9223372036854775808", "NA", "null", "nan", "", "1.50", "1e5", "-0", "+7",
    "true", "True", "2024-01-31", "2024-01-31T12:00Z", " a ", "a,b", 'say "x"', '"', "two\nlines",
    "a\r\nb", "\r", "\t", "größe".encode().decode("latin-1"), "\xff\xfe", "'", "#", "a;b", "\\",
]  # fmt: skip


def text_of(rows, delimiter=","):
    """Write latin-1 rows as CSV, with the quotes that RFC 4180 requires, and \\n."""
    text = ""
    for row in rows:
        fields = [
            '"' + field.replace('"', '""') + '"' if set(field) & set('"\r\n' + delimiter) else field
            for field in row
        ]
        text += (delimiter.join(fields) if fields != [""] else '""') + "\n"
    return text.encode("latin-1")


SOME = text_of(
    [["x", "id", "note"]]
    + [[str(i) if i % 3 else "", FIELDS[i % len(FIELDS)], FIELDS[-i % len(FIELDS)]] for i in range(99)]
)


class Texts(Folder):
    def out(self, *arguments, data=None):
        process = self.start(*arguments, "-q", stdin=subprocess.PIPE)
        out, errors = process.communicate(data)
        self.assertEqual((process.returncode, errors), (0, b""))
        return out

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return str(path)

    def filtered(self, text, data, *more, name="a.csv", to="b.csv"):
        self.do(text, self.write(name, data), "-o", self.path(to), *more)
        return pathlib.Path(self.path(to)).read_bytes()


@needs("pyarrow")
class Fields(Texts):
    def test_header_that_does_not_end(self):
        """A file of one line has no rows, whether the line ends or not."""
        for header in b"x,id", b"\xef\xbb\xbfx,id", b"x,id\n":
            path = self.write("header.csv", header)
            self.assertEqual(self.out("x = 'a'", path), b"x,id\n")
            self.assertEqual(
                self.out("x = 'a'", "-", "--input-format", "csv", data=header), b"x,id\n"
            )
            packed = self.write("header.csv.gz", gzip.compress(header))
            self.assertEqual(self.out("x = 'a'", packed), b"x,id\n")
        for empty in b"", b"\xef\xbb\xbf":
            self.assertNotEqual(self.errors("x = 'a'", self.write("none.csv", empty)), "")

    def errors(self, *arguments):
        process = self.start(*arguments, "-q", stderr=subprocess.PIPE)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 4)
        return errors.decode()

    def test_errors_name_the_column(self):
        path = self.write("prices.csv", b"id,price\n1,1.234\n2,x\n")
        for given, wanted in (
            ("price=decimal(5,2)", r"prices.csv: column 'price': .*, as --types has it: dec"),
            ("price=int32", r"column 'price': .* invalid value '1.234', as --types has it: int32"),
        ):
            self.assertRegex(self.errors("id > 0", path, "--types", given), wanted)
        path = self.write("late.csv", b"id,price\n" + b"1,2\n" * 400000 + b"3,x\n")
        self.assertRegex(
            self.errors("price > 1", path), r"column 'price': .*guessed.*--types price=string"
        )

    def test_nulls(self):
        path = self.write("nulls.csv", b"id,x\n1,\n2,NaN\n3,NA\n4,null\n5,1.5\n")
        self.assertEqual(
            self.out("x is null", path), b"id,x\n1,\n2,NaN\n3,NA\n4,null\n"
        )
        self.assertEqual(self.out("x = 1.5 or x != x", path), b"id,x\n5,1.5\n")


@needs("pyarrow")
class AsRead(Texts):
    def test_byte_for_byte(self):
        for name in ("a.csv", "a.tsv"):
            data = SOME if name == "a.csv" else text_of(csv_rows(SOME), "\t")
            for text in (EVERYTHING, "true", "note = note", "x is null or x + 1 > 0"):
                to = "b" + name[1:]
                self.assertEqual(self.filtered(text, data, name=name, to=to), data, text)

    def test_standard_input(self):
        self.assertEqual(self.out(EVERYTHING, "-", "--input-format", "csv", data=SOME), SOME)

    def test_compressed(self):
        path = self.write("a.csv.gz", gzip.compress(SOME))
        self.assertEqual(self.out(EVERYTHING, path), SOME)

    def test_two_files(self):
        header, rest = SOME.split(b"\n", 1)
        paths = [self.write("a.csv", SOME), self.write("b.csv", SOME)]
        self.assertEqual(self.out(EVERYTHING, *paths), SOME + rest)
        # Columns that are not tested may be missing or have different types.
        paths = [self.write("a.csv", b"x,y,z\n1,007,a\n"), self.write("b.csv", b"z,x,y\n,2,b\n")]
        paths.append(self.write("c.csv", b"x,y\n3,\n"))
        self.assertEqual(self.out("x > 0", *paths), b"x,y,z\n1,007,a\n2,b,\n3,,\n")
        self.fails(4, "int64 in", "y = 'b'", *paths)
        self.fails(4, "--types y=string", "y = 'b'", *paths)
        for kind in ("string", "binary"):
            out = self.out("y = 'b' or y = '007'", *paths, "--types", f"y={kind}")
            self.assertEqual(out, b"x,y,z\n1,007,a\n2,b,\n")
            out = self.out("z is null or x = 3", *paths, "--types", f"z={kind},y={kind}")
            self.assertEqual(out, b"x,y,z\n3,,\n")
        # Rows of a file without the column that is tested.
        few = self.write("few.csv", b"x,b\n2,x\n")
        for field in ("7", "2024-01-01", "10:00", ""):
            all = self.write("all.csv", f"x,a\n1,{field}\n".encode())
            out = self.out("a is null or x = 1", all, few)
            self.assertEqual(out, f"x,a,b\n1,{field},\n2,,x\n".encode())
            for text in ("a is null", "x > 0 and (a = 'q') is not true"):
                out = self.out(text, all, few, "--types", "a=binary")
                rows = f"1,{field},\n" if text != "a is null" else ""
                self.assertEqual(out, f"x,a,b\n{rows}2,,x\n".encode())

    def test_folders(self):
        self.write("rows/id=007/a.csv", b"x,y\n1,00\n2,0x1\n")
        self.write("rows/id=08/a.csv", b"x,y\n3,NA\n")
        self.write("rows/id=__HIVE_DEFAULT_PARTITION__/a.csv", b"x,y\n4,\n")
        rows = self.path("rows")
        wanted = b"x,y,id\n1,00,007\n2,0x1,007\n3,NA,08\n4,,\n"
        self.assertEqual(self.out(EVERYTHING, rows), wanted)
        self.assertEqual(self.out("id = 8", rows), b"x,y,id\n3,NA,08\n")
        self.assertEqual(self.out("id is null", rows, "--columns", "y,id"), b"y,id\n,\n")
        self.assertEqual(self.out("id = '08'", rows, "--types", "id=string", "--count"), b"1\n")
        self.assertEqual(self.out("id = 7", rows, "--columns", "x"), b"x\n1\n2\n")

    def test_one_column(self):
        data = b'x\n1\n""\n007\n'
        self.assertEqual(self.filtered(EVERYTHING, data), data)

    def test_what_is_lost(self):
        data = b'\xef\xbb\xbf"x","y"\r\n"1","a"\r\n2,""\r\n\r\n3,"a ""b"""'
        wanted = b'x,y\n1,a\n2,\n3,"a ""b"""\n'
        self.assertEqual(self.filtered(EVERYTHING, data), wanted)

    def test_columns_in_another_order(self):
        data = b"x,y,z\n1,00,a\n2,01,b\n"
        self.assertEqual(self.filtered("x = 2", data, "--columns", "z,y"), b"z,y\nb,01\n")

    def test_names(self):
        data = b'x,"a,b","say ""x"""\n1,2,3\n'
        self.assertEqual(self.filtered('"a,b" = 2', data), data)
        path = self.write("a.csv", data)
        self.fails(2, 'columns are x, "a,b", "say ""x"""', "y = 2", path)
        self.fails(4, "two columns 'x'", "x = 2", self.write("b.csv", b"x,x\n1,2\n"))

    def test_many_blocks(self):
        """Lines continue in the next block, and have line ends inside quotes."""
        lines = [["x", "s"]]
        for i in range(40_000):
            lines.append([str(i), ("%07d\n" % i + 'a "b", ') * (1 + i % 9)])
        data = text_of(lines)
        self.assertGreater(len(data), 3 << 20)
        self.assertEqual(self.filtered(EVERYTHING, data), data)
        self.assertEqual(self.out(EVERYTHING, "-", "--input-format", "csv", data=data), data)
        wanted = text_of([lines[0], *lines[-5:]])
        self.assertEqual(self.filtered("x >= 39995", data), wanted)

    @needs("numpy")
    def test_random(self):
        for seed in range(SEED, SEED + TRIALS):
            random = np.random.default_rng(seed)
            columns = int(random.integers(1, 6))
            names = [f"c{i}" for i in range(columns)]
            rows = [
                [FIELDS[random.integers(len(FIELDS))] for _ in names]
                for _ in range(random.integers(0, 50))
            ]
            data = text_of([names, *rows])
            for text in ("c0 is null or c0 is not null", "true"):
                with self.subTest(seed=seed, text=text):
                    self.assertEqual(self.filtered(text, data), data)


def csv_rows(data):
    return list(csv.reader(io.StringIO(data.decode("latin-1"), newline="")))


@needs("pyarrow")
class Types(Texts):
    def typed(self, data, text=EVERYTHING, *more):
        self.filtered(text, data, *more, to="b.parquet")
        return read(self.path("b.parquet"))

    def test_texts_that_would_change_stay(self):
        data = b"x,id,hex,big,na,f,plain,day,flag,at\n"
        data += b"1,00123,0x10,9223372036854775808,NA,1.50,7,2024-01-31,true,2024-01-31T12:00\n"
        data += b"2,5,17,1,,2,-8,,false,2024-01-31T12:00:01\n"
        rows = self.typed(data)
        self.assertEqual(
            [str(kind) for kind in rows.schema.types],
            "int64 string string string string double int64 date32[day] bool timestamp[ms]".split(),
        )
        self.assertEqual(rows["id"].to_pylist(), ["00123", "5"])
        self.assertEqual(rows["hex"].to_pylist(), ["0x10", "17"])
        self.assertEqual(rows["big"].to_pylist(), ["9223372036854775808", "1"])
        self.assertEqual(rows["na"].to_pylist(), ["NA", ""])
        self.assertEqual(rows["f"].to_pylist(), [1.5, 2])
        # A condition uses the guessed types.
        self.assertEqual(self.typed(data, "id = 123 and hex = 16").num_rows, 1)

    def test_columns_without_a_value(self):
        for empty in (b"a,b\n1,\n2,\n", b'a,b\n1,""\n2,\n'):
            rows = self.typed(empty, "a > 1")
            self.assertEqual(rows.to_pydict(), {"a": [2], "b": [None]})
        path = self.write("a.csv", b"a,b\n1,\n")
        self.fails(2, "--columns names no column", "true", path, "--columns", "")

    def test_files_without_a_column(self):
        """Such rows are null, whether the condition reads the column or not."""
        self.write("rows/k=A b/a.csv", b"x,s,n,d\n1,u,3,2024-01-31\n2,,,\n")
        self.write("rows/k=__HIVE_DEFAULT_PARTITION__/b.csv", b"x\n3\n")
        for text in ("x > 0", "x > 0 or s = 'u' or n > 1 or d is null or k is null"):
            self.do(text, self.path("rows"), "-o", self.path("b.parquet"))
            rows = read(self.path("b.parquet")).to_pydict()
            self.assertEqual(rows["k"], ["A b", "A b", None])
            self.assertEqual(rows["s"], ["u", "", None])
            self.assertEqual(rows["n"], [3, None, None])
            self.assertEqual(rows["d"], [datetime.date(2024, 1, 31), None, None])

    def test_folders_of_a_key(self):
        """A key may be empty, and a number with zeros in front stays text."""
        for key in ("", "a"):
            self.write(f"rows/k={key}/a.csv", b"x\n1\n2\n")
        for text in ("x > 1", "x > 1 and k is not null"):
            self.do(text, self.path("rows"), "-o", self.path("b.parquet"))
            self.assertEqual(read(self.path("b.parquet")).to_pydict(), {"x": [2, 2], "k": ["", "a"]})
        # A key of a type that is not text is null as fields are.
        self.write("none/k=/a.csv", b"x\n0\n")
        self.write("none/b.csv", b"x,k\n1,5\n")
        self.assertEqual(self.out("k is null", self.path("none")), b"x,k\n0,\n")
        self.assertEqual(self.out("k = 5", self.path("none")), b"x,k\n1,5\n")
        self.write("odd/k%20y=a/k%20y=b/a.csv", b"x\n1\n")
        self.do("x = 1", self.path("odd"), "-o", self.path("b.parquet"))
        self.assertEqual(read(self.path("b.parquet")).to_pydict(), {"x": [1], "k y": ["a"]})
        self.write("bytes/k=%ff/a.csv", b"x\n1\n")
        self.fails(4, "k=%ff is not text", "x = 1", self.path("bytes"), "--count")
        self.write("more/k=01/a.csv", b"x\n1\n2\n")
        self.do("k = 1 and x > 1", self.path("more"), "-o", self.path("b.parquet"))
        self.assertEqual(read(self.path("b.parquet")).to_pydict(), {"x": [2], "k": ["01"]})

    def test_long_row(self):
        path = self.write("a.csv", b"x,y\n1," + b"a" * 4_000_000 + b"\n")
        self.fails(4, "a row has more than", "x > 0", path, "--count")

    def test_column_without_a_name(self):
        """As pandas writes an index."""
        path = self.write("a.csv", b",a\n0,1\n1,2\n")
        for text in ("a > 1", "a > 1 or false", "a is not null and a > 1"):
            self.assertEqual(self.out(text, path), b",a\n1,2\n")
        self.do("a > 1 or true", path, "-o", self.path("b.parquet"), "--types", '""=string')
        rows = read(self.path("b.parquet")).to_pydict()
        self.assertEqual(rows, {"": ["0", "1"], "a": [1, 2]})

    def test_integers_that_float64_has_not(self):
        data = b"u,f\n18446744073709551615,1.5\n18446744073709551614,0.30000000000000004\n"
        path, text = self.write("a.csv", data), "u = 18446744073709551615"
        for more in (("--count",), ("-o", self.path("b.csv")), ("-o", self.path("b.parquet"))):
            self.fails(4, "18446744073709551615, which float64", text, path, *more)
        for kind in ("uint64", "decimal(20,0)"):
            out = self.filtered(text, data, "--types", f"u={kind}")
            self.assertEqual(out, b"u,f\n18446744073709551615,1.5\n")
        self.assertEqual(self.filtered("f > 1", data), b"u,f\n18446744073709551615,1.5\n")

    def test_integers_in_one_file_and_floats_in_another(self):
        whole = self.write("a.csv", b"id\n9007199254740993\n9007199254740992\n")
        part = self.write("b.csv", b"id\n1.5\n")
        text = "id = 9007199254740992"
        self.fails(4, "9007199254740993, which float64", text, whole, part)
        self.fails(4, "9007199254740993, which float64", text, part, whole)
        out = self.filtered(text, b"id\n9007199254740993\n9007199254740992\n")
        self.assertEqual(out, b"id\n9007199254740992\n")

    def test_numbers_that_stay(self):
        """Numbers of up to 15 digits and fractions of seconds keep their type, even if
        Arrow writes them differently."""
        texts = ["12345678901.5", "123456789012345", "0.0000001", "-0.50", "5.", "-0", "0"]
        for rows in (texts, [*texts, "0.30000000000000004"], [""] + texts):
            data = "f\n" + "".join((row or '""') + "\n" for row in rows)
            out = self.typed(data.encode(), "true")["f"]
            self.assertEqual(out.type, pa.float64())
            self.assertEqual(out.to_pylist(), [float(row) if row else None for row in rows])
        for other in (".5", "00.5", "-00.5", "-.5", "+1", "0.1000000000000000055", "01"):
            out = self.typed(f"f\n1.5\n{other}\n".encode(), "true")["f"]
            self.assertEqual(out.to_pylist(), ["1.5", other])
        for other in ("-0", "00", "-01", "+1"):
            out = self.typed(f"i\n7\n-80\n{other}\n".encode(), "true")["i"]
            self.assertEqual(out.to_pylist(), ["7", "-80", other])
        at = ["2024-01-31T12:00:01.5", "2024-01-31 12:00:01.538269"]
        out = self.typed("\n".join(["t", *at, ""]).encode(), "true")["t"]
        self.assertEqual(out.type, pa.timestamp("ns"))
        since = [1706702401500000000, 1706702401538269000]
        self.assertEqual(out.cast(pa.int64()).to_pylist(), since)

    def test_later_blocks(self):
        """Blocks of plain texts precede texts that only pyarrow's reader converts."""
        rows = [[str(i), f"{i}.5", f"s{i}"] for i in range(150_000)]
        rows[70_000] = ["0x5", "1e3", "s"]
        rows[90_001] = ["NA", " 7", "NA"]
        rows[149_999] = ["", "nan", ""]
        data = text_of([["i", "f", "s"], *rows])
        path = self.write("a.csv", data)
        types = {"i": pa.int64(), "f": pa.float64(), "s": pa.string()}
        table = pa.csv.read_csv(path, convert_options=pa.csv.ConvertOptions(column_types=types))
        for text, expected in (
            ("i = 5", [i for i, value in enumerate(table["i"].to_pylist()) if value == 5]),
            ("i is null", [90_001, 149_999]),
            ("f = 1000 or f = 7 or f is null", [70_000, 90_001, 149_999]),
            ("s = '' or s = 'NA' or i = 149998", [90_001, 149_998, 149_999]),
        ):
            wanted = text_of([["i", "f", "s"], *(rows[i] for i in expected)])
            self.assertEqual(self.out(text, path), wanted)
            self.assertEqual(self.out(text, "-", "--input-format", "csv", data=data), wanted)

    def test_given(self):
        data = b"x,u,day,d,n\n007,9223372036854775808,2024-01-31,0.10,NA\n"
        given = "x=int8,u=uint64,day=date,d=decimal(12,2),\"n\"=float32"
        rows = self.typed(data, "u > 9223372036854775807 and d = 0.1", "--types", given)
        self.assertEqual(
            [str(kind) for kind in rows.schema.types],
            ["int8", "uint64", "date32[day]", "decimal128(12, 2)", "float"],
        )
        self.assertEqual(rows["x"].to_pylist(), [7])
        out = self.filtered("u = 9223372036854775808", data, "--types", "u=uint64")
        self.assertEqual(out, data)
        at = b"t\n2024-01-31T12:00:00Z\n"
        rows = self.typed(at, "t >= '2024-01-31 12:00Z'", "--types", "t=timestamp[ms, UTC]")
        self.assertEqual(rows.schema.types, [pa.timestamp("ms", "UTC")])

    def test_usage(self):
        path = self.write("a.csv", b"x\n1\n")
        for types, words in (
            ("y=int8", "no column 'y'"),
            ("x=int7", "'int7' of 'x': types are int8 to int64"),
            ("x", "wanted NAME=TYPE"),
            ("x=int8,x=int16", "'x' twice"),
            ("x=decimal(99,2)", "types are"),
        ):
            self.fails(2, words, "x = 1", path, "--types", types)
        pa.parquet.write_table(pa.table({"x": [1]}), self.path("a.parquet"))
        self.fails(4, "is parquet", "x = 1", self.path("a.parquet"), "--types", "x=int8")

    def test_guesses_that_fail(self):
        """The first block misleads the guess. The error says how to set the type."""
        head = b"x,y\n" + b"1,2\n" * 400_000
        data = head + b"1,a\n"
        path = self.write("a.csv", data)
        self.fails(4, "--types y=string", "y > 3", path, "-o", self.path("b.csv"))
        self.fails(4, "--types y=string", "x > 0", path, "-o", self.path("b.parquet"))
        self.assertEqual(self.out("x > 0", path)[-8:], b"1,2\n1,a\n")
        path = self.write("a.csv", head + b"1,007\n")
        self.fails(4, "'007', which would be written as '7'", "x > 0", path,
                   "-o", self.path("b.parquet"))
        self.do("x > 0", path, "-o", self.path("b.parquet"), "--types", "y=string")
        self.assertEqual(read(self.path("b.parquet"))["y"].to_pylist()[-2:], ["2", "007"])

    def test_bytes_that_are_no_text(self):
        data = b"x,y\n4,\xe9\n"
        self.assertEqual(self.typed(data)["y"].to_pylist(), [b"\xe9"])


if __name__ == "__main__":
    unittest.main()
