/*
 * Functions that the host and the kernels share: plain C.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_CORE_BOTH_H
#define WINNOW_KERNELS_CORE_BOTH_H

#ifdef __CUDACC__
#define WINNOW__BOTH static __host__ __device__ inline
#else
#define WINNOW__BOTH static inline
#endif

#endif
