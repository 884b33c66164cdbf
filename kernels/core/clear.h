/*
 * Clears memory before a kernel that waits for it (kernel.cuh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* memory is aligned to 16 bytes; bytes is a multiple of 16, and not 0. */
cudaError_t winnow__clear(void *memory, size_t bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
