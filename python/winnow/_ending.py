# SPDX-License-Identifier: Apache-2.0
"""How a program ends: by a signal, which leaves no file; with streams that are closed."""

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
    """Those that have no name yet. With the lock they are made and renamed."""

    lock = threading.Lock()
    paths: set[str] = set()


class output:
    """Once it is whole, what is missing no longer matters."""

    is_whole = False


# What the terminal wants to be given back.
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
    """A signal ends the process at once, also while a library waits for input: Python
    runs handlers between its own instructions alone, and so a thread waits for what
    its handler in C writes."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    # What is ignored stays so: nohup, and a shell's background.
    taken = [n for n in _SIGNALS if signal.getsignal(n) not in (signal.SIG_IGN, None)]
    before: dict[int, Any] = {}
    woken = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    try:
        for number in taken:
            before[number] = signal.signal(number, lambda number, frame: None)
            # No call ends early by it, with an error of its own.
            signal.siginterrupt(number, False)
        # threading's start() would wait for one that has no memory to begin.
        _thread.start_new_thread(_wait, (program, read))
        yield
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
        signal.set_wakeup_fd(woken)
        os.write(write, b"\0")
        os.close(write)


def printable(text: str) -> str:
    """Without the control characters, which a terminal obeys, but ends of lines and
    tabs, and without bytes of names that are not UTF-8."""
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", "?", text)


def open_standard_streams() -> None:
    """No file that is opened later takes the number of a stream that is closed. What
    stands in its place fails as a closed one does."""
    unused = {"stdin": os.O_WRONLY, "stdout": os.O_RDONLY, "stderr": os.O_RDONLY}
    for number, (name, access) in enumerate(unused.items()):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, access)  # the lowest number that is free
            mode = "r" if number == 0 else "w"
            setattr(sys, name, open(opened, mode, closefd=False))
