# SPDX-License-Identifier: Apache-2.0
"""Filters as operators of PyTorch: for torch.compile, autograd and export.

Tensors without a gradient need none of this: winnow.copy_if() takes them. The
operators here have outputs of a fixed shape, so that nothing waits for the count,
and graphs have no breaks.

    torch.ops.winnow.copy_if(x, mask, condition, capacity) -> (out, count)
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor

import winnow

from ._expression import Condition


class Kept(NamedTuple):
    """The result of copy_if(): what winnow.Result is, of a fixed shape."""

    buffer: Tensor
    """`capacity` items: the survivors, then zeros."""
    count: Tensor
    """How many items pass, of int64, on the device."""

    def array(self) -> Tensor:
        """The survivors. Waits for a GPU."""
        return self.buffer[: int(self.count)]


@torch.library.custom_op("winnow::copy_if", mutates_args=())
def _copy_if_op(
    x: Tensor, mask: Optional[Tensor], condition: Optional[str], capacity: int
) -> tuple[Tensor, Tensor]:
    x = x.detach()
    out = x.new_zeros((capacity, *x.shape[1:]))
    count = torch.empty((), dtype=torch.int64, device=x.device)
    if mask is not None:
        kept = winnow.copy_flagged(x, mask, out=out)
        count.copy_(kept.count)
    else:
        assert condition is not None
        winnow.copy_if(x, condition, out=out, count=count)
    return out, count


@_copy_if_op.register_fake
def _(
    x: Tensor, mask: Optional[Tensor], condition: Optional[str], capacity: int
) -> tuple[Tensor, Tensor]:
    return (
        x.new_empty((capacity, *x.shape[1:])),
        torch.empty((), dtype=torch.int64, device=x.device),
    )


@torch.library.custom_op("winnow::copy_if_backward", mutates_args=())
def _backward_op(
    gradient: Tensor, x: Tensor, mask: Optional[Tensor], condition: Optional[str]
) -> Tensor:
    selection = (
        winnow.select(x.detach(), condition)
        if mask is None
        else winnow.select(mask=mask)
    )
    # Zero, too, for items that the capacity cut off.
    return selection.expand(gradient.detach().contiguous(), fill=0)


@_backward_op.register_fake
def _(
    gradient: Tensor, x: Tensor, mask: Optional[Tensor], condition: Optional[str]
) -> Tensor:
    return gradient.new_empty(x.shape)


def _save(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, mask, condition, _ = inputs
    ctx.save_for_backward(x, mask)
    ctx.condition = condition
    ctx.set_materialize_grads(False)


def _backward(ctx: Any, gradient: Optional[Tensor], _: Any) -> Any:
    x, mask = ctx.saved_tensors
    if gradient is None:
        return None, None, None, None
    made = torch.ops.winnow.copy_if_backward(gradient, x, mask, ctx.condition)
    return made, None, None, None


_copy_if_op.register_autograd(_backward, setup_context=_save)


def copy_if(
    x: Tensor,
    keep: Tensor | str | Condition,
    capacity: int | None = None,
) -> Kept:
    """Pack the items of x that a mask flags, or that pass a condition.

    It may be compiled as a whole, and has a gradient.

    Parameters
    ----------
    x : Tensor
        Of one dimension; with a mask of any number, and an item is a row.
    keep : Tensor of bool, str or Condition
    capacity : int, optional
        How many items the output has room for; by default all of x.

    Returns
    -------
    Kept: the buffer, with zeros behind the survivors, and their true number.
    """
    room = x.shape[0] if capacity is None else capacity
    if isinstance(keep, Tensor):
        return Kept(*torch.ops.winnow.copy_if(x, keep, None, room))
    if isinstance(keep, Condition) and keep._parts is not None:
        mask = winnow.select(x.detach(), keep).mask()
        return Kept(*torch.ops.winnow.copy_if(x, mask, None, room))
    text = keep if isinstance(keep, str) else keep.text
    return Kept(*torch.ops.winnow.copy_if(x, None, text, room))


# ------------------------------------ what winnow.copy_if() hands to this module


def _without(function: str, **named: Any) -> None:
    for name, value in named.items():
        if value is not None:
            raise ValueError(
                f"{function}() takes no {name}= for a tensor that requires a "
                "gradient or has no memory"
            )


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
    if _is_plain(x):
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
    _without("copy_if", out=out, count=count, n=n, stream=stream)
    if fill is not None and fill != 0:
        _without("copy_if", fill=fill)
    return copy_if(x, predicate, capacity)


def _is_plain(x: Tensor) -> bool:
    kind = type(x)
    return kind in (Tensor, torch.nn.Parameter) and not (
        x.requires_grad and torch.is_grad_enabled()
    )


def _index_if(x: Tensor, predicate: Any, **named: Any) -> Any:
    if type(x) not in (Tensor, torch.nn.Parameter):
        raise TypeError(f"index_if() has no operator for {type(x).__name__}")
    return winnow.index_if(x.detach(), predicate, **named)


def _count_if(x: Tensor, predicate: Any, **named: Any) -> Any:
    if type(x) not in (Tensor, torch.nn.Parameter):
        raise TypeError(f"count_if() has no operator for {type(x).__name__}")
    return winnow.count_if(x.detach(), predicate, **named)


# Dynamo follows this in place of the function in C.
@torch.compiler.substitute_in_graph(  # type: ignore[untyped-decorator]
    winnow.copy_if, skip_signature_check=True
)
def _copy_if_in_graph(x: Tensor, predicate: Any, *, capacity: Any = None) -> Kept:
    return copy_if(x, predicate, capacity)
