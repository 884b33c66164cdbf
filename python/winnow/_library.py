# SPDX-License-Identifier: Apache-2.0
"""The code that is specific to each array library.

The extension calls these functions for arrays that it cannot read itself, and when only
an array's library can make another array. This module imports no library that the
caller has not imported.
"""

import contextlib
import ctypes
import functools
import math
import sys
from operator import index
from typing import Any, Mapping

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
NAMES = {number: name for name, number in TYPES.items() if name != "bool"}
# Kinds of dates and durations, as in src/state.h. Their elements are int64. Kinds from
# OTHER on are dtypes whose unit the library does not have; it reads them as numbers.
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

DLPACK_CUDA, DLPACK_MANAGED = 2, 13


@functools.lru_cache(maxsize=1024)
def _is_of(kind: type, module: str) -> bool:
    return any(base.__module__.split(".")[0] == module for base in kind.__mro__)


def is_of(x: Any, module: str) -> bool:
    """Return whether a module defines x's class or one of its base classes."""
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


def numpy_interface() -> Any:
    """Return the capsule with the functions of NumPy's C interface."""
    name = "numpy._core" if "numpy._core" in sys.modules else "numpy.core"
    return sys.modules[name + "._multiarray_umath"]._ARRAY_API


def kind_of(name: str) -> int | None:
    """Return the kind of elements of NumPy's dtype of this name, or None."""
    if name.startswith(("datetime64", "timedelta64")) and name not in MOMENTS:
        if name not in _others:
            _others.append(name)
        return OTHER + _others.index(name)
    return TYPES.get(name, MOMENTS.get(name))


def type_of(kind: int) -> int:
    """Return the winnow_type of elements of a kind."""
    return kind if kind <= TYPES["float64"] else TYPES["int64"]


def other_unit(kind: int) -> str | None:
    """Return the dtype's name if its unit is none of the library's, else None."""
    return _others[kind - OTHER] if kind >= OTHER else None


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


def current_stream(x: Any) -> Any:
    """Return the current stream of the library of x, an array on a GPU: a number, or an
    object that keeps the stream alive."""
    if is_of(x, "cupy"):
        return sys.modules["cupy"].cuda.get_current_stream(x.device.id)
    if is_of(x, "torch"):
        return int(sys.modules["torch"].cuda.current_stream(x.device).cuda_stream)
    if is_of(x, "jax") or is_of(x, "jaxlib"):
        raise TypeError(
            "JAX does not say when the memory of an array on a GPU is used "
            "again: pass an array of PyTorch or CuPy"
        )
    return 0


def capsule(x: Any, name: str, stream: int | None) -> tuple[Any, Any]:
    """Return x's DLPack capsule and, for an array on a GPU, its library's stream.

    x is ready on `stream`, by default on its library's stream.
    """
    if is_of(x, "torch"):
        if type(x).__name__ not in ("Tensor", "Parameter"):
            raise TypeError(
                f"{name} is a {type(x).__name__}, whose memory is not its own: "
                "winnow.torch.copy_if() takes it"
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


def device_of(x: Any, address: int) -> int:
    """Return the ordinal of the GPU that has an array's memory."""
    if hasattr(x, "__dlpack_device__"):
        return int(x.__dlpack_device__()[1])
    ordinal = ctypes.c_int(0)
    attribute = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    status = driver().cuPointerGetAttribute(
        ctypes.byref(ordinal), attribute, ctypes.c_void_p(address)
    )
    if status != 0 and address:
        raise ValueError(f"no GPU has the address {address:#x}")
    return ordinal.value


# -------------------------------------------------------------------- streams


def driver() -> Any:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        from ._winnow import NoDeviceError

        raise NoDeviceError(f"there is no driver of a GPU: {error}") from None


def stream_number(stream: Any) -> int:
    """Return the handle of a CUDA stream as a number."""
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    elif hasattr(stream, "ptr"):
        stream = stream.ptr
    elif hasattr(stream, "cuda_stream"):
        stream = stream.cuda_stream
    if isinstance(stream, bool) or not hasattr(stream, "__index__"):
        raise TypeError(
            "stream is a stream's handle, or an object with __cuda_stream__, not "
            f"{stream!r}"
        )
    number = index(stream)
    if not 0 <= number < 2**64:
        raise ValueError(f"stream is {number}, which is no stream's handle")
    return number


def order(before: Any, after: Any, device: int) -> None:
    """Make later work on the stream `after` wait for the work that is on `before`.

    If either stream is captured, this does nothing: a captured stream cannot wait for
    work outside of its capture.
    """
    first, second = stream_number(before), stream_number(after)
    cuda = driver()
    if first == second or _is_captured(cuda, first) or _is_captured(cuda, second):
        return
    place, context, event = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    no_timing = 2  # CU_EVENT_DISABLE_TIMING

    def call(name: str, *arguments: Any) -> None:
        status = getattr(cuda, name)(*arguments)
        if status != 0:
            from ._winnow import CudaError

            raise CudaError(f"two streams are not ordered: {name}() gives {status}")

    call("cuDeviceGet", ctypes.byref(place), device)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), place)
    try:
        call("cuCtxPushCurrent_v2", context)
        try:
            call("cuEventCreate", ctypes.byref(event), no_timing)
            try:
                call("cuEventRecord", event, ctypes.c_void_p(first))
                call("cuStreamWaitEvent", ctypes.c_void_p(second), event, 0)
            finally:
                call("cuEventDestroy_v2", event)
        finally:
            call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
    finally:
        call("cuDevicePrimaryCtxRelease_v2", place)


def _is_captured(cuda: Any, stream: int) -> bool:
    state = ctypes.c_int(0)
    cuda.cuStreamIsCapturing(ctypes.c_void_p(stream), ctypes.byref(state))
    return state.value != 0


class _Stream:
    """A stream's handle, as CuPy takes it."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.number


def on_stream(x: Any, stream: int) -> Any:
    """Return a context manager in which x's library works and allocates on a stream.

    For CuPy enter it within `with x.device`.
    """
    if is_of(x, "cupy"):
        cuda = sys.modules["cupy"].cuda
        if cuda.get_current_stream(x.device.id).ptr != stream:
            if hasattr(cuda.Stream, "from_external"):  # CuPy 14
                return cuda.Stream.from_external(_Stream(stream))
            return cuda.ExternalStream(stream)
    elif is_of(x, "torch") and x.is_cuda:
        cuda = sys.modules["torch"].cuda
        if cuda.current_stream(x.device).cuda_stream != stream:
            return cuda.stream(cuda.ExternalStream(stream, x.device))
    return contextlib.nullcontext()


def after(x: Any, stream: Any) -> None:
    """Make later work of x's library wait for the stream that x was made on."""
    if stream is None:
        return
    from ._winnow import view

    seen = view(x, "count")
    order(stream, seen.stream, seen.device)


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


def element_bytes(x: Any, kind: int, value: Any) -> bytes:
    """Return the bytes that a value has as an element of x."""
    if is_of(x, "torch"):
        torch = sys.modules["torch"]
        one = torch.full((1,), value, dtype=x.dtype, device="cpu")
        is_real = x.dtype.is_floating_point or x.dtype.is_complex
        if is_real:
            is_lost = one.isinf().item() and not math.isinf(abs(value))
        else:
            is_lost = one.item() != value
        if is_lost:
            raise ValueError(f"fill is {value!r}, which {x.dtype} cannot represent")
        return bytes(one.view(torch.uint8).numpy())
    np = numpy()
    dtype = np.dtype(x.dtype if hasattr(x, "dtype") else NAMES[type_of(kind)])
    # 0 means zero bytes for texts and records, too. numpy.array(0, "S1") is b"0".
    is_text = issubclass(dtype.type, np.flexible)
    is_zero = is_text and isinstance(value, (int, float)) and value == 0
    if isinstance(value, (complex, np.complexfloating)) and dtype.kind in "fiu":
        raise ValueError(f"fill is {value!r}, which {dtype} cannot represent")
    if is_zero:
        made = np.zeros((), dtype)
    elif type(value) in (int, float) and -65504 <= value <= 65504:
        made = np.array(value, dtype)  # every type of floats has such numbers
    else:
        with np.errstate(over="ignore"):
            made = np.array(value, dtype)
    if made.shape != ():
        raise TypeError(f"fill is one value, not {value!r}")
    if not is_zero and not _represents(made, value):
        raise ValueError(f"fill is {value!r}, which {dtype} cannot represent")
    return bytes(made.tobytes())


def _represents(made: Any, value: Any) -> bool:
    """Return whether the element `made` has this value, but for rounding."""
    np = numpy()
    kind = made.dtype.kind
    is_number = type(value) in (int, float, bool)  # the rest of this is slower
    if is_number and kind in "biu":
        return bool(made.item() == value)
    if is_number and kind == "f":
        return not math.isinf(made) or math.isinf(value)
    given = np.asarray(value)
    if kind in "Mm":
        return _is_moment(made, given)
    if given.dtype.kind in "Mm" or (given.dtype.kind == "c" and kind != "c"):
        return False
    if kind in "SU":
        return bool(made.astype(given.dtype) == given)
    if kind in "biu":
        return bool(made.item() == given.item())
    if isinstance(made[()], np.void):  # records
        return True
    if kind == "c":
        return bool(np.isinf(made) == np.isinf(given.astype(complex)))
    return not math.isinf(made) or math.isinf(given)


def _is_moment(made: Any, given: Any) -> bool:
    """Return whether a date or a duration has the value that was given."""
    np = numpy()
    kind, from_kind = made.dtype.kind, given.dtype.kind
    if given.dtype.hasobject:  # a date, a datetime or a timedelta of Python
        given, from_kind = given.astype(f"{kind}8[us]"), kind
    if from_kind in "iu":
        return bool(int(made.view(np.int64)) == int(given))
    if from_kind != kind:
        return bool(from_kind == "U")  # which NumPy has read
    back = made.astype(given.dtype)
    return bool(back == given or np.isnat(back) and np.isnat(given))


def item_bytes(x: Any, kind: int, size: int, value: Any) -> bytes:
    """Return the bytes of an item of x all of whose elements have this value."""
    element = element_bytes(x, kind, value)
    return element * (size // len(element))


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


# --------------------------------------------------------------------- PyTorch


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
