# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the module torch: the part that the extension uses."""

import sys
import types

import numpy as np
import stand_in

captured = False  # is the current stream captured?
memory = True  # does the allocator have memory?
written = []  # for each call, the tensors whose writes autograd was told of


class OutOfMemoryError(RuntimeError):
    pass


class Tensor(stand_in.Base):
    """A tensor with its own exchange API and without a gradient."""

    __module__ = "torch"
    requires_grad = False

    def is_neg(self):
        return False

    def zero_(self):
        self.memory[...] = 0
        return self


class Parameter(Tensor):
    __module__ = "torch"


Tensor.__dlpack_c_exchange_api__ = stand_in.Array.__dlpack_c_exchange_api__


def empty_strided_cuda(shape, strides, dtype):
    if not memory:
        raise OutOfMemoryError("CUDA out of memory. Tried to allocate.")
    return Tensor(stand_in.allocated(shape, dtype, 0))


def module(name, **parts):
    made = sys.modules[name] = types.ModuleType(name)
    vars(made).update(parts)
    return made


types_of_numpy = {
    name: np.dtype(name) for name in ("bool", "int32", "int64", "uint64", "float64")
}
graph = module("torch.autograd.graph", increment_version=written.append)
forward = module("torch.autograd.forward_ad", _current_level=-1)
functorch = module("torch._C._functorch", maybe_current_level=lambda: None)
guards = module("torch._C._dynamo.guards", _empty_strided_cuda=empty_strided_cuda)
module(
    "torch",
    Tensor=Tensor,
    OutOfMemoryError=OutOfMemoryError,
    is_grad_enabled=lambda: True,
    nn=types.SimpleNamespace(Parameter=Parameter),
    autograd=types.SimpleNamespace(graph=graph, forward_ad=forward),
    _C=types.SimpleNamespace(
        _functorch=functorch,
        _dynamo=types.SimpleNamespace(guards=guards),
        _len_torch_dispatch_stack=lambda: 0,
        _dispatch_tls_is_dispatch_key_included=lambda key: False,
        DispatchKey=types.SimpleNamespace(PreDispatch=None),
        _get_tracing_state=lambda: None,
    ),
    cuda=types.SimpleNamespace(
        is_current_stream_capturing=lambda: captured,
        memory_reserved=lambda device: 0,
        empty_cache=lambda: None,
    ),
    **types_of_numpy,
)
