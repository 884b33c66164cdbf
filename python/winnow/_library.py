# SPDX-License-Identifier: Apache-2.0
"""The code that is specific to each array library.

The extension calls the functions of this module for arrays that it cannot read itself,
and when only an array's library can make another array. It finds the functions of
_fill, _streams and _tensors here, too. None of these modules imports a library that the
caller has not imported.
"""

import functools
import sys
from typing import Any, Mapping

from ._fill import element_bytes as element_bytes, item_bytes as item_bytes
from ._kinds import NAMES, OPAQUE, TYPES, is_of, kind_of, numpy, type_of
from ._streams import after, current_stream, device_of, on_stream
from ._streams import order as order, stream_number as stream_number
from ._tensors import (
    by_torch as by_torch,
    is_deterministic as is_deterministic,
    is_tensor as is_tensor,
    is_traced as is_traced,
    tangents as tangents,
    tensors as tensors,
    without_memory as without_memory,
)

DLPACK_CUDA, DLPACK_MANAGED = 2, 13


# ------------------------------------------------------------ NumPy's arrays


def numpy_interface() -> Any:
    """Return the capsule with the functions of NumPy's C interface."""
    name = "numpy._core" if "numpy._core" in sys.modules else "numpy.core"
    return sys.modules[name + "._multiarray_umath"]._ARRAY_API


def plain(x: Any, name: str) -> tuple[Any, int, bool]:
    """Return a NumPy array whose buffer protocol shows x's memory; the kind of its
    elements, or -1 for elements that no call interprets; and whether x is of bool."""
    np = numpy()
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array: pass its data, and its mask to copy_flagged()"
        )
    # memoryview() gives the elements of bytes, which NumPy would take for one text.
    array = np.asarray(x if hasattr(x, "dtype") else memoryview(x))
    if isinstance(x, np.generic):  # a scalar, which asarray() copied
        array.flags.writeable = False
    dtype = array.dtype
    if dtype.hasobject:
        raise TypeError(f"{name} has elements that are Python objects")
    if not dtype.isnative:
        raise TypeError(
            f"{name} is of {dtype}, of the other byte order: pass "
            "astype(dtype.newbyteorder('=')) of it"
        )
    if dtype.kind in "mM":
        return array.view(np.int64), kind_of(dtype.name) or TYPES["int64"], False
    if dtype.name == "bfloat16":
        return array.view(np.uint16), TYPES["bfloat16"], False
    number = TYPES.get(dtype.name, -1)
    if number < 0 and (dtype.names is None or dtype.itemsize > 0):
        array = array.view(f"V{dtype.itemsize}")
    return array, number, dtype.kind == "b"


def to_numpy(array: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    if not isinstance(array, numpy().ndarray):
        if is_of(array, "torch"):
            array = array.cpu()
        elif is_of(array, "cupy"):
            array = array.get()
        elif hasattr(array, "copy_to_host"):
            array = array.copy_to_host()
    if copy:
        return numpy().array(array, dtype)
    if copy is None:
        return numpy().asarray(array, dtype)
    return numpy().asarray(array, dtype, copy=copy)


# ---------------------------------------------------------------------- tables


def columns(x: Any, records: int) -> dict[Any, Any] | None:
    """Return the columns of a mapping, or of records if `records` is set; else None."""
    if isinstance(x, Mapping):
        return dict(x)
    names = getattr(getattr(x, "dtype", None), "names", None)
    if not records or names is None:
        return None
    return {name: x[name] for name in names}


def check_column(name: str, x: Any) -> None:
    """Raise an error if a column comes from an Arrow table, and is no array."""
    from ._arrow import is_arrow

    if is_arrow(x):
        raise TypeError(
            f"column {name!r} is a column of {type(x).__module__.split('.')[0]}: "
            "a mapping has arrays, of NumPy, CuPy, PyTorch, JAX or Numba; "
            "filter() takes whole tables of pyarrow, polars and pandas"
        )


def refuse(x: Any, name: str) -> None:
    """Raise the error about an object that is no array."""
    from ._arrow import is_arrow
    from ._result import Counted

    kind = type(x)
    if isinstance(x, Counted):
        raise TypeError(f"{name} is a {kind}: pass array() of it")
    if is_arrow(x) or is_of(x, "pandas"):
        raise TypeError(
            f"{name} is a {kind.__name__} of {kind.__module__.split('.')[0]}: "
            "winnow.filter() takes tables; other functions take arrays, such as "
            "to_numpy() of a column"
        )
    raise TypeError(
        f"{name} is no array: {kind} has no buffer, no __dlpack__ and no "
        "__cuda_array_interface__"
    )


# ------------------------------------------------------------- other libraries


def exchange(kind: type) -> Any:
    """Return the capsule with a type's own DLPack exchange API, or None.

    Subclasses of torch.Tensor inherit the API. Its calls succeed even for fake tensors,
    which have no memory.
    """
    torch = sys.modules.get("torch")
    if torch is not None and issubclass(kind, torch.Tensor):
        if kind is not torch.Tensor and kind is not torch.nn.Parameter:
            return None
    elif "__dlpack_c_exchange_api__" not in vars(kind):
        return None
    return getattr(kind, "__dlpack_c_exchange_api__")


def capsule(x: Any, name: str, stream: int | None) -> tuple[Any, Any]:
    """Return x's DLPack capsule and, for an array on a GPU, its library's stream.

    x is ready on `stream`, by default on its library's stream.
    """
    if is_of(x, "torch"):
        if type(x).__name__ not in ("Tensor", "Parameter"):
            raise TypeError(
                f"{name} is a {type(x).__name__}, which need not have memory of its "
                "own: winnow.torch.copy_if() takes it as x and as a mask; if it has, "
                "pass as_subclass(torch.Tensor) of it"
            )
        x = x.detach()
    elif is_of(x, "cupy"):
        _tell_of_cupy()
    elif is_of(x, "jax") and not hasattr(x, "__dlpack_device__"):
        raise TypeError(
            f"{name} is traced by JAX, and has no memory: winnow.jax.copy_if() takes it"
        )
    own = None
    if _is_on_gpu(x, name):
        own = current_stream(x)
        if stream is None:
            stream = stream_number(own)
        # In DLPack 1 is the default stream, and 0 is not allowed.
        stream = stream or 1
    else:
        stream = None
    try:
        return x.__dlpack__(stream=stream, max_version=(1, 3)), own
    except TypeError:  # before DLPack 1.0
        return x.__dlpack__(stream=stream), own


@functools.cache
def _tell_of_cupy() -> None:
    """Make the extension read CuPy arrays by their attributes from now on."""
    from ._winnow import set_cupy

    cupy = sys.modules["cupy"]
    set_cupy(cupy.ndarray, cupy.cuda.get_current_stream, numpy().empty(0))


def interface(x: Any, name: str) -> tuple[Any, ...]:
    """Return x's __cuda_array_interface__ in the form that the extension takes."""
    parts = x.__cuda_array_interface__
    kind = numpy().dtype(parts["typestr"])
    if not kind.isnative:
        raise TypeError(f"{name} is of {kind}, of the other byte order")
    if parts.get("mask") is not None:
        raise TypeError(f"{name} has a mask: pass it to copy_flagged()")
    address, read_only = parts["data"]
    # If the stream is None or missing, there is nothing to wait for. 1 and 2 are CUDA's
    # handles of the legacy and the per-thread default stream.
    stream = parts.get("stream")
    return (
        address,
        read_only,
        tuple(parts["shape"]),
        parts.get("strides"),
        kind.itemsize,
        kind_of(kind.name) or OPAQUE,
        kind.kind == "b",
        device_of(x, address),
        stream_number(current_stream(x) if stream is None else stream),
    )


def integer(x: Any, stream: Any = None) -> int:
    """Return the number in x, which was made on a stream. Waits for a GPU."""
    if stream is not None:
        after(x, stream)
    if hasattr(x, "copy_to_host"):
        x = x.copy_to_host()
    # x may be the caller's count=, such as numpy.zeros(1) or array.array("q", [0]).
    return int(x[0] if getattr(x, "shape", (1,)) else x)


def contiguous(x: Any, name: str, stream: int) -> Any:
    """Copy x on a stream, so that its elements are contiguous and aligned."""
    if is_of(x, "torch"):
        with on_stream(x, stream):
            copy = x.detach().resolve_conj().resolve_neg().contiguous()
            is_copy = copy.data_ptr() != x.data_ptr() or copy.numel() == 0
            return copy if is_copy else _bytes_of(x, name)
    if is_of(x, "cupy"):
        with x.device, on_stream(x, stream):
            if x.data.ptr % x.itemsize == 0:
                return sys.modules["cupy"].array(x, order="C")
            return _bytes_of(x, name)
    if is_of(x, "numba"):
        return _numba_copy(x, name)
    if not _is_on_gpu(x):
        return numpy().array(by_numpy(x), order="C", subok=False)
    raise ValueError(f"{name} has gaps, or a stride of 0 or below: pass a copy")


def _bytes_of(x: Any, name: str) -> Any:
    """Copy the bytes of a PyTorch or CuPy array that is not aligned. Kernels that copy
    its elements would fault."""
    if is_of(x, "torch"):
        torch = sys.modules["torch"]
        if x.is_contiguous():
            plain = x.detach().reshape(-1)
            return plain.view(torch.uint8).clone().view(x.dtype).reshape(x.shape)
    elif x.flags.c_contiguous:
        cupy = sys.modules["cupy"]
        memory = cupy.ndarray((x.nbytes,), "u1", x.data)
        return memory.copy().view(x.dtype).reshape(x.shape)
    raise ValueError(f"{name} has gaps and no alignment: pass a copy")


def _numba_copy(x: Any, name: str) -> Any:
    """Copy a Numba array with a kernel, since Numba copies only contiguous arrays."""
    if x.ndim != 1:
        raise ValueError(f"{name} has gaps, or a stride of 0 or below: pass a copy")
    from numba import cuda

    made = cuda.device_array(x.shape, x.dtype)
    if x.size:
        _numba_kernel()[(x.size + 255) // 256, 256](x, made)
    return made


@functools.cache
def _numba_kernel() -> Any:
    from numba import cuda

    def copy(x: Any, made: Any) -> None:
        i = cuda.grid(1)
        if i < made.size:
            made[i] = x[i]

    return cuda.jit(copy)


# ------------------------------------------------------------------ new arrays


def empty(x: Any, n: int | None, dtype: str | None, stream: int) -> Any:
    """Make a new array of x's library on x's device.

    It has n items like those of x, or n elements of `dtype`. If n is None, it has no
    dimensions. Its memory is allocated on a stream.
    """
    shape: tuple[int, ...] = () if n is None else (n,)
    if dtype is None and hasattr(x, "shape"):
        shape += tuple(x.shape[1:])
    if is_of(x, "torch"):
        torch = sys.modules["torch"]
        kind = x.dtype if dtype is None else getattr(torch, dtype)
        with on_stream(x, stream):
            return torch.empty(shape, dtype=kind, device=x.device)
    if is_of(x, "cupy"):
        with x.device, on_stream(x, stream):
            return sys.modules["cupy"].empty(shape, dtype or x.dtype)
    if is_of(x, "numba"):
        from numba import cuda

        return cuda.device_array(shape, dtype or x.dtype)
    if not _is_on_gpu(x):
        return _numpy_like(x, shape, dtype)
    raise TypeError(
        f"winnow cannot make arrays of the library of {type(x).__name__}: "
        "pass out= and count=, or an array of PyTorch, CuPy or Numba"
    )


def _numpy_like(x: Any, shape: tuple[int, ...], dtype: str | None) -> Any:
    """Make a NumPy array of this shape, by default of the items of x."""
    seen = by_numpy(x)
    if dtype is None:
        shape = shape[:1] + seen.shape[1:]
    return numpy().empty(shape, dtype or seen.dtype)


def _is_on_gpu(x: Any, name: str = "x") -> bool:
    """Return whether an array of an unknown library is on a GPU."""
    if hasattr(x, "__dlpack_device__"):
        try:
            return bool(x.__dlpack_device__()[0] in (DLPACK_CUDA, DLPACK_MANAGED))
        except BufferError:
            if not is_of(x, "jax") or len(x.devices()) == 1:
                raise
        raise TypeError(
            f"{name} is on {len(x.devices())} devices: winnow.jax.copy_if() takes it"
        )
    return hasattr(x, "__cuda_array_interface__")


def by_numpy(x: Any) -> Any:
    """Return an array that has a NumPy dtype: x itself or a view of it."""
    np = numpy()
    if isinstance(getattr(x, "dtype", None), np.dtype):
        return x
    return np.from_dlpack(x) if hasattr(x, "__dlpack__") else plain(x, "x")[0]


def like(x: Any, made: Any) -> Any:
    """Convert a result that was made as a NumPy array to an array of x's library.

    A library such as JAX has arrays on the host that nobody can write to, so the call
    wrote to a NumPy array. For other libraries this returns the result itself.
    """
    if type(x).__module__ == "numpy" or not isinstance(made, numpy().ndarray):
        return made
    if isinstance(x, numpy().ndarray) or not hasattr(x, "__array_namespace__"):
        return made
    if is_of(x, "jax"):
        return _jax_array(x, made)
    return x.__array_namespace__().from_dlpack(made)


def _enable_x64() -> Any:
    jax = sys.modules["jax"]
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64  # before 0.8

    return enable_x64()


def _jax_array(x: Any, made: Any) -> Any:
    """Make a JAX array on x's device. Its type is that of `made`, which JAX cuts to 4
    bytes without jax_enable_x64."""
    jax = sys.modules["jax"]
    with _enable_x64():
        try:
            array = jax.numpy.from_dlpack(made)
        except BufferError:  # NumPy shares bfloat16 and the like with nobody
            array = jax.numpy.asarray(made)
        if array.devices() != x.devices():
            array = jax.device_put(array, x.sharding)
    return array


def sums(x: Any, n: int, components: int, kind: int, dtype: str) -> Any:
    """Make zeros for n sums of the values x.

    If `components` is not negative, each sum has that many. If `dtype` is empty, the
    sums have the type of x.
    """
    shape = (n,) if components < 0 else (n, components)
    return _zeros(x, shape, dtype or NAMES[type_of(kind)])


def _zeros(x: Any, shape: tuple[int, ...], dtype: str) -> Any:
    if is_of(x, "torch"):
        torch = sys.modules["torch"]
        return torch.zeros(shape, dtype=getattr(torch, dtype), device=x.device)
    if is_of(x, "cupy"):
        with x.device:
            return sys.modules["cupy"].zeros(shape, dtype)
    np = numpy()
    if is_of(x, "numba"):
        from numba import cuda

        return cuda.to_device(np.zeros(shape, dtype))
    if _is_on_gpu(x):
        raise TypeError(f"pass sums=: no zeros are made for {type(x).__name__}")
    return np.zeros(shape, dtype)


def number(x: Any, value: int) -> Any:
    """Return a number as an int64 array of x's library, without dimensions."""
    if is_of(x, "torch"):  # a subclass, or one without DLPack's exchange API
        return sys.modules["torch"].tensor(value, device="cpu")
    np = numpy()
    return like(x, np.array(value, np.int64))


def host_bytes(x: Any, stream: Any) -> bytes:
    """Return the bytes of an array, which was made on a stream. Waits for a GPU."""
    if stream is not None:
        after(x, stream)
    return bytes(to_numpy(x).tobytes())


def decimal(upper: int, lower: int, scale: int) -> Any:
    """Return units / 10**scale as a Decimal, where units has 128 bits.

    The least number of 128 bits stands for a sum of more than 38 digits: returns None.
    """
    from decimal import Decimal

    units = (upper << 64) + lower
    if units == -(2**127):
        return None
    return Decimal((units < 0, tuple(map(int, str(abs(units)))), -scale))


# --------------------------------------------------------------------- memory


def make_room(x: Any) -> bool:
    """Free GPU memory that x's library caches. Return whether that freed any."""
    if is_of(x, "torch"):
        cuda = sys.modules["torch"].cuda
        if cuda.is_current_stream_capturing():
            return False
        before = cuda.memory_reserved(x.device)
        cuda.empty_cache()
        return bool(cuda.memory_reserved(x.device) < before)
    if is_of(x, "cupy"):
        pool = sys.modules["cupy"].get_default_memory_pool()
        before = pool.free_bytes()
        with x.device:
            pool.free_all_blocks()
        return bool(pool.free_bytes() < before)
    return False


def out_of_memory(x: Any, error: Exception) -> Exception:
    """Return the error, for PyTorch as an error of PyTorch's class too, with advice."""
    if not is_of(x, "torch") or not isinstance(error, (MemoryError, _no_memory())):
        return error
    text = f"{error}; torch.cuda.empty_cache() frees what PyTorch keeps"
    other: Exception = _torch_error()(text)
    return other


@functools.cache
def _torch_error() -> Any:
    from ._winnow import OutOfMemoryError

    return type(
        "OutOfMemoryError", (OutOfMemoryError, _no_memory()), {"__module__": "winnow"}
    )


def _no_memory() -> Any:
    return getattr(sys.modules["torch"], "OutOfMemoryError", RuntimeError)
