/*
 * Types of the driver's functions, on the CPU device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_CUDA_TYPEDEFS_H
#define WINNOW_TESTS_SIMT_CUDA_TYPEDEFS_H

#include <cuda.h>

typedef CUresult (*PFN_cuDeviceGet_v2000)(CUdevice *, int);
typedef CUresult (*PFN_cuDeviceGetDevResource_v12040)(CUdevice, CUdevResource *,
                                                      CUdevResourceType);
typedef CUresult (*PFN_cuDevSmResourceSplitByCount_v12040)(
    CUdevResource *, unsigned *, const CUdevResource *, CUdevResource *,
    unsigned, unsigned);
typedef CUresult (*PFN_cuDevResourceGenerateDesc_v12040)(CUdevResourceDesc *,
                                                         CUdevResource *,
                                                         unsigned);
typedef CUresult (*PFN_cuGreenCtxCreate_v12040)(CUgreenCtx *, CUdevResourceDesc,
                                                CUdevice, unsigned);
typedef CUresult (*PFN_cuGreenCtxStreamCreate_v12050)(CUstream *, CUgreenCtx,
                                                      unsigned, int);
typedef CUresult (*PFN_cuGreenCtxDestroy_v12040)(CUgreenCtx);
typedef CUresult (*PFN_cuCtxFromGreenCtx_v12040)(CUcontext *, CUgreenCtx);
typedef CUresult (*PFN_cuCtxPushCurrent_v4000)(CUcontext);
typedef CUresult (*PFN_cuCtxPopCurrent_v4000)(CUcontext *);

#endif
