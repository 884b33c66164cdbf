# SPDX-License-Identifier: Apache-2.0
"""Compare dlpack.h of python/src with DLPack's own header."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
import unittest

from arrays import needs

PROGRAM = """
#include <stdio.h>
#include <stddef.h>
#include "dlpack.h"
#define SIZE(type) printf("%s %zu\\n", #type, sizeof(type));
#define PLACE(type, member) \\
    printf("%s.%s %zu\\n", #type, #member, offsetof(type, member));
#define VALUE(name) printf("%s %ld\\n", #name, (long)name);
int main(void) {
    SIZE(DLPackVersion) SIZE(DLDevice) SIZE(DLDataType) SIZE(DLTensor)
    SIZE(DLManagedTensor) SIZE(DLManagedTensorVersioned)
    SIZE(DLPackExchangeAPIHeader) SIZE(DLPackExchangeAPI)
    PLACE(DLTensor, data) PLACE(DLTensor, device) PLACE(DLTensor, ndim)
    PLACE(DLTensor, dtype) PLACE(DLTensor, shape) PLACE(DLTensor, strides)
    PLACE(DLTensor, byte_offset)
    PLACE(DLManagedTensor, dl_tensor) PLACE(DLManagedTensor, manager_ctx)
    PLACE(DLManagedTensor, deleter)
    PLACE(DLManagedTensorVersioned, version)
    PLACE(DLManagedTensorVersioned, manager_ctx)
    PLACE(DLManagedTensorVersioned, deleter)
    PLACE(DLManagedTensorVersioned, flags)
    PLACE(DLManagedTensorVersioned, dl_tensor)
    PLACE(DLPackExchangeAPIHeader, version)
    PLACE(DLPackExchangeAPIHeader, prev_api)
    PLACE(DLPackExchangeAPI, header)
    PLACE(DLPackExchangeAPI, managed_tensor_allocator)
    PLACE(DLPackExchangeAPI, managed_tensor_from_py_object_no_sync)
    PLACE(DLPackExchangeAPI, managed_tensor_to_py_object_no_sync)
    PLACE(DLPackExchangeAPI, dltensor_from_py_object_no_sync)
    PLACE(DLPackExchangeAPI, current_work_stream)
    VALUE(DLPACK_MAJOR_VERSION) VALUE(DLPACK_FLAG_BITMASK_READ_ONLY)
    VALUE(DLPACK_FLAG_BITMASK_IS_COPIED)
    VALUE(kDLCPU) VALUE(kDLCUDA) VALUE(kDLCUDAHost) VALUE(kDLCUDAManaged)
    VALUE(kDLInt) VALUE(kDLUInt) VALUE(kDLFloat) VALUE(kDLBfloat)
    VALUE(kDLComplex) VALUE(kDLBool)
    return 0;
}
"""


class DLPack(unittest.TestCase):
    def layout(self, *folders):
        compiler = os.environ.get("CC", "cc").split()
        with tempfile.TemporaryDirectory() as work:
            with open(f"{work}/layout.c", "w") as program:
                program.write(PROGRAM)
            subprocess.run(
                [
                    *compiler,
                    *(f"-I{folder}" for folder in folders),
                    f"{work}/layout.c",
                    "-o",
                    f"{work}/layout",
                ],
                check=True,
                env={**os.environ, "LD_PRELOAD": ""},
            )
            return subprocess.run(
                [f"{work}/layout"], check=True, capture_output=True
            ).stdout

    @needs("tvm_ffi")
    @unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
    @unittest.skipUnless("WINNOW_INCLUDE" in os.environ, "no sources are here")
    def test_layout(self):
        spec = importlib.util.find_spec("tvm_ffi")
        theirs = os.path.join(os.path.dirname(spec.origin), "include", "dlpack")
        self.assertTrue(os.path.exists(os.path.join(theirs, "dlpack.h")))
        self.assertEqual(
            self.layout(os.environ["WINNOW_INCLUDE"]), self.layout(theirs)
        )
