# SPDX-License-Identifier: Apache-2.0
"""Tests of every function with every layout, library and device, on the stand-in for a
GPU. on_stand_in.py runs them."""

import unittest

import layouts
import numpy as np
import stand_in
import stand_in_cupy
import stand_in_numba
import winnow
from stand_in import Array, ByDLPack, ByInterface

# Functions that move a NumPy array to a device, and the layouts that are not copied
# there: winnow cannot copy an array of a library that has only DLPack's exchange API.
COPIED = {"gaps", "a negative stride", "a stride of 0", "no alignment"}
LIBRARIES = {
    "CuPy": (stand_in_cupy.of, set()),
    "Numba": (stand_in_numba.of, set()),
    "the exchange API": (Array, COPIED),
}
STREAMS = {0: 0x100, 1: 0x200}


def base(dtype, items=200):
    return np.random.default_rng(7).integers(0, 100, items).astype(dtype)


def more_of(function, x):
    if function in layouts.MASKS:
        return (x > 20,)
    if function in layouts.ROOMS:
        return (base(x.dtype, len(x))[::-1].copy(),)
    return ()


class Functions(unittest.TestCase):
    def each(self, dtypes, lacks=()):
        for layout, take in layouts.TAKE.items():
            if layout == "read-only" or layout in lacks:
                continue
            for dtype in dtypes:
                for function in layouts.FUNCTIONS:
                    if function in layouts.KEYS and np.dtype(dtype).itemsize < 4:
                        continue
                    if function == "accumulate_by_key" and lacks:
                        continue  # winnow cannot make zeros of this library either
                    yield layout, take(base(dtype)), function

    def test_inputs(self):
        for library, (of, lacks) in LIBRARIES.items():
            for device in (0,) if library == "Numba" else (0, 1):
                for layout, x, function in self.each(("int8", "int32", "uint64"), lacks):
                    call, oracle = layouts.FUNCTIONS[function]
                    more = more_of(function, x)
                    wanted = np.asarray(oracle(x, *(each.copy() for each in more)))
                    with self.subTest(
                        library, device=device, layout=layout, function=function
                    ):
                        stand_in.calls()
                        made = call(of(x, device), *(of(each, device) for each in more))
                        if hasattr(made, "copy_to_host"):
                            made = made.copy_to_host()
                        self.assertEqual(np.asarray(made).tolist(), wanted.tolist())
                        stream = 0 if library == "Numba" else STREAMS[device]
                        came = {called[1:3] for called in stand_in.calls()}
                        self.assertEqual(came, {(device, stream)})

    def test_outputs(self):
        x = np.arange(100)
        for library, (of, _) in LIBRARIES.items():
            for layout in COPIED:
                for name, call in layouts.OUTPUTS.items():
                    out = layouts.TAKE[layout](np.full(200, 7))
                    with self.subTest(library, layout=layout, name=name):
                        with self.assertRaisesRegex(ValueError, f"has {layout}|is {layout}"):
                            call(of(x), of(out))
                        self.assertTrue((out == 7).all())

    def test_no_way_to_make_arrays(self):
        """If winnow cannot make arrays of a library, the error says what to pass."""
        for of in ByDLPack, ByInterface:
            for layout, x, function in self.each(("int32",)):
                if function in layouts.ROOMS:
                    continue
                call, _ = layouts.FUNCTIONS[function]
                with self.subTest(of.__name__, layout=layout, function=function):
                    with self.assertRaisesRegex(
                        (TypeError, ValueError),
                        "pass (a copy|sums=|out= and count=, or an array of PyTorch)",
                    ):
                        call(of(x), *(of(each) for each in more_of(function, x)))


class Elsewhere(unittest.TestCase):
    """An error names the array that is on another device."""

    def test_each_argument(self):
        x = np.arange(100)
        mask, keys = x > 20, x.astype("u4")
        here, count = stand_in_cupy.of(x), np.array(0)
        some = winnow.select(here, "x > 2")
        on_gpu = {
            "out": lambda y: winnow.copy_if(here, "x > 2", out=y(x)),
            "count": lambda y: winnow.copy_if(here, "x > 2", count=y(count)),
            "mask": lambda y: winnow.copy_flagged(here, y(mask)),
            "column 'b'": lambda y: winnow.filter({"a": here, "b": y(x)}, "a > 2"),
            "column 'c'": lambda y: winnow.select({"a": here, "c": y(x)}, "c > 2"),
            "column 'd'": lambda y: winnow.aggregate(
                {"a": here, "d": y(x)}, "a > 2", {"s": ("d", "sum")}
            ),
            "columns\\[0\\]": lambda y: winnow.unique(here, y(x)),
            "columns\\[1\\]": lambda y: winnow.partition_by_key(
                stand_in_cupy.of(keys), here, y(x), bits=2
            ),
            "values": lambda y: winnow.accumulate_by_key(here, y(x), 100),
            "sums": lambda y: winnow.accumulate_by_key(here, here, sums=y(x)),
            "n": lambda y: winnow.copy_if(here, "x > 2", n=y(count)),
            "x": lambda y: some.compact(y(x)),
            "packed": lambda y: some.expand(y(x)),
            "arriving": lambda y: some.fill_holes(here, y(x)),
        }
        for name, call in on_gpu.items():
            for put, place in (
                (lambda y: stand_in_cupy.of(y, 1), "GPU 1"),
                (lambda y: y, "the CPU"),
            ):
                with self.subTest(name, place=place):
                    stand_in.calls()
                    with self.assertRaisesRegex(ValueError, f"^{name} is on {place}"):
                        call(put)
                    self.assertEqual(stand_in.calls(), [])
