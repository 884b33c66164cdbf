# SPDX-License-Identifier: Apache-2.0
"""What the extension has to know of the array libraries by name.

The extension calls these functions where an array is of no plain kind, or where
only its library can make another one. No library is imported here that the
caller has not imported.
"""

import functools
import sys
from typing import Any

# winnow_type
OPAQUE = 0
TYPES = {
    "int8": 1,
    "int16": 2,
    "int32": 3,
    "int64": 4,
    "uint8": 5,
    "uint16": 6,
    "uint32": 7,
    "uint64": 8,
    "float16": 9,
    "bfloat16": 10,
    "float32": 11,
    "float64": 12,
    "bool": 5,
}
# src/state.h: moments, which are int64; and from OTHER on those of a unit that the
# library has not, which count as numbers.
MOMENTS = {
    "datetime64[D]": 13,
    "datetime64[s]": 14,
    "datetime64[ms]": 15,
    "datetime64[us]": 16,
    "datetime64[ns]": 17,
    "timedelta64[s]": 18,
    "timedelta64[ms]": 19,
    "timedelta64[us]": 20,
    "timedelta64[ns]": 21,
}
OTHER = 22
_others: list[str] = []

DLPACK_CUDA = 2


@functools.lru_cache(maxsize=1024)
def _is_of(kind: type, module: str) -> bool:
    return any(base.__module__.split(".")[0] == module for base in kind.__mro__)


def is_of(x: Any, module: str) -> bool:
    """Is x of a class, or of a subclass of one, that the module defines?"""
    kind: Any = type(x)
    return _is_of(kind, module)


def numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise ImportError(
            "NumPy makes the arrays of the host, and is not installed"
        ) from None
    return numpy


# ------------------------------------------------------------ NumPy's arrays


def kind_of(name: str) -> int | None:
    """The kind of elements that NumPy's name of a dtype means, if there is one."""
    if name.startswith(("datetime64", "timedelta64")) and name not in MOMENTS:
        if name not in _others:
            _others.append(name)
        return OTHER + _others.index(name)
    return TYPES.get(name, MOMENTS.get(name))


def type_of(kind: int) -> int:
    """The winnow_type of such elements."""
    return kind if kind <= TYPES["float64"] else TYPES["int64"]


def other_unit(kind: int) -> str | None:
    """The name of a dtype whose unit the library has not."""
    return _others[kind - OTHER] if kind >= OTHER else None


def has_nat(x: Any, kind: int) -> bool:
    """Is any of them no moment? Of a GPU that is not looked at."""
    if not TYPES["float64"] < kind < OTHER or hasattr(x, "__cuda_array_interface__"):
        return False
    return bool(numpy().isnat(x).any())


def plain(x: Any, name: str) -> tuple[Any, int]:
    """An array of NumPy that shows x's memory by the buffer protocol, and the
    type of its elements; -1 for bytes that no call interprets."""
    np = numpy()
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array: pass {name}.data, and its mask to "
            "copy_flagged()"
        )
    # A view's elements, where NumPy would take bytes for one text.
    array = np.asarray(x if hasattr(x, "dtype") else memoryview(x))
    dtype = array.dtype
    if dtype.hasobject:
        raise TypeError(f"{name} has elements that are Python objects")
    if not dtype.isnative:
        raise TypeError(
            f"{name} is of {dtype}, of the other byte order: pass "
            f"{name}.astype({name}.dtype.newbyteorder('='))"
        )
    if dtype.kind in "mM":
        return array.view(np.int64), kind_of(dtype.name) or TYPES["int64"]
    if dtype.name == "bfloat16":
        return array.view(np.uint16), TYPES["bfloat16"]
    number = TYPES.get(dtype.name, -1)
    if number < 0 and (dtype.names is None or dtype.itemsize > 0):
        array = array.view(f"V{dtype.itemsize}")
    return array, number


def to_numpy(array: Any, arguments: tuple[Any, ...], names: Any) -> Any:
    named = dict(names or {})
    if named.get("copy") is None:
        named.pop("copy", None)
    if not isinstance(array, numpy().ndarray):
        if is_of(array, "torch"):
            array = array.cpu()
        elif is_of(array, "cupy"):
            array = array.get()
        elif hasattr(array, "copy_to_host"):
            array = array.copy_to_host()
    if named.pop("copy", None):
        return numpy().array(array, *arguments, **named)
    return numpy().asarray(array, *arguments, **named)


# ------------------------------------------------------------- other libraries


def exchange(kind: type) -> Any:
    """The capsule with the exchange API of a type, if it is the type's own.

    A subclass inherits it from torch.Tensor, and calls by it succeed for fake
    tensors, which have no memory.
    """
    torch = sys.modules.get("torch")
    if torch is not None and issubclass(kind, torch.Tensor):
        if kind is not torch.Tensor and kind is not torch.nn.Parameter:
            return None
    elif "__dlpack_c_exchange_api__" not in vars(kind):
        return None
    return getattr(kind, "__dlpack_c_exchange_api__")


def current_stream(x: Any) -> int:
    """The stream that x's library works on, for an array on a GPU."""
    if is_of(x, "cupy"):
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    if is_of(x, "torch"):
        return int(sys.modules["torch"].cuda.current_stream(x.device).cuda_stream)
    if is_of(x, "jax") or is_of(x, "jaxlib"):
        raise TypeError(
            "JAX does not say when the memory of an array on a GPU is used "
            "again: pass an array of PyTorch or CuPy"
        )
    return 0


def capsule(x: Any, name: str, stream: int | None) -> Any:
    """x by __dlpack__, ready on a stream; by default on its library's own."""
    if is_of(x, "torch") and type(x).__name__ not in ("Tensor", "Parameter"):
        raise TypeError(
            f"{name} is a {type(x).__name__}, whose memory is not its own: "
            "winnow.torch.copy_if() takes it"
        )
    device_type, _ = x.__dlpack_device__()
    if device_type == DLPACK_CUDA:
        if stream is None:
            stream = current_stream(x)
        # DLPack calls the default stream 1; 0 is no stream to it.
        stream = stream or 1
    else:
        stream = None
    try:
        return x.__dlpack__(stream=stream, max_version=(1, 3))
    except TypeError:  # before DLPack 1.0
        return x.__dlpack__(stream=stream)


def interface(x: Any, name: str) -> tuple[Any, ...]:
    """x by __cuda_array_interface__, as the extension takes it."""
    parts = x.__cuda_array_interface__
    kind = numpy().dtype(parts["typestr"])
    if not kind.isnative:
        raise TypeError(f"{name} is of {kind}, of the other byte order")
    if parts.get("mask") is not None:
        raise TypeError(f"{name} has a mask: pass it to copy_flagged()")
    address, read_only = parts["data"]
    # None and what is missing: nothing has to be waited for. 1 and 2 are
    # CUDA's handles of its two default streams.
    stream = parts.get("stream")
    return (
        address,
        read_only,
        tuple(parts["shape"]),
        parts.get("strides"),
        kind.itemsize,
        kind_of(kind.name) or OPAQUE,
        device_of(x, address),
        current_stream(x) if stream is None else stream,
    )


def device_of(x: Any, address: int) -> int:
    """The ordinal of the GPU that has an array."""
    if hasattr(x, "__dlpack_device__"):
        return int(x.__dlpack_device__()[1])
    import ctypes

    ordinal = ctypes.c_int(0)
    attribute = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    status = ctypes.CDLL("libcuda.so.1").cuPointerGetAttribute(
        ctypes.byref(ordinal), attribute, ctypes.c_void_p(address)
    )
    if status != 0 and address:
        raise ValueError(f"no GPU has the address {address:#x}")
    return ordinal.value


def stream_number(stream: Any) -> int:
    """A CUDA stream as a number."""
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    if hasattr(stream, "ptr"):
        return int(stream.ptr)
    if hasattr(stream, "cuda_stream"):
        return int(stream.cuda_stream)
    return int(stream)


def contiguous(x: Any, name: str) -> Any:
    """A copy of x whose elements are side by side and aligned."""
    if is_of(x, "torch"):
        copy = x.resolve_conj().resolve_neg().contiguous()
        return copy if copy is not x else x.clone()
    if is_of(x, "cupy"):
        return sys.modules["cupy"].array(x, order="C")
    if not hasattr(x, "__cuda_array_interface__"):
        return numpy().array(x, order="C", subok=False)
    raise ValueError(f"{name} has gaps or a negative stride: pass a copy")


# ------------------------------------------------------------------ new arrays


def empty(x: Any, n: int | None, dtype: str | None = None) -> Any:
    """A new array of x's library, on its device: of n items like x's, or of n
    elements of a dtype; of none dimensions with None for n."""
    shape: tuple[int, ...] = () if n is None else (n,)
    if dtype is None:
        shape += tuple(x.shape[1:]) if hasattr(x, "shape") else ()
    if is_of(x, "torch"):
        torch = sys.modules["torch"]
        kind = x.dtype if dtype is None else getattr(torch, dtype)
        return torch.empty(shape, dtype=kind, device=x.device)
    if is_of(x, "cupy"):
        with x.device:
            return sys.modules["cupy"].empty(shape, dtype or x.dtype)
    if hasattr(x, "__cuda_array_interface__"):
        if is_of(x, "numba"):
            from numba import cuda

            return cuda.device_array(shape, dtype or x.dtype)
        raise TypeError(
            f"{type(x).__name__} is of a library that says no way to make "
            "arrays: pass out= and count="
        )
    if not hasattr(x, "dtype") and hasattr(x, "__dlpack__"):
        raise TypeError(
            f"{type(x).__name__} is of a library that says no way to make "
            "arrays: pass out="
        )
    kind = dtype or (x.dtype if hasattr(x, "dtype") else plain(x, "x")[0].dtype)
    return numpy().empty(shape, kind)


def like(x: Any, made: Any) -> Any:
    """What was made, as an array of x's library, if that has arrays of the host
    that cannot be written to: then NumPy's were."""
    if type(x).__module__ == "numpy" or not isinstance(made, numpy().ndarray):
        return made
    if isinstance(x, numpy().ndarray) or not hasattr(x, "__array_namespace__"):
        return made
    return x.__array_namespace__().from_dlpack(made)


def zeros(x: Any, shape: tuple[int, ...], dtype: str | None) -> Any:
    """The same, filled with zeros."""
    if is_of(x, "torch"):
        torch = sys.modules["torch"]
        kind = x.dtype if dtype is None else getattr(torch, dtype)
        return torch.zeros(shape, dtype=kind, device=x.device)
    if is_of(x, "cupy"):
        with x.device:
            return sys.modules["cupy"].zeros(shape, dtype or x.dtype)
    if hasattr(x, "__cuda_array_interface__"):
        raise TypeError(f"pass sums=: no zeros are made for {type(x).__name__}")
    np = numpy()
    return np.zeros(shape, dtype or np.asarray(x).dtype)


def number(x: Any, value: int) -> Any:
    """A number as an array of int64 without dimensions, of x's library."""
    if is_of(x, "torch"):
        return sys.modules["torch"].tensor(value, device="cpu")
    np = numpy()
    return like(x, np.array(value, np.int64))


def fill(x: Any, start: int, stop: int, value: Any) -> None:
    """x[start:stop] = value"""
    if start < stop:
        x[start:stop] = value


def item_bytes(x: Any, value: Any) -> bytes:
    """The bytes of an item of x, all elements of which have a value."""
    np = numpy()
    if is_of(x, "torch"):
        torch = sys.modules["torch"]
        one = torch.full((), value, dtype=x.dtype, device="cpu")
        element = one.reshape(1).view(torch.uint8).numpy().tobytes()
    else:
        element = np.full((), value, np.dtype(x.dtype)).tobytes()
    count = 1
    for length in x.shape[1:]:
        count *= length
    return bytes(element * count)


def host_bytes(x: Any) -> bytes:
    """What an array has, on the host: waits for a GPU."""
    return bytes(to_numpy(x, (), None).tobytes())


# --------------------------------------------------------------------- PyTorch


def is_tensor(x: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def by_torch(function: str, x: Any, predicate: Any, named: Any) -> Any:
    """A call on a tensor that has no memory of its own, or wants a gradient."""
    from . import torch as operators

    return getattr(operators, "_" + function)(x, predicate, **named)


def no_gradient(name: str, *arrays: Any) -> None:
    """Refuse what would be lost in silence."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    for x in arrays:
        if isinstance(x, torch.Tensor) and x.requires_grad:
            if torch.is_grad_enabled():
                raise ValueError(
                    f"{name}() has no gradient, and an array requires one: "
                    "pass x.detach(), or use winnow.torch.copy_if()"
                )
