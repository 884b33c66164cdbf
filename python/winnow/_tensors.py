# SPDX-License-Identifier: Apache-2.0
"""What the extension asks about PyTorch's tensors."""

import functools
import sys
from typing import Any

from ._kinds import NAMES


def is_tensor(x: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def by_torch(function: str, x: Any, predicate: Any, named: Any) -> Any:
    """Call a function of winnow.torch on a tensor that has no memory of its own or that
    requires a gradient."""
    return getattr(_operators(), "_" + function)(x, predicate, **named)


@functools.cache
def _operators() -> Any:
    from . import torch as operators

    return operators


def tensors() -> Any:
    """Return what the extension uses of PyTorch, in the order of enum torch_part in
    src/state.h; or None if PyTorch is not imported."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    made_by = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
    # These call the private functions below, which take half the time.
    written = torch.autograd.graph.increment_version
    captures = torch.cuda.is_current_stream_capturing
    return (
        torch.Tensor,
        torch.nn.Parameter,
        getattr(torch._C, "_increment_version", written),
        torch.is_grad_enabled,
        torch._C._functorch.maybe_current_level,
        vars(torch.autograd.forward_ad),
        torch._C._len_torch_dispatch_stack,
        _has_pre_dispatch(),
        torch._C._get_tracing_state,
        getattr(made_by, "_empty_strided_cpu", None),
        getattr(made_by, "_empty_strided_cuda", None),
        tuple(getattr(torch, name, None) for name in ("bool", *NAMES.values())),
        getattr(torch._C, "_cuda_isCurrentStreamCapturing", captures),
    )


def without_memory(x: Any) -> str:
    """Describe a tensor whose memory PyTorch does not export."""
    torch = sys.modules["torch"]
    if x.is_meta:
        return "a tensor of the device meta, which has no data"
    if x.is_nested:
        return "a nested tensor: winnow takes its values()"
    if x.layout != torch.strided:
        return "a sparse tensor: winnow takes to_dense() of it, or its values()"
    if x.is_quantized:
        return "a quantized tensor: winnow takes its int_repr(), or dequantize() of it"
    if torch._C._functorch.is_legacy_batchedtensor(x):
        return (
            "a tensor of vectorize=True or is_grads_batched=True: use torch.func"
        )
    return (
        "a tensor without memory of its own, as torch.func and vmap have them: "
        "winnow.torch.copy_if() takes it"
    )


def is_traced() -> bool:
    """Return whether make_fx() or torch.jit.trace() is recording operators. In their
    records, a result that no operator made is a constant."""
    torch = sys.modules["torch"]
    if torch._C._get_tracing_state() is not None:
        return True
    if not torch._C._len_torch_dispatch_stack() and not _has_pre_dispatch()():
        return False
    from torch.fx.experimental import proxy_tensor

    return proxy_tensor.get_proxy_mode() is not None


@functools.cache
def _has_pre_dispatch() -> Any:
    """Return a function that tells whether make_fx(pre_dispatch=True) is active."""
    parts = sys.modules["torch"]._C
    is_included = parts._dispatch_tls_is_dispatch_key_included
    return functools.partial(is_included, parts.DispatchKey.PreDispatch)


def tangents(x: Any) -> bool:
    """Return whether x has a tangent or a torch.func gradient, which would be lost."""
    torch = sys.modules["torch"]
    if torch._C._functorch.is_functorch_wrapped_tensor(x):
        return True
    return has_tangent(x)


def has_tangent(x: Any) -> bool:
    """Return whether x has a tangent of forward mode, if that is enabled."""
    torch = sys.modules["torch"]
    forward = torch.autograd.forward_ad
    return (
        forward._current_level >= 0
        and torch._C._is_fwd_grad_enabled()
        and forward.unpack_dual(x).tangent is not None
    )


def is_deterministic() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and torch.are_deterministic_algorithms_enabled()
