# SPDX-License-Identifier: Apache-2.0
"""Tests of python -m winnow filter: files, skipped row groups, and exit statuses.

tests/tables.py has the right outcomes of random conditions on random tables. Row groups
are skipped correctly if no row that passes is missing.
"""

import contextlib
import errno
import io
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import winnow
from arrays import SEED, needs, np, pa, tables, trials
from winnow import _command

if pa:
    import pyarrow.csv
    import pyarrow.dataset
    import pyarrow.parquet
    from winnow import _files, _pushdown

TRIALS = trials(20)


class Folder(unittest.TestCase):
    """The base class of tests that run in an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def run_here(self, *arguments):
        """Run the command. Return its exit status and its standard error."""
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            try:
                status = _command.filter(arguments)
            except SystemExit as end:
                status = end.code
        return status, errors.getvalue()

    def do(self, *arguments):
        self.assertEqual(self.run_here(*arguments), (0, ""))

    def fails(self, status, words, *arguments):
        """Check that the command ends with a status and one line with these words."""
        ended, errors = self.run_here(*arguments)
        self.assertEqual(ended, status, errors)
        self.assertIn(words, errors)
        self.assertRegex(errors, r"\A(usage: [^\0]*\n)?[^\n]*\n\Z")
        self.assertNotIn("Traceback", errors)

    def start(self, *arguments, before="pass", **others):
        code = f"import sys; {before}; from winnow import _command; _command.main()"
        return subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **others},
        )


def read(path):
    format = _files.format_of(path)
    if format == "parquet":
        return pa.parquet.read_table(path)
    if format == "arrow":
        return pa.ipc.open_file(path).read_all()
    if format == "arrows":
        return pa.ipc.open_stream(path).read_all()
    options = pa.csv.ParseOptions(delimiter="\t" if format == "tsv" else ",")
    return pa.csv.read_csv(path, parse_options=options)


def write(rows, path, **options):
    format = _files.format_of(path)
    if format == "parquet":
        pa.parquet.write_table(rows, path, **options)
    elif format in ("arrow", "arrows"):
        opened = pa.ipc.new_file if format == "arrow" else pa.ipc.new_stream
        with opened(path, rows.schema) as out:
            out.write_table(rows, max_chunksize=7)
    else:
        separator = pa.csv.WriteOptions(delimiter="\t" if format == "tsv" else ",")
        pa.csv.write_csv(rows, path, separator)


def rows_of(n, start=0):
    numbers = range(start, start + n)
    return pa.table(
        {
            "x": pa.array(numbers, pa.int32()),
            "half": pa.array([i / 2 for i in numbers], pa.float64()),
            "name": [f"n{i:04}" for i in numbers],
            "odd": [i % 2 == 1 for i in numbers],
        }
    )


@needs("pyarrow")
class Formats(Folder):
    def test_each(self):
        rows = rows_of(100)
        kept = rows.slice(91)
        names = ("a.parquet", "a.arrow", "a.arrows", "a.csv", "a.tsv")
        for source in names:
            write(rows, self.path(source))
            for to in names:
                with self.subTest(source=source, to=to):
                    out = self.path("out-" + to)
                    self.do("x > 90", self.path(source), "-o", out)
                    types = rows.schema
                    if source[2:] in ("csv", "tsv") or to[2:] in ("csv", "tsv"):
                        types = read(out).schema
                        self.assertEqual(types.names, rows.schema.names)
                    self.assertEqual(read(out), kept.cast(types))

    def test_nothing_is_kept(self):
        write(rows_of(10), self.path("a.parquet"))
        for to in ("b.parquet", "b.arrow", "b.csv"):
            self.do("x > 10", self.path("a.parquet"), "-o", self.path(to))
            self.assertEqual(read(self.path(to)).num_rows, 0)
            self.assertEqual(read(self.path(to)).column_names, ["x", "half", "name", "odd"])

    def test_views(self):
        """polars writes such columns; pyarrow's writer of CSV does not take them."""
        values = pa.table({"x": [1, 2, 3]})
        for kind, values_of in ((pa.string_view(), "abc"), (pa.binary_view(), [b"a", b"b", b"c"])):
            rows = values.append_column("s", pa.array(list(values_of), kind))
            write(rows, self.path("a.arrow"))
            self.do("x > 1", self.path("a.arrow"), "-o", self.path("b.csv"))
            made = read(self.path("b.csv")).to_pydict()
            self.assertEqual(made, {"x": [2, 3], "s": ["b", "c"]})
        several = pa.array(["a", "b"], pa.string_view())
        kinds = pa.DictionaryArray.from_arrays(pa.array([0, None, 1], pa.int32()), several)
        write(values.append_column("s", kinds), self.path("a.arrow"))
        for to, wanted in (("csv", ["", "b"]), ("parquet", [None, "b"]), ("arrow", [None, "b"])):
            self.do("x > 1", self.path("a.arrow"), "-o", self.path("b." + to))
            self.assertEqual(read(self.path("b." + to))["s"].to_pylist(), wanted)

    def test_views_beside_other_columns(self):
        """Null and bytes stay, and so does what a file says of its schema and columns."""
        views = pa.array(["x", "y"], pa.string_view())
        columns = [
            pa.array([1, 2]),
            pa.array([None, b"\xff"], pa.binary()),
            pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), views),
        ]
        fields = [
            pa.field(name, column.type, metadata={"of": name})
            for name, column in zip("xbd", columns)
        ]
        for number in (3, 2):  # with and without the dictionary
            rows = pa.table(columns[:number], schema=pa.schema(fields[:number], {"maker": "test"}))
            write(rows, self.path("a.arrow"))
            self.do("x > 0", self.path("a.arrow"), "-o", self.path("b.parquet"))
            made = read(self.path("b.parquet"))
            self.assertEqual(made["b"].to_pylist(), [None, b"\xff"])
            self.assertEqual(made.schema.metadata[b"maker"], b"test")
            self.assertEqual(made.schema.field("b").metadata[b"of"], b"b")

    def test_one_column(self):
        """An empty line in CSV would not be read again."""
        values = {"i": [1, None], "s": ['a"\n\nb', None], "b": [b"a", None], "t": [True, None]}
        write(pa.table(values | {"x": [1, 1]}), self.path("a.arrow"))
        for name, first in (("i", "1"), ("s", '"a""\n\nb"'), ("b", '"a"'), ("t", "true")):
            self.do("x > 0", self.path("a.arrow"), "--columns", name, "-o", self.path("b.csv"))
            with open(self.path("b.csv"), newline="") as file:
                header = f'"{name}"' if name in "sb" else name
                self.assertEqual(file.read(), f'{header}\n{first}\n""\n')

    def test_extension_types(self):
        """Extension types stay at any depth, also in files without Arrow's schema."""
        storage = pa.array([bytes([i]) * 16 for i in range(4)], pa.binary(16))
        uuid = pa.ExtensionArray.from_storage(pa.uuid(), storage)
        json = pa.ExtensionArray.from_storage(pa.json_(), pa.array(["{}"] * 4))
        record = pa.StructArray.from_arrays([uuid, json], ["u", "j"])
        lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3, 4], pa.int32()), uuid)
        rows = pa.table({"x": [1, 2, 3, 4], "u": uuid, "r": record, "l": lists})
        for store_schema in (True, False):
            write(rows, self.path("a.parquet"), store_schema=store_schema)
            stored = read(self.path("a.parquet"))
            for to in ("b.parquet", "b.arrow"):
                self.do("x > 2", self.path("a.parquet"), "-o", self.path(to))
                self.assertEqual(read(self.path(to)), stored.slice(2))

    def test_compressed_text(self):
        with pa.CompressedOutputStream(self.path("a.csv.gz"), "gzip") as out:
            pa.csv.write_csv(rows_of(100), out)
        self.do("x = 5", self.path("a.csv.gz"), "-o", self.path("b.csv"))
        self.assertEqual(read(self.path("b.csv"))["name"].to_pylist(), ["n0005"])

    def test_columns(self):
        write(rows_of(100), self.path("a.parquet"))
        out = self.path("b.parquet")
        self.do("x >= 98", self.path("a.parquet"), "-o", out, "--columns", "name,half")
        self.assertEqual(
            read(out).to_pydict(), {"name": ["n0098", "n0099"], "half": [49.0, 49.5]}
        )
        self.fails(2, "'y'", "x > 1", self.path("a.parquet"), "--columns", "x,y", "-o", out)
        self.fails(2, "twice", "x > 1", self.path("a.parquet"), "--columns", "x,x", "-o", out)

    def test_only_needed_columns_are_read(self):
        path = self.path("a.parquet")
        write(rows_of(100), path)
        source = _files.open_files([path], None, "x > 3")
        for text, wanted, columns in (
            ("x > 3", [], ["x"]),
            ("x > 3", ["name"], ["x", "name"]),
            ("odd and name like 'x%'", ["x"], ["x", "name", "odd"]),
        ):
            self.assertEqual(source.to_read(text, wanted), columns)
        self.assertEqual(next(source.batches(["name"])).schema.names, ["name"])

    def test_pieces_are_gathered(self):
        # The rows that pass of many small batches are written as few row groups.
        write(rows_of(3000), self.path("a.parquet"), row_group_size=10)
        out = self.path("b.parquet")
        self.do("x % 10 = 3", self.path("a.parquet"), "-o", out)
        self.assertEqual(pa.parquet.ParquetFile(out).num_row_groups, 1)
        self.assertEqual(read(out)["x"].to_pylist(), list(range(3, 3000, 10)))


@needs("pyarrow")
class Several(Folder):
    def setUp(self):
        super().setUp()
        for i in range(3):
            folder = self.folder / "rows" / f"part={i}"
            folder.mkdir(parents=True)
            write(rows_of(100, 100 * i), str(folder / "a.parquet"))
        (self.folder / "rows" / "_notes.txt").write_text("none of the table")

    def numbers(self, text, *files):
        out = self.path("out.parquet")
        self.do(text, *files, "-o", out)
        return read(out)["x"].to_pylist()

    def test_files_and_patterns(self):
        paths = [self.path(f"rows/part={i}/a.parquet") for i in range(3)]
        wanted = [*range(95, 200), *range(200, 205)]
        self.assertEqual(self.numbers("95 <= x < 205", *paths), wanted)
        pattern = self.path("rows/*/*.parquet")
        self.assertEqual(self.numbers("95 <= x < 205", pattern), wanted)
        self.assertEqual(self.numbers("x < 5 or x > 298", paths[2], paths[0]), [299, *range(5)])
        self.fails(3, "rows/*.csv", "x > 1", self.path("rows/*.csv"))

    def test_folder_with_keys(self):
        self.assertEqual(self.numbers("part = 1 and x < 103", self.path("rows")), [100, 101, 102])
        source = _files.open_files([self.path("rows")], None, "part = 1")
        self.assertEqual(source.parts, (1, 3))
        self.assertEqual(source.rows, 100)

    def test_folder_whose_files_have_the_key(self):
        """The folder's value counts, also if the file's column has another type."""
        for kind in ("int32", "int64", "string"):
            for k in (1, 2):
                os.makedirs(self.path(f"{kind}/k={k}"))
                rows = pa.table({"k": pa.array(["7"]).cast(kind), "x": [k]})
                write(rows, self.path(f"{kind}/k={k}/a.parquet"))
            self.do("k > 1", self.path(kind), "-o", self.path("b.parquet"))
            self.assertEqual(read(self.path("b.parquet")).to_pydict(), {"k": [2], "x": [2]})
        # A file in no such folder has a value of its own.
        write(pa.table({"k": ["007"], "x": [9]}), self.path("int64/a.parquet"))
        self.fails(4, "incompatible types", "x = 9", self.path("int64"), "--count")

    def test_types_differ(self):
        path = self.path("other.parquet")
        write(pa.table({"x": ["a"]}), path)
        first = self.path("rows/part=0/a.parquet")
        self.fails(4, "x", "x > 1", first, path, "-o", self.path("b.csv"))
        latin = self.folder / "latin.csv"
        latin.write_bytes(b"x,\xff\n1,2\n")
        for condition in ("x > 0", 'x > "y"'):
            self.fails(4, "utf-8", condition, str(latin))
        # In text files types are guessed, and one type holds the values of both files.
        for name, text in (("1.csv", "x\n1\n"), ("2.csv", "x\n2.5\n")):
            (self.folder / name).write_text(text)
        self.do("x > 0", self.path("1.csv"), self.path("2.csv"), "-o", self.path("3.csv"))
        self.assertEqual(read(self.path("3.csv"))["x"].to_pylist(), [1, 2.5])

    def test_formats_differ(self):
        write(rows_of(3), self.path("b.csv"))
        self.fails(4, "another format", "x > 1", self.path("rows"), self.path("b.csv"))


@needs("pyarrow")
class Statistics(Folder):
    """Tests which row groups are read, of 10 with 10 rows each."""

    def test_tests(self):
        n = 100
        rows = rows_of(n)
        numbers = pa.array(range(n))
        days = pa.array(range(n), pa.int32()).cast(pa.date32())
        seconds = pa.array([3600 * i for i in range(n)])
        more = {
            "tiny": numbers.cast(pa.int8()),
            "big": pa.array([2**63 + i for i in range(n)], pa.uint64()),
            "f": numbers.cast(pa.float32()),
            "day": days,
            "at": seconds.cast(pa.timestamp("s")).cast(pa.timestamp("us")),
            "utc": seconds.cast(pa.timestamp("s")).cast(pa.timestamp("ms", "UTC")),
            "berlin": seconds.cast(pa.timestamp("s")).cast(pa.timestamp("ns", "Europe/Berlin")),
            "price": numbers.cast(pa.decimal128(21, 2)),
            "empty": pa.array([None] * 50 + [1] * 50, pa.int64()),
            "late": pa.array([i >= 45 for i in range(n)]),
            'q "': numbers,
        }
        for name, column in more.items():
            rows = rows.append_column(name, column)
        path = self.path("a.parquet")
        write(rows, path, row_group_size=10)
        stored = read(path)
        for text, groups in (
            ("x > 85", 2),
            ("85 < x", 2),
            ("x <= 10", 2),
            ("x < 10.5", 2),
            ("x = 0x20", 1),
            ("x = 031", 1),
            ("x = -1", 0),
            ("x <> 5", 10),
            ("not x > 15", 2),
            ("!(x >= 10 || x < 5)", 1),
            ("10 <= x < 15", 1),
            ("15 > x >= 10", 1),
            ("x between 10 and 25", 2),
            ("x not between 10 and 89", 2),
            ("x in (3, 5, 77,)", 2),
            ("not (x not in (3, 77))", 2),
            ("x > 85 and half < 40", 0),
            ("x > 85 or half < 4", 3),
            ("x > 85 and half * 2 < 40", 2),
            ("x > 85 or half * 2 < 40", 10),
            ("x + 0 > 85", 10),
            ("(x & 1) = 1 and (x < 10)", 1),
            ("x > 1e99999999999", 0),
            ("tiny > 300", 0),
            ("big >= 9223372036854775898", 1),
            ("f < 9.5", 1),
            ("not f >= 9.5", 10),
            ("f = 10", 1),
            ("f > 1e40", 0),
            ("half > 47", 1),
            ("name = 'n0015'", 1),
            ("name >= 'n009'", 1),
            ("name in ('n0015', 'n0016')", 1),
            ("starts_with(name, 'n009')", 1),
            ("name like 'n009_'", 1),
            ("name like '%9'", 10),
            ("day < date '1970-01-05'", 1),
            ("day >= '1970-04-01'", 1),
            ("day > timestamp '1970-04-01 12:00:00'", 1),
            ("at < timestamp '1970-01-01 05:00:00.5'", 1),
            ("cast(at as int64) > 352800000000", 1),
            ("352800000000 < at::BIGINT", 1),
            ("CAST(day as bigint) between 5 and 15", 2),
            ("not day::int64 in (1, 2) and cast(utc as int64) < 36000000", 1),
            ("cast(half as int64) > 47 and cast(day as int32) < 5", 1),
            ("utc < timestamp '1970-01-01 05:00'", 1),
            ("utc < timestamp '1970-01-01 07:00+02:00'", 1),
            ("berlin < timestamp '1970-01-01T05:00Z'", 1),
            ("price < 9.995", 1),
            ("price = 10.5", 1),
            ("empty is null", 5),
            ("empty is not null", 5),
            ("not (empty is not null)", 5),
            ("empty < 5", 5),
            ("(x < 5) is true", 1),
            ("(x < 5) is not true", 10),
            ("year(day) = 1969", 0),
            ("x in (3, 5, 77) or starts_with(name, 'n009')", 3),
            ("not (x < 85 or late is null)", 2),
            ("late", 6),
            ("not late", 5),
            ("late and x < 60", 2),
            ('"q """ > 85', 2),
            ("true", 10),
            ("x > 85 -- or true", 2),
            ("x > 85 --\r or x < 15", 4),
            ("x /* < 5 */ > 85 and -- '\n half < 40", 0),
            ("name = /* ' */ 'n0015' or name = '-- /*' or x > 85", 3),
        ):
            with self.subTest(text=text):
                source = _files.open_files([path], None, text)
                self.assertEqual(source.parts, (groups, 10))
                batches = [b for b in source.batches(rows.schema.names) if b.num_rows]
                kept = winnow.filter(pa.Table.from_batches(batches, source.schema), text)
                self.assertEqual(kept["x"], winnow.filter(stored, text)["x"])

    @needs("numpy")
    def test_random(self):
        left_out = 0
        # Types that pyarrow's Parquet writer refuses.
        refused = [pa.dictionary(pa.int64(), pa.string_view()), pa.decimal128(5, -2)]
        stored_types = [kind for kind in tables.TESTED if kind not in refused]
        for seed in range(SEED, SEED + TRIALS):
            random = np.random.default_rng(seed)
            types = [tables.pick(random, stored_types) for _ in range(4)]
            rows = tables.table(random, int(random.integers(1, 60)), types)
            path, out = self.path("a.parquet"), self.path("b.parquet")
            write(rows, path, row_group_size=int(random.integers(1, 5)))
            stored = read(path)
            for _ in range(3):
                text, mask = tables.condition(random, rows, int(random.integers(4)))
                with self.subTest(seed=seed, text=text):
                    self.do(text, path, "-o", out)
                    tables.assert_kept(self, read(out), stored, mask, text)
                    read_groups, all_groups = _files.open_files([path], None, text).parts
                    left_out += all_groups - read_groups
        self.assertGreater(left_out, 0)

    def test_text_that_is_not_understood(self):
        schema = rows_of(1).schema
        for text in ("", "x >", "x ? 3", "'", "((x > 3)", "x > 3) or (x < 1", "y > 3"):
            self.assertIsNone(_pushdown.needed(text, schema), text)
        self.assertIsNone(_pushdown.needed("(" * 1500 + "x > 3" + ")" * 1500, schema))


@needs("pyarrow")
class Whole(Folder):
    def setUp(self):
        super().setUp()
        write(rows_of(100), self.path("a.parquet"))

    def names(self):
        return sorted(os.listdir(self.folder))

    def spoiled(self):
        """Make a file that can be opened, but fails when it is read."""
        rows = pa.table({"x": pa.array(range(100_000), pa.int32())})
        path = self.path("spoiled.parquet")
        pa.parquet.write_table(
            rows, path, row_group_size=10_000, compression="none", use_dictionary=False
        )
        with open(path, "r+b") as file:
            file.seek(200_000)
            file.write(b"\xff" * 1000)
            # Overwrite the header of a page.
            chunk = pa.parquet.ParquetFile(path).metadata.row_group(7).column(0)
            file.seek(chunk.data_page_offset)
            file.write(b"\xff" * 40)
        return path

    def test_error_leaves_what_was_there(self):
        spoiled = self.spoiled()
        out = self.folder / "out.csv"
        self.fails(4, "", "x > 5", spoiled, "-o", str(out))
        self.assertEqual(self.names(), ["a.parquet", "spoiled.parquet"])
        out.write_text("before")
        self.fails(4, "", "x > 5", spoiled, "-o", str(out))
        self.assertEqual(out.read_text(), "before")
        self.assertEqual(self.names(), ["a.parquet", "out.csv", "spoiled.parquet"])

    def test_in_place(self):
        path = self.path("a.parquet")
        os.chmod(path, 0o640)
        self.do("x < 5", path, "-o", path)
        self.assertEqual(read(path).num_rows, 5)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
        self.assertEqual(self.names(), ["a.parquet"])

    def test_link_stays(self):
        (self.folder / "b.csv").write_text("before")
        os.symlink("b.csv", self.path("link.csv"))
        self.do("x < 5", self.path("a.parquet"), "-o", self.path("link.csv"))
        self.assertTrue(os.path.islink(self.path("link.csv")))
        self.assertEqual(read(self.path("b.csv")).num_rows, 5)

    def test_pipe_is_written_in_place(self):
        os.mkfifo(self.path("pipe.csv"))
        reader = os.open(self.path("pipe.csv"), os.O_RDONLY | os.O_NONBLOCK)
        self.do("x = 5", self.path("a.parquet"), "-o", self.path("pipe.csv"))
        self.assertIn(b'"n0005"', os.read(reader, 1000))
        os.close(reader)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe.csv")).st_mode))

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_full(self):
        path = self.path("a.parquet")
        self.fails(5, "No space left", "x > 5", path, "--format", "csv", "-o", "/dev/full")

    def test_no_folder(self):
        self.fails(5, "nowhere", "x > 5", self.path("a.parquet"), "-o", "/nowhere/out.csv")
        self.fails(5, "such as /tmp/kept.csv", "x > 5", self.path("a.parquet"), "--format", "csv", "-o", "/tmp")

    def test_terminated(self):
        os.mkfifo(self.path("in.arrows"))
        process = self.start(
            "x > 5", self.path("in.arrows"), "-o", self.path("out.csv"), "--quiet"
        )
        rows = rows_of(10)
        # Opened for reading and writing, the pipe does not wait for a reader.
        with open(self.path("in.arrows"), "r+b", 0) as file:
            with pa.ipc.new_stream(file, rows.schema) as stream:
                stream.write_table(rows)
                until = time.monotonic() + 60
                while not any(n.startswith(".winnow-") for n in self.names()):
                    self.assertLess(time.monotonic(), until)
                    time.sleep(0.01)
                process.send_signal(signal.SIGTERM)
                errors = process.communicate()[1]
        self.assertEqual((process.returncode, errors), (143, b"winnow-filter: terminated\n"))
        self.assertEqual(self.names(), ["a.parquet", "in.arrows"])


@needs("pyarrow")
class Errors(Folder):
    def setUp(self):
        super().setUp()
        write(rows_of(100), self.path("a.parquet"))

    def test_condition(self):
        path = self.path("a.parquet")
        self.fails(2, "line 1, column 4", "x >", path)
        self.fails(2, "columns are x, half, name, odd", "x > 1 and y > 3", path)
        self.fails(2, "found strings", "name + 1 > 3", path)

    def test_usage(self):
        path = self.path("a.parquet")
        self.fails(2, "no condition is given")
        self.fails(5, "name a file in it, such as", "x > 3", path, "-o", str(self.folder))
        words = "Arrays: winnow 'x > 3' a.npy -o b.npy"
        self.fails(4, words, "x > 3", "a.npy", "-o", "b.npy")
        self.fails(2, "--format", "x > 3", path, "-o", self.path("out.txt"))
        self.fails(2, "--count", "x > 3", path, "--count", "-o", self.path("out.csv"))
        self.fails(4, "no format", "x > 3", "/dev/null")
        self.fails(2, "--help says more", "x > 3", path, "--nonsense")

    def test_input(self):
        self.fails(3, "No such file", "x > 3", self.path("none.parquet"))
        (self.folder / "short.parquet").write_bytes(b"PAR1")
        self.fails(4, "short.parquet", "x > 3", self.path("short.parquet"))
        (self.folder / "wrong.csv").write_text("x,y\n1,2\n3\n")
        self.fails(4, "Expected 2 columns", "x > 3", self.path("wrong.csv"))
        two = pa.table([[1], [2]], ["x", "x"])
        for name, words in (("two.arrow", "duplicate"), ("two.arrows", "two columns 'x'")):
            write(two, self.path(name))
            self.fails(4, words, "x > 3", self.path(name))

    def test_terminal(self):
        """Standard input is a terminal, and no file or the terminal is named."""
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        for files, words in (([], b"usage: winnow-filter"), (["-"], b"is a terminal")):
            process = self.start("x > 3", *files, stdin=theirs)
            out, errors = process.communicate()
            self.assertEqual((process.returncode, out), (2, b""))
            self.assertIn(words, errors)
        os.close(theirs)

    def test_names_of_files(self):
        """pyarrow's message is reported with the name of the file, once."""
        for name, input_format, words in (
            ("a.parquet", "csv", ": CSV parse error"),
            ("a.parquet", "arrow", ": Not an Arrow file"),
            ("b.csv", "parquet", ": Parquet magic bytes not found"),
        ):
            (self.folder / "b.csv").write_text("x,y\n1,2\n")
            path = self.path(name)
            _, errors = self.run_here("x > 3", path, "--input-format", input_format)
            self.fails(4, path + words, "x > 3", path, "--input-format", input_format)
            self.assertEqual(errors.count(name), 1, errors)
            self.assertNotIn("Error creating dataset", errors)

    def test_empty(self):
        for name in ("a.csv", "a.parquet", "a.arrow", "a.arrows"):
            (self.folder / name).write_bytes(b"")
            self.fails(4, f"{name}: the file is empty", "x > 3", self.path(name))
        for input_format, words in (("csv", "no CSV"), ("arrows", "no Arrow stream")):
            arguments = ["x > 3", "-", "--input-format", input_format]
            process = self.start(*arguments, stdin=subprocess.PIPE)
            _, errors = process.communicate(b"")
            self.assertEqual(process.returncode, 4)
            self.assertRegex(errors.decode(), rf"\Awinnow-filter: standard input: {words}.*\n\Z")

    def test_text_without_rows(self):
        """Without rows the columns have no types, and no row passes."""
        path, out = self.path("a.csv"), self.path("out.csv")
        (self.folder / "a.csv").write_text("x,y\n")
        condition = "x > 3 and starts_with(y, 'a')"
        self.do(condition, path, "-o", out)
        self.assertEqual((self.folder / "out.csv").read_text(), "x,y\n")
        self.fails(2, "columns are x, y", "z > 3", path)
        for text, kept in (("x,y\n", b"0\n"), ("x,y\n4,ab\n5,b\n", b"1\n")):
            arguments = [condition, "-", "--input-format", "csv", "--count"]
            process = self.start(*arguments, stdin=subprocess.PIPE)
            self.assertEqual(process.communicate(text.encode()), (kept, b""))
        # No rows are lost if the first column has only nulls.
        arguments = ["x > 3", "-", "--input-format", "csv"]
        process = self.start(*arguments, stdin=subprocess.PIPE)
        out, errors = process.communicate(b"x,y\n4,\n5,\n1,\n")
        self.assertEqual((out, errors), (b"x,y\n4,\n5,\n", b""))

    def test_bytes_that_are_no_text(self):
        (self.folder / "a.csv").write_bytes(b"x,y\n4,\xe9\n")
        path = self.path("a.csv")
        self.do("x > 3", path, "-o", self.path("o.parquet"))
        path = self.path("o.parquet")
        self.fails(5, "no UTF-8: other formats", "x > 3", path, "-o", self.path("o.csv"))

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no full device")
    def test_count_on_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            process = self.start("x > 3", self.path("a.parquet"), "--count", stdout=full)
            _, errors = process.communicate()
        self.assertEqual(process.returncode, 5)
        self.assertEqual(
            errors, b"winnow-filter: standard output: No space left on device\n"
        )

    def test_memory(self):
        """Memory is lacking while files are opened, read, filtered or written."""
        path, out = self.path("a.parquet"), self.path("out.csv")
        lacks = (MemoryError("none"), OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)))
        for error in (*lacks, pa.ArrowMemoryError("none")):
            for where in (
                "winnow._files.open_files",
                "winnow._files.Files.batches",
                "winnow.filter",
                "winnow._output.writer",
                "winnow._output.gathered",
                "os.replace",
            ):
                with self.subTest(error=error, where=where):
                    with unittest.mock.patch(where, side_effect=error):
                        self.fails(7, "no memory", "x > 3", path, "-o", out)
                    self.assertEqual(os.listdir(self.folder), ["a.parquet"])

    def test_no_permission(self):
        path = self.path("a.parquet")
        os.chmod(path, 0)
        error = PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        refuse = unittest.mock.patch("builtins.open", side_effect=error)
        # Root may read all files.
        with refuse if os.geteuid() == 0 else contextlib.nullcontext():
            self.fails(3, f"{path}: Permission denied", "x > 3", path)

    def test_no_pyarrow(self):
        process = self.start("x > 3", "a.parquet", before="sys.modules['pyarrow'] = None")
        out, errors = process.communicate()
        self.assertEqual(process.returncode, 8)
        self.assertRegex(errors, rb"\Awinnow-filter: .*pip install 'libwinnow.*\n\Z")


@needs("pyarrow")
class Pipes(Folder):
    def test_standard_input_and_output(self):
        rows = rows_of(1000)
        stream = io.BytesIO()
        with pa.ipc.new_stream(stream, rows.schema) as out:
            out.write_table(rows)
        arguments = ["x >= 997", "-", "--format", "arrows"]
        process = self.start(*arguments, stdin=subprocess.PIPE)
        out, errors = process.communicate(stream.getvalue())
        self.assertEqual((process.returncode, errors), (0, b""))
        self.assertEqual(pa.ipc.open_stream(out).read_all(), rows.slice(997))
        # Standard input may be text, and then the output is text, too.
        arguments = ["x > 1 and y = 'b'", "-", "--input-format", "csv"]
        process = self.start(*arguments, stdin=subprocess.PIPE)
        out, errors = process.communicate(b"x,y\n1,b\n2,a\n3,b\n")
        self.assertEqual((process.returncode, errors), (0, b""))
        self.assertEqual(out, b"x,y\n3,b\n")

    def test_count(self):
        write(rows_of(100), self.path("a.parquet"))
        for text, count in (("x > 90", 9), ("true", 100), ("x > 200", 0)):
            process = self.start(text, self.path("a.parquet"), "--count")
            self.assertEqual(process.communicate(), (b"%d\n" % count, b""))

    def test_closed_pipe(self):
        write(rows_of(100_000), self.path("a.parquet"))
        process = self.start("x > 5", self.path("a.parquet"))
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(), 6)
        self.assertEqual(errors, b"winnow-filter: standard output: Broken pipe\n")


@needs("pyarrow")
class Cases(Folder):
    def test_each(self):
        """Run the cases of tests/program-cases, as for the program winnow."""
        program = self.folder / "winnow-filter"
        code = "from winnow import _command; _command.main()"
        program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{code}' \"$@\"\n")
        program.chmod(0o755)
        self.folder.chmod(0o755)
        cases = pathlib.Path(__file__).parents[2] / "tests/run-program-cases"
        ran = subprocess.run(
            [cases, "winnow-filter", program], stdout=subprocess.PIPE, text=True
        )
        print(ran.stdout, end="", file=sys.stderr)
        self.assertEqual(ran.returncode, 0, ran.stdout)


class Module(unittest.TestCase):
    """Tests of python -m winnow without pyarrow."""

    def run_module(self, *arguments):
        done = subprocess.run(
            [sys.executable, "-m", "winnow", *arguments], capture_output=True, text=True
        )
        return done.returncode, done.stdout, done.stderr

    def test_information(self):
        status, out, errors = self.run_module("info")
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("CPU: can be used", out)
        self.assertEqual(self.run_module()[1], out)

    def test_usage(self):
        status, out, errors = self.run_module("fliter", "x > 3")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("usage:", errors)
