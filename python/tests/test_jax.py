# SPDX-License-Identifier: Apache-2.0
"""Tests of filters in compiled functions of JAX, on the CPU."""

import array
import importlib.util
import subprocess
import sys
import unittest

import winnow
from arrays import needs

if importlib.util.find_spec("jax"):
    import jax
    import jax.numpy as jnp
    import numpy as np


def enable_x64():
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64 as enable  # before JAX 0.8

    return enable()


@needs("jax")
class Eager(unittest.TestCase):
    def test_arrays(self):
        x = jnp.array([3, -1, 4, -1, 5, -9, 2, 6])
        kept = winnow.copy_if(x, "x > 0").array()
        self.assertIsInstance(kept, jax.Array)
        self.assertEqual(kept.tolist(), [3, 4, 5, 2, 6])
        count = winnow.count_if(x, "x > 0")
        self.assertIsInstance(count, jax.Array)
        self.assertEqual(int(count), 5)
        selection = winnow.select(x, "x > 3")
        rows = winnow.filter({"x": x, "y": x * 2}, "x > 3")
        with self.assertRaisesRegex(TypeError, "x is traced by JAX.*winnow.jax.copy_if"):
            jax.jit(lambda x: winnow.count_if(x, "x > 0"))(x)
        for made, wanted in (
            (selection.compact(x).array(), [4, 5, 6]),
            (selection.expand(selection.compact(x)), [0, 0, 4, 0, 5, 0, 0, 6]),
            (selection.mask(), [0, 0, 1, 0, 1, 0, 0, 1]),
            (selection.indices().array(), [2, 4, 7]),
            (rows["y"], [8, 10, 12]),
            (winnow.copy_flagged(x, x > 3).array(), [4, 5, 6]),
            (winnow.unique(jnp.array([1, 1, 2])).array(), [1, 2]),
        ):
            self.assertIsInstance(made, jax.Array)
            self.assertEqual(made.tolist(), wanted)

    def test_types_of_jax(self):
        """NumPy does not share arrays of these types by DLPack."""
        mask = np.arange(6) > 2
        for dtype in ("bfloat16", "float8_e4m3fn"):
            x = jnp.arange(6).astype(dtype)
            selection = winnow.select(mask=mask)
            for made, wanted in (
                (winnow.copy_flagged(x, mask).array(), [3, 4, 5]),
                (winnow.filter({"x": x, "y": np.arange(6)}, "y > 2")["x"], [3, 4, 5]),
                (selection.expand(selection.compact(x)), [0, 0, 0, 3, 4, 5]),
            ):
                self.assertEqual((made.dtype, made.tolist()), (x.dtype, wanted))
        x = jnp.arange(6).astype("bfloat16")
        self.assertEqual(winnow.copy_if(x, "x > 3").array().tolist(), [4, 5])

    def test_without_x64(self):
        """JAX cuts arrays of 8-byte types, but not those that winnow makes."""
        x = np.arange(4) + 2**40
        with enable_x64():
            there = jnp.asarray(x)
        keys = jnp.array([0, 0, 1, 1], "int32")
        sums = winnow.accumulate_by_key(keys, jnp.full(4, 2**31 - 1, "int32"), 2)
        selection = winnow.select(there, f"x > {2**40}")
        for made, wanted in (
            (sums, np.full(2, 2 * (2**31 - 1))),
            (winnow.copy_if(there, f"x > {2**40}").array(), x[1:]),
            (selection.compact(there).array(), x[1:]),
            (selection.expand(there[1:]), np.concatenate(([0], x[1:]))),
            (winnow.unique(there).array(), x),
            (winnow.filter({"x": there}, f"x > {2**40}")["x"], x[1:]),
        ):
            self.assertIsInstance(made, jax.Array)
            self.assertEqual((made.dtype, made.tolist()), (wanted.dtype, wanted.tolist()))

    def test_without_the_extension(self):
        """Without winnow._ffi the rest works, and winnow.jax says why it does not."""
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", WITHOUT], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^3\n.*jaxlib's header.* message about winnow._ffi")

    def test_sharded(self):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SHARDED], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            done.stdout,
            "x is on 2 devices: winnow.jax.copy_if() takes it\n4\n" + "True\n" * 13,
        )


SHARDED = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax, jax.numpy as jnp, winnow, winnow.jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
mesh = Mesh(jax.devices(), ("a",))
x = jax.device_put(jnp.arange(8), NamedSharding(mesh, PartitionSpec("a")))
try:
    winnow.copy_if(x, "x > 3")
except TypeError as error:
    print(error)
print(winnow.jax.copy_if(x, x > 3).count)

y = jax.device_put(jnp.arange(8), jax.devices()[1])
kept = winnow.copy_if(y, "x > 2")
for made in (kept.buffer, kept.count, winnow.select(y, "x > 2").mask()):
    print(made.devices() == y.devices())

# Types may say how arrays are sharded.
with jax.set_mesh(jax.make_mesh((2,), ("b",))):
    z = jax.device_put(jnp.arange(8.0), PartitionSpec("b"))
    for keep in "x > 2", z > 2:
        print(jax.grad(lambda z: (winnow.jax.copy_if(z, keep).buffer ** 2).sum())(z).tolist() == [0, 0, 0, 6, 8, 10, 12, 14])

# In shard_map JAX has to know what differs from device to device.
def ours(x, mask):
    return winnow.jax.copy_if(x, mask).buffer

def texts(x, mask):
    return winnow.jax.copy_if(x, "x > 2").buffer

def plain(x, mask):
    at = jnp.nonzero(mask, size=x.shape[0], fill_value=0)[0]
    return jnp.where(jnp.arange(x.shape[0]) < mask.sum(), x[at], 0)

def by_weight(pack):
    def loss(w, x):
        return jax.lax.psum((w * pack(x, x > 2)).sum(), "a")
    mapped = shard_map(loss, mesh=mesh, in_specs=(PartitionSpec(), PartitionSpec("a")), out_specs=PartitionSpec())
    return jax.value_and_grad(lambda w: mapped(w, jnp.arange(8.0)))(2.0)

def by_mask(pack):
    def loss(x, mask):
        return jax.lax.psum((pack(x, mask) ** 2).sum(), "a")
    mapped = shard_map(loss, mesh=mesh, in_specs=(PartitionSpec(), PartitionSpec("a")), out_specs=PartitionSpec())
    mask = jnp.array([True, False, True, True, True, True, False, False])
    return jax.grad(lambda x: mapped(x, mask))(jnp.arange(1.0, 5))

def by_items(pack):
    mapped = shard_map(pack, mesh=mesh, in_specs=(PartitionSpec("a"),) * 2, out_specs=PartitionSpec("a"))
    x = jnp.arange(8.0)
    return jax.grad(lambda x: (mapped(x, x > 2) ** 2).sum())(x)

shard_map = jax.shard_map
for derive, pack in ((by_weight, ours), (by_weight, texts), (by_mask, ours), (by_items, ours), (by_items, texts)):
    made, wanted = (jax.jit(lambda: derive(pack))() for pack in (pack, plain))
    print(str(made) == str(wanted))
for made in (lambda x: ours(x, x > 2), lambda x: winnow.jax.copy_if(x, "x > 2").count, lambda x: texts(x, None)):
    try:
        mapped = shard_map(made, mesh=mesh, in_specs=PartitionSpec("a"), out_specs=PartitionSpec())
        jax.jit(mapped)(jnp.arange(8.0))
    except ValueError:
        print(True)
"""

WITHOUT = """
import sys
sys.modules["winnow._ffi"] = None
import jax.numpy as jnp, winnow
print(winnow.count_if(jnp.arange(6), "x > 2"))
try:
    import winnow.jax
except ImportError as error:
    print(error)
"""


@needs("jax")
@needs("winnow._ffi")
class Compiled(unittest.TestCase):
    def test_types(self):
        import winnow.jax

        for dtype in "int8 int16 int32 uint8 uint32 float16 bfloat16 float32".split():
            x = jnp.arange(100).astype(dtype)
            for keep in ("x > 60 && x < 90", winnow.col("y") > 60, x > 60):
                kept = jax.jit(lambda x: winnow.jax.copy_if(x, keep, size=50))(x)
                last = 90 if keep == "x > 60 && x < 90" else 100
                wanted = [*range(61, last), *[0] * (50 - (last - 61))]
                self.assertEqual(kept.buffer.dtype, x.dtype)
                self.assertEqual(kept.buffer.tolist(), wanted)
                self.assertEqual(int(kept.count), last - 61)

    def test_size_and_fill(self):
        import winnow.jax

        x = jnp.arange(10.0)
        kept = winnow.jax.copy_if(x, "x > 3", size=4, fill_value=-1)
        self.assertEqual(kept.buffer.tolist(), [4, 5, 6, 7])
        self.assertEqual(int(kept.count), 6)
        kept = winnow.jax.copy_if(x, "x > 7", fill_value=-1)
        self.assertEqual(kept.buffer.tolist(), [8, 9, *[-1] * 8])
        rows = jnp.arange(8.0).reshape(4, 2)
        kept = winnow.jax.copy_if(rows, rows[:, 0] > 2)
        self.assertEqual(kept.buffer.tolist(), [[4, 5], [6, 7], [0, 0], [0, 0]])
        self.assertEqual(winnow.jax.copy_if(x[:0], "x > 1").buffer.shape, (0,))

    def test_gradient(self):
        import winnow.jax

        weights = jnp.arange(1.0, 5.0)
        for keep in ("x > 3", jnp.arange(10) > 3):

            def loss(x):
                return (winnow.jax.copy_if(x, keep, size=4).buffer * weights).sum()

            made = jax.jit(jax.grad(loss))(jnp.arange(10.0))
            self.assertEqual(made.tolist(), [0, 0, 0, 0, 1, 2, 3, 4, 0, 0])

    def test_second_gradient(self):
        """Second gradients work in reverse mode. JAX refuses forward mode."""
        import winnow.jax

        x, mask = jnp.array([0.5, -1, 2, -3, 4, 1.5]), jnp.arange(6) % 2 == 0

        def indexed(x, room):
            kept = x[np.arange(0, 6, 2)][:room]
            return jnp.concatenate([kept, jnp.zeros(room - len(kept))])

        for room, keep in ((6, "x > 0"), (2, "x > 0"), (6, mask), (9, mask), (2, mask)):

            def loss(x):
                return (winnow.jax.copy_if(x, keep, size=room).buffer ** 3).sum()

            at = jnp.array([0.5, -1, 2, -3, 4, -1.5]) if isinstance(keep, str) else x
            with self.subTest(room=room, keep=str(keep)):
                for derive in (
                    lambda f: jax.jacrev(jax.jacrev(f))(at),
                    lambda f: jax.jit(jax.grad(lambda x: (jax.grad(f)(x) ** 2).sum()))(at),
                    lambda f: jax.vmap(jax.grad(lambda x: jax.grad(f)(x).sum()))(at[None]),
                ):
                    wanted = derive(lambda x: (indexed(x, room) ** 3).sum())
                    np.testing.assert_allclose(derive(loss), wanted, rtol=1e-5)
                with self.assertRaisesRegex(TypeError, "forward-mode"):
                    jax.jvp(loss, (at,), (at,))

    def test_one_class(self):
        """A result is a pytree. In a trace a method that needs the count raises."""
        import winnow.jax

        x = jnp.arange(10)
        kept = jax.jit(lambda x: winnow.jax.copy_if(x, "x > 6", size=4))(x)
        self.assertIs(type(kept), winnow.Result)
        buffer, count = kept.parts
        self.assertEqual((buffer.tolist(), int(count)), ([7, 8, 9, 0], 3))
        self.assertEqual((len(kept), kept.capacity, kept.overflow), (3, 4, False))
        self.assertEqual(kept.array().tolist(), [7, 8, 9])
        self.assertEqual(int(kept[0]), 7)
        self.assertEqual([int(each) for each in kept], [7, 8, 9])
        self.assertEqual(type(jax.tree.map(lambda x: x, kept)), winnow.Result)
        for ask in (len, list, lambda kept: kept[0], lambda kept: kept.overflow):
            with self.assertRaises(jax.errors.ConcretizationTypeError):
                jax.jit(lambda x: ask(winnow.jax.copy_if(x, "x > 6")))(x)
        if jax.default_backend() == "cpu":
            few = winnow.copy_if(x, "x > 2")
            self.assertEqual(winnow.copy_if(few, "x < 5").array().tolist(), [3, 4])
            # A count above the capacity is that of the items that passed.
            some = winnow.jax.copy_if(x, "x >= 0", size=4)
            self.assertEqual(winnow.copy_if(some, "x > 1").array().tolist(), [2, 3])
            self.assertEqual(winnow.reduce_if(some).sum, 6)
            counted = winnow.copy_if(np.arange(20), "x > 0", n=some.count)
            self.assertEqual(len(counted), int(some.count) - 1)
            some = jax.device_get(some)
            self.assertEqual(winnow.copy_if(some, "x > 1").array().tolist(), [2, 3])

    def test_fill_value(self):
        import winnow.jax

        x, copy_if = jnp.arange(4), winnow.jax.copy_if
        for dtype, value in (
            ("int32", 0.5),
            ("int8", np.int64(300)),
            ("int8", jnp.int32(300)),
            ("int32", jnp.float32(0.5)),
            ("float32", 1e40),
            ("bool", 2),
            ("float32", jnp.arange(2.0)),
        ):
            with self.subTest(dtype=dtype), self.assertRaises((ValueError, TypeError)):
                copy_if(x.astype(dtype), x > 2, fill_value=value)
        with self.assertRaisesRegex(TypeError, r"of shape \(2,\)"):
            jax.jit(lambda x, value: copy_if(x, x > 2, fill_value=value))(x, x[:2])
        for value in (7, jnp.int32(7), np.float64(7)):
            self.assertEqual(copy_if(x, x > 2, fill_value=value).buffer.tolist(), [3, 7, 7, 7])
        made = jax.jit(lambda x, value: copy_if(x, x > 2, fill_value=value).buffer)(x, 7)
        self.assertEqual(made.tolist(), [3, 7, 7, 7])

    def test_mapped(self):
        import winnow.jax

        x = jnp.arange(12.0).reshape(3, 4)
        kept = jax.vmap(lambda x: winnow.jax.copy_if(x, "x > 5"))(x)
        self.assertEqual(kept.count.tolist(), [0, 2, 4])
        self.assertEqual(kept.buffer[1].tolist(), [6, 7, 0, 0])
        for ask in (len, list, np.asarray, lambda kept: kept.overflow):
            with self.assertRaisesRegex(TypeError, r"a batch of vmap.* the shape \(3,\)"):
                ask(kept)
            with self.assertRaisesRegex(TypeError, "a batch"):
                ask(jax.tree.map(lambda part: part[:1], kept))

    def test_items_of_no_bytes(self):
        import winnow.jax

        x = jnp.zeros((4, 0))
        mask = jnp.array([True, False, True, True])
        for keep in (winnow.jax.copy_if, jax.jit(winnow.jax.copy_if)):
            kept = keep(x, mask)
            self.assertEqual(kept.buffer.shape, (4, 0))
            self.assertEqual(int(kept.count), 3)
        gradient = jax.grad(lambda x: winnow.jax.copy_if(x, mask).buffer.sum())(x)
        self.assertEqual(gradient.shape, (4, 0))

    def test_checks_for_nan(self):
        """jax_debug_nans looks at all of an output, which JAX gives with old contents."""
        import winnow.jax

        was = jax.config.jax_debug_nans
        jax.config.update("jax_debug_nans", True)
        self.addCleanup(jax.config.update, "jax_debug_nans", was)
        for n in (16, 256, 1000):
            x = jnp.zeros(n, "float32")
            for keep in ["x > 5", x > 5] * 5:
                junk = [np.full(n, np.nan, np.float32) for _ in range(500)]
                del junk
                self.assertEqual(int(winnow.jax.copy_if(x, keep).count), 0)

    def test_errors(self):
        import winnow.jax

        x = jnp.arange(4.0)
        with self.assertRaises(winnow.ConditionError):
            winnow.jax.copy_if(x, "x >")
        with self.assertRaisesRegex(ValueError, "dimensions"):
            winnow.jax.copy_if(x.reshape(2, 2), "x > 1")
        with self.assertRaisesRegex(ValueError, "of bool"):
            winnow.jax.copy_if(x, x)
        for dtype in ("complex64", "float8_e4m3fn", "int4"):
            with self.assertRaisesRegex(TypeError, f"x is of {dtype}"):
                winnow.jax.copy_if(x.astype(dtype), "x > 1")
        for keep in (None, lambda x: x > 1):
            with self.assertRaisesRegex(TypeError, "keep is a mask, a text or a condition"):
                winnow.jax.copy_if(x, keep)
        copied = winnow.jax.copy_if
        with self.assertRaisesRegex(TypeError, "a Result of traced code.*x.buffer"):
            jax.jit(lambda x: copied(copied(x, "x > 1"), "x > 2").buffer)(x)
        with self.assertRaisesRegex(TypeError, "prepared: pass its text"):
            winnow.jax.copy_if(x, winnow.prepare("x > 1", np.float32))
        with self.assertRaisesRegex(TypeError, "a set of values"):
            winnow.jax.copy_if(x, winnow.col("x").isin(np.arange(3)))
        self.assertEqual(winnow.jax.copy_if(x, winnow.col("x")).count, 3)
        with self.assertRaisesRegex(ValueError, "no dimensions"):
            winnow.jax.copy_if(x[0], "x > 1")
        with self.assertRaisesRegex(ValueError, "size is -1"):
            winnow.jax.copy_if(x, "x > 1", size=-1)
        keys = jax.random.split(jax.random.key(0), 4)
        for some in (x.astype("float8_e4m3fn"), x.astype("int4"), keys):
            with self.assertRaisesRegex(TypeError, "x is of (float8_e4m3fn|int4|key)"):
                winnow.jax.copy_if(some, x > 1)
        with self.assertRaisesRegex(ValueError, "items of 8000 bytes"):
            winnow.jax.copy_if(jnp.zeros((4, 2000)), x > 1)
        many = ", ".join(map(str, range(20000)))
        with self.assertRaisesRegex(ValueError, "a text of 1[0-9]{5} bytes"):
            winnow.jax.copy_if(x, f"x in ({many})")
        with self.assertRaisesRegex(ValueError, "a name of 300 bytes"):
            winnow.jax.copy_if(x, "a" * 300 + " > 1")
        wide = np.arange(4) + 2**40
        for given in wide, winnow.copy_if(wide, "x > 0"), array.array("q", wide), memoryview(wide):
            with self.assertRaisesRegex(ValueError, "^x has values of int64 .*jax_enable_x64"):
                winnow.jax.copy_if(given, "x > 0")
            with self.assertRaisesRegex(ValueError, "^x has values of int64 .*jax_enable_x64"):
                jax.jit(lambda: winnow.jax.copy_if(given, "x > 0").buffer)()
        with self.assertRaisesRegex(TypeError, "^fill_value is of uint32, and x of int32"):
            winnow.jax.copy_if(jnp.arange(4), "x > 1", fill_value=jnp.uint32(3000000000))
        kept = winnow.jax.copy_if(np.arange(4), "x > 1").array()
        self.assertEqual((kept.dtype, kept.tolist()), ("int32", [2, 3]))
        # More items than JAX's int32 can count. No array of this shape is made.
        many = jax.ShapeDtypeStruct((2**31,), "int8")
        with self.assertRaisesRegex(ValueError, "jax_enable_x64"):
            jax.eval_shape(lambda x: winnow.jax.copy_if(x, "x > 1", size=4), many)
