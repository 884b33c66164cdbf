# SPDX-License-Identifier: Apache-2.0
"""Tests of arrays of PyTorch, CuPy and JAX on a GPU, against NumPy. HACKING.md says how
to run these tests on a machine with a GPU."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import winnow
from arrays import TYPES, needs, np, numbers
from test_filters import CONDITIONS
from winnow import col

here = pathlib.Path(__file__).resolve().parent
torch = cupy = None
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    if importlib.util.find_spec("torch"):
        import torch

        if torch.cuda.is_available():
            import winnow.torch
        else:
            torch = None
    if importlib.util.find_spec("cupy"):
        try:
            import cupy

            cupy.cuda.runtime.getDeviceCount()
        except Exception:  # ImportError, or CuPy's error without a driver
            cupy = None


class Torch:
    name = "torch"

    @staticmethod
    def put(x):
        return torch.from_numpy(np.ascontiguousarray(x)).to("cuda")

    @staticmethod
    def get(x):
        return x.cpu().numpy()

    @staticmethod
    def is_own(x):
        return type(x) is torch.Tensor and x.device.type == "cuda"


class CuPy:
    name = "cupy"

    @staticmethod
    def put(x):
        return cupy.asarray(x)

    @staticmethod
    def get(x):
        return cupy.asnumpy(x)

    @staticmethod
    def is_own(x):
        return type(x) is cupy.ndarray


LIBRARIES = [
    library for library, there in ((Torch, torch), (CuPy, cupy)) if there is not None
]


def each_library(test):
    def run(self):
        for library in LIBRARIES:
            with self.subTest(library=library.name):
                test(self, library)

    return run


def on_a_gpu(test):
    return unittest.skipUnless(LIBRARIES, "no PyTorch or CuPy with a CUDA device")(test)


def with_torch(test):
    return unittest.skipUnless(torch, "no PyTorch with a CUDA device")(test)


@on_a_gpu
@needs("numpy")
class Arrays(unittest.TestCase):
    def same(self, library, made, wanted):
        self.assertTrue(library.is_own(made), type(made))
        made = library.get(made)
        self.assertEqual(made.dtype, wanted.dtype)
        self.assertEqual(made.tobytes(), wanted.tobytes())

    @each_library
    def test_types_and_conditions(self, library):
        for dtype in TYPES:
            for n in (0, 1, 31, 70000, 3000000):
                x = numbers(dtype, n)
                on_gpu = library.put(x)
                for text, oracle in CONDITIONS.items():
                    with self.subTest(dtype=dtype, n=n, text=text):
                        mask = oracle(x)
                        kept = winnow.copy_if(on_gpu, text)
                        self.assertTrue(library.is_own(kept.count))
                        self.same(library, kept.array(), x[mask])
                        self.assertEqual(int(kept.count), mask.sum())
                        self.assertEqual(int(winnow.count_if(on_gpu, text)), mask.sum())
                any_order = winnow.copy_if(on_gpu, "x > 2", order="any").array()
                self.assertEqual(
                    np.sort(library.get(any_order)).tobytes(),
                    np.sort(x[x > 2]).tobytes(),
                )
                self.same(
                    library,
                    winnow.index_if(on_gpu, "x > 2").array(),
                    np.flatnonzero(x > 2),
                )

    @each_library
    def test_layouts(self, library):
        x = numbers("int32", 6000).reshape(60, 100)
        on_gpu = library.put(x)
        for take in (
            lambda x: x[:, 3],
            lambda x: x[::3, 7],
            lambda x: x.reshape(-1)[5:],
            lambda x: x.reshape(-1)[:0],
        ):
            view = np.ascontiguousarray(take(x))
            self.same(
                library, winnow.copy_if(take(on_gpu), "x > 1").array(), view[view > 1]
            )

    @each_library
    def test_results(self, library):
        x = library.put(np.arange(100))
        kept = winnow.copy_if(x, "x >= 10", capacity=7)
        self.assertIn("on the device", repr(kept))
        self.assertTrue(kept.overflow)
        self.assertEqual((len(kept), int(kept.count)), (7, 90))
        out, count = library.put(np.zeros(5, np.int64)), library.put(np.zeros((), np.int64))
        kept = winnow.copy_if(x, "x >= 97", out=out, count=count, fill=-1)
        self.assertIs(kept.buffer, out)
        self.assertEqual(library.get(out).tolist(), [97, 98, 99, -1, -1])
        self.assertEqual(int(count), 3)
        kept = winnow.copy_if(x, "x < 3", out=x)
        self.assertEqual(library.get(kept.array()).tolist(), [0, 1, 2])

    @each_library
    def test_chain(self, library):
        x = numbers("int32", 400000)
        few = winnow.copy_if(library.put(x), "x > 0")
        wanted = x[(x > 0) & (x < 4)]
        for n in (few, few.count):
            fewer = winnow.copy_if(few.buffer, "x < 4", n=n)
            self.same(library, fewer.array(), wanted)
        rows = winnow.filter({"x": few.buffer}, "x < 4", n=few)
        self.same(library, rows["x"], wanted)

    @each_library
    def test_selections(self, library):
        x, y = numbers("int32", 90000), numbers("float32", 90000, 2)
        p = winnow.select(library.put(x), "x > 1")
        q = winnow.select({"y": library.put(y), "x": library.put(x)}, "y < 0.5 || x == 4")
        a, b = x > 1, (y < 0.5) | (x == 4)
        rows = np.arange(3 * len(x), dtype=np.int16).reshape(-1, 3)
        for selection, mask in ((p & q, a & b), (p | q, a | b), (p - q, a & ~b), (~p, ~a)):
            self.assertEqual(int(selection.count), mask.sum())
            self.same(library, selection.mask(), mask)
            self.same(library, selection.indices().array(), np.flatnonzero(mask))
            packed = selection.compact(library.put(rows))
            self.same(library, packed.array(), rows[mask])
            back = selection.expand(packed, fill=-7)
            self.same(library, back, np.where(mask[:, None], rows, np.int16(-7)))
        self.same(library, winnow.copy_flagged(library.put(rows), library.put(a)).array(), rows[a])

    @each_library
    def test_fill_holes(self, library):
        x = np.arange(50000, dtype=np.int32)
        mask = x % 50 != 0
        on_gpu, came = library.put(x), winnow.copy_if(library.put(x), "x >= 49990")
        left = winnow.select(mask=library.put(mask)).fill_holes(on_gpu, came)
        self.assertIs(left.buffer, on_gpu)
        self.assertEqual(int(left.count), mask.sum() + 10)
        there = library.get(left.array())
        wanted = np.concatenate([x[mask], x[49990:]])
        self.assertEqual(np.sort(there).tolist(), np.sort(wanted).tolist())
        stays = mask[: len(there)]
        self.assertEqual(there[stays].tolist(), x[: len(there)][stays].tolist())

    @each_library
    def test_tables(self, library):
        table = {
            "price": np.random.default_rng(5).random(200000, np.float32) * 100,
            "id": np.random.default_rng(3).integers(-6, 6, 200000),
            "flag": numbers("uint8", 200000, 4) > 2,
        }
        on_gpu = {name: library.put(column) for name, column in table.items()}
        price, ids, flag = table.values()
        for condition, mask in (
            ("price < 24 && id in (1, 2, -3)", (price < 24) & np.isin(ids, (1, 2, -3))),
            (col("id").isin(np.arange(-5, 4)) & col("flag"), np.isin(ids, np.arange(-5, 4)) & flag),
            (col("price") * 2 < col("id") + 20, price * np.float64(2) < ids + np.float64(20)),
        ):
            rows = winnow.filter(on_gpu, condition)
            self.assertEqual(int(rows.count), mask.sum())
            for name, column in table.items():
                self.same(library, rows[name], column[mask])

    @each_library
    def test_cuda_condition(self, library):
        x, y = numbers("int32", 70000), numbers("float32", 70000, 2)
        made = winnow.cuda_condition("return x > t && y < x * 0.5f;", ["x", "y"], t=1)
        rows = winnow.filter({"x": library.put(x), "y": library.put(y)}, made & "x != 4")
        mask = (x > 1) & (y < x.astype(np.float32) * np.float32(0.5)) & (x != 4)
        self.same(library, rows["x"], x[mask])
        self.same(library, rows["y"], y[mask])

    @each_library
    def test_keys_and_sums(self, library):
        random = np.random.default_rng(3)
        keys = random.integers(0, 1000, 80000).astype("uint32")
        values = random.integers(0, 9, 80000).astype(np.float64)
        parts = winnow.partition_by_key(library.put(keys), library.put(values), bits=6)
        order = np.argsort(keys & 63, kind="stable")
        self.same(library, parts.keys, keys[order])
        self.same(library, parts.columns[0], values[order])
        self.assertEqual(
            library.get(parts.offsets).tolist(),
            [0, *np.cumsum(np.bincount(keys & 63, minlength=64))],
        )
        signed = keys.astype("int32") - 1
        blocks = winnow.partition_by_key(
            library.put(signed), library.put(values), parts=999, align=8, fill=-2
        )
        end = int(library.get(blocks.offsets)[-1])
        counts = np.bincount(signed[signed >= 0])
        self.assertEqual(library.get(blocks.counts).tolist(), counts.tolist())
        self.assertEqual(end, ((counts + 7) // 8 * 8).sum())
        there = library.get(blocks.keys)[:end] != -2
        order = np.argsort(signed, kind="stable")[(signed < 0).sum() :]
        packed = library.get(blocks.columns[0])[:end][there]
        self.assertEqual(packed.tolist(), values[order].tolist())
        sums = winnow.accumulate_by_key(library.put(keys), library.put(values), 1000)
        self.same(library, sums, np.bincount(keys, values, 1000))
        x = numbers("int32", 90000)
        made = winnow.reduce_if(library.put(x), "x > 1")
        self.assertEqual((made.count, made.max), ((x > 1).sum(), x.max()))
        self.assertEqual(made.sum, x[x > 1].sum(dtype=np.int64))
        self.same(library, winnow.unique(library.put(np.sort(x))).array(), np.unique(x))
        made = winnow.aggregate(
            {"k": library.put(keys), "v": library.put(values)},
            (col("v") > 3) & (col("k") % 7 == 2),
            {"total": (col("v") * col("k"), "sum", "min"), "rows": "count"},
        )
        mask = (values > 3) & (keys % 7 == 2)
        self.assertEqual(made["rows"].count, mask.sum())
        self.assertEqual(made["total"].sum, (values * keys)[mask].sum())
        self.assertEqual(made["total"].min, (values * keys)[mask].min())

    @each_library
    def test_mistakes(self, library):
        x = library.put(np.arange(10))
        with self.assertRaisesRegex(ValueError, "out is on the CPU, and x is on GPU 0"):
            winnow.copy_if(x, "x > 2", out=np.zeros(10, np.int64))
        with self.assertRaisesRegex(ValueError, "n is on the CPU"):
            winnow.copy_if(x, "x > 2", n=np.array(3))
        with self.assertRaises(winnow.ConditionError):
            winnow.copy_if(x, "x >")
        self.assertEqual(len(winnow.copy_if(x, "x > 2")), 7)

    @unittest.skipUnless(len(LIBRARIES) == 2, "PyTorch or CuPy is not there")
    def test_libraries_mix(self):
        x = np.arange(1000, dtype=np.int32)
        out = cupy.zeros(1000, np.int32)
        kept = winnow.copy_if(Torch.put(x), "x > 990", out=out)
        self.assertIs(kept.buffer, out)
        self.assertEqual(CuPy.get(kept.array()).tolist(), list(range(991, 1000)))


@with_torch
class Streams(unittest.TestCase):
    """Tests of work that a GPU does while the host continues."""

    def setUp(self):
        self.x = torch.arange(1 << 20, dtype=torch.int32, device="cuda")
        self.calls = {
            "copy_if": lambda x: winnow.copy_if(x, "x > 9"),
            "copy_flagged": lambda x: winnow.copy_flagged(x, self.mask),
            "filter": lambda x: winnow.filter({"x": x, "y": x}, "x > 9 && y < 99"),
            "select": lambda x: winnow.select(x, "x > 9").compact(x),
            "unique": winnow.unique,
        }
        self.mask = self.x % 2 == 0
        for call in self.calls.values():
            call(self.x)
        torch.cuda.synchronize()

    def test_nothing_waits(self):
        for name, call in self.calls.items():
            torch.cuda._sleep(1 << 30)  # cycles: half a second
            slept = torch.cuda.Event()
            slept.record()
            kept = call(self.x)
            self.assertFalse(slept.query(), name)
            del kept
            torch.cuda.synchronize()

    def test_side_stream(self):
        stream = torch.cuda.Stream()
        for name, call in self.calls.items():
            x = self.x.clone()
            torch.cuda.synchronize()
            wanted = call(x + 5)
            with torch.cuda.stream(stream):
                torch.cuda._sleep(1 << 26)
                x += 5
                kept = call(x)
            stream.synchronize()
            if name == "filter":
                kept, wanted = kept.arrays(), wanted.arrays()
                self.assertTrue(torch.equal(kept["y"], wanted["y"]), name)
            else:
                self.assertTrue(torch.equal(kept.array(), wanted.array()), name)

    def test_graph(self):
        for name, call in self.calls.items():
            x = self.x.clone()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                kept = call(x)
            for shift in (0, 3, 1 << 19):
                x.copy_(self.x - shift)
                graph.replay()
                torch.cuda.synchronize()
                wanted = call(x)
                for made, right in (
                    [(kept[c], wanted[c]) for c in "xy"]
                    if name == "filter"
                    else [(kept.array(), wanted.array())]
                ):
                    self.assertTrue(torch.equal(made, right), (name, shift))

    def test_interface(self):
        """Arrays that have only the CUDA array interface, like Numba's."""

        class Array:
            def __init__(self, x):
                self.x = x
                self.__cuda_array_interface__ = x.__cuda_array_interface__

        x, out = self.x[:100], torch.zeros(100, dtype=torch.int32, device="cuda")
        count = torch.zeros((), dtype=torch.int64, device="cuda")
        torch.cuda.synchronize()
        winnow.copy_if(Array(x), "x > 95", out=Array(out), count=Array(count))
        torch.cuda.synchronize()
        self.assertEqual(int(count), 4)
        self.assertEqual(out[:4].tolist(), [96, 97, 98, 99])

    @unittest.skipUnless(torch and torch.cuda.device_count() > 1, "one GPU")
    def test_two_devices(self):
        for device in (1, 0, 1):
            x = torch.arange(70000, device=f"cuda:{device}")
            kept = winnow.copy_if(x, "x > 69990")
            self.assertEqual(kept.buffer.device.index, device)
            self.assertEqual(kept.array().tolist(), list(range(69991, 70000)))
            rows = winnow.filter({"x": x, "y": x * 2}, "x > 5 && y < 20")
            self.assertEqual(rows["y"].tolist(), [12, 14, 16, 18])
        with self.assertRaisesRegex(ValueError, "out is on GPU 0, and x is on GPU 1"):
            winnow.copy_if(x, "x > 2", out=torch.zeros_like(x, device="cuda:0"))


@with_torch
class Programs(unittest.TestCase):
    """Run the tests of arrays on the CPU in a process whose arrays are on the GPU."""

    def passes(self, name, **environment):
        done = subprocess.run(
            [sys.executable, "-m", "unittest", name],
            cwd=here,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Ran 0 tests", done.stderr)

    def test_torch(self):
        self.passes("test_torch", WINNOW_TEST_DEVICE="cuda")

    @needs("jax")
    @needs("winnow._ffi")
    def test_jax(self):
        self.passes(
            "test_jax.Compiled",
            JAX_PLATFORMS="cuda",
            XLA_PYTHON_CLIENT_PREALLOCATE="false",
        )

    def test_compiled_by_inductor(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")

            @torch.compile(fullgraph=True)
            def positive(x):
                kept = winnow.torch.copy_if(x, x > 0, capacity=1000)
                return kept.buffer.sqrt(), kept.count

            x = torch.randn(1500, device="cuda", requires_grad=True)
            roots, count = positive(x)
            roots[: int(count)].sum().backward()
        mask = x.detach() > 0
        self.assertEqual(int(count), int(mask.sum()))
        self.assertTrue(torch.allclose(roots[: int(count)], x[mask].sqrt()))
        wanted = torch.where(mask, 0.5 / x.detach().abs().sqrt(), 0)
        self.assertTrue(torch.allclose(x.grad, wanted))

    def test_cache(self):
        """A compiled condition is stored on disk, and another process loads it."""
        program = (
            "import sys, torch, winnow\n"
            "winnow.cache(sys.argv[1])\n"
            "winnow.set_compile(sys.argv[2])\n"
            "x = torch.arange(1000., device='cuda')\n"
            "kept = winnow.filter({'x': x, 'y': x}, 'x * y < 100')\n"
            "assert kept['x'].tolist() == [float(i) for i in range(10)]\n"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with tempfile.TemporaryDirectory() as folder:
            for when, kept in (("ready", False), ("before", True), ("ready", True)):
                nvrtc = {} if when == "before" else {"WINNOW_NVRTC": "off"}
                subprocess.run(
                    [sys.executable, "-c", program, folder, when],
                    env={**environment, **nvrtc},
                    check=True,
                )
                files = list(pathlib.Path(folder).rglob("*"))
                self.assertEqual(bool(files), kept)


if __name__ == "__main__":
    unittest.main()
