/*
 * For functions that the host and the kernels share. Plain C.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef __CUDACC__
#define WINNOW__BOTH static __host__ __device__ inline
#else
#define WINNOW__BOTH static inline
#endif
