# SPDX-License-Identifier: Apache-2.0
"""The program winnow-filter, also python -m winnow filter.

It writes the rows of table files that pass a condition.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import errno
import os
import re
import shlex
import sys
from typing import Any, Callable, Collection, Iterator, NoReturn, Sequence

from ._ending import ended_by_signals, open_standard_streams, output, printable
from ._winnow import Error

# Exit statuses, the same as those of winnow(1). argparse uses 2 as well. A signal gives
# 128 plus its number.
USAGE = 2
INPUT = 3
FORMAT = 4
OUTPUT = 5
CLOSED = 6
MEMORY = 7
MISSING = 8

DESCRIPTION = """\
Keep the rows of Parquet, Arrow and CSV files for which CONDITION is true, such as
"price < 24 and starts_with(name, 'a')". winnow_condition_parse(3) describes conditions.
winnow-filter reads only the columns that it needs. It skips row groups in which no row
can pass by their statistics. For .npy files and raw records use winnow."""

ENDING = """\
FILE is a file, a pattern such as 'rows/*.parquet', or a folder, whose subfolders
key=value are columns. The default is standard input, or -: an Arrow stream, or what
--input-format says. The suffix gives the format: .parquet .pq, .arrow .feather .ipc
(Arrow file), .arrows (Arrow stream), .csv, .tsv. CSV and TSV input may be compressed.
Fields of CSV go to CSV as they were read. An output file gets its name when it is
complete.

Exit status: 0: success; 2: a mistake in the arguments or the condition; 3: an input
cannot be read; 4: an input does not have its format; 5: the output cannot be written;
6: the output's pipe was closed; 7: not enough memory; 8: pyarrow is not installed; 128
and more: a signal."""


# pyarrow's message about a file that is not of its format: the name, and the reason.
_SCHEMA = re.compile(
    r"Error creating dataset\. Could not read schema from '(.*?)'\. "
    r".*?input source '\1': (?:Invalid: |IOError: )?(.*)",
    re.DOTALL,
)


class _Failure(Exception):
    def __init__(self, status: int, what: object) -> None:
        super().__init__(" ".join(str(what).split()))
        self.status = status


@contextlib.contextmanager
def _printing() -> Iterator[None]:
    """Flush what the block prints to standard output, and report errors of writing."""
    try:
        yield
        sys.stdout.flush()
        output.is_whole = True
    except BrokenPipeError:
        raise
    except OSError as error:
        _leave(sys.stdout)
        raise _Failure(OUTPUT, f"standard output: {error.strerror}") from None


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Report an error in the arguments in one line, like all errors."""
        raise _Failure(USAGE, f"{message}; {self.prog} --help says more")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print the help or the version."""
        with _printing():
            print(message, end="")


# The interpreter's messages when it has no memory for a frame, a lock or a thread.
_NO_FRAME = re.compile(
    "without exception set|without setting an exception|can't allocate|can't start new thread"
)


def _is_memory(error: BaseException | None) -> bool:
    """Return whether an error means that memory was lacking.

    It may be a MemoryError, the system's ENOMEM, or an error of the interpreter. It may
    also be another error that was raised while such an error was handled.
    """
    if error is None:
        return False
    is_system = isinstance(error, OSError) and error.errno == errno.ENOMEM
    no_frame = isinstance(error, (SystemError, RuntimeError)) and _NO_FRAME.search(str(error))
    own = is_system or no_frame or isinstance(error, MemoryError)
    return bool(own) or _is_memory(error.__context__)


def _unreadable(error: BaseException) -> _Failure:
    """Return the failure that an error in reading the input means."""
    if _is_memory(error):
        return _Failure(MEMORY, f"no memory: {error}")
    if not isinstance(error, OSError) or not error.errno:
        found = _SCHEMA.match(str(error))
        return _Failure(FORMAT, ": ".join(found.groups()) if found else error)
    name = f"{error.filename}: " if error.filename else ""
    return _Failure(INPUT, f"{name}{error.strerror or error}")


def _parser(formats: Sequence[str]) -> argparse.ArgumentParser:
    import winnow

    parser = _Parser(
        prog="winnow-filter",
        usage="%(prog)s [OPTION...] CONDITION [FILE...]",
        description=DESCRIPTION,
        epilog=ENDING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("condition", metavar="CONDITION", nargs="?")
    parser.add_argument("files", metavar="FILE", nargs="*")
    output = "write to FILE; default: standard output"
    parser.add_argument("-o", "--output", metavar="FILE", help=output)
    parser.add_argument("--format", choices=formats, help="format of the output; default: csv")
    parser.add_argument("--input-format", choices=formats, help="format of all input files")
    parser.add_argument(
        "--columns",
        metavar="A,B",
        action="append",
        help='write these columns, in this order; "a,b" in quotes is one name',
    )
    parser.add_argument(
        "--types",
        metavar="A=TYPE,B=TYPE",
        action="append",
        default=[],
        help="types of CSV and TSV columns; other types are guessed",
    )
    parser.add_argument("--count", action="store_true", help="print only the number of rows")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    version = f"winnow-filter {winnow.__version__}"
    parser.add_argument("--version", action="version", version=version)
    return parser


def _columns(
    source: Any, given: Sequence[str] | None, types: Collection[str]
) -> list[str]:
    try:
        names: list[str] = source.schema.names
    except UnicodeDecodeError as error:
        raise _Failure(FORMAT, f"the name of a column is not UTF-8: {error}") from None
    for name in names:
        if names.count(name) > 1:
            raise _Failure(FORMAT, f"the files have two columns {name!r}")
    wanted = names if given is None else [name for row in csv.reader(given) for name in row]
    if given is not None and not wanted:
        raise _Failure(USAGE, "--columns names no column")
    for name in [*wanted, *types]:
        if name not in names:
            raise _Failure(
                USAGE, f"there is no column {name!r}. Names: {', '.join(names)}"
            )
        if wanted.count(name) > 1:
            raise _Failure(USAGE, f"--columns has {name!r} twice")
    return wanted


class _Filter:
    """Iterate over the batches of a source, with only the rows that pass."""

    def __init__(self, source: Any, text: str, wanted: Sequence[str], tell: Any) -> None:
        import pyarrow as pa

        import winnow

        self.read = self.kept = 0
        self._error: BaseException | None = None
        self._tell = tell
        try:
            self.plan = source.plan(text, wanted)
            batches = pa.RecordBatchReader.from_batches(self.plan.schema, self._counted())
            self._reader = winnow.filter(batches, text)
        except MemoryError:
            raise
        except Error as error:
            raise _Failure(USAGE, f"'{text}': {error}") from None
        except ValueError as error:
            raise _unreadable(error) from None

    def _counted(self) -> Iterator[Any]:
        try:
            for batch in self.plan.batches:
                self.read += batch.num_rows
                yield batch
        except BaseException as error:
            # An Arrow stream passes on only the text of an exception.
            self._error = error
            raise

    def __iter__(self) -> Iterator[Any]:
        import pyarrow as pa

        while True:
            try:
                batch = self._reader.read_next_batch()
            except StopIteration:
                break
            except (Error, OSError, ValueError, pa.ArrowException) as error:
                if self._error and not isinstance(self._error, Exception):
                    raise self._error from None
                raise _unreadable(self._error or error) from None
            self.kept += batch.num_rows
            self._tell(self.read, self.kept)
            try:
                finished = self.plan.finished(batch)
            except ValueError as error:
                raise _unreadable(error) from None
            yield finished


def _write(rows: _Filter, path: str | None, format: str) -> None:
    import pyarrow as pa

    from ._output import gathered, standard, whole, writer

    try:
        with standard() if path is None else whole(path) as file:
            with writer(file, format, rows.plan) as out:
                for table in gathered(iter(rows), rows.plan.written):
                    out.write_table(table)
    except (BrokenPipeError, MemoryError):
        raise
    except (OSError, ValueError, pa.ArrowException) as error:
        if path is None:
            _leave(sys.stdout)
        if _is_memory(error):
            raise MemoryError(error) from None
        where = "standard output" if path is None else path
        why = getattr(error, "strerror", None) or error
        more = ""
        if "ictionary replacement" in str(why):
            more = " (.arrows and .parquet take dictionaries that differ)"
        elif "Invalid UTF8" in str(why):
            more = " (a column has bytes that are no UTF-8: other formats take them)"
        raise _Failure(OUTPUT, f"{where}: {why}{more}") from None


def _complete(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> None:
    """Check the arguments, and read standard input if no file is named.

    A terminal is not read. For .npy files the error names the command of winnow.
    """
    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    if not asked.files and at_terminal:
        with contextlib.suppress(OSError):
            print(parser.format_usage(), end="", file=sys.stderr, flush=True)
        sys.exit(USAGE)
    if asked.condition is None:
        parser.error("no condition is given")
    if at_terminal and "-" in asked.files:
        parser.error("standard input is a terminal: name a file")
    asked.files = asked.files or ["-"]
    arrays = [path for path in asked.files if path.endswith(".npy")]
    if arrays and asked.input_format is None:
        words = ["winnow", asked.condition, *asked.files]
        words += ["-o", asked.output] if asked.output else []
        words += ["--count"] if asked.count else []
        raise _Failure(
            FORMAT,
            f"{arrays[0]}: winnow-filter reads Parquet, Arrow and CSV files. "
            f"Arrays: {shlex.join(words)}",
        )


def _run(arguments: Sequence[str]) -> None:
    try:
        from . import _files
    except ImportError as error:
        raise _Failure(
            MISSING, f"pyarrow reads the files: pip install 'libwinnow[filter]' ({error})"
        ) from None
    import pyarrow as pa

    from ._progress import progress
    from ._types import types_of

    # pyarrow's signal handlers would wait for the producer of the input.
    pa.enable_signal_handlers(False)
    parser = _parser(_files.FORMATS)
    asked = parser.parse_intermixed_args(arguments)
    _complete(parser, asked)
    try:
        asked.condition.encode()
    except UnicodeEncodeError:
        parser.error("the condition is not UTF-8")
    if asked.count and (asked.output or asked.format or asked.columns):
        parser.error("--count writes no rows: leave --output, --format, --columns out")
    format = asked.format or "csv"
    if asked.output is not None and os.path.isdir(asked.output):
        file = os.path.join(asked.output, f"kept.{asked.format or 'parquet'}")
        raise _Failure(
            OUTPUT, f"{asked.output}: Is a directory: name a file in it, such as {file}"
        )
    if asked.output is not None and asked.format is None:
        format = _files.SUFFIXES.get(os.path.splitext(asked.output)[1])
        if format is None:
            parser.error(f"{asked.output}: the name says no format: use --format")
    if asked.output is None and format not in ("csv", "tsv") and sys.stdout.isatty():
        parser.error(f"{format} is not for terminals: use --output")
    try:
        types = types_of(asked.types)
    except ValueError as error:
        parser.error(str(error))
    try:
        as_read = asked.count or format in ("csv", "tsv")
        source = _files.open_files(
            asked.files, asked.input_format, asked.condition, types, as_read
        )
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _unreadable(error) from None
    with contextlib.closing(source), progress(source.rows, asked.quiet) as tell:
        wanted = _columns(source, asked.columns, types)
        rows = _Filter(source, asked.condition, [] if asked.count else wanted, tell)
        if not asked.count:
            _write(rows, asked.output, format)
            return
        for _ in rows:
            pass
    with _printing():
        print(rows.kept)


def _leave(stream: Any) -> None:
    """Redirect a stream to /dev/null, so that the interpreter's last flush succeeds."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _tell(status: int, what: object) -> int:
    try:
        line = printable(f"winnow-filter: {what}")
        print(line, file=sys.stderr, flush=True)
    except OSError:
        _leave(sys.stderr)
    return status


def _status(arguments: Sequence[str]) -> int:
    try:
        _run(arguments)
        return 0
    except _Failure as failure:
        return _tell(failure.status, failure)
    except BrokenPipeError:
        _leave(sys.stdout)
        return _tell(CLOSED, f"standard output: {os.strerror(errno.EPIPE)}")


def filter(arguments: Sequence[str] | None, end: Callable[[int], int] = int) -> int:
    """Run winnow-filter on these arguments, by default on those of the process.

    Returns what `end` makes of the exit status. `end` is called while the program's
    signal handlers are still installed.
    """
    output.is_whole = False
    try:
        open_standard_streams()
        with ended_by_signals("winnow-filter"):
            return end(_status(sys.argv[1:] if arguments is None else arguments))
    except Exception as error:
        if not _is_memory(error):
            raise
        return 0 if output.is_whole else _tell(MEMORY, f"no memory: {error}")


def _unheard(about: Any) -> None:
    """Drop errors of memory that Python cannot raise, such as in a destructor."""
    if not _is_memory(about.exc_value):
        sys.__unraisablehook__(about)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program winnow-filter, and end the process."""
    sys.unraisablehook = _unheard
    # End without the interpreter's shutdown: threads of pyarrow that read ahead may
    # still call Python.
    os._exit(filter(arguments, os._exit))
