# SPDX-License-Identifier: Apache-2.0
"""Tests of every function with every layout, on the host. README says which layouts are
copied and which are refused."""

import array
import importlib.util
import os
import pathlib
import re
import unittest
import warnings

import winnow
from arrays import lent, needs, np

if np is not None:
    import layouts

torch = None
if importlib.util.find_spec("torch"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import torch
        except ImportError:
            pass


jax = None
if importlib.util.find_spec("jax"):
    import jax

# Other libraries of README's table: a function that converts a NumPy array, and the
# layouts that the library does not have. JAX arrays are always contiguous.
LIBRARIES = {
    "memoryview": (memoryview, ()),
    "array": (
        lambda x: array.array(x.dtype.char, x.tobytes()) if x.dtype != bool else x,
        ("gaps", "a negative stride", "a stride of 0", "no alignment", "read-only"),
    ),
    "DLPack alone": (lent, ()),
}
if torch:

    def tensor(x):
        with warnings.catch_warnings(action="ignore"):  # it may be read-only
            return torch.from_numpy(x)

    LIBRARIES["PyTorch"] = tensor, ("a negative stride",)
if jax:
    LIBRARIES["JAX"] = jax.numpy.asarray, ()


def table():
    """Read README's table: what a call does with an input and an output of a layout."""
    path = pathlib.Path(os.environ["WINNOW_INCLUDE"]).parent / "README.md"
    text = path.read_text().split("| layout | input | output |\n|---|---|---|\n")[1]
    rows = text.split("\n\n")[0].splitlines()
    return dict(
        (name, (given, out))
        for name, given, out in (re.findall(r"\| ([^|]*?) (?=\|)", row) for row in rows)
    )


def base(dtype="int32", items=200):
    random = np.random.default_rng(7)
    return random.integers(0, 100, items).astype(dtype)


@needs("numpy")
class Layouts(unittest.TestCase):
    def check(self, function, x, put=None, put_more=None):
        """Check that a function gives the same as NumPy for x in another library."""
        put, put_more = put or np.asarray, put_more or np.asarray
        call, oracle = layouts.FUNCTIONS[function]
        more = ()
        if function in layouts.MASKS:
            more = (x > 20,)
        if function in layouts.ROOMS:
            more = (base(x.dtype, len(x))[::-1],)
        wanted = oracle(x, *more)
        made = np.asarray(call(put(x), *(put_more(each.copy()) for each in more)))
        self.assertEqual(made.tolist(), np.asarray(wanted).tolist())

    def test_inputs(self):
        for layout, take in layouts.TAKE.items():
            for function in layouts.FUNCTIONS:
                for items in (200, 4, 2, 0):
                    if layout == "a stride of 0" and items == 0:
                        continue
                    with self.subTest(layout=layout, function=function, items=items):
                        self.check(function, take(base(items=items)))

    def test_types(self):
        for dtype in "int8 uint8 int16 uint16 uint32 int64 uint64".split():
            for function in layouts.FUNCTIONS.keys() - layouts.KEYS:
                for layout in ("gaps", "a stride of 0", "no alignment"):
                    with self.subTest(layout=layout, function=function, dtype=dtype):
                        self.check(function, layouts.TAKE[layout](base(dtype)))

    @unittest.skipUnless("WINNOW_INCLUDE" in os.environ, "no sources are here")
    def test_table(self):
        """README lists all layouts, and says in the same words which are refused."""
        said = table()
        self.assertEqual(said.keys(), {*layouts.TAKE, "a conjugate or negative view"})
        for layout, take in layouts.TAKE.items():
            self.assertEqual(said[layout][0] == "copied", layout not in
                             ("contiguous", "read-only"))
            for name, call in layouts.OUTPUTS.items():
                out = take(np.full(200, 77, "int64"))
                before = out.copy()
                x = base("int64", 100)
                with self.subTest(layout=layout, name=name):
                    if said[layout][1] == "taken":
                        call(x, out)
                        continue
                    with self.assertRaisesRegex(ValueError, layout):
                        call(x, out)
                    self.assertEqual(out.tolist(), before.tolist())

    def test_shapes(self):
        """In an array of several dimensions an item is a row, or the call refuses
        it."""
        rows = {"compact", "expand", "copy_flagged", "unique", "fill_holes"}
        ways = {"NumPy": (np.asarray, ()), **LIBRARIES}
        for library in ways.keys() - {"array"}:
            put = ways[library][0]
            for shape in ((6, 2), (6, 1), (3, 2, 2), ()):
                x = np.arange(3, 3 + np.prod(shape, dtype="i4"), dtype="i4").reshape(shape)
                for function, (call, _) in layouts.FUNCTIONS.items():
                    more = ()
                    if function in layouts.MASKS:
                        more = (np.asarray(x > 20),)
                    elif function in layouts.ROOMS:
                        more = (x.copy(),)
                    elif function in rows:
                        continue
                    with self.subTest(library, shape=shape, function=function):
                        with self.assertRaisesRegex(
                            (ValueError, TypeError), "dimension|items|tests one"
                        ):
                            call(put(x), *map(put, more))

    def test_rows(self):
        x = base("int16", 60).reshape(10, 3, 2)
        mask = x[:, 0, 0] > 40
        kept = winnow.select(mask=mask)
        for view in (x, x[::-1], np.broadcast_to(x[:1], x.shape), x[:, ::-1]):
            packed = kept.compact(view)
            self.assertEqual(packed.array().tolist(), view[mask].tolist())
            self.assertEqual(
                winnow.copy_flagged(view, mask).array().tolist(), view[mask].tolist()
            )
            back = kept.expand(packed, fill=-1)
            wanted = np.where(mask[:, None, None], view, -1)
            self.assertEqual(back.tolist(), wanted.tolist())
        with self.assertRaisesRegex(TypeError, "out has items of another type or shape"):
            winnow.copy_flagged(x, mask, out=np.zeros((10, 2, 3), "int16"))

    def test_types_do_not_mix(self):
        """Calls refuse elements of the same size but of another type."""
        x = np.arange(6)
        days = x.astype("M8[D]")
        for given, out in (
            (days, x.astype("M8[s]")),
            (days, x.copy()),
            (x, days.copy()),
            (x.astype("u1"), np.zeros(6, bool)),
            (x.astype("c8"), np.zeros(6, "S8")),
        ):
            before = out.tobytes()
            with self.subTest(given=given.dtype, out=out.dtype):
                with self.assertRaises(TypeError):
                    winnow.copy_flagged(given, x > 2, out=out)
                if given.dtype.kind != "c":
                    with self.assertRaises(TypeError):
                        winnow.copy_if(given, "x is not null", out=out)
                self.assertEqual(out.tobytes(), before)

    def test_lengths(self):
        x = np.arange(6)
        for call in (
            lambda: winnow.copy_flagged(x, (x > 2)[:5]),
            lambda: winnow.copy_flagged(x[:5], x > 2),
            lambda: winnow.unique(x, x[:5]),
            lambda: winnow.partition_by_key(x, x[:5], bits=2),
            lambda: winnow.accumulate_by_key(x, x[:5], 9),
            lambda: winnow.accumulate_by_key(x[:5], x, 9),
            lambda: winnow.filter({"a": x, "b": x[:5]}, "a > 2"),
            lambda: winnow.select({"a": x, "b": x[:5]}, "a > 2"),
        ):
            with self.assertRaisesRegex(ValueError, "items|lengths"):
                call()

    def test_libraries(self):
        for library, (put, lacks) in LIBRARIES.items():
            for layout in layouts.TAKE.keys() - lacks:
                # JAX has 64-bit types only with jax_enable_x64.
                wide = "uint32" if library == "JAX" else "uint64"
                for dtype in "int8", "int32", wide:
                    x = layouts.TAKE[layout](base(dtype))
                    for function in layouts.FUNCTIONS:
                        if dtype == "int8" and function in layouts.KEYS:
                            continue
                        with self.subTest(
                            library, layout=layout, dtype=dtype, function=function
                        ):
                            # Calls write to NumPy arrays here.
                            write = function in layouts.ROOMS
                            self.check(function, x, put, None if write else put)

    @unittest.skipUnless(torch, "torch is not installed")
    def test_tensors(self):
        def take(layout):
            x = torch.from_numpy(base())
            return {
                "gaps": lambda: x[::2],
                "a stride of 0": lambda: x[:1].expand(100),
                "a column": lambda: x.reshape(-1, 2)[:, 1],
                "negative": lambda: torch._neg_view(-x),
            }[layout]()

        for layout in ("gaps", "a stride of 0", "a column", "negative"):
            for function in layouts.FUNCTIONS:
                with self.subTest(layout=layout, function=function):
                    x = take(layout)
                    self.check(
                        function, x.resolve_neg().numpy(), lambda _: x, torch.from_numpy
                    )


@needs("numpy")
class Writes(unittest.TestCase):
    """Tests that calls read all inputs, and check everything, before they write."""

    def test_fill_in_place(self):
        for text in ("x >= 990", "x >= 990 && x < 2000"):
            x = np.arange(1000)
            kept = winnow.copy_if(x, text, out=x, fill=-1)
            self.assertEqual(int(kept.count), 10)
            self.assertEqual(x.tolist(), [*range(990, 1000), *[-1] * 990])
            # Pack into the front alone, and fill the rest of the front.
            x = np.arange(1000)
            kept = winnow.copy_if(x, text, out=x[:100], fill=-1)
            self.assertEqual(int(kept.count), 10)
            wanted = [*range(990, 1000), *[-1] * 90, *range(100, 1000)]
            self.assertEqual(x.tolist(), wanted)
            # A chain of calls in one buffer.
            few = winnow.copy_if(np.arange(1000), "x >= 980")
            again = winnow.copy_if(few, text, out=few.buffer, fill=-1)
            self.assertEqual(again.array().tolist(), [*range(990, 1000)])
            self.assertTrue((few.buffer[10:] == -1).all())

    def test_refused_calls_write_nothing(self):
        x = np.arange(100)
        selection = winnow.select(x, "x > 4")
        other = np.zeros(100, "f4")
        for call in (
            lambda: winnow.copy_if(x, "x > 4", out=x[1:], fill=-1),
            lambda: winnow.copy_if(x, "x > 4", out=x[:-1][1:], fill=-1),
            lambda: winnow.copy_if(x, "x > 4", out=x, order="any", fill=-1),
            lambda: winnow.copy_if(x, "x > 4", out=x, fill="text"),
            lambda: winnow.copy_if(x, "x > 4", out=x, count=other[:1], fill=-1),
            lambda: winnow.copy_if(x, "x >", out=x, fill=-1),
            lambda: winnow.copy_if(x, "x > 4", out=x, n=101, fill=-1),
            lambda: winnow.index_if(x, "x > 4", out=x, fill=-1),
            lambda: selection.expand(x[:10], out=x),
            lambda: selection.expand(x[:10], out=x[:99]),
            lambda: selection.expand(x[:10], out=other),
            lambda: selection.expand(x[:10], fill=[1, 2], out=x.copy()),
            lambda: selection.compact(x, out=x[1:]),
            lambda: winnow.copy_flagged(x, x.view("u1")[:100], out=x),
        ):
            with self.assertRaises((ValueError, TypeError)):
                call()
            self.assertEqual(x.tolist(), list(range(100)))
            self.assertFalse(other.any())

    def test_expand_of_few(self):
        """Kept places for which there is no packed item get the fill, too."""
        x = np.arange(1000)
        selection = winnow.select(x, "x % 3 = 0")
        for many in (0, 1, 100, 333, 334, 400):
            out = np.full(1000, 7)
            made = selection.expand(x[:many] * 2, fill=-5, out=out)
            self.assertIs(made, out)
            wanted = np.full(1000, -5)
            places = np.flatnonzero(x % 3 == 0)[:many]
            wanted[places] = 2 * np.arange(len(places))
            self.assertEqual(out.tolist(), wanted.tolist())

    def test_fill_of_buffers(self):
        """fill= works for every buffer that calls can write to."""
        import array

        for out in (array.array("q", [7] * 6), memoryview(bytearray(48)).cast("q")):
            kept = winnow.copy_if(np.arange(6), "x > 3", out=out, fill=-1)
            self.assertIs(kept.buffer, out)
            self.assertEqual(list(out), [4, 5, -1, -1, -1, -1])


if __name__ == "__main__":
    unittest.main()
