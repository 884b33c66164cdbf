# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the module cupy: the part of CuPy's interface that winnow uses."""

import ctypes
import sys
import types

import numpy as np
import stand_in

cupy = types.ModuleType("cupy")
cupy.cuda = types.ModuleType("cupy.cuda")
current = [0]  # the devices that were entered


class Stream:
    """A stream, which a `with` statement makes the current stream."""

    def __init__(self, ptr):
        self.ptr = ptr

    @classmethod
    def from_external(cls, stream):
        return cls(stream.__cuda_stream__()[1])

    def __enter__(self):
        self.before = stand_in.streams[current[-1]]
        stand_in.streams[current[-1]] = self.ptr
        return self

    def __exit__(self, *error):
        stand_in.streams[current[-1]] = self.before


class Device:
    def __init__(self, id):
        self.id = id

    def __enter__(self):
        current.append(self.id)

    def __exit__(self, *error):
        current.pop()


class ndarray(stand_in.ByDLPack):
    """An array, by default with memory of the pool."""

    __module__ = "cupy"

    def __init__(self, shape, dtype=float, memory=None, device=None):
        device = current[-1] if device is None else device
        if memory is None:
            memory = stand_in.allocated(shape, dtype, device)
        elif isinstance(memory, types.SimpleNamespace):  # the data of another array
            room = (ctypes.c_char * memory.bytes).from_address(memory.ptr)
            memory = np.ndarray(shape, dtype, room)
        super().__init__(memory, device)
        self.data = types.SimpleNamespace(
            ptr=self.memory.ctypes.data if self.memory.size else 0,
            device_id=device,
            bytes=self.memory.nbytes,
        )
        self.flags = types.SimpleNamespace(
            c_contiguous=self.memory.flags.c_contiguous
        )
        self.strides, self.size = self.memory.strides, self.memory.size
        self.itemsize, self.nbytes = self.memory.itemsize, self.memory.nbytes
        self.device = Device(device)

    def __getitem__(self, key):
        return ndarray(None, None, self.memory[key], self.id)

    def copy(self):
        return array(self)

    def view(self, dtype):
        return ndarray(None, None, self.memory.view(dtype), self.id)

    def reshape(self, shape):
        return ndarray(None, None, self.memory.reshape(shape), self.id)

    def get(self):
        return np.array(self)

    @property
    def __cuda_array_interface__(self):
        raise AssertionError("read by its interface")


def array(x, order="C"):
    """Copy an array on the current stream, on which it must be ready. A kernel makes
    the copy, and would fault if elements are not aligned."""
    assert x.memory.flags.aligned
    made = ndarray(x.shape, x.dtype)
    made.memory[...] = x.memory
    return made


def zeros(shape, dtype):
    made = ndarray(shape, dtype)
    made.memory[...] = 0
    return made


def of(memory, device=0):
    return ndarray(None, None, memory, device)


cupy.ndarray, cupy.array, cupy.zeros = ndarray, array, zeros
cupy.empty = lambda shape, dtype: ndarray(shape, dtype)
cupy.cuda.Stream = Stream
cupy.cuda.get_current_stream = lambda device_id=-1: Stream(
    stand_in.streams[current[-1] if device_id < 0 else device_id]
)
sys.modules["cupy"], sys.modules["cupy.cuda"] = cupy, cupy.cuda
