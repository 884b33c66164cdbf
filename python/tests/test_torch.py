# SPDX-License-Identifier: Apache-2.0
"""Tests of PyTorch tensors: eager, compiled, and with a gradient. They are on the CPU
or on the device that WINNOW_TEST_DEVICE names."""

import array
import importlib.util
import os
import unittest
import weakref
import warnings

import winnow
from arrays import needs, np
from winnow import col

if importlib.util.find_spec("torch"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        import winnow.torch

DEVICE = os.environ.get("WINNOW_TEST_DEVICE", "cpu")


def setUpModule():
    if DEVICE != "cpu":
        torch.set_default_device(DEVICE)


@needs("torch")
class Eager(unittest.TestCase):
    def test_fill_that_the_type_lacks(self):
        with self.assertRaisesRegex(ValueError, "cannot represent"):
            winnow.copy_if(torch.tensor([0, 1]), "x > 0", fill=0.5)
        with self.assertRaisesRegex(ValueError, "300, which torch.int8 cannot represent"):
            winnow.copy_if(torch.tensor([0, 1], dtype=torch.int8), "x > 0", fill=300)
        some = winnow.select(torch.tensor([0, 1]), "x > 0")
        for dtype, fill in (("e4m3fn", 1e6), ("e4m3fn", float("inf")), ("e5m2", -1e6)):
            packed = torch.ones(1).to(getattr(torch, f"float8_{dtype}"))
            with self.assertRaisesRegex(ValueError, "cannot represent"):
                some.expand(packed, fill=fill)
            self.assertEqual(some.expand(packed, fill=449)[0].item(), 448)
        # A gradient has the operators, which write 0, and not -0.0.
        kept = winnow.copy_if(torch.tensor([0.0, 1]), "x > 0", fill=-0.0)
        self.assertTrue(torch.signbit(kept.buffer[1]))
        for fill in (-0.0, torch.tensor(-0.0, device="cpu"), complex(-0.0, 0), 1):
            with self.assertRaisesRegex(ValueError, "takes no fill="):
                winnow.copy_if(torch.ones(2, requires_grad=True), "x > 1", fill=fill)

    def test_types(self):
        for dtype in (
            "int8 int16 int32 int64 uint8 float16 bfloat16 float32 float64".split()
        ):
            x = torch.arange(0, 100).to(getattr(torch, dtype))
            kept = winnow.copy_if(x, "x > 60")
            self.assertIs(type(kept.buffer), torch.Tensor)
            self.assertEqual(kept.buffer.dtype, x.dtype)
            self.assertTrue(torch.equal(kept.array(), x[x > 60]))
            self.assertEqual(kept.count.dtype, torch.int64)
            self.assertEqual(kept.count.shape, ())
            self.assertTrue(
                torch.equal(
                    winnow.index_if(x, "x > 60").array(), (x > 60).nonzero()[:, 0]
                )
            )

    def test_layouts(self):
        x = torch.arange(24, dtype=torch.float32)
        for view in (x[::3], x.reshape(4, 6)[:, 2], x[4:], x[:0], x[5:6].expand(4)):
            kept = winnow.copy_if(view, "x > 9").array()
            self.assertTrue(torch.equal(kept, view[view > 9]))
        with self.assertRaisesRegex(ValueError, "gaps"):
            winnow.copy_if(x, "x > 9", out=torch.zeros(48)[::2])

    def test_without_memory(self):
        """The error names the kind of tensor that winnow does not take."""
        x = torch.arange(4.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tensors = {
                "a sparse tensor": x.to_sparse(),
                "a sparse .*values": torch.eye(3).to_sparse_csr(),
                "the device meta": torch.zeros(3, device="meta"),
            }
            if DEVICE == "cpu":
                tensors["quantized"] = torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)
                tensors["a nested"] = torch.nested.nested_tensor([x])
        for words, tensor in tensors.items():
            for name, call in {
                "x": lambda: winnow.copy_if(tensor, "x > 1"),
                "column 'a'": lambda: winnow.filter({"a": tensor}, "a > 1"),
            }.items():
                with self.subTest(words), self.assertRaisesRegex(
                    TypeError, f"^{name} is .*{words}"
                ):
                    call()

    def test_memory_is_the_allocators(self):
        """Outputs support record_stream(), and can be resized."""
        x = torch.arange(100)
        kept = winnow.copy_if(x, "x > 60")
        selection = winnow.select(x, "x > 60")
        for made in (
            kept.buffer,
            kept.count,
            winnow.index_if(x, "x > 60").buffer,
            winnow.filter({"x": x.reshape(50, 2), "y": x[:50]}, "y > 6").buffers["x"],
            winnow.accumulate_by_key(x, x, 9),
            selection.mask(),
            selection.buffer,
            *winnow.partition_by_key(x, bits=1)[::2],
        ):
            self.assertTrue(made.is_contiguous())
            self.assertTrue(made.untyped_storage().resizable())
            made.resize_(1000).zero_()

    def test_chain(self):
        x = torch.arange(100)
        few = winnow.copy_if(x, "x > 60")
        fewer = winnow.copy_if(few.buffer, "x < 70", n=few)
        self.assertTrue(torch.equal(fewer.array(), torch.arange(61, 70)))
        again = winnow.copy_if(few.buffer, "x < 70", n=few.count)
        self.assertEqual(len(again), 9)

    def test_others(self):
        x = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])
        mask = x > 2
        selection = winnow.select(x, "x > 2")
        self.assertTrue(torch.equal(selection.mask(), mask))
        self.assertTrue(torch.equal(selection.compact(x).array(), x[mask]))
        self.assertTrue(
            torch.equal(selection.expand(selection.compact(x)), x * mask)
        )
        with self.assertRaisesRegex(winnow.ConditionError, "The columns are price, x"):
            winnow.filter({"price": x, "x": x}, "prise > 5")
        rows = winnow.filter({"x": x, "y": x * 0.5}, "x > 2 && y < 3")
        self.assertTrue(torch.equal(rows["y"], (x * 0.5)[mask & (x * 0.5 < 3)]))
        self.assertEqual(winnow.reduce_if(x, "x > 2").sum, int(x[mask].sum()))
        pairs = torch.stack([x, -x], 1)
        self.assertTrue(
            torch.equal(winnow.copy_flagged(pairs, mask).array(), pairs[mask])
        )

    def test_default_device(self):
        """Outputs are on the input's device if PyTorch's default device is another
        one."""
        x = torch.tensor([3, 1, 4], device="cpu")
        wanted = torch.tensor([3, 7, 4], device="cpu")
        with torch.device("meta"):
            selection = winnow.select(x, "x > 2")
            packed = selection.compact(x)
            self.assertEqual(len(packed), 2)
            back = selection.expand(packed, fill=7)
            sums = [winnow.reduce_if(x, "x > 2").sum, int(winnow.count_if(x, "x > 2"))]
            few = winnow.copy_if(x, "x > 2", n=2, fill=0)
        self.assertTrue(torch.equal(back, wanted))
        self.assertEqual(sums, [7, 2])
        self.assertEqual(few.buffer.tolist()[:2], [3, 0])

    def test_lazy_views(self):
        """The memory of conjugate and negative views has other values."""
        x = torch.arange(-4, 5)
        negative = torch._neg_view(x)
        self.assertEqual(winnow.copy_if(negative, "x < -1").array().tolist(), [-2, -3, -4])
        self.assertEqual(winnow.reduce_if(negative, "x < -1").sum, -9)
        rows = winnow.filter({"x": negative, "y": x}, "x < -1")
        self.assertEqual(rows["x"].tolist(), [-2, -3, -4])
        self.assertEqual(rows["y"].tolist(), [2, 3, 4])
        mask = torch.tensor([True, False, True])
        z = torch.tensor([1 + 2j, 3 - 4j, 5 + 6j])
        for view in (z.conj(), torch._neg_view(z), torch._neg_view(z.conj())):
            kept = winnow.copy_flagged(view, mask).array()
            self.assertTrue(torch.equal(kept, view.resolve_neg()[mask]))
        self.assertEqual(winnow.copy_if(z[:1].conj().imag, "x < 0").array().tolist(), [-2])
        with self.assertRaisesRegex(ValueError, "negative view"):
            winnow.copy_if(x, "x > 0", out=negative)
        with self.assertRaisesRegex(ValueError, "conjugate"):
            winnow.copy_flagged(z, mask, out=z.conj())
        z.requires_grad_()
        kept = winnow.torch.copy_if(z, mask, capacity=3).buffer
        (kept.conj() * (1 + 2j)).sum().abs().backward()
        gradient, z.grad = z.grad, None
        (z[mask].conj() * (1 + 2j)).sum().abs().backward()
        self.assertTrue(torch.allclose(gradient, z.grad))

    def test_versions(self):
        """Autograd detects writes, and refuses a backward pass whose values were
        lost."""
        x, y = torch.arange(4.0), torch.arange(8.0)
        stay = winnow.select(x, "x >= 0")
        keys = torch.arange(4)
        count = torch.zeros((), dtype=torch.int64)
        for name, write in {
            "copy_if": lambda out: winnow.copy_if(x, "x >= 0", out=out),
            "copy_if, count": lambda out: winnow.copy_if(
                x, "x >= 0", out=out, count=count
            ),
            "compact": lambda out: stay.compact(x, out=out),
            "expand": lambda out: stay.expand(x, out=out),
            "copy_flagged": lambda out: winnow.copy_flagged(x, x >= 0, out=out),
            "fill_holes": lambda out: stay.fill_holes(out, x),
            "accumulate_by_key": lambda out: winnow.accumulate_by_key(keys, x, sums=out),
        }.items():
            with self.subTest(name):
                weights, buffer = torch.ones(4, requires_grad=True), torch.ones(4)
                loss = (weights * buffer).sum()
                before = count._version
                write(buffer)
                self.assertEqual(buffer._version, 1)
                self.assertEqual(count._version - before, "count" in name)
                with self.assertRaisesRegex(RuntimeError, "modified by an inplace"):
                    loss.backward()
                # Reading a tensor is no change, and neither is a refused call.
                self.assertEqual((x._version, y._version), (0, 0))
        with self.assertRaises(winnow.ArgumentError):
            winnow.copy_if(y[:4], "x > 0", out=y[1:5])
        self.assertEqual(y._version, 0)
        with torch.inference_mode():
            out = torch.zeros(4)
            self.assertEqual(len(winnow.copy_if(x, "x > 0", out=out)), 3)

    def test_outputs_that_require_a_gradient(self):
        x = torch.arange(4.0)
        keys = torch.arange(4)
        stay = winnow.select(x, "x >= 0")
        for write in (
            lambda out: winnow.copy_if(x, "x >= 0", out=out),
            lambda out: stay.compact(x, out=out),
            lambda out: stay.expand(x, out=out),
            lambda out: winnow.copy_flagged(x, x >= 0, out=out),
            lambda out: stay.fill_holes(out),
            lambda out: winnow.accumulate_by_key(keys, x, sums=out),
        ):
            out = torch.zeros(4, requires_grad=True)
            with self.assertRaisesRegex(ValueError, "requires a gradient"):
                write(out)
            with torch.no_grad():
                write(out)
            self.assertEqual(out._version, 1)

    @unittest.skipIf(DEVICE != "cpu", "of the CPU's memory")
    def test_no_memory(self):
        """PyTorch's own exception is raised, with its message in one line."""
        with self.assertRaisesRegex(RuntimeError, r"\A[^\n]*memory[^\n]*\Z"):
            winnow.copy_if(torch.arange(4), "x > 1", capacity=1 << 58)
        error = winnow._library.out_of_memory(
            torch.arange(4), winnow.OutOfMemoryError("no workspace")
        )
        self.assertIsInstance(error, torch.OutOfMemoryError)
        self.assertIsInstance(error, winnow.OutOfMemoryError)
        self.assertIn("empty_cache", str(error))

    def test_deterministic(self):
        x = torch.arange(100000) % 7
        torch.use_deterministic_algorithms(True)
        try:
            kept = winnow.copy_if(x, "x > 2", order="any").array()
            indices = winnow.index_if(x, "x > 2", order="any").array()
        finally:
            torch.use_deterministic_algorithms(False)
        self.assertTrue(torch.equal(kept, x[x > 2]))
        self.assertTrue(torch.equal(indices, (x > 2).nonzero()[:, 0]))

    def test_parameter(self):
        x = torch.nn.Parameter(torch.arange(4.0), requires_grad=False)
        self.assertEqual(winnow.copy_if(x, "x > 1").array().tolist(), [2, 3])

    @unittest.skipIf(DEVICE != "cpu", "NumPy's arrays are on the CPU")
    def test_mixed(self):
        import numpy as np

        x = torch.arange(4)
        kept = winnow.copy_if(x, "x > 1", out=np.zeros(4, np.int64))
        self.assertIs(type(kept.buffer), np.ndarray)
        self.assertEqual(kept.array().tolist(), [2, 3])


@needs("torch")
class Experts(unittest.TestCase):
    def test_step(self):
        """bench/experts.py moves tokens to their experts and back, packed by winnow or
        by torch.sort and torch.bincount."""
        path = os.path.join(os.path.dirname(__file__), "..", "bench", "experts.py")
        spec = importlib.util.spec_from_file_location("experts", path)
        experts = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(experts)
        for number in (3, 200):
            with torch.device("cpu"):
                step = experts.make(number, 2, 8, 4, DEVICE)
            numbers = torch.arange(step.chosen.numel())
            ours = experts.pack_by_winnow(step, numbers)
            theirs = experts.pack_by_sort(step, numbers)
            self.assertTrue(torch.equal(ours.choices, theirs.choices))
            used = theirs.choices.reshape(-1, experts.ALIGN)[:, 0] >= 0
            self.assertTrue(
                torch.equal(ours.experts[used].long(), theirs.experts[used])
            )
            for packed in (ours, theirs):
                torch.testing.assert_close(
                    experts.run(step, packed),
                    experts.expect(step),
                    rtol=1e-3,
                    atol=1e-4,
                )


@needs("torch")
class Operators(unittest.TestCase):
    def setUp(self):
        # PyTorch's checks and its compiler warn about their own actions.
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")

    def test_gradient(self):
        for capacity in (None, 3, 20):
            x = torch.arange(-5.0, 5.0, requires_grad=True)
            kept = winnow.copy_if(x, "x > 0", capacity=capacity)
            self.assertTrue(kept.buffer.requires_grad)
            weights = torch.arange(1.0, kept.buffer.shape[0] + 1)
            (kept.buffer * weights).sum().backward()
            wanted = torch.zeros(10)
            size = min(4, kept.buffer.shape[0])
            wanted[6 : 6 + size] = weights[:size]
            self.assertTrue(torch.equal(x.grad, wanted), capacity)
            self.assertEqual(int(kept.count), 4)

    def test_gradient_is_not_lost(self):
        x = torch.arange(4.0, requires_grad=True)
        with torch.no_grad():
            self.assertFalse(winnow.copy_if(x, "x > 1").buffer.requires_grad)
        for call in (
            lambda: winnow.filter({"x": x}, "x > 1"),
            lambda: winnow.copy_flagged(x, x > 1),
            lambda: winnow.reduce_if(x),
            lambda: winnow.unique(x),
            lambda: winnow.copy_if(x, "x > 1", out=torch.zeros(4)),
        ):
            with self.assertRaisesRegex(ValueError, "gradient"):
                call()
        self.assertEqual(int(winnow.count_if(x, "x > 1")), 2)
        self.assertEqual(winnow.index_if(x, "x > 1").array().tolist(), [2, 3])

    def test_selections_of_other_items(self):
        """A selection's memory has another size for other items, and is not read."""
        x, operators = torch.arange(50.0), torch.ops.winnow
        selection = operators.select(x, None, "x > 9")
        self.assertEqual(int(operators.compact(x, selection, 50)[1]), 40)
        for call in (
            lambda: operators.compact(torch.arange(5000.0), selection, 10),
            lambda: operators.compact(x, selection[:-1], 10),
            lambda: operators.compact(x, torch.zeros(3, dtype=torch.uint8), 10),
            lambda: operators.expand(x, selection, 5_000_000),
        ):
            with self.assertRaisesRegex(ValueError, "selection has .* bytes"):
                call()

    def test_numerical_gradient(self):
        x = torch.linspace(-2, 3, 11, dtype=torch.float64, requires_grad=True)
        mask = torch.arange(11) % 3 == 0
        self.assertTrue(
            torch.autograd.gradcheck(
                lambda x: winnow.torch.copy_if(x, "x > 0.1").buffer, x
            )
        )
        self.assertTrue(
            torch.autograd.gradcheck(
                lambda x: winnow.torch.copy_if(x, mask, 3).buffer, x
            )
        )

    def test_prepared(self):
        prepared = winnow.prepare("x > 1", "float32")
        for keep in (prepared, winnow.col("x").isin([2.0, 3.0])):
            x = torch.arange(4.0, requires_grad=True)
            winnow.copy_if(x, keep).buffer.sum().backward()
            self.assertEqual(x.grad.tolist(), [0, 0, 1, 1])

    def test_what_is_saved(self):
        """A filter saves only the selection: an eighth of a byte for each item."""
        x = torch.randn(100000, requires_grad=True)
        mask = x.detach() > 0
        for call in (
            lambda y: winnow.torch.copy_if(y, mask),
            lambda y: winnow.copy_if(y, "x > 0"),
        ):
            sizes = []

            def note(saved):
                sizes.append(saved.numel() * saved.element_size())
                return saved

            y = x * 1
            with torch.autograd.graph.saved_tensors_hooks(note, lambda saved: saved):
                kept = call(y)
            self.assertEqual(len(sizes), 1)
            self.assertLess(sizes[0], 100000 // 7)
            # So x itself may be changed before the backward pass.
            with torch.no_grad():
                y.zero_()
            kept.buffer.sum().backward()
            self.assertTrue(torch.equal(x.grad, mask.float()))
            x.grad = None

    def test_hooks_on_saved_tensors(self):
        """A hook may copy booleans, whose other bytes become 1, and round floats."""
        mask = torch.tensor([1, 0, 1, 1, 0, 1], dtype=torch.bool)

        def pack(saved):
            return saved.bfloat16() if saved.is_floating_point() else saved.clone()

        for keep in (mask, "x in (1, 3, 4, 6)"):
            x = torch.arange(1.0, 7).requires_grad_()
            with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved):
                kept = winnow.torch.copy_if(x, keep)
                (gradient,) = torch.autograd.grad(
                    kept.buffer.sum(), x, torch.tensor(2.0).requires_grad_(), create_graph=True
                )
            self.assertEqual(gradient.tolist(), (2 * mask.float()).tolist())

    def test_subclasses_beside_tensors(self):
        class Sub(torch.Tensor):
            pass

        x, mask = torch.arange(6.0), (torch.arange(6) > 2).as_subclass(Sub)
        n = torch.tensor(5).as_subclass(Sub)
        y = x.clone().requires_grad_()
        for kept, wanted in (
            (winnow.torch.copy_if(x, mask, 3), [3, 4, 5]),
            (winnow.torch.copy_if(y, mask, 3), [3, 4, 5]),
            (winnow.copy_if(y, "x > 2", n=n, capacity=3), [3, 4, 0]),
        ):
            self.assertEqual(kept.buffer.tolist(), wanted)
        with self.assertRaisesRegex(TypeError, r"^n is a Sub, .*as_subclass\(torch.Tensor\)"):
            winnow.copy_if(x, "x > 2", n=n)

    @unittest.skipIf(DEVICE != "cpu", "NumPy's arrays are on the host")
    def test_arrays_of_others_as_n(self):
        """n= is read alike with and without a gradient, and in compiled code."""
        x = torch.arange(6.0)
        compiled = torch.compile(
            lambda n: winnow.copy_if(x, "x > 2", n=n).buffer, backend="eager", fullgraph=True
        )
        for n, wanted in (
            (np.array([4]), [3, 0, 0, 0, 0, 0]),
            (np.array([[4]]), [3, 0, 0, 0, 0, 0]),
            (np.array(9, np.uint64), [3, 4, 5, 0, 0, 0]),
            (array.array("q", [4]), [3, 0, 0, 0, 0, 0]),
            (np.int64(4), [3, 0, 0, 0]),
        ):
            for y in x, x.clone().requires_grad_():
                kept = winnow.copy_if(y, "x > 2", n=n, fill=0)
                self.assertEqual(kept.buffer.tolist(), wanted)
            if isinstance(n, np.ndarray) and n.dtype == np.int64:
                self.assertEqual(compiled(n).tolist(), wanted)
        for n, error in (
            (np.array([4], np.int32), "one element of int64"),
            (np.array([4, 4]), "one element of int64"),
            (np.array([-1]), "^n is -1"),
            (np.ma.array([3], mask=True), "^n is a masked array"),
            (np.ma.array(3, mask=True), "^n is a masked array"),
            (-1, "^n is -1, and there are 6 items"),
            (2**64, "^n is 18446744073709551616, and there are 6 items"),
        ):
            for y in x, x.clone().requires_grad_():
                with self.assertRaisesRegex((TypeError, ValueError), error):
                    winnow.copy_if(y, "x > 2", n=n)

    def test_fill_with_a_gradient(self):
        from torch.autograd import forward_ad

        x, q = torch.arange(6.0), torch.tensor(0.0, requires_grad=True)
        some = winnow.select(x, "x > 2")
        calls = (
            lambda fill: winnow.copy_if(x.clone().requires_grad_(), "x > 2", fill=fill),
            lambda fill: winnow.copy_if(x, "x > 2", fill=fill),
            lambda fill: some.expand(x[:3], fill=fill),
        )
        for call in calls:
            with self.assertRaisesRegex(TypeError, "^fill requires a gradient"):
                call(q)
            with forward_ad.dual_level(), self.assertRaisesRegex(TypeError, "^fill requires"):
                call(forward_ad.make_dual(torch.tensor(0.0), torch.tensor(1.0)))
            call(q.detach())

    def test_memory_that_arguments_free(self):
        """Python code that a call runs may free the memory of an array before it."""
        x = torch.arange(1000.0)

        class Number:
            def __index__(self):
                x.untyped_storage().resize_(0)
                return 5

        for call in (
            lambda n: winnow.copy_if(x, "x >= 0", capacity=n),
            lambda n: winnow.copy_if(x, "x >= 0", n=n),
            lambda n: winnow.unique(x, capacity=n),
            lambda n: winnow.filter({"x": x}, "x >= 0", capacity=n),
            lambda n: winnow.reduce_if(x, "x >= 0", n=n),
        ):
            x = torch.arange(1000.0)
            with self.assertRaisesRegex(ValueError, "other memory while the call"):
                call(Number())

    def test_forward_mode_over_the_gradient(self):
        from torch.autograd import forward_ad

        x = torch.arange(-3.0, 4).double()
        for keep in ("x > 0", x > 0):
            for more in ({}, {"create_graph": True}):
                v = x.clone().requires_grad_()
                made = winnow.torch.copy_if(v, keep, 4).buffer
                with forward_ad.dual_level():
                    dual = forward_ad.make_dual(torch.ones(4).double(), x[3:] * 2)
                    (gradient,) = torch.autograd.grad(made, v, dual, **more)
                    tangent = forward_ad.unpack_dual(gradient).tangent
                self.assertEqual(tangent.tolist(), [0, 0, 0, 0, 0, 2, 4])

    def test_second_gradient(self):
        x = torch.linspace(-2, 3, 11, dtype=torch.float64, requires_grad=True)
        for keep in ("x > 0.1", torch.arange(11) % 3 == 0):
            self.assertTrue(
                torch.autograd.gradgradcheck(
                    lambda x: winnow.torch.copy_if(x * x, keep, 4).buffer,
                    x,
                    check_fwd_over_rev=True,
                )
            )

    def test_transforms(self):
        """A transform of torch.func gives the right number, or an error in one line."""

        def loss(x):
            return (winnow.copy_if(x, "x > 2").buffer ** 2).sum()

        x = torch.arange(5.0)
        self.assertEqual(torch.func.grad(loss)(x).tolist(), [0, 0, 0, 6, 8])
        self.assertEqual(
            torch.func.hessian(loss)(x).diagonal().tolist(), [0, 0, 0, 2, 2]
        )
        rows = torch.arange(8.0).reshape(2, 4)
        for keep in (lambda x: "x > 2", lambda x: x > 2):
            kept = torch.func.vmap(lambda x: winnow.torch.copy_if(x, keep(x)))(rows)
            self.assertIs(type(kept), winnow.Result)
            self.assertEqual(kept.buffer.tolist(), [[3, 0, 0, 0], [4, 5, 6, 7]])
            self.assertEqual(kept.count.tolist(), [1, 4])
        made = torch.func.vmap(torch.func.grad(loss))(rows)
        self.assertEqual(made.tolist(), [[0, 0, 0, 6], [8, 10, 12, 14]])
        out, tangent = torch.func.jvp(
            lambda x: winnow.copy_if(x, "x > 2").buffer, (x,), (x + 1,)
        )
        self.assertEqual(out.tolist(), [3, 4, 0, 0, 0])
        self.assertEqual(tangent.tolist(), [4, 5, 0, 0, 0])
        from torch.autograd import forward_ad

        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x, x + 1)
            made = forward_ad.unpack_dual(winnow.copy_if(dual, "x > 2").buffer)
            self.assertEqual(made.tangent.tolist(), [4, 5, 0, 0, 0])
            self.assertEqual(int(winnow.count_if(dual, "x > 2")), 2)
            with self.assertRaisesRegex(ValueError, "requires a gradient"):
                winnow.copy_flagged(dual, x > 2)
        for call in (
            lambda x: winnow.copy_flagged(x, x > 2).buffer,
            lambda x: winnow.select(x, "x > 2").mask(),
            lambda x: winnow.unique(x).buffer,
            lambda x: winnow.count_if(x, "x > 2"),
        ):
            with self.assertRaisesRegex((TypeError, ValueError), r"\A[^\n]*\Z"):
                torch.func.vmap(call)(rows)

    def test_derivatives(self):
        """Each of PyTorch's ways to differentiate, to second order, agrees with
        x[mask]."""
        F = torch.func
        x = torch.tensor([0.5, -1, 2, -3, 4, 1.5], dtype=torch.float64)
        v = torch.arange(1.0, 7, dtype=torch.float64)
        mask = x > 0

        def indexed(x, room):
            kept = x[mask][:room]
            return torch.cat([kept, kept.new_zeros(room - len(kept))])

        ways = {
            "jvp": lambda f: F.jvp(f, (x,), (v,)),
            "vjp": lambda f: F.vjp(f, x)[1](torch.ones((), dtype=torch.float64)),
            "linearize": lambda f: F.linearize(f, x)[1](v),
            "hessian": lambda f: F.hessian(f)(x),
            "jacfwd(jacfwd)": lambda f: F.jacfwd(F.jacfwd(f))(x),
            "grad(grad)": lambda f: F.grad(lambda x: F.grad(f)(x).pow(2).sum())(x),
            "vmap(grad)": lambda f: F.vmap(F.grad(f))(torch.stack([x, 2 * x])),
            "functional": lambda f: torch.autograd.functional.hessian(f, x),
        }
        for room, keep in ((6, "x > 0"), (6, col("x") > 0), (9, mask), (2, mask), (2, "x > 0")):
            for name, derive in ways.items():
                with self.subTest(name, keep=str(keep), room=room), warnings.catch_warnings(
                    action="ignore"  # PyTorch's own warning in linearize()
                ):
                    made = derive(
                        lambda x: winnow.torch.copy_if(x, keep, room).buffer.pow(3).sum()
                    )
                    wanted = derive(lambda x: indexed(x, room).pow(3).sum())
                    torch.testing.assert_close(made, wanted)

    def test_batched_gradient(self):
        x = torch.arange(-2.0, 3.0, requires_grad=True)
        kept = winnow.torch.copy_if(x, "x > 0").buffer
        jacobian = torch.func.vmap(
            lambda row: torch.autograd.grad(kept, x, row, retain_graph=True)[0]
        )
        wanted = torch.zeros(5, 5)
        wanted[0, 3] = wanted[1, 4] = 1
        self.assertTrue(torch.equal(jacobian(torch.eye(5)), wanted))
        with self.assertRaisesRegex(TypeError, "use torch.func$"):
            torch.autograd.grad(kept, x, torch.eye(5), is_grads_batched=True)

    def test_traced(self):
        """A trace records the operator, or the call is refused. No result is a
        constant."""
        from torch.fx.experimental.proxy_tensor import make_fx

        x, y = torch.arange(-3.0, 4.0), torch.arange(4.0, -3.0, -1.0)

        def trace(function):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # torch.jit is deprecated
                return torch.jit.trace(function, x, check_trace=False)

        def derived(x):
            return torch.func.grad(
                lambda x: winnow.torch.copy_if(x, "x > 0").buffer.pow(2).sum()
            )(x)

        for by in (
            lambda function: make_fx(function)(x),
            lambda function: make_fx(function, pre_dispatch=True, tracing_mode="real")(x),
            trace,
        ):
            for function in (
                lambda x: winnow.torch.copy_if(x, "x > 0").buffer * 2,
                lambda x: winnow.torch.copy_if(x, x > 0, 3).buffer + x.sum(),
                lambda x: winnow.copy_if(x, col("x") > 0, fill=0).buffer + 1,
                lambda x: winnow.copy_if(x, "x > 0").count + 1,
                lambda x: winnow.copy_if(winnow.copy_if(x, "x > 0"), "x < 3").count,
                lambda x: winnow.copy_if(x, col("x").isin([1.0] * 20)).count,
            ):
                self.assertTrue(torch.equal(by(function)(y), function(y)))
            for function in (
                lambda x: winnow.copy_if(x, "x > 0", out=torch.empty(7)).buffer,
                lambda x: winnow.copy_if(x, winnow.prepare("x > 0", "float32")).buffer,
                lambda x: winnow.index_if(x, "x > 0").buffer,
                lambda x: winnow.count_if(x, "x > 0") + x.sum(),
                lambda x: winnow.copy_flagged(x, x > 0).buffer + x,
                lambda x: winnow.select(x, "x > 0").mask(),
                lambda x: winnow.select(mask=x > 0).indices().buffer,
                lambda x: winnow.filter({"x": x}, "x > 0").buffers["x"],
                lambda x: winnow.unique(x).buffer,
                lambda x: winnow.accumulate_by_key((x > 0).long(), x, 2),
                lambda x: winnow.partition_by_key((x > 0).long(), x, bits=1)[0],
                lambda x: x + winnow.reduce_if(x).sum,
                lambda x: x + winnow.aggregate({"x": x}, None, {"s": ("x", "sum")})["s"].sum,
            ):
                with self.assertRaisesRegex((TypeError, ValueError), "trace|takes no out"):
                    by(function)
        self.assertTrue(torch.equal(make_fx(derived)(x)(y), derived(y)))

    def test_derivatives_that_are_refused(self):
        """A derivative that would be wrong is refused in one line."""
        x, mask = torch.arange(4.0), torch.arange(4) > 1
        bits = torch.ops.winnow.select(x, mask, None)
        from torch.autograd import forward_ad

        for name, call, wanted in (
            ("copy_if", lambda x: torch.ops.winnow.copy_if(x, mask, None, 4)[0], [2, 3, 0, 0]),
            ("compact", lambda x: torch.ops.winnow.compact(x, bits, 4)[0], [2, 3, 0, 0]),
            ("expand", lambda x: torch.ops.winnow.expand(x, bits, 4), [0, 0, 0, 1]),
        ):
            with self.subTest(name):
                self.assertEqual(torch.func.jvp(call, (x,), (x,))[1].tolist(), wanted)
                with forward_ad.dual_level():
                    dual = forward_ad.make_dual(x, x)
                    with self.assertRaisesRegex(
                        NotImplementedError, rf"^winnow::{name} has no"
                    ):
                        call(dual)
        for op in torch.ops.winnow.copy_if, torch.ops.winnow.select:
            more = (4,) if op is torch.ops.winnow.copy_if else ()
            for keep in (mask, "x > 1"), (None, None):
                with self.assertRaisesRegex(TypeError, "a mask or a condition"):
                    op(x, *keep, *more)
        for call in (
            lambda: winnow.copy_if(x, mask),
            lambda: winnow.copy_if(x.clone().requires_grad_(), mask),
            lambda: torch.func.vmap(lambda x: winnow.copy_if(x, x > 1).buffer)(x[None]),
        ):
            with self.assertRaisesRegex(TypeError, "pass a mask to winnow"):
                call()
        prepared = winnow.prepare("x > 1", "float32")
        for call in (winnow.copy_if, winnow.torch.copy_if):
            with self.assertRaisesRegex(TypeError, r"^a condition that is prepared.*text$"):
                torch.func.grad(lambda x: call(x, prepared).buffer.sum())(x)

    def test_chains_with_a_gradient(self):
        x = torch.arange(8.0)
        weights = torch.arange(1.0, 9)

        def loss(x, first, second):
            fewer = second(first(x, "x > 2"), "x < 6")
            return (fewer.buffer**2 * weights[: len(fewer.buffer)]).sum()

        wanted = [0, 0, 0, 6, 16, 30, 0, 0]
        for first in (winnow.copy_if, winnow.torch.copy_if):
            for second in (winnow.copy_if, winnow.torch.copy_if):
                with self.subTest(first=first, second=second):
                    leaf = x.clone().requires_grad_()
                    loss(leaf, first, second).backward()
                    self.assertEqual(leaf.grad.tolist(), wanted)
                    derived = torch.func.grad(lambda x: loss(x, first, second))
                    self.assertEqual(derived(x).tolist(), wanted)
                    torch.compiler.reset()
                    compiled = torch.compile(
                        lambda x: loss(x, first, second), backend="aot_eager", fullgraph=True
                    )
                    leaf = x.clone().requires_grad_()
                    compiled(leaf).backward()
                    self.assertEqual(leaf.grad.tolist(), wanted)
        for count in (lambda kept: kept, lambda kept: kept.count, len):
            leaf = x.clone().requires_grad_()
            few = winnow.copy_if(leaf, "x > 2")
            # The zeros behind the survivors would pass, too.
            fewer = winnow.copy_if(few.buffer, "x < 6", n=count(few))
            self.assertEqual(fewer.array().tolist(), [3, 4, 5])
            self.assertEqual(int(fewer.count), 3)
            fewer.buffer.sum().backward()
            self.assertEqual(leaf.grad.tolist(), [0, 0, 0, 1, 1, 1, 0, 0])
        with self.assertRaisesRegex(ValueError, "n is 9, and there are 8 items"):
            winnow.copy_if(leaf, "x > 2", n=9)
        # Of a result that overflowed, as many items count as it has room for.
        over = winnow.copy_if(x, "x > 2", capacity=2)
        wanted = winnow.copy_if(x, "x >= 0", n=over).array().tolist()
        self.assertEqual(wanted, [0, 1])
        compiled = torch.compile(
            lambda x: winnow.copy_if(x, "x >= 0", n=winnow.copy_if(x, "x > 2", capacity=2)),
            backend="aot_eager",
        )
        for made in (
            winnow.copy_if(leaf, "x >= 0", n=over),
            compiled(x),
            torch.func.vmap(compiled)(x[None]),
        ):
            first = made.buffer.reshape(-1)[: int(made.count)]
            self.assertEqual(first.tolist(), wanted)
        masked = winnow.torch.copy_if(few, few.buffer < 6)
        self.assertEqual(masked.array().tolist(), [3, 4, 5])

    def test_batches_of_none(self):
        vmap, none = torch.func.vmap, torch.zeros(0, 4)
        for keep in (lambda x: "x > 2", lambda x: x > 2):
            kept = vmap(lambda x: winnow.torch.copy_if(x, keep(x), 3))(none)
            self.assertEqual([tuple(part.shape) for part in kept.parts], [(0, 3), (0,)])
            self.assertEqual((kept.count.dtype, kept.capacity), (torch.int64, 3))
            derived = torch.func.grad(lambda x: winnow.torch.copy_if(x, keep(x)).buffer.sum())
            self.assertEqual(vmap(derived)(none).shape, (0, 4))

    def test_results_as_arguments(self):
        """Results on the host, whose count is a number, of compiled code."""
        class Module(torch.nn.Module):
            def forward(self, kept):
                return winnow.copy_if(kept, "x > 3").parts

        x = torch.arange(9.0)
        options = {"backend": "aot_eager", "fullgraph": True}
        torch.compiler.reset()
        again = torch.compile(Module().forward, **options)
        within = torch.compile(lambda x, n: winnow.copy_if(x, "x > 0", n=n).parts, **options)
        for items in (0, 4, 7, 9):
            kept = winnow.copy_if(torch.arange(float(items)), "x > 1", capacity=items // 2)
            for (buffer, count), wanted in (
                (again(kept), winnow.copy_if(kept, "x > 3")),
                (within(x, kept), winnow.copy_if(x, "x > 0", n=kept)),
            ):
                self.assertEqual(buffer[: int(count)].tolist(), wanted.array().tolist())
        made = torch.export.export(Module(), (winnow.copy_if(x, "x > 1"),)).module()
        buffer, count = made(winnow.copy_if(x, "x > 5"))
        self.assertEqual(buffer[: int(count)].tolist(), [6, 7, 8])
        # The count of a caller may have a dimension.
        one = winnow.copy_if(x, "x > 2", count=torch.zeros(1, dtype=torch.int64))
        same = torch.utils._pytree.tree_map(lambda part: part, one)
        self.assertEqual((len(one), len(same), same.overflow), (6, 6, False))
        # The buffer may be longer than the capacity.
        over = winnow.copy_if(x, "x > 2", out=torch.full((9,), 7.0), capacity=2)
        for call in (winnow.copy_if, winnow.torch.copy_if):
            torch.compiler.reset()
            compiled = torch.compile(lambda kept: call(kept, "x < 100"), backend="aot_eager")
            for made in (call(over, "x < 100"), compiled(over)):
                self.assertEqual(made.array().tolist(), [3, 4])
        leaf = x.clone().requires_grad_()
        rows = winnow.filter({"x": x}, "x > 5")
        others = winnow.copy_if(np.arange(9), "x > 5"), np.array([3]), np.array(3)
        for n in (rows, *(others if DEVICE == "cpu" else ())):
            for each in (x, leaf):
                made = winnow.copy_if(each, "x > 0", n=n)
                self.assertEqual(made.array().tolist(), [1, 2])
        with self.assertRaisesRegex(ValueError, r"reshape\(-1\)"):
            winnow.copy_if(leaf[0], "x > 0")

    def test_traced_results(self):
        from torch.fx.experimental.proxy_tensor import make_fx

        x = torch.arange(9.0)
        for mode in ("real", "fake", "symbolic"):
            for call in (
                lambda x: winnow.copy_if(x, "x > 2"),
                lambda x: [winnow.torch.copy_if(x, x > 2, capacity=5), x][0],
            ):
                made, wanted = make_fx(call, tracing_mode=mode)(x)(x + 1), call(x + 1)
                self.assertEqual(made.array().tolist(), wanted.array().tolist())
                self.assertEqual((made.capacity, made.overflow), (wanted.capacity, wanted.overflow))
        kept = winnow.copy_if(x, "x > 2")
        there = torch.utils._pytree.tree_map(lambda part: part.cpu().numpy(), kept)
        self.assertEqual((there.array().tolist(), there.capacity), ([3, 4, 5, 6, 7, 8], 9))
        buffer, count = make_fx(lambda kept: winnow.copy_if(kept, "x < 5").parts)(kept)(kept)
        self.assertEqual(buffer[: int(count)].tolist(), [3, 4])

    def test_narrow_integers(self):
        """To DLPack a tensor of int4 is one of int8."""
        mask = torch.tensor([False, True, True])
        for name in ("int4", "uint4", "uint1"):
            x = torch.tensor([0, 1, 2], dtype=torch.uint8).view(getattr(torch, name))
            for made in (
                winnow.copy_flagged(x, mask),
                winnow.select(mask=mask).compact(x),
                winnow.filter({"x": x, "m": mask}, "m").arrays()["x"],
                winnow.unique(x),
            ):
                made = getattr(made, "buffer", made)
                self.assertEqual(made.dtype, x.dtype)
            self.assertEqual(winnow.copy_flagged(x, mask).array().view(torch.uint8).tolist(), [1, 2])
            with self.assertRaises(TypeError):
                winnow.copy_if(x, "x > 0")
            with self.assertRaises(TypeError):
                winnow.copy_flagged(x, mask, out=torch.zeros(3, dtype=torch.uint8))

    def test_traced_set(self):
        from torch.fx.experimental.proxy_tensor import make_fx

        x, values = torch.arange(40.0), torch.arange(20.0)
        for given in (values, values[:2]):
            with self.assertRaisesRegex(TypeError, "values are traced"):
                make_fx(lambda x, k: winnow.torch.copy_if(x, col("x").isin(k)).buffer)(x, given)

    def test_transforms_of_a_gradient(self):
        """torch.autograd.grad() within a transform, as of PyTorch's own filter."""
        y, w = torch.arange(8.0).requires_grad_(), torch.arange(4.0) + 1
        for more in ({}, {"create_graph": True}):
            made = []
            for kept in (y[y > 3], winnow.copy_if(y, "x > 3").buffer[:4]):
                def derive(w):
                    return torch.autograd.grad(kept, y, w, retain_graph=True, **more)[0]

                made.append(
                    [
                        torch.func.grad(lambda w: derive(w).pow(3).sum())(w).tolist(),
                        torch.func.jvp(derive, (w,), (w,))[1].tolist(),
                        torch.func.vmap(derive)(w[None]).tolist(),
                    ]
                )
            self.assertEqual(*made)

    def test_subclass(self):
        class Sub(torch.Tensor):
            pass

        x = torch.arange(8.0).requires_grad_()
        sub = x.as_subclass(Sub)
        kept = winnow.torch.copy_if(sub, sub > 3)
        again = winnow.torch.copy_if(kept, "x < 6")
        self.assertEqual(again.buffer[: int(again.count)].tolist(), [4, 5])
        again.buffer.sum().backward()
        self.assertEqual(x.grad.tolist(), [0, 0, 0, 0, 1, 1, 0, 0])

    def test_views_without_items(self):
        for x in (torch._neg_view(torch.empty(0)), torch.empty(0, dtype=torch.complex64).conj()):
            kept = winnow.copy_flagged(x, torch.empty(0, dtype=torch.bool))
            self.assertEqual(kept.array().shape, (0,))

    def test_batches_as_arguments(self):
        for rows in (1, 2):
            x = torch.zeros(rows, 3)
            kept = torch.func.vmap(lambda x: winnow.copy_if(x, "x > 5"))(x)
            mask = torch.ones(rows, dtype=torch.bool)
            selection = winnow.select(mask=mask)
            leaf = x[0].clone().requires_grad_()
            for call in (
                lambda: winnow.copy_flagged(kept, mask),
                lambda: winnow.torch.copy_if(kept, mask),
                lambda: winnow.copy_if(x[0], "x > 5", n=kept),
                lambda: winnow.copy_if(leaf, "x > 5", n=kept),
                lambda: selection.compact(kept),
                lambda: selection.expand(kept),
                lambda: (~selection).fill_holes(x.clone(), kept),
            ):
                with self.assertRaisesRegex(TypeError, "a batch of vmap"):
                    call()

    def test_jit_trace(self):
        """The capacity is a constant of the trace, of which PyTorch warns."""
        x = torch.arange(8.0)
        for call in (winnow.copy_if, winnow.torch.copy_if):
            with self.assertWarnsRegex(torch.jit.TracerWarning, "capacity, 8 items"):
                torch.jit.trace(lambda x: call(x, "x > 3").parts, x, check_trace=False)

    def test_mask_of_another_length(self):
        x, copy_if = torch.arange(5.0), winnow.torch.copy_if
        leaf = x.clone().requires_grad_()
        for mask in (torch.ones(8, dtype=torch.bool), torch.ones(3, dtype=torch.bool)):
            for call in (
                lambda: copy_if(x, mask),
                lambda: copy_if(leaf, mask),
                lambda: torch.compile(lambda x: copy_if(x, mask), backend="aot_eager")(leaf),
                lambda: torch.func.vmap(lambda x: copy_if(x, mask))(x[None]),
                lambda: torch.func.grad(lambda x: copy_if(x, mask).buffer.sum())(x),
                lambda: torch.func.jvp(lambda x: copy_if(x, mask).buffer, (x,), (x,)),
            ):
                torch.compiler.reset()
                with self.assertRaisesRegex(ValueError, "x has 5|5 items"):
                    call()

    def test_transforms_compiled(self):
        def loss(x):
            return (winnow.copy_if(x, "x > 2").buffer ** 3).sum()

        x = torch.arange(5.0)
        for derive, given in (
            (torch.func.grad(loss), x),
            # Dynamo of PyTorch 2.11 does not trace it under a default device.
            *([(torch.func.hessian(loss), x)] if x.device.type == "cpu" else []),
            (torch.func.vmap(torch.func.grad(loss)), torch.stack([x, x + 1])),
            (lambda x: torch.func.jvp(loss, (x,), (x + 1,))[1], x),
        ):
            torch.compiler.reset()
            compiled = torch.compile(derive, backend="aot_eager", fullgraph=True)
            torch.testing.assert_close(compiled(given), derive(given))

    def test_order_in_graphs(self):
        compiled = torch.compile(
            lambda x: winnow.copy_if(x, "x > 1", order="other"), backend="eager"
        )
        with self.assertRaisesRegex(Exception, "order is 'input' or 'any', not 'other'"):
            compiled(torch.arange(4.0))

    def test_some_on_meta(self):
        """An operator on tensors of which some have no data raises an error."""
        x, mask = torch.arange(4.0, device="cpu"), torch.ones(4, dtype=torch.bool, device="meta")
        for call in (
            lambda: torch.ops.winnow.copy_if(x, mask, None, 4),
            lambda: torch.func.grad(lambda x: winnow.torch.copy_if(x, mask).buffer.sum())(x),
            lambda: torch.compile(
                lambda x, mask: winnow.torch.copy_if(x, mask).parts, backend="eager"
            )(x, mask),
        ):
            torch.compiler.reset()
            with self.assertRaisesRegex(Exception, "meta has no data"):
                call()
        made = torch.ops.winnow.copy_if(x.to("meta"), mask, None, 3)
        self.assertEqual([part.device.type for part in made], ["meta", "meta"])

    def test_floats_in_graphs(self):
        """Dynamo does not trace the code that writes these floats as text."""
        x = torch.tensor([0.5, 2.0**-20 + 1, 2.5])
        for at in (0.1, 2.0**-20 + 1, 2.5, -1e300):
            torch.compiler.reset()
            compiled = torch.compile(
                lambda x: winnow.copy_if(x, col("x") > at), backend="aot_eager", fullgraph=True
            )
            self.assertEqual(compiled(x).array().tolist(), x[x > at].tolist())

    def test_sets_in_graphs(self):
        """A set is a constant of compiled code. Another set needs other code."""
        x = torch.arange(8.0)
        sets = [col("x").isin(np.arange(k, 40.0, 3)) for k in range(3)]
        sets += [sets[0] & (col("x") < 4), ~sets[1], col("x").isin([3.0, np.inf])]
        torch.compiler.reset()
        compiled = torch.compile(
            lambda x, keep: winnow.copy_if(x, keep).parts, backend="aot_eager", fullgraph=True
        )
        for keep in sets + sets[::-1]:
            wanted = winnow.copy_if(x, keep, fill=0)
            if keep._parts is None or torch.__version__ >= (2, 15):
                for made, part in zip(compiled(x, keep), wanted.parts):
                    self.assertTrue(torch.equal(made, part))
            else:
                with self.assertRaisesRegex(Exception, "with PyTorch 2.15: pass a text"):
                    compiled(x, keep)
            derived = torch.func.grad(lambda x: winnow.torch.copy_if(x, keep).buffer.sum())
            mask = torch.zeros(8)
            mask[wanted.array().long()] = 1
            self.assertTrue(torch.equal(derived(x), mask))
        if torch.__version__ >= (2, 15):
            torch.compiler.reset()
            for first in range(6):  # each set may have the address of the previous one
                self.assertEqual(compiled(x, col("x").isin(np.arange(first, 40.0)))[0][0], first)
            # The code's guard detects this by the weak reference.
            self.assertIsNotNone(weakref.ref(sets[0])())
        prepared = winnow.prepare("x > 1", "float32")
        with self.assertRaisesRegex(Exception, "a condition that is prepared, .*pass a text"):
            compiled(x, prepared)

    def test_dynamic_exports(self):
        class Module(torch.nn.Module):
            def forward(self, x):
                return winnow.torch.copy_if(winnow.torch.copy_if(x, x > 2), "x < 6")

        sizes = {"x": {0: torch.export.Dim.DYNAMIC}}
        made = torch.export.export(Module(), (torch.arange(8.0),), dynamic_shapes=sizes)
        kept = made.module()(torch.arange(20.0))
        self.assertEqual(kept.array().tolist(), [3, 4, 5])
        self.assertEqual((kept.capacity, int(kept.count)), (20, 3))

    def test_one_class(self):
        """Eager and compiled code return the same class of result."""
        for function in (
            lambda x: x + len(winnow.copy_if(x, "x > 3")),
            lambda x: winnow.copy_if(x, "x > 3")[0],
            lambda x: [each + 1 for each in winnow.copy_if(x, "x > 3")],
            lambda x: winnow.copy_if(x, "x > 3").array() + 1,
            lambda x: winnow.copy_if(x, "x > 3", capacity=1).overflow,
            lambda x: winnow.copy_if(x, "x > 3", capacity=1).capacity,
            lambda x: winnow.copy_if(winnow.copy_if(x, "x > 3"), "x < 6").array(),
        ):
            torch.compiler.reset()
            x = torch.arange(8)
            compiled = torch.compile(function, backend="aot_eager")
            for shift in (0, 1, 3):
                self.assertEqual(str(compiled(x + shift)), str(function(x + shift)))

        def whole(x):
            return winnow.copy_if(x, "x > 3", capacity=4)

        torch.compiler.reset()
        kept = torch.compile(whole, backend="aot_eager", fullgraph=True)(x)
        self.assertIs(type(kept), winnow.Result)
        buffer, count = kept.parts
        self.assertEqual((buffer.tolist(), int(count)), ([4, 5, 6, 7], 4))
        self.assertEqual((len(kept), kept.capacity, kept.overflow), (4, 4, False))
        # The result is for this x, or there is an error.
        count = torch.compile(
            lambda x: x + len(whole(x)), backend="aot_eager", fullgraph=True
        )
        for shift in (0, -2):
            self.assertEqual(count(x + shift)[0], shift + (x + shift > 3).sum())

        class Module(torch.nn.Module):
            def forward(self, x):
                return winnow.torch.copy_if(x, x > 3, 4)

        kept = torch.export.export(Module(), (x,)).module()(x)
        self.assertIs(type(kept), winnow.Result)
        self.assertEqual(kept.buffer.tolist(), [4, 5, 6, 7])

    def test_opcheck(self):
        mask = torch.tensor([True, False, True, True])
        rows = torch.arange(8.0).reshape(4, 2)
        operator = torch.ops.winnow.copy_if.default
        for x, mask, condition, capacity in (
            (torch.arange(4.0), None, "x > 1", 4),
            (torch.arange(4.0, requires_grad=True), None, "x > 1", 2),
            (rows, mask, None, 4),
            (rows.clone().requires_grad_(), mask, None, 2),
            (torch.arange(4), mask, None, 9),
        ):
            torch.library.opcheck(operator, (x, mask, condition, capacity))
            selection = torch.ops.winnow.select(x.detach(), mask, condition)
            torch.library.opcheck(
                torch.ops.winnow.select.default, (x.detach(), mask, condition)
            )
            torch.library.opcheck(
                torch.ops.winnow.compact.default, (x, selection, capacity)
            )
            torch.library.opcheck(
                torch.ops.winnow.expand.default, (x, selection, x.shape[0])
            )

    def test_compiled(self):
        def by_winnow(x):
            kept = winnow.copy_if(x * 2, "x > 4", capacity=6)
            return kept.buffer + 1, kept.count

        def by_operator(x):
            kept = winnow.torch.copy_if(x * 2, x > 2, 6)
            return kept.buffer + 1, kept.count

        for function in (by_winnow, by_operator):
            torch.compiler.reset()
            compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
            for wants in (False, True):
                x = torch.arange(7.0, requires_grad=wants)
                buffer, count = compiled(x)
                self.assertEqual(buffer.tolist(), [7, 9, 11, 13, 1, 1])
                self.assertEqual(int(count), 4)
                if wants:
                    buffer.sum().backward()
                    self.assertEqual(x.grad.tolist(), [0, 0, 0, 2, 2, 2, 2])

    def test_fake_tensors(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            x = torch.empty(10)
            kept = winnow.copy_if(x, "x > 1", capacity=4)
            self.assertEqual(kept.buffer.shape, (4,))
            with self.assertRaisesRegex(TypeError, "FakeTensor"):
                winnow.count_if(x, "x > 1")
        with self.assertRaises((ValueError, TypeError)):
            winnow.select(x, "x > 1")
