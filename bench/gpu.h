/*
 * The benchmark's own kernels, called from C. Each returns a cudaError_t as
 * an int; all work is enqueued on the stream.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_GPU_H
#define WINNOW_BENCH_GPU_H

#include "data.h"

#include <winnow.h>

#ifdef __cplusplus
extern "C" {
#endif

int bench_gpu_generate(const bench_data *data, void *d_array,
                       winnow_stream stream);
/* Survivors of each chunk, and *d_sum += the sum over all survivors. */
int bench_gpu_expect(const bench_data *data, uint64_t *d_counts,
                     uint64_t *d_sum, winnow_stream stream);
/* *d_sum += bench_scramble() of every element. */
int bench_gpu_sum(const void *d_array, uint32_t size, uint64_t count,
                  uint64_t *d_sum, winnow_stream stream);
/* *d_wrong += survivors that are not at their stable offset. */
int bench_gpu_misplaced(const bench_data *data, const uint64_t *d_bases,
                        const void *d_array, uint64_t *d_wrong,
                        winnow_stream stream);

/* d_a[i] *= d_b[i] */
int bench_gpu_multiply(int64_t *d_a, const int32_t *d_b, uint64_t n,
                       winnow_stream stream);

/* Copy with 16-byte accesses, in one of these shapes. */
#define BENCH_GPU_COPY_SHAPES 2
int bench_gpu_copy(unsigned shape, const void *d_from, void *d_to,
                   uint64_t vectors, winnow_stream stream);
/* Keep the stream busy for a while, and then for `cycles` more. */
int bench_gpu_delay(uint64_t nanoseconds, uint32_t cycles,
                    winnow_stream stream);
int bench_gpu_empty(winnow_stream stream);

#ifdef __cplusplus
}
#endif

#endif
