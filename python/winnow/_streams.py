# SPDX-License-Identifier: Apache-2.0
"""Streams of libraries and of callers, the order of their work, and CUDA's driver."""

import contextlib
import ctypes
import sys
from operator import index
from typing import Any

from ._kinds import is_of


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


def driver() -> Any:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        from ._winnow import NoDeviceError

        raise NoDeviceError(f"there is no driver of a GPU: {error}") from None


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
