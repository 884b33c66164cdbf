/*
 * Data and checks for arrays too large to bring to the host: made, counted and
 * compared on the device, in kernels that share nothing with the library. All
 * elements are of one byte, so that a histogram of 256 bins is the multiset.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_HUGE_H
#define WINNOW_TESTS_HUGE_H

#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* d[i] is a hash of i. */
cudaError_t huge_fill(uint8_t *d, uint64_t n, cudaStream_t stream);
/* d_histogram[v] is how often v is in d[0 .. n). Device memory, 256 counts. */
cudaError_t huge_histogram(const uint8_t *d, uint64_t n, uint64_t *d_histogram,
                           cudaStream_t stream);
/* *d_others is how many of d[0 .. n) are not `value`. */
cudaError_t huge_others(const uint8_t *d, uint64_t n, uint8_t value,
                        uint64_t *d_others, cudaStream_t stream);

/* One thread looks after HUGE_CHUNK elements of the input. */
#define HUGE_CHUNK 4096
#define HUGE_CHUNKS(n) (((n) + HUGE_CHUNK - 1) / HUGE_CHUNK)
/* d_kept[c] is how many of chunk c have d_keep[value] set. */
cudaError_t huge_chunk_counts(const uint8_t *d_in, uint64_t n,
                              const uint8_t *d_keep, uint64_t *d_kept,
                              cudaStream_t stream);
/* *d_wrong is how many survivors are not where the input's order puts them:
 * those of chunk c from d_out[d_offsets[c]] on. */
cudaError_t huge_misplaced(const uint8_t *d_in, uint64_t n,
                           const uint8_t *d_keep, const uint64_t *d_offsets,
                           const uint8_t *d_out, uint64_t *d_wrong,
                           cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
