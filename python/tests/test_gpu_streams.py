# SPDX-License-Identifier: Apache-2.0
"""Tests of lifetimes, streams, memory and layouts of arrays on a GPU. Kernels sleep
before the calls and memory is reused after them, so that each race would be lost."""

import contextlib
import os
import subprocess
import sys
import unittest

import winnow
from arrays import needs, np, numbers
from test_gpu import LIBRARIES, Torch, cupy, each_library, on_a_gpu, torch, with_torch

if np is not None:
    import layouts

N = 1 << 20


def with_cupy(test):
    return unittest.skipUnless(cupy, "no CuPy with a CUDA device")(test)


def with_both(test):
    return unittest.skipUnless(
        len(LIBRARIES) == 2, "no PyTorch and CuPy with a CUDA device"
    )(test)


def with_two(test):
    return unittest.skipUnless(
        torch and torch.cuda.device_count() > 1, "one GPU"
    )(test)


SLEEP = r"""extern "C" __global__ void nap(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles)
        ;
}"""
CYCLES = 1 << 28  # about an eighth of a second


def nap(stream):
    """Make a CuPy stream sleep."""
    with stream:
        cupy.RawKernel(SLEEP, "nap")((1,), (1,), (np.int64(CYCLES),))


@on_a_gpu
@needs("numpy")
class Layouts(unittest.TestCase):
    def put(self, library, x, layout):
        """Return x on the GPU, in a layout."""
        if layout == "gaps":
            return library.put(np.repeat(x, 2))[::2]
        if layout == "a stride of 0":
            one = library.put(x[:1].copy())
            return one.expand(len(x)) if library is Torch else cupy.broadcast_to(one, x.shape)
        if layout == "a negative stride" and library is not Torch:
            return library.put(x[::-1].copy())[::-1]
        if layout == "no alignment" and library is not Torch:
            memory = cupy.zeros(x.nbytes + 1, "u1")
            memory[1:] = library.put(np.frombuffer(x.tobytes(), "u1"))
            return cupy.ndarray(x.shape, x.dtype, memory.data + 1)
        return library.put(x.copy())

    @each_library
    def test_inputs(self, library):
        for layout in layouts.TAKE:
            for name, (call, oracle) in layouts.FUNCTIONS.items():
                for dtype in "int8 uint8 int16 int32 int64".split():
                    if name in layouts.KEYS and np.dtype(dtype).itemsize < 4:
                        continue
                    random = np.random.default_rng(3)
                    x = random.integers(0, 100, 5000).astype(dtype)
                    if layout == "a stride of 0":
                        x = np.full(5000, 5, dtype)
                    more = ()
                    if name in layouts.MASKS:
                        more = (x > 20,)
                    elif name in layouts.ROOMS:
                        more = (random.integers(0, 100, 5000).astype(dtype),)
                    if name in ("copy_if, any order", "fill_holes"):
                        continue  # these sort by NumPy
                    with self.subTest(layout=layout, name=name, dtype=dtype):
                        made = call(
                            self.put(library, x, layout), *map(library.put, more)
                        )
                        if library.is_own(made):
                            made = library.get(made)
                        self.assertEqual(
                            np.asarray(made).tolist(),
                            np.asarray(oracle(x, *more)).tolist(),
                        )

    @each_library
    def test_shapes(self, library):
        """Calls that need one dimension refuse others, as on the host."""
        for shape in ((6, 2), (3, 2, 2)):
            x = np.arange(np.prod(shape)).reshape(shape) + 3
            for name, (call, _) in layouts.FUNCTIONS.items():
                if name not in ("compact", "expand", "copy_flagged", "unique", "fill_holes"):
                    more = (library.put(x > 20),) if name in layouts.MASKS else ()
                    with self.subTest(shape=shape, name=name):
                        with self.assertRaisesRegex(
                            (ValueError, TypeError), "dimension|items|tests one"
                        ):
                            call(library.put(x), *more)

    @each_library
    def test_outputs(self, library):
        x = np.arange(100)
        for layout in ("gaps", "a stride of 0", "a negative stride", "no alignment"):
            out = self.put(library, np.full(100, 7), layout)
            if library is Torch and layout[0] in "an" and layout[-1] != "0":
                continue
            for name, call in layouts.OUTPUTS.items():
                with self.subTest(layout=layout, name=name):
                    with self.assertRaisesRegex(ValueError, layout):
                        call(library.put(x), out)

    @each_library
    def test_in_place(self, library):
        """The fill is written after the kernels ran. A refused call writes nothing."""
        for text in ("x >= 990", "x >= 990 && x < 2000"):
            x = library.put(np.arange(1000))
            kept = winnow.copy_if(x, text, out=x, fill=-1)
            self.assertEqual(int(kept.count), 10)
            self.assertEqual(
                library.get(x).tolist(), [*range(990, 1000), *[-1] * 990]
            )
        x = library.put(np.arange(1000))
        with self.assertRaises(winnow.ArgumentError):
            winnow.copy_if(x[:999], "x > 4", out=x[1:], fill=-1)
        with self.assertRaises(winnow.ArgumentError):
            winnow.select(x, "x > 4").expand(x[:10], out=x)
        self.assertEqual(library.get(x).tolist(), list(range(1000)))
        back = winnow.select(x, "x > 4").expand(x[:10] + 7, fill=-3)
        self.assertEqual(
            library.get(back).tolist(), [*[-3] * 5, *range(7, 17), *[-3] * 985]
        )

    @each_library
    def test_parameters(self, library):
        """A condition keeps the copy that it points to alive."""
        t = library.put(np.arange(100))
        condition = winnow.cuda_condition("return x == t[1];", "x", t=t[::2])
        x = library.put(np.arange(100))
        self.assertEqual(library.get(winnow.copy_if(x, condition).array()).tolist(), [2])
        others = [library.put(np.full(50, 7)) for _ in range(100)]
        self.assertEqual(library.get(winnow.copy_if(x, condition).array()).tolist(), [2])
        del others

    @with_two
    def test_parameters_of_another_device(self):
        t = torch.arange(100, device="cuda:0")
        condition = winnow.cuda_condition("return x == t[1];", "x", t=t)
        x = torch.arange(100, device="cuda:1")
        for call in (winnow.copy_if, winnow.select, winnow.reduce_if):
            with self.assertRaisesRegex(
                ValueError, "parameter t is on GPU 0, and x is on GPU 1"
            ):
                call(x, condition)
        self.assertEqual(int(winnow.count_if(t, condition)), 1)


@with_cupy
class CuPyStreams(unittest.TestCase):
    def setUp(self):
        self.memory = numbers("int32", N)
        self.x = cupy.asarray(self.memory)
        self.out = cupy.zeros(N, "i4")
        self.count = cupy.zeros((), "i8")
        self.stream = cupy.cuda.Stream(non_blocking=True)
        winnow.copy_if(self.x, "x > 2 && x < 5", out=self.out, count=self.count)
        cupy.cuda.Device().synchronize()

    def right(self, wanted, fill=None):
        self.stream.synchronize()
        self.assertEqual(int(self.count), len(wanted))
        made = cupy.asnumpy(self.out)
        self.assertEqual(made[: len(wanted)].tolist(), wanted.tolist())
        if fill is not None:
            self.assertTrue((made[len(wanted) :] == fill).all())

    def test_temporaries(self):
        """Memory of temporaries is not reused before the stream has read it."""
        x = cupy.asarray(np.repeat(self.memory, 2))
        cupy.cuda.Device().synchronize()
        for text in ("x > 2", "x > 2 && x < 5"):
            mask = self.memory > 2
            if "&&" in text:
                mask &= self.memory < 5
            for call, wanted in (
                (winnow.copy_if, self.memory[mask]),
                (winnow.index_if, np.flatnonzero(mask)),
            ):
                with self.subTest(text=text, call=call.__name__):
                    nap(self.stream)
                    call(x[::2], text, out=self.out, count=self.count, stream=self.stream)
                    others = [cupy.full(N, 7, "i4") for _ in range(8)]
                    others += [cupy.full(N // 8, 0xFF, "u1") for _ in range(8)]
                    self.right(wanted)
                    del others

    def test_fill(self):
        for x, out in ((self.x, self.out), (self.x.copy(), None)):
            self.out = x if out is None else out
            cupy.cuda.Device().synchronize()
            nap(self.stream)
            winnow.copy_if(
                x, "x > 2", out=self.out, count=self.count, fill=-7, stream=self.stream
            )
            self.right(self.memory[self.memory > 2], -7)

    def test_managed(self):
        """Streams are ordered by an event for managed memory as for other memory."""
        with cupy.cuda.using_allocator(
            cupy.cuda.MemoryPool(cupy.cuda.malloc_managed).malloc
        ):
            x = cupy.zeros(N, "i4")
            out, count = cupy.zeros(N, "i4"), cupy.zeros((), "i8")
        cupy.cuda.Device().synchronize()
        other = cupy.cuda.Stream(non_blocking=True)
        nap(other)
        with other:
            x[...] = self.x
            winnow.copy_if(x, "x > 2", out=out, count=count, stream=self.stream)
        self.out, self.count = out, count
        self.right(self.memory[self.memory > 2])

    def test_length_outside(self):
        wanted = self.memory[self.memory > 2]
        for ask, right in (
            (len, len(wanted)),
            (lambda kept: int(cupy.asnumpy(kept.array()).sum()), wanted.sum()),
            (lambda kept: kept.overflow, False),
        ):
            nap(self.stream)
            with self.stream:
                kept = winnow.copy_if(self.x, "x > 2")
            self.assertEqual(ask(kept), right)

    @with_two
    def test_another_device(self):
        """Calls use the current stream of the array's device, not of the current
        device."""
        with cupy.cuda.Device(1):
            x = cupy.asarray(np.repeat(self.memory, 2))
            stream = cupy.cuda.Stream(non_blocking=True)
            cupy.cuda.Device().synchronize()
            stream.use()
        try:
            with self.stream:
                kept = winnow.copy_if(x[::2], "x > 2")
        finally:
            with cupy.cuda.Device(1):
                cupy.cuda.Stream.null.use()
        self.assertEqual(kept.buffer.device.id, 1)
        stream.synchronize()
        wanted = self.memory[self.memory > 2]
        self.assertEqual(cupy.asnumpy(kept.array()).tolist(), wanted.tolist())

    @with_both
    def test_other_library(self):
        """Later work of another array's library waits for the call."""
        x = torch.from_numpy(self.memory).cuda()
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(CYCLES)
            winnow.copy_if(x, "x > 2", out=self.out, count=self.count)
        with self.stream:
            pass
        made = cupy.asnumpy(self.out)
        wanted = self.memory[self.memory > 2]
        self.assertEqual(int(self.count), len(wanted))
        self.assertEqual(made[: len(wanted)].tolist(), wanted.tolist())

    def test_wrong_streams(self):
        for stream in ("12", "", -1, 3.5, object(), True):
            with self.assertRaisesRegex((TypeError, ValueError), "stream is"):
                winnow.copy_if(
                    self.x, "x > 2", out=self.out, count=self.count, stream=stream
                )


@with_torch
class TorchStreams(unittest.TestCase):
    def test_length_outside(self):
        x = torch.arange(N, device="cuda") % 1000
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        rows = N // 1000 * 10 + max(0, N % 1000 - 990)
        for make, ask in (
            (lambda: winnow.copy_if(x, "x >= 990"), len),
            (lambda: winnow.copy_if(x, "x >= 990"), lambda kept: len(kept.array())),
            (lambda: winnow.filter({"a": x, "b": x}, "a >= 990"), len),
            (lambda: winnow.reduce_if(x, "x >= 990"), lambda made: made.count),
        ):
            with torch.cuda.stream(stream):
                torch.cuda._sleep(CYCLES)
                kept = make()
            self.assertEqual(ask(kept), rows)

    def test_parameter_on_another_stream(self):
        t = torch.zeros(4, dtype=torch.int64, device="cuda")
        x = torch.arange(100, device="cuda")
        winnow.copy_if(x, winnow.cuda_condition("return x == t[1];", "x", t=t))
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(CYCLES)
            t += 42
            prepared = winnow.prepare(
                winnow.cuda_condition("return x == t[1];", "x", t=t), "int64"
            )
        self.assertEqual(winnow.copy_if(x, prepared).array().tolist(), [42])


@with_torch
class Processes(unittest.TestCase):
    """Tests of processes that cannot use the GPU."""

    def run_alone(self, program):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_little_memory(self):
        """A workspace can use memory that PyTorch has cached."""
        self.run_alone(
            "import torch, winnow\n"
            "x = torch.arange(1 << 24, device='cuda') % 97\n"
            "wanted = x[x > 40]\n"
            "torch.cuda.empty_cache()\n"
            "free, _ = torch.cuda.mem_get_info()\n"
            "hog = torch.empty(free - (33 << 20), dtype=torch.uint8, device='cuda')\n"
            "del hog\n"
            "kept = winnow.filter({'a': x, 'b': x}, 'a > 40 and b < 200')\n"
            "assert torch.equal(kept['a'], wanted)\n"
            "assert torch.equal(winnow.unique(wanted.sort()[0]).array(),"
            " torch.arange(41, 97, device='cuda'))\n"
        )

    def test_no_memory(self):
        self.run_alone(
            "import torch, winnow\n"
            "x = torch.arange(1000, device='cuda')\n"
            "try:\n"
            "    winnow.copy_if(x, 'x > 4', capacity=1 << 44)\n"
            "except torch.OutOfMemoryError as error:\n"
            "    assert 'out of memory' in str(error)\n"
            "else:\n"
            "    raise SystemExit('no error')\n"
        )

    def test_a_graph_has_its_memory(self):
        """PyTorch allocates the workspace of a captured call: its allocator raises the
        error, and the graph runs even if no other memory is left."""
        self.run_alone(
            "import os, torch, winnow\n"
            "x = torch.arange(1 << 22, device='cuda') % 97\n"
            "wanted = x[x > 40]\n"
            "test = winnow.prepare('x > 40 and x != 3', 'int64', device=0)\n"
            "out, count = torch.zeros_like(x), torch.zeros((), dtype=x.dtype,"
            " device='cuda')\n"
            "graph = torch.cuda.CUDAGraph()\n"
            "with torch.cuda.graph(graph):\n"
            "    winnow.copy_if(x, test, out=out, count=count)\n"
            "torch.cuda.synchronize()\n"
            "free, _ = torch.cuda.mem_get_info()\n"
            "hog = torch.empty(free - (40 << 20), dtype=torch.uint8, device='cuda')\n"
            "graph.replay()\n"
            "assert torch.equal(out[: int(count)], wanted)\n"
            "del graph, hog\n"
            "torch.cuda.set_per_process_memory_fraction(1e-6)\n"
            "torch.cuda.empty_cache()\n"
            "failed = torch.cuda.CUDAGraph()\n"
            "try:\n"
            "    with torch.cuda.graph(failed):\n"
            "        winnow.filter({'a': x, 'b': x}, 'a > 40 and b < 90')\n"
            "except torch.OutOfMemoryError as error:\n"
            "    assert 'memory' in str(error)\n"
            "else:\n"
            "    raise SystemExit('no error')\n"
            # PyTorch aborts when a graph is destroyed whose capture failed.
            "os._exit(0)\n"
        )

    def test_memory_is_the_allocators(self):
        self.run_alone(
            "import torch, winnow\n"
            "x = torch.arange(1000, device='cuda')\n"
            "kept = winnow.copy_if(x, 'x > 4')\n"
            "for made in kept.buffer, kept.count, winnow.select(x, 'x > 4').buffer:\n"
            "    assert made.untyped_storage().resizable()\n"
            "side = torch.cuda.Stream()\n"
            "with torch.cuda.stream(side):\n"
            "    torch.cuda._sleep(1 << 26)\n"
            "    copy = kept.buffer.clone()\n"
            "    kept.buffer.record_stream(side)\n"
            "del kept\n"
            "for _ in range(8):\n"
            "    torch.full((1000,), -1, device='cuda')\n"
            "side.synchronize()\n"
            "assert torch.equal(copy[:995], torch.arange(5, 1000, device='cuda'))\n"
        )

    def fork(self, before):
        self.run_alone(
            "import os, torch, winnow\n"
            "x = torch.arange(1000, device='cuda')\n"
            f"{before}\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    try:\n"
            "        winnow.copy_if(x, 'x > 4')\n"
            "    except Exception as error:\n"
            "        text = str(error)\n"
            "        os._exit(len(text) > 400 or 'fork' not in text)\n"
            "    os._exit(1)\n"
            "assert os.waitpid(child, 0)[1] == 0\n"
        )

    def test_fork(self):
        self.fork("winnow.copy_if(x, 'x > 4')")

    def test_fork_before_the_first_call(self):
        self.fork("")

    def test_sticky_error(self):
        """An error of an earlier kernel is not reported as a missing device."""
        self.run_alone(
            "import torch, winnow\n"
            "x = torch.arange(1000, device='cuda')\n"
            "try:\n"
            "    torch.zeros(4, device='cuda')[x]\n"
            "    torch.cuda.synchronize()\n"
            "except Exception:\n"
            "    pass\n"
            "try:\n"
            "    winnow.count_if(x, 'x > 4', count=x[:1])\n"
            "except winnow.CudaError as error:\n"
            "    assert '\\n' not in str(error)\n"
            "else:\n"
            "    raise SystemExit('no error')\n"
        )


@on_a_gpu
@needs("numba")
class Numba(unittest.TestCase):
    def test_functions(self):
        from numba import cuda

        memory = numbers("int32", 5000)
        x = cuda.to_device(memory)
        views = [(x, memory), (x[10:], memory[10:])]
        # A Numba kernel copies arrays with gaps, if Numba can compile it.
        with contextlib.suppress(Exception):
            cuda.jit(lambda x: None)[1, 1](x)
            views.append((x[::2], memory[::2]))
        for view, right in views:
            kept = winnow.copy_if(view, "x > 2", fill=-1)
            wanted = right[right > 2]
            self.assertEqual((len(kept), kept.overflow), (len(wanted), False))
            self.assertEqual(kept.array().copy_to_host().tolist(), wanted.tolist())
            self.assertEqual(np.asarray(kept).tolist(), wanted.tolist())
            self.assertTrue((kept.buffer.copy_to_host()[len(wanted) :] == -1).all())
        rows = winnow.filter({"a": x, "b": x}, "a > 2")
        self.assertEqual(rows["b"].copy_to_host().tolist(), memory[memory > 2].tolist())
        self.assertEqual(winnow.reduce_if(x, "x > 2").count, (memory > 2).sum())

    def test_every_function(self):
        from numba import cuda

        memory = np.random.default_rng(3).integers(0, 100, 5000).astype("i4")
        for name, (call, oracle) in layouts.FUNCTIONS.items():
            if name in ("copy_if, any order", "fill_holes"):
                continue  # these sort by NumPy
            more = (memory > 20,) if name in layouts.MASKS else ()
            with self.subTest(name):
                made = call(cuda.to_device(memory), *map(cuda.to_device, more))
                if hasattr(made, "copy_to_host"):
                    made = made.copy_to_host()
                wanted = np.asarray(oracle(memory, *more))
                self.assertEqual(np.asarray(made).tolist(), wanted.tolist())


if __name__ == "__main__":
    unittest.main()
