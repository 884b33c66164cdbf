# SPDX-License-Identifier: Apache-2.0
"""The library on the host, by ctypes, for host_peers.py; and how calls are timed."""

import ctypes
import resource
import statistics
import sys
import time

TYPES = {"int8": 1, "int16": 2, "int32": 3, "int64": 4, "uint8": 5, "float32": 11,
         "float64": 12}  # enum winnow_type
WINNOW_HOST, WINNOW_LT = -1, 0
NO_LIMIT = ctypes.c_uint64(2**64 - 1)


class In(ctypes.Structure):
    """winnow_in"""
    _fields_ = [("type", ctypes.c_int), ("element_bytes", ctypes.c_uint32),
                ("d_base", ctypes.c_void_p), ("stride_bytes", ctypes.c_int64),
                ("d_valid", ctypes.c_void_p), ("valid_offset", ctypes.c_uint64),
                ("offset", ctypes.c_uint64), ("d_data", ctypes.c_void_p),
                ("data_size", ctypes.c_uint64), ("dictionary", ctypes.c_void_p),
                ("dictionary_n", ctypes.c_uint64), ("reserved", ctypes.c_uint64 * 2)]


class Move(ctypes.Structure):
    """winnow_move"""
    _fields_ = [("d_in", ctypes.c_void_p), ("d_out", ctypes.c_void_p),
                ("element_bytes", ctypes.c_size_t), ("type", ctypes.c_int),
                ("in_offset", ctypes.c_uint64), ("out_offset", ctypes.c_uint64),
                ("reserved", ctypes.c_uint64 * 2)]


class Field(ctypes.Structure):
    """winnow_field"""
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int),
                ("format", ctypes.c_char_p), ("reserved", ctypes.c_uint64 * 2)]


class Winnow:
    """The library, and a context."""

    def __init__(self, path, threads):
        self.lib = ctypes.CDLL(path)
        self.lib.winnow_last_error.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        self.must(self.lib.winnow_context_create(ctypes.byref(self.context), WINNOW_HOST))
        self.must(self.lib.winnow_context_set_threads(self.context, threads))

    def must(self, status):
        if status != 0:
            sys.exit(f"winnow: {self.lib.winnow_last_error().decode()}")

    def predicate(self, type_name, threshold):
        """And its type, as calls take them."""
        predicate = ctypes.c_void_p()
        self.must(self.lib.winnow_predicate_compare(
            ctypes.byref(predicate), TYPES[type_name], WINNOW_LT,
            ctypes.c_void_p(threshold.ctypes.data)))
        return predicate, TYPES[type_name]

    def copy_if(self, predicate, x, out):
        count = ctypes.c_uint64()
        self.must(self.lib.winnow_copy_if(
            self.context, *predicate, ctypes.c_void_p(x.ctypes.data), ctypes.c_uint64(x.size),
            ctypes.c_void_p(out.ctypes.data), ctypes.c_uint64(x.size), ctypes.byref(count),
            None))
        return count.value

    def count_if(self, predicate, x):
        count = ctypes.c_uint64()
        self.must(self.lib.winnow_count_if(
            self.context, *predicate, ctypes.c_void_p(x.ctypes.data), ctypes.c_uint64(x.size),
            ctypes.byref(count), None))
        return count.value

    def condition_in(self, values):
        """Of column 0."""
        condition = ctypes.c_void_p()
        self.must(self.lib.winnow_condition_in(
            ctypes.byref(condition), None, 0, TYPES[values.dtype.name],
            ctypes.c_void_p(values.ctypes.data), ctypes.c_uint64(values.size)))
        return condition


class Table:
    """Columns: name -> NumPy array, all of one length. Of some the format, or the
    bits of those that are not null."""

    def __init__(self, winnow, np, columns, formats={}, valid={}):
        self.winnow, self.columns = winnow, columns
        self.rows = len(next(iter(columns.values())))
        types = {name: TYPES[x.dtype.name] for name, x in columns.items()}
        self.fields = (Field * len(types))(*[
            Field(name.encode(), value, formats.get(name)) for name, value in types.items()])
        self.ins = (In * len(types))(*[
            In(type=types[name], d_base=x.ctypes.data,
               d_valid=valid[name].ctypes.data if name in valid else None)
            for name, x in columns.items()])
        self.valid = valid
        self.bytes = ctypes.c_size_t()
        winnow.must(winnow.lib.winnow_selection_bytes(
            ctypes.c_uint64(self.rows), ctypes.byref(self.bytes)))
        self.memory = np.zeros(self.bytes.value + 64, np.uint8)
        self.selection = ctypes.c_void_p((self.memory.ctypes.data + 63) // 64 * 64)

    def parse(self, text):
        condition = ctypes.c_void_p()
        self.winnow.must(self.winnow.lib.winnow_condition_parse(
            ctypes.byref(condition), self.fields, len(self.fields), text.encode()))
        return condition

    def select(self, condition):
        self.winnow.must(self.winnow.lib.winnow_select_where(
            self.winnow.context, condition, self.ins, len(self.ins),
            ctypes.c_uint64(self.rows), self.selection, self.bytes, None))

    def copy(self, condition, outputs):
        """Into these addresses; how many rows there are."""
        count = ctypes.c_uint64()
        moves = (Move * len(outputs))(*[
            Move(x.ctypes.data, out, x.itemsize)
            for x, out in zip(self.columns.values(), outputs)])
        self.winnow.must(self.winnow.lib.winnow_copy_where(
            self.winnow.context, condition, self.ins, len(self.ins),
            ctypes.c_uint64(self.rows), moves, len(outputs), NO_LIMIT,
            ctypes.byref(count), None))
        return count.value


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def measure(calls, options, in_a_row=1):
    """name -> (median, least seconds, median of the pages that were mapped). The
    calls take turns, each a few times in a row."""
    clock = time.process_time if options.cpu else time.perf_counter
    times = {name: [] for name in calls}
    for _ in range(options.runs):
        for name, call in calls.items():
            for _ in range(in_a_row):
                before, start = faults(), clock()
                call()
                times[name].append((clock() - start, faults() - before))
    return {name: (statistics.median(t for t, _ in taken), min(t for t, _ in taken),
                   statistics.median(f for _, f in taken))
            for name, taken in times.items()}
