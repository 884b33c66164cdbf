# SPDX-License-Identifier: Apache-2.0
"""The end of a program by a signal, without files left over; and closed streams."""

from __future__ import annotations

import _thread
import contextlib
import os
import re
import signal
import sys
import threading
from typing import Any, Callable, Iterator

_SIGNALS = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGALRM,
    signal.SIGXCPU,
)


class temporary_files:
    """Temporary files, which a signal removes. Hold the lock to make or rename one."""

    lock = threading.Lock()
    paths: set[str] = set()


class output:
    """Whether all output was written: then a later lack of memory is no error."""

    is_whole = False


# Functions that restore the terminal at the end.
at_end: list[Callable[[], None]] = []


def _end(program: str, number: int) -> None:
    with temporary_files.lock:
        for path in temporary_files.paths:
            with contextlib.suppress(OSError):
                os.unlink(path)
        for call in at_end:
            with contextlib.suppress(Exception):
                call()
        what = f"{program}: {signal.strsignal(number)}".lower()
        with contextlib.suppress(OSError, ValueError):
            print(what, file=sys.stderr, flush=True)
        os._exit(128 + number)


def _wait(program: str, pipe: int) -> None:
    number = os.read(pipe, 1)[0]
    os.close(pipe)
    if number:
        _end(program, number)


@contextlib.contextmanager
def ended_by_signals(program: str) -> Iterator[None]:
    """End the process at once on a signal, even while a library waits for input.

    Python runs signal handlers only between its own instructions. Its handler in C
    writes to a pipe at once, and a thread waits for that.
    """
    read, write = os.pipe()
    os.set_blocking(write, False)
    # An ignored signal stays ignored, as nohup or a shell's background wants it.
    taken = [n for n in _SIGNALS if signal.getsignal(n) not in (signal.SIG_IGN, None)]
    before: dict[int, Any] = {}
    woken = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    try:
        for number in taken:
            before[number] = signal.signal(number, lambda number, frame: None)
            # The signal must not interrupt a system call, which would fail by EINTR.
            signal.siginterrupt(number, False)
        # threading's start() would wait forever for a thread that has no memory to run.
        _thread.start_new_thread(_wait, (program, read))
        yield
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
        signal.set_wakeup_fd(woken)
        os.write(write, b"\0")
        os.close(write)


def printable(text: str) -> str:
    """Replace by ? the control characters, except tabs and newlines, and the bytes of
    names that are not UTF-8. A terminal would obey control characters."""
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", "?", text)


def open_standard_streams() -> None:
    """Open /dev/null in place of each standard stream that is closed.

    Otherwise a file that is opened later gets the stream's number. The substitute is
    opened for the wrong access, so using it fails like using a closed stream.
    """
    unused = {"stdin": os.O_WRONLY, "stdout": os.O_RDONLY, "stderr": os.O_RDONLY}
    for number, (name, access) in enumerate(unused.items()):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, access)  # the lowest number that is free
            mode = "r" if number == 0 else "w"
            setattr(sys, name, open(opened, mode, closefd=False))
