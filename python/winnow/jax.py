# SPDX-License-Identifier: Apache-2.0
"""Filters inside functions that JAX compiles, by XLA's FFI.

    @jax.jit
    def positive(x):
        return winnow.jax.copy_if(x, "x > 0", size=1000)

This module needs a wheel that was built beside jaxlib, since it compiles with
jaxlib's header.
"""

from __future__ import annotations

from functools import partial
from math import copysign, prod
from operator import index
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _fill, _kinds, _prepare, _winnow
from ._expression import Column, Condition
from ._result import Result
from ._winnow import Prepared

try:
    from . import _ffi
except ImportError as error:
    raise ImportError(
        "winnow.jax needs the extension winnow._ffi, which is built if it compiles "
        "with jaxlib's header: install jaxlib 0.5 or later, build winnow again, and "
        f"read the build's message about winnow._ffi ({error})"
    ) from None

for _platform in ("cpu", "CUDA"):
    for _name in ("copy_if", "expand"):
        jax.ffi.register_ffi_target(
            f"winnow_{_name}",
            getattr(_ffi, f"{_name}_{_platform.lower()}"),
            platform=_platform,
        )


def _unflatten(capacity: int, parts: Any) -> Result:
    buffer, count = parts
    is_numpy = isinstance(count, (np.ndarray, np.integer))
    if is_numpy and count.dtype.kind in "iu" and count.ndim == 0:  # jax.device_get()
        count = int(count)
    return Result._of_parts(buffer, count, capacity)


jax.tree_util.register_pytree_node(
    Result, lambda result: (result._leaves(), result.capacity), _unflatten
)


def copy_if(
    x: Any, keep: Any, *, size: int | None = None, fill_value: Any = 0
) -> Result:
    """Pack the items of x that a mask flags, or that pass a condition.

    Like jax.numpy.nonzero(size=), the function has outputs of a fixed shape, so it
    works in jit. It has a gradient in x.

    Parameters
    ----------
    x : array
        Of one dimension. With a mask it may have more; an item is then a row.
    keep : array of bool, str, Condition or Column
    size : int, optional
        The number of items that the output has room for; by default all of x.
    fill_value : number
        The value of the output behind the survivors.

    Returns
    -------
    Result
        The buffer has `size` items: the survivors, then fill_value. The count is the
        number of items that pass, of int64 with jax_enable_x64, otherwise of int32.
    """
    if isinstance(x, Result) and isinstance(x.buffer, jax.core.Tracer):
        raise TypeError(
            "x is a Result of traced code, whose length is not known: pass x.buffer, and a "
            "mask that tests jnp.arange(x.capacity) < x.count, too"
        )
    x = _whole(_as_jax(x))
    if x.ndim == 0:
        raise ValueError("x has no dimensions: pass reshape(-1) of it")
    if size is not None and index(size) < 0:
        raise ValueError(f"size is {size}")
    name = str(x.dtype)  # JAX's random keys have a dtype that NumPy does not know
    if isinstance(keep, Prepared):
        raise TypeError("winnow.jax takes no condition that is prepared: pass its text")
    tests = isinstance(keep, (str, Condition, Column))
    if tests:
        if name not in _kinds.TYPES:
            raise TypeError(f"x is of {name}, which a condition does not test")
    elif name not in _MOVED:
        raise TypeError(f"x is of {name}, which winnow.jax does not move")
    item = x.dtype.itemsize * prod(x.shape[1:])
    if item > MOST_ITEM_BYTES:
        raise ValueError(
            f"x has items of {item} bytes, and at most {MOST_ITEM_BYTES} are moved"
        )
    is_known = isinstance(x.shape[0], int)  # jax.export may have symbols
    if is_known and x.shape[0] > MOST_WITHOUT_X64 and not jax.config.read("jax_enable_x64"):
        raise ValueError(
            f"x has {x.shape[0]} items, whose number needs jax_enable_x64"
        )
    room = x.shape[0] if size is None else size
    _check_fill(x, fill_value)
    if tests:
        if x.ndim != 1:
            raise ValueError(f"x has {x.ndim} dimensions, and a condition tests one")
        text = keep if isinstance(keep, str) else keep.text
        if not isinstance(keep, str) and keep._parts is not None:
            raise TypeError("winnow.jax does not take a set of values or CUDA C yet")
        name = _prepare.name_of(text)
        for what, words, most in (("text", text, 65535), ("name", name, 255)):
            if len(words.encode()) > most:
                raise ValueError(
                    f"the condition has a {what} of {len(words.encode())} bytes: "
                    f"winnow.jax takes at most {most}"
                )
        # Parse the text here, so that an error is raised here and not by XLA.
        kind = _kinds.TYPES[x.dtype.name]
        _winnow.parse(text, (name,), (kind,))
        packed, words = _copy((text, name, room), x)
    else:
        if keep is None or callable(keep):
            raise TypeError(f"keep is a mask, a text or a condition, not {keep!r}")
        mask = _whole(jnp.asarray(keep))
        if mask.dtype != bool or mask.shape != x.shape[:1]:
            raise ValueError("a mask is of bool, with one element for each item")
        if item == 0:  # items without bytes: only count them
            shape = (room, *x.shape[1:])
            wide = jnp.int64 if jax.config.read("jax_enable_x64") else jnp.int32
            return Result(jnp.zeros(shape, x.dtype), mask.sum(dtype=wide), room)
        packed, words = _copy_flagged(room, *_vary((x, mask), (x, mask)))
    count = _number(words)
    if not _is_zero(fill_value):
        inside = jnp.arange(room) < count
        inside = inside.reshape(-1, *(1 for _ in x.shape[1:]))
        packed = jnp.where(inside, packed, jnp.asarray(fill_value, x.dtype))
    return Result(packed, count, room)


MOST_WITHOUT_X64 = 2**31 - 1
MOST_ITEM_BYTES = 4096
_MOVED = {*_kinds.TYPES, "complex64", "complex128"}


def _number(words: jax.Array) -> jax.Array:
    """Make JAX's integer of a 64-bit number in two 32-bit words."""
    if jax.config.read("jax_enable_x64"):
        wide = words.astype(jnp.int64)
        return wide[0] | wide[1] << 32
    return words[0].astype(jnp.int32)


def _is_zero(value: Any) -> bool:
    """Return whether the value is what a call writes behind the survivors."""
    return type(value) in (int, float) and value == 0 and copysign(1.0, value) > 0


def _check_fill(x: jax.Array, fill_value: Any) -> None:
    """Raise an error if x cannot have the value. Of JAX's arrays only the type is looked
    at, since reading one would wait for its device."""
    if not isinstance(fill_value, jax.Array):
        _fill.element_bytes(x, 0, fill_value)
        return
    if fill_value.shape != ():
        raise TypeError(f"fill_value is one value, and not of shape {fill_value.shape}")
    rounds = jnp.issubdtype(x.dtype, jnp.floating)
    rounds = rounds and jnp.issubdtype(fill_value.dtype, jnp.floating)
    # Without jax_enable_x64 JAX's type of uint32 and int32 is int32.
    known = not fill_value.weak_type and x.dtype.kind in "iu" and fill_value.dtype.kind in "iu"
    loses = known and not np.can_cast(fill_value.dtype, x.dtype)
    if not rounds and (loses or jnp.result_type(fill_value, x.dtype) != x.dtype):
        raise TypeError(f"fill_value is of {fill_value.dtype}, and x of {x.dtype}")


def _as_jax(x: Any) -> jax.Array:
    """Return x as JAX has it. Without jax_enable_x64 this is of at most 4 bytes."""
    made = jnp.asarray(x)
    x = x.array() if isinstance(x, Result) else x
    # JAX itself looks at the numbers of lists.
    if isinstance(x, (list, tuple, jax.core.Tracer)) or getattr(x, "dtype", 0) == made.dtype:
        return made
    given = np.asarray(x)
    if given.dtype.kind in "iu" and (given.astype(made.dtype) != given).any():
        raise ValueError(
            f"x has values of {given.dtype} that {made.dtype} does not have: JAX needs "
            "jax_enable_x64 for them"
        )
    return made


def _whole(x: jax.Array) -> jax.Array:
    """Return x replicated on the devices of its mesh, if its type says that it is
    sharded. The gradient then gets the type of x."""
    if not isinstance(x, jax.core.Tracer):
        return x
    spec = getattr(getattr(x.aval, "sharding", None), "spec", ())
    return jax.sharding.reshard(x, jax.sharding.PartitionSpec()) if any(spec) else x


def _vary(inputs: tuple[Any, ...], arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arrays with types that vary over the mesh axes of the inputs' types.

    In shard_map JAX needs these types to sum gradients over devices, and to check
    out_specs. It does not infer them for the results of FFI calls. XLA removes the
    operations.
    """
    if not any(isinstance(x, jax.core.Tracer) for x in inputs):
        return arrays
    true = jnp.array(True)
    for x in inputs:
        true = true & (x.reshape(-1)[:0] == 0).all()
    return tuple(jnp.where(true, x, jax.lax.stop_gradient(x)) for x in arrays)


def _foreign(
    function: str, results: tuple[Any, ...], /, *inputs: Any, **text: str
) -> Any:
    """Call a function of winnow._ffi. Results are pairs of a shape and a type."""
    call = jax.ffi.ffi_call(
        function,
        tuple(jax.ShapeDtypeStruct(*result) for result in results),
        vmap_method="sequential",
    )
    return _vary(inputs, call(*_vary(inputs, inputs), **text))


def _call(x: Any, size: int, mask: tuple[Any, ...], **text: str) -> Any:
    results = ((size, *x.shape[1:]), x.dtype), ((2,), np.uint32)
    return _foreign("winnow_copy_if", results, x, *mask, **text)


def _expand(gradient: Any, x: Any, mask: tuple[Any, ...], **text: str) -> Any:
    # Items that the capacity cut off have no gradient.
    cut = max(x.shape[0] - gradient.shape[0], 0)
    gradient = jnp.pad(gradient, [(0, cut), *((0, 0) for _ in x.shape[1:])])
    bits = int(_winnow.selection_bytes(x.shape[0]))
    results = (x.shape, gradient.dtype), ((bits,), np.uint8)
    return _foreign("winnow_expand", results, gradient, x, *mask, **text)[0]


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _spread(how: tuple[str, str, int], gradient: Any, x: Any, mask: Any) -> Any:
    text, name, _ = how
    return _expand(gradient, x, mask, condition=text, name=name)


def _spread_forward(how: Any, gradient: Any, x: Any, mask: Any) -> Any:
    return _spread(how, gradient, x, mask), (x, mask)


def _spread_backward(how: Any, saved: Any, gradient: Any) -> Any:
    """The gradient of expand is compact. x only says which items pass."""
    x, mask = saved
    ones = jnp.ones(x.shape, gradient.dtype)
    kept = mask[0] if mask else _spread(how, ones, x, mask) != 0
    return copy_if(gradient, kept, size=how[2]).buffer, None, None


_spread.defvjp(_spread_forward, _spread_backward)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _copy(how: tuple[str, str, int], x: Any) -> Any:
    text, name, size = how
    return _call(x, size, (), condition=text, name=name)


def _copy_forward(how: tuple[str, str, int], x: Any) -> Any:
    return _copy(how, x), x


def _copy_backward(how: tuple[str, str, int], x: Any, gradients: Any) -> Any:
    return (_spread(how, gradients[0], x, ()),)


_copy.defvjp(_copy_forward, _copy_backward)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _copy_flagged(size: int, x: Any, mask: Any) -> Any:
    return _call(x, size, (mask,), condition="", name="")


def _flagged_forward(size: int, x: Any, mask: Any) -> Any:
    return _copy_flagged(size, x, mask), (x, mask)


def _flagged_backward(size: int, saved: Any, gradients: Any) -> Any:
    x, mask = saved
    made = _spread(("", "", size), gradients[0], x, (mask,))
    return made, np.zeros(mask.shape, jax.dtypes.float0)


_copy_flagged.defvjp(_flagged_forward, _flagged_backward)
