/*
 * CUB behind a C function.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most elements that this release of CUB takes. */
uint64_t winnow__cub_most_items(void);

/*
 * Enqueue cub::DeviceSelect::If on the current device for args (in, n, sink,
 * test; a candidate's number and its cursor), with *bytes of temporary memory.
 * If temporary is NULL, write the number of bytes needed to *bytes instead.
 * The second function selects indices.
 */
typedef cudaError_t winnow__cub_call(unsigned int log2_size,
                                     const winnow__args *args, void *temporary,
                                     size_t *bytes, cudaStream_t stream);
cudaError_t winnow__cub_index(unsigned int log2_size, const winnow__args *args,
                              void *temporary, size_t *bytes,
                              cudaStream_t stream);
cudaError_t winnow__cub_scan(unsigned int log2_size, const winnow__args *args,
                             void *temporary, size_t *bytes,
                             cudaStream_t stream);

#ifdef __cplusplus
}
#endif
