# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Numba on a GPU: arrays of Numba's simulator or, if Numba is not
installed, a module numba with the part of the interface that winnow uses. The arrays
do not count as numbers, and only a kernel can copy an array with gaps."""

import importlib.util
import os
import sys
import types

import numpy as np
import stand_in


class Kernel:
    def __init__(self, function):
        self.function = function

    def __getitem__(self, shape):
        def run(*arguments):
            for cuda.i in range(shape[0] * shape[1]):
                self.function(*arguments)

        return run


class FakeArray(stand_in.ByInterface):
    __module__ = "numba.cuda.cudadrv.devicearray"

    ndim = property(lambda self: self.memory.ndim)
    size = property(lambda self: self.memory.size)

    def __int__(self):
        raise TypeError("no number")

    def __getitem__(self, key):
        made = self.memory[key]
        return type(self)(made) if isinstance(made, np.ndarray) else made

    def copy_to_host(self):
        return self.memory


if importlib.util.find_spec("numba"):
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    from numba import cuda
    from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray

    def of(memory, device=0):
        return FakeCUDAArray(memory)

    # Add what arrays on a GPU have, and hide what only NumPy arrays on the host have.
    others = FakeCUDAArray.__getattr__

    def getattr_of(self, name):
        if name == "__dlpack__":
            raise AttributeError(name)
        return others(self, name)

    FakeCUDAArray.__getattr__ = getattr_of
    FakeCUDAArray.memory = property(lambda self: self._ary)
    FakeCUDAArray.__cuda_array_interface__ = property(
        lambda self: stand_in.ByInterface(self._ary).__cuda_array_interface__
    )
    FakeCUDAArray.__dlpack_device__ = lambda self: (2, 0)
else:
    of = FakeArray
    numba, cuda = types.ModuleType("numba"), types.ModuleType("numba.cuda")
    numba.cuda = cuda
    cuda.to_device = lambda x: of(x.copy())
    cuda.device_array = lambda shape, dtype: of(np.full(shape, 0x55, dtype))
    sys.modules["numba"], sys.modules["numba.cuda"] = numba, cuda
# The simulator is slow: it starts a host thread for each thread of a kernel.
cuda.jit, cuda.grid = Kernel, lambda n: cuda.i
