# SPDX-License-Identifier: Apache-2.0
"""Filters as operators of PyTorch, for torch.compile, autograd, export and vmap.

For tensors without a gradient, in eager code, winnow.copy_if() is enough. The
operators here have outputs of a fixed shape, so no call waits for the count, and
graphs have no breaks.

    torch.ops.winnow.copy_if(x, mask, condition, capacity, n=None) -> (out, count)
    torch.ops.winnow.select(x, mask, condition, n=None) -> selection
    torch.ops.winnow.compact(x, selection, capacity) -> (out, count)
    torch.ops.winnow.expand(packed, selection, n) -> out

n is a tensor of one int64: the number of items that count. compact and expand are
each other's gradient; autograd saves only the selection.
"""

from __future__ import annotations

import warnings
from math import copysign
from operator import index
from typing import Any, Callable, Optional

import torch
import torch.utils._pytree as pytree
from torch import Tensor
from torch.autograd import forward_ad

import winnow

from . import _expression, _fill, _library, _tensors, _winnow
from ._expression import Condition, written
from ._kinds import numpy
from ._result import Counted, Result
from ._winnow import Prepared

# ------------------------------------------------------------------- operators


class _Operators(torch.library.Library):
    """A library of operators that raises an error for a tangent of forward mode.

    The code that register_autograd() makes would drop the tangent silently.
    """

    def impl(self, name: Any, function: Any, key: str = "", **named: Any) -> Any:
        def without_tangent(keys: Any, x: Tensor, *arguments: Any) -> Any:
            if _tensors.has_tangent(x):
                raise NotImplementedError(
                    f"winnow::{name} has no forward mode: use winnow.torch.copy_if()"
                )
            return function(keys, x, *arguments)

        made = without_tangent if key == "Autograd" else function
        return super().impl(name, made, key, **named)


_operators = _Operators("winnow", "DEF")
_operators.define(
    "copy_if(Tensor x, Tensor? mask, str? condition, SymInt capacity, "
    "Tensor? n=None) -> (Tensor, Tensor)"
)
_operators.define(
    "select(Tensor x, Tensor? mask, str? condition, Tensor? n=None) -> Tensor"
)
_operators.define(
    "compact(Tensor x, Tensor selection, SymInt capacity) -> (Tensor, Tensor)"
)
_operators.define("expand(Tensor packed, Tensor selection, SymInt n) -> Tensor")


def _of_base(x: Any) -> Any:
    """Return a tensor of a subclass, which has memory here, as a tensor."""
    is_sub = isinstance(x, Tensor) and type(x) is not Tensor
    return x.as_subclass(Tensor) if is_sub else x


def _operator(name: str) -> Callable[[Any], Any]:
    def add(function: Any) -> Any:
        def run(*arguments: Any) -> Any:
            # The autograd layer has removed the tangents. Asking for one here fails.
            with forward_ad._set_fwd_grad_enabled(False):
                return function(*map(_of_base, arguments))

        _operators.impl(name, run, "CompositeExplicitAutograd")
        return function

    return add


def _fake(name: str) -> Any:
    """Register what an operator returns for tensors without data.

    PyTorch calls it, too, if one of several tensors is of the device meta. The others'
    data cannot be used then.
    """

    def add(function: Any) -> Any:
        def run(*arguments: Any) -> Any:
            tensors = [x for x in arguments if isinstance(x, Tensor)]
            if len({x.is_meta for x in tensors}) > 1:
                raise ValueError(
                    f"winnow::{name} has tensors of "
                    f"{' and '.join(str(x.device) for x in tensors)}: the device meta has "
                    "no data"
                )
            return function(*arguments)

        torch.library.register_fake(f"winnow::{name}", run, lib=_operators)
        return function

    return add


def _selection_bytes(n: Any) -> Any:
    """Compute winnow_selection_bytes(n), where n may be a symbol of torch.compile."""
    tiles = (n + _TILE - 1) // _TILE
    even = 16 * ((8 * (tiles + 1) + 15) // 16)
    return tiles * (_TILE // 8) + even + 16 * ((2 * tiles + 15) // 16)


# The number of items in a tile of a selection: with it _selection_bytes() is right.
_TILE = next(
    tile
    for tile in (1 << i for i in range(6, 20))
    if _winnow.selection_bytes(tile) == tile // 8 + 32
    and _winnow.selection_bytes(tile + 1) == 2 * (tile // 8) + 48
)


def _check_one_of(mask: Any, condition: Any) -> None:
    if (mask is None) == (condition is None):
        raise TypeError("an operator takes a mask or a condition")


@_operator("copy_if")
def _copy_if_op(
    x: Tensor,
    mask: Optional[Tensor],
    condition: Optional[str],
    capacity: int,
    n: Optional[Tensor] = None,
) -> tuple[Tensor, Tensor]:
    _check_one_of(mask, condition)
    x = x.detach()
    out = x.new_zeros((capacity, *x.shape[1:]))
    if mask is not None:
        kept = winnow.copy_flagged(x, mask, out=out, n=n)
    else:
        assert condition is not None
        kept = winnow.copy_if(x, condition, out=out, n=n)
    return out, kept.count


@_operator("select")
def _select_op(
    x: Tensor,
    mask: Optional[Tensor],
    condition: Optional[str],
    n: Optional[Tensor] = None,
) -> Tensor:
    _check_one_of(mask, condition)
    items = x.shape[0]
    if mask is not None and mask.shape[0] != items:
        raise ValueError(f"mask has {mask.shape[0]} items, and x has {items}")
    # Zeros, so that the bytes are the same in each run, padding included.
    made = torch.zeros(_selection_bytes(items), dtype=torch.uint8, device=x.device)
    _winnow.select(x.detach(), condition, mask, n, made)
    return made


@_operator("compact")
def _compact_op(
    x: Tensor, selection: Tensor, capacity: int
) -> tuple[Tensor, Tensor]:
    x = x.detach()
    out = x.new_zeros((capacity, *x.shape[1:]))
    kept = _winnow.from_bits(selection, x.shape[0]).compact(x, out=out)
    count: Tensor = kept.count
    return out, count


@_operator("expand")
def _expand_op(packed: Tensor, selection: Tensor, n: int) -> Tensor:
    # Zeros, also for items that the capacity cut off.
    packed = packed.detach().contiguous()
    out = packed.new_zeros((n, *packed.shape[1:]))
    _winnow.from_bits(selection, n).expand(packed, fill=None, out=out)
    return out


@_fake("copy_if")
def _(
    x: Tensor, mask: Any, condition: Any, capacity: Any, n: Any = None
) -> tuple[Tensor, Tensor]:
    made: tuple[Tensor, Tensor] = _fake_compact(x, x, capacity)
    return made


@_fake("select")
def _(x: Tensor, mask: Any, condition: Any, n: Any = None) -> Tensor:
    return x.new_empty((_selection_bytes(x.shape[0]),), dtype=torch.uint8)


@_fake("compact")
def _fake_compact(x: Tensor, selection: Tensor, capacity: Any) -> tuple[Tensor, Tensor]:
    return (
        x.new_empty((capacity, *x.shape[1:])),
        torch.empty((), dtype=torch.int64, device=x.device),
    )


@_fake("expand")
def _(packed: Tensor, selection: Tensor, n: Any) -> Tensor:
    return packed.new_empty((n, *packed.shape[1:]))


# -------------------------------------------------------------------- gradients


def _save_compact(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, selection, _ = inputs
    ctx.n = x.shape[0]
    ctx.save_for_backward(selection)
    ctx.mark_non_differentiable(output[1])
    ctx.set_materialize_grads(False)


def _compact_backward(ctx: Any, gradient: Optional[Tensor], _: Any) -> Any:
    if gradient is None:
        return None, None, None
    (selection,) = ctx.saved_tensors
    return torch.ops.winnow.expand(gradient, selection, ctx.n), None, None


def _save_expand(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    packed, selection, _ = inputs
    ctx.capacity = packed.shape[0]
    ctx.save_for_backward(selection)


def _expand_backward(ctx: Any, gradient: Tensor) -> Any:
    (selection,) = ctx.saved_tensors
    made, _ = torch.ops.winnow.compact(gradient, selection, ctx.capacity)
    return made, None, None


def _save_copy(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, mask, condition, _, n = inputs
    ctx.n = x.shape[0]
    ctx.save_for_backward(torch.ops.winnow.select(x.detach(), mask, condition, n))
    ctx.mark_non_differentiable(output[1])
    ctx.set_materialize_grads(False)


def _copy_backward(ctx: Any, gradient: Optional[Tensor], _: Any) -> Any:
    made = _compact_backward(ctx, gradient, None)[0]
    return made, None, None, None, None


for _name, _save, _backward in (
    ("copy_if", _save_copy, _copy_backward),
    ("compact", _save_compact, _compact_backward),
    ("expand", _save_expand, _expand_backward),
):
    torch.library.register_autograd(
        f"winnow::{_name}", _backward, setup_context=_save, lib=_operators
    )


def _mapped(name: str, function: Any = None) -> Any:
    """Make the function that applies an operator to each sample of torch.func.vmap."""

    def run(info: Any, dims: tuple[Any, ...], *arguments: Any) -> Any:
        operator = function or getattr(torch.ops.winnow, name)
        if info.batch_size == 0:  # run on zeros, to learn the shape of the result
            made = operator(
                *(
                    x if dim is None else x.new_zeros((*x.shape[:dim], *x.shape[dim + 1 :]))
                    for x, dim in zip(arguments, dims)
                )
            )
            if isinstance(made, Tensor):
                return made.new_empty((0, *made.shape)), 0
            return tuple(each.new_empty((0, *each.shape)) for each in made), (0, 0)
        made = [
            operator(
                *(
                    x if dim is None else x.select(dim, i)
                    for x, dim in zip(arguments, dims)
                )
            )
            for i in range(info.batch_size)
        ]
        if isinstance(made[0], Tensor):
            return torch.stack(made), 0
        return tuple(torch.stack(each) for each in zip(*made)), (0, 0)

    return run


for _name in ("copy_if", "select", "compact", "expand"):
    torch.library.register_vmap(f"winnow::{_name}", _mapped(_name), lib=_operators)

class _Compact(torch.autograd.Function):
    """compact for torch.func and forward mode, which do not support the operator."""

    @staticmethod
    def forward(x: Tensor, selection: Tensor, capacity: int) -> Any:
        return torch.ops.winnow.compact(x, selection, capacity)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _save_compact(ctx, inputs, output)
        ctx.save_for_forward(inputs[1])
        ctx.capacity = inputs[2]

    @staticmethod
    def backward(ctx: Any, gradient: Optional[Tensor], _: Any) -> Any:
        if gradient is None:
            return None, None, None
        return _Expand.apply(gradient, ctx.saved_tensors[0], ctx.n), None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Optional[Tensor], *_: Any) -> Any:
        if tangent is None:
            return None, None
        return _Compact.apply(tangent, ctx.saved_tensors[0], ctx.capacity)[0], None

    @staticmethod
    def vmap(info: Any, dims: tuple[Any, ...], *arguments: Any) -> Any:
        return _mapped("compact", _Compact.apply)(info, dims, *arguments)


class _Expand(torch.autograd.Function):
    """expand for torch.func and forward mode, which do not support the operator."""

    @staticmethod
    def forward(packed: Tensor, selection: Tensor, n: int) -> Any:
        return torch.ops.winnow.expand(packed, selection, n)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _save_expand(ctx, inputs, output)
        ctx.save_for_forward(inputs[1])
        ctx.n = inputs[2]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        made = _Compact.apply(gradient, ctx.saved_tensors[0], ctx.capacity)
        return made[0], None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Optional[Tensor], *_: Any) -> Any:
        if tangent is None:
            return None
        return _Expand.apply(tangent, ctx.saved_tensors[0], ctx.n)

    @staticmethod
    def vmap(info: Any, dims: tuple[Any, ...], *arguments: Any) -> Any:
        return _mapped("expand", _Expand.apply)(info, dims, *arguments)


def _flatten(result: Result) -> tuple[list[Any], Any]:
    """Return the parts of a result and, unless it is the buffer's length, the capacity.

    The length may be a symbol of torch.compile, which must not be in the context.
    """
    buffer, count = result._leaves()
    is_whole = isinstance(buffer, Tensor) and buffer.shape[count.ndim] == result.capacity
    return [buffer, count], None if is_whole else result.capacity


def _unflatten(parts: Any, capacity: Any) -> Result:
    buffer, count = parts
    # The parts may be arrays of another library, have a batch dimension, or be
    # placeholders without dimensions.
    dimensions = getattr(count, "ndim", None)
    if capacity is None and type(dimensions) is int and hasattr(buffer, "shape"):
        capacity = buffer.shape[dimensions]
    return Result._of_parts(buffer, count, capacity)


def _in_transform(name: str) -> Any:
    """Register what an operator does inside of a torch.func transform.

    Code in a graph cannot ask whether it is inside of a transform; the dispatcher can.
    """

    def add(function: Any) -> Any:
        _operators.impl(name, function, "FuncTorchDynamicLayerFrontMode")
        return function

    return add


@_in_transform("copy_if")
def _(x: Tensor, mask: Any, condition: Any, capacity: Any, n: Any = None) -> Any:
    selection = torch.ops.winnow.select(x.detach(), mask, condition, n)
    return _Compact.apply(x, selection, capacity)


@_in_transform("compact")
def _(x: Tensor, selection: Tensor, capacity: Any) -> Any:
    return _Compact.apply(x, selection, capacity)


@_in_transform("expand")
def _(packed: Tensor, selection: Tensor, n: Any) -> Any:
    return _Expand.apply(packed, selection, n)


def _flatten_with_keys(result: Result) -> tuple[list[Any], Any]:
    parts, capacity = _flatten(result)
    names = pytree.GetAttrKey("buffer"), pytree.GetAttrKey("count")
    return list(zip(names, parts)), capacity


def _in_fx(result: Result, tracer: Any) -> Any:
    """Make the node of torch.fx for a result of proxies, as make_fx() has it."""
    arguments = tracer.create_arg((result._leaves(), result.capacity))
    return tracer.create_node("call_function", _unflatten, arguments, {})


Result.__fx_create_arg__ = _in_fx  # type: ignore[attr-defined]
pytree.register_pytree_node(
    Result,
    _flatten,
    _unflatten,
    serialized_type_name="winnow.Result",
    flatten_with_keys_fn=_flatten_with_keys,
)


# ------------------------------------------------------------------------ calls


def copy_if(
    x: Tensor | Result,
    keep: Tensor | str | Condition | Prepared,
    capacity: int | None = None,
) -> Result:
    """Pack the items of x that a mask flags, or that pass a condition.

    The function compiles without a graph break, and has a gradient.

    Parameters
    ----------
    x : Tensor, or Result of one
        Of one dimension. With a mask it may have more; an item is then a row.
    keep : Tensor of bool, str, Condition or Prepared
    capacity : int, optional
        The number of items that the output has room for; by default all of x.

    Returns
    -------
    Result
        The buffer has zeros behind the survivors. The count is the number of items that
        pass.
    """
    x, n = _first_of(x.buffer, x) if isinstance(x, Result) else _first_of(x, None)
    return _copy_items(x, keep, capacity, n)


def _within(result: Counted, x: Tensor) -> Tensor:
    """Return the number of items of x that count: the result's count, or its capacity if
    that is less."""
    result._check_one()
    count = result.count
    if not isinstance(count, Tensor):  # of another library's result
        count = torch.full((), result._known(), dtype=torch.int64, device=x.device)
    return count if x.shape[0] <= result.capacity else count.clamp(max=result.capacity)


# Dynamo does not trace C. The count of a result on the host is a number.
@torch.compiler.substitute_in_graph(  # type: ignore[untyped-decorator]
    _winnow.number, skip_signature_check=True
)
def _number(like: Tensor, count: int) -> Tensor:
    return torch.full((), count, dtype=torch.int64, device=like.device)


def _copy_items(x: Tensor, keep: Any, capacity: int | None, n: Optional[Tensor]) -> Result:
    """Do copy_if() on x, or on its first n items if n is a tensor."""
    if not torch.compiler.is_compiling():
        transformed = _is_transformed(x)
        has_memory = _has_memory(x) and not _is_subclass(keep) and not _is_subclass(n)
        if not transformed and has_memory and not _tensors.is_traced():
            if x.requires_grad and torch.is_grad_enabled():
                return _with_gradient(x, keep, capacity, n)
            return _eager(x, keep, capacity, n)
        wants = transformed or x.requires_grad and torch.is_grad_enabled()
        if capacity is None and torch._C._get_tracing_state() is not None:
            warnings.warn(
                f"the capacity, {x.shape[0]} items, becomes a constant of the trace",
                torch.jit.TracerWarning,
                stacklevel=3,
            )
    else:
        transformed = False
        wants = x.requires_grad and torch.is_grad_enabled()
    room = x.shape[0] if capacity is None else capacity
    compact = _Compact.apply if transformed else torch.ops.winnow.compact
    mask = keep if isinstance(keep, Tensor) else None
    text = keep if isinstance(keep, str) else None
    if mask is None and text is None:
        text = _text_of(keep)
    if not wants:
        buffer, count = torch.ops.winnow.copy_if(x, mask, text, room, n)
        return Result(buffer, count, room)
    selection = torch.ops.winnow.select(x.detach(), mask, text, n)
    buffer, count = compact(x, selection, room)
    return Result(buffer, count, room)


# In PyTorch 2.11 assume_constant_result does not take an object as argument.
_COMPILES_SETS = torch.__version__ >= (2, 15)


def _text_of(keep: Any) -> str:
    """Return the text of a condition for an operator, with the values of its sets."""
    text: Optional[str] = None
    if not isinstance(keep, Prepared):
        if keep._parts is not None and not _COMPILES_SETS and torch.compiler.is_compiling():
            raise TypeError(
                "a compiled function takes a set of isin() with PyTorch 2.15: pass a text"
            )
        text = keep.text if keep._parts is None else _written(keep)
    if text is None:
        raise TypeError(
            "a condition that is prepared, or in CUDA C, is not for compiled or traced "
            "code, torch.func and forward mode: pass a text"
        )
    return text


# Dynamo does not trace decimal.Decimal.
torch.compiler.assume_constant_result(_expression._float)


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _written(keep: Condition) -> Optional[str]:
    try:
        return written(keep)
    except TypeError:
        return None


def _eager(x: Tensor, keep: Any, capacity: int | None, n: Any = None) -> Result:
    """Do copy_if() on a tensor with memory and without a gradient."""
    if isinstance(keep, Tensor):
        return _winnow.copy_flagged(x, keep, None, capacity, n, 0)
    return winnow.copy_if(x, keep, capacity=capacity, fill=0, n=n)


def _bits_of(selection: Any) -> Tensor:
    """Return the bits as bytes: hooks on saved tensors may round floats and booleans."""
    bits: Tensor = selection.buffer.view(torch.uint8)
    return bits


class _Packed(torch.autograd.Function):
    """compact by a winnow.Selection, which costs less than the operator."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, selection: Any, capacity: int) -> Any:
        ctx.n = selection.n
        ctx.save_for_backward(_bits_of(selection))
        buffer, count = selection.compact(x, capacity=capacity, fill=0).parts
        ctx.mark_non_differentiable(count)
        ctx.set_materialize_grads(False)
        return buffer, count

    @staticmethod
    def backward(ctx: Any, gradient: Optional[Tensor], _: Any) -> Any:
        if gradient is None:
            return None, None, None
        (bits,) = ctx.saved_tensors
        if _tensors.tangents(gradient):  # by torch.func or forward mode
            return _Expand.apply(gradient, bits, ctx.n), None, None
        selection = _winnow.from_bits(bits, ctx.n)
        if torch.is_grad_enabled():  # the gradient may be differentiated again
            return _Spread.apply(gradient, selection), None, None
        return selection.expand(gradient.contiguous()), None, None


class _Spread(torch.autograd.Function):
    """expand by a winnow.Selection, which costs less than the operator."""

    @staticmethod
    def forward(ctx: Any, packed: Tensor, selection: Any) -> Tensor:
        ctx.n, ctx.capacity = selection.n, packed.shape[0]
        ctx.save_for_backward(_bits_of(selection))
        return selection.expand(packed.contiguous())

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        (bits,) = ctx.saved_tensors
        if _tensors.tangents(gradient):
            return _Compact.apply(gradient, bits, ctx.capacity)[0], None
        selection = _winnow.from_bits(bits, ctx.n)
        return _Packed.apply(gradient, selection, ctx.capacity)[0], None


def _with_gradient(x: Tensor, keep: Any, capacity: int | None, n: Any = None) -> Result:
    room = x.shape[0] if capacity is None else capacity
    if isinstance(keep, Tensor):
        selection = winnow.select(mask=keep, n=n)
    else:
        selection = winnow.select(x, keep, n=n)
    buffer, count = _Packed.apply(x, selection, room)
    return Result(buffer, count, room)


def _is_transformed(x: Tensor) -> bool:
    """Return whether a transform of torch.func is active or x has a tangent."""
    if torch._C._functorch.maybe_current_level() is not None:
        return True
    return _tensors.has_tangent(x)


def _has_memory(x: Tensor) -> bool:
    return type(x) in (Tensor, torch.nn.Parameter) and not (
        torch._C._functorch.is_functorch_wrapped_tensor(x)
    )


def _is_subclass(x: Any) -> bool:
    """Return whether x is a tensor of a subclass. The types come first: isinstance() of a
    tensor's class is slow."""
    return type(x) not in _PLAIN and isinstance(x, Tensor)


_PLAIN = (Tensor, torch.nn.Parameter, str, int, type(None))


# ------------------------------------ what winnow.copy_if() hands to this module


def _without(function: str, **named: Any) -> None:
    for name, value in named.items():
        if value is not None:
            raise ValueError(
                f"{function}() takes no {name}= in compiled code, or for a tensor that "
                "requires a gradient or has no memory"
            )


def _is_zero(fill: Any) -> bool:
    """Return whether fill is what the operators write: 0, and not -0.0."""
    return bool(fill == 0) and not isinstance(fill, complex) and copysign(1.0, fill) > 0


def _check_operators(predicate: Any, fill: Any, **named: Any) -> None:
    """Check that the operators can do what winnow.copy_if() was asked for."""
    if isinstance(predicate, Tensor):
        raise TypeError(
            "a condition is text or winnow.col(...) with a comparison: pass a mask to "
            "winnow.torch.copy_if()"
        )
    if isinstance(fill, Tensor):
        _fill.check(fill)
    _without("copy_if", fill=None if _is_zero(fill) else fill, **named)


def _copy_if(
    x: Tensor,
    predicate: Any,
    *,
    out: Any = None,
    count: Any = None,
    capacity: int | None = None,
    order: Any = "input",
    fill: Any = None,
    n: Any = None,
    stream: Any = None,
) -> Any:
    is_plain = (
        _has_memory(x)
        and not _is_subclass(n)
        and not _is_transformed(x)
        and not _tensors.is_traced()
    )
    if is_plain and not (x.requires_grad and torch.is_grad_enabled()):
        return winnow.copy_if(
            x.detach(),
            predicate,
            out=out,
            count=count,
            capacity=capacity,
            order=order,
            fill=fill,
            n=n,
            stream=stream,
        )
    _check_operators(predicate, out=out, count=count, stream=stream, fill=fill)
    x, n = _first_of(x, n)
    return (_with_gradient if is_plain else _copy_items)(x, predicate, capacity, n)


def _word(n: Any, x: Tensor) -> Tensor:
    """Return the number in an array of another library, of which x may have less items."""
    if hasattr(n, "filled"):
        raise TypeError("n is a masked array")
    on_gpu = _library._is_on_gpu(n)
    word = torch.from_dlpack(n) if on_gpu else torch.from_numpy(numpy().array(n))
    if word.dtype not in (torch.int64, torch.uint64) or word.numel() != 1:
        raise TypeError("n must have one element of int64 or uint64")
    number = int(word)
    if number < 0:
        raise ValueError(f"n is {number}")
    return torch.full((), min(number, x.shape[0]), dtype=torch.int64, device=x.device)


def _first_of(x: Tensor, n: Any) -> tuple[Tensor, Optional[Tensor]]:
    """Return x, cut to n items if n is an int, and n as a tensor or None."""
    if x.ndim == 0:
        raise ValueError("x has no dimensions: pass reshape(-1) of it")
    if isinstance(n, Counted):
        return x, _within(n, x)
    if n is None or isinstance(n, Tensor):
        return x, n
    if torch.compiler.is_compiling():
        if hasattr(n, "reshape"):  # an array of NumPy
            return x, torch.as_tensor(n)
    elif _winnow.is_array(n):
        return x, _word(n, x)
    items = n
    if not isinstance(n, (int, torch.SymInt)):  # index() makes a constant of a symbol
        items = index(n.reshape(()) if getattr(n, "shape", ()) == (1,) else n)
    if not 0 <= items <= x.shape[0]:
        raise ValueError(f"n is {items}, and there are {x.shape[0]} items")
    return x[:items], None


def _check_memory(function: str, x: Tensor) -> None:
    if _tensors.is_traced():
        raise TypeError(f"{function}() has no operator that could be traced")
    if not _has_memory(x):
        raise TypeError(f"{function}() has no operator for {type(x).__name__}")


# The results of these two functions have no gradient.
def _index_if(x: Tensor, predicate: Any, **named: Any) -> Any:
    _check_memory("index_if", x)
    return winnow.index_if(_plain(x), predicate, **named)


def _count_if(x: Tensor, predicate: Any, **named: Any) -> Any:
    _check_memory("count_if", x)
    return winnow.count_if(_plain(x), predicate, **named)


def _plain(x: Tensor) -> Tensor:
    """Return x without its gradient and its tangent."""
    forward = torch.autograd.forward_ad
    x = x.detach()
    return x if forward._current_level < 0 else forward.unpack_dual(x).primal


# Dynamo traces this function in place of the one in C.
@torch.compiler.substitute_in_graph(  # type: ignore[untyped-decorator]
    winnow.copy_if, skip_signature_check=True
)
def _copy_if_in_graph(
    x: Any,
    predicate: Any,
    *,
    out: Any = None,
    count: Any = None,
    capacity: int | None = None,
    order: Any = "input",
    fill: Any = None,
    n: Any = None,
    stream: Any = None,
) -> Result:
    _check_operators(predicate, out=out, count=count, stream=stream, fill=fill)
    if order not in ("input", "any"):
        raise ValueError(f"order is 'input' or 'any', not {order!r}")
    if isinstance(x, Result):
        if n is not None:
            raise ValueError("a result has a count of its own: pass no n= beside it")
        x, n = x.buffer, x
    x, n = _first_of(x, n)
    return _copy_items(x, predicate, capacity, n)
