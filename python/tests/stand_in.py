# SPDX-License-Identifier: Apache-2.0
"""A library of arrays on simulated GPUs, for tests on machines without a GPU.

The arrays are in host memory, and stand_in.cc records the library's calls. Tests can
ask which arrays were waited for.
"""

import ctypes
import weakref

import numpy as np
import winnow

streams = {0: 0x100, 1: 0x200}  # device -> its current stream
waits = []  # the reads that wait for a GPU
handshakes = []  # streams that __dlpack__ was called with


def address_of(memory):
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


graves = []  # memory that was freed while calls are pending


def allocated(shape, dtype, device):
    """Allocate from the pool, on the device's current stream. The memory is reused once
    the last array over it is gone."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=int)) * dtype.itemsize
    memory = bytearray(b"\x55" * size)
    flat = np.frombuffer(memory, "u1")
    weakref.finalize(flat, refill, streams.get(device, 0x400), memory)
    return flat.view(dtype).reshape(shape)


def refill(stream, memory):
    if delays.value and memory:
        graves.append(memory)
        library.stand_in_refill(stream, ctypes.c_void_p(address_of(memory)), len(memory))


def run(first):
    """Run the pending calls, those of the stream `first` as early as is allowed."""
    library.stand_in_run(ctypes.c_int64(first))
    graves.clear()


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
KINDS = {number: kind for kind, number in CODES.items()}


class Base:
    """The base class of the stand-in's arrays."""

    def __init__(self, memory, device=0):
        self.memory = np.asarray(memory)
        self.id = device
        self.shape = self.memory.shape
        self.dtype = self.memory.dtype
        self.parts = (
            (ctypes.c_int64 * 8)(*self.memory.shape),
            (ctypes.c_int64 * 8)(
                *(s // self.memory.itemsize for s in self.memory.strides)
            ),
        )

    def describe(self, tensor):
        tensor.data = self.memory.ctypes.data if self.memory.size else None
        tensor.device_type, tensor.device_id = 2, self.id
        tensor.ndim = self.memory.ndim
        tensor.code = CODES[self.dtype.kind]
        tensor.bits, tensor.lanes = 8 * self.dtype.itemsize, 1
        tensor.shape, tensor.strides = self.parts
        tensor.byte_offset = 0

    def __getitem__(self, key):
        return type(self)(self.memory[key], self.id)

    def __setitem__(self, key, value):
        self.memory[key] = value

    def __int__(self):
        waits.append(self)
        return int(self.memory)

    def __array__(self, dtype=None, copy=None):
        waits.append(self)
        return np.array(self.memory, dtype=dtype)

    def __dlpack_device__(self):
        return 2, self.id


# A capsule keeps only the address of its name.
TENSOR_NAME = b"dltensor_versioned"
TABLE_NAME = b"dlpack_exchange_api"
capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype = ctypes.py_object
capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class ByDLPack(Base):
    """An array that has only the method __dlpack__."""

    read_only = 0
    device_type = 2

    def __dlpack_device__(self):
        return self.device_type, self.id

    def __dlpack__(self, *, stream=None, max_version=None):
        handshakes.append(stream)
        self.managed = Managed(major=1, minor=3, flags=self.read_only)
        self.describe(self.managed.tensor)
        self.managed.tensor.device_type = self.device_type
        return capsule_new(ctypes.addressof(self.managed), TENSOR_NAME, None)


class ByInterface(Base):
    """An array that has only the CUDA array interface."""

    stream = None

    @property
    def __cuda_array_interface__(self):
        made = {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.memory.ctypes.data, False),
            "strides": self.memory.strides,
            "version": 3,
        }
        if self.stream is not None:
            made["stream"] = self.stream
        return made


class Array(Base):
    """An array with DLPack's exchange API, like a tensor of PyTorch."""


# ------------------------------------------------------- the exchange API in C

made = {}  # address of a Managed -> (it, its array)


def allocate(prototype, out, context, set_error):
    like = prototype.contents
    shape = tuple(like.shape[i] for i in range(like.ndim))
    kind = KINDS[like.code] + str(like.bits // 8)
    kind = "?" if kind == "b1" else kind
    array = Array(allocated(shape, kind, like.device_id), like.device_id)
    managed = Managed(major=1, minor=3)
    array.describe(managed.tensor)
    made[ctypes.addressof(managed)] = managed, array
    out[0] = ctypes.addressof(managed)
    return 0


def from_object(array, out):
    managed = Managed(major=1, minor=3)
    array.describe(managed.tensor)
    made[ctypes.addressof(managed)] = managed, array
    out[0] = ctypes.addressof(managed)
    return 0


def to_object(managed, out):
    array = made.pop(managed)[1]
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(array))
    out[0] = id(array)
    return 0


def to_tensor(array, out):
    array.describe(out.contents)
    return 0


def current_stream(device_type, device, out):
    out[0] = streams.get(device, 0x400)
    return 0


def function(python, *kinds):
    return ctypes.PYFUNCTYPE(ctypes.c_int, *kinds)(python)


pointer = ctypes.POINTER(ctypes.c_void_p)
functions = (
    function(
        allocate, ctypes.POINTER(DLTensor), pointer, ctypes.c_void_p, ctypes.c_void_p
    ),
    function(from_object, ctypes.py_object, pointer),
    function(to_object, ctypes.c_void_p, pointer),
    function(to_tensor, ctypes.py_object, ctypes.POINTER(DLTensor)),
    function(current_stream, ctypes.c_int, ctypes.c_int32, pointer),
)


class Table(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("functions", ctypes.c_void_p * 5),
    ]


table = Table(major=1, minor=3)
for i, each in enumerate(functions):
    table.functions[i] = ctypes.cast(each, ctypes.c_void_p).value
Array.__dlpack_c_exchange_api__ = capsule_new(
    ctypes.addressof(table), TABLE_NAME, None
)


# ------------------------------------------------------------ calls that came


class Note(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char * 40),
        ("device", ctypes.c_int64),
        ("stream", ctypes.c_int64),
        ("order", ctypes.c_int64),
        ("has_n", ctypes.c_int64),
        ("workspace", ctypes.c_int64),
    ]


library = ctypes.CDLL(None)
library.stand_in_run.restype = library.stand_in_refill.restype = None
library.stand_in_refill.argtypes = [ctypes.c_int64, ctypes.c_void_p, ctypes.c_size_t]
delays = ctypes.c_int64.in_dll(library, "stand_in_delays")
workspace = ctypes.c_int64.in_dll(library, "stand_in_workspace")
count = ctypes.c_int64.in_dll(library, "stand_in_count")
notes = (Note * 256).in_dll(library, "stand_in_notes")


def calls():
    """Return the calls since the last time: name, device, stream, order, has_n, and
    bytes of workspace."""
    came = [
        (
            note.name.decode().removeprefix("winnow_"),
            note.device,
            note.stream,
            note.order,
            note.has_n,
            note.workspace,
        )
        for note in notes[: count.value]
    ]
    count.value = 0
    return came


_orders = ctypes.c_int64.in_dll(library, "stand_in_orders")
_last_order = (ctypes.c_int64 * 2).in_dll(library, "stand_in_order")
winnow._streams.driver = lambda: library


def orders():
    """Return how often a stream was made to wait for another since the last time, and
    the last two such streams: the one that was waited for, and the one that waited."""
    number, _orders.value = _orders.value, 0
    return number, tuple(_last_order)


failures = ctypes.c_int64.in_dll(library, "stand_in_failures")
