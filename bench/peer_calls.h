/*
 * What users would call instead, measured in the same run. Those on a GPU
 * return a cudaError_t as an int. `threshold` points to one element in host
 * memory; the predicate is x < threshold.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PEER_CALLS_H
#define WINNOW_BENCH_PEER_CALLS_H

#include <winnow.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "cub-3.0.1", "thrust-3.0.1" */
const char *bench_cub_name(void);
const char *bench_thrust_name(void);

/* The most elements that this release of CUB selects from. */
uint64_t bench_cub_most_items(void);
/* d_temp NULL: set *temp_bytes_p to the bytes that are needed. */
int bench_cub_copy_if(winnow_type type, const void *threshold, void *d_temp,
                      size_t *temp_bytes_p, const void *d_in, uint64_t n,
                      void *d_out, uint64_t *d_count, winnow_stream stream);
/* Their indices, as uint32_t. */
int bench_cub_copy_index_if(winnow_type type, const void *threshold,
                            void *d_temp, size_t *temp_bytes_p,
                            const void *d_in, uint64_t n, void *d_out,
                            uint64_t *d_count, winnow_stream stream);
/* Those of which a flag, a byte, is not 0; and the flags of the predicate. */
int bench_cub_flagged(winnow_type type, const void *d_flags, void *d_temp,
                      size_t *temp_bytes_p, const void *d_in, uint64_t n,
                      void *d_out, uint64_t *d_count, winnow_stream stream);
int bench_cub_make_flags(winnow_type type, const void *threshold,
                         const void *d_in, uint64_t n, void *d_flags,
                         winnow_stream stream);
/* The others behind those that pass, in reverse order. */
int bench_cub_partition_if(winnow_type type, const void *threshold,
                           void *d_temp, size_t *temp_bytes_p, const void *d_in,
                           uint64_t n, void *d_out, uint64_t *d_count,
                           winnow_stream stream);
int bench_cub_count_if(winnow_type type, const void *threshold, void *d_temp,
                       size_t *temp_bytes_p, const void *d_in, uint64_t n,
                       uint64_t *d_count, winnow_stream stream);
/* Count, sum, minimum and maximum, in this order, at d_result: two words of 8
 * bytes, then two values of at most as many. */
int bench_cub_reduce_if(winnow_type type, const void *threshold, void *d_temp,
                        size_t *temp_bytes_p, const void *d_in, uint64_t n,
                        void *d_result, winnow_stream stream);

/* Of uint32 or uint64, by their lowest bits; with values of 4 bytes unless they
 * are NULL. */
int bench_cub_sort(winnow_type type, unsigned bits, void *d_temp,
                   size_t *temp_bytes_p, const void *d_keys, void *d_keys_out,
                   const void *d_values, void *d_values_out, uint64_t n,
                   winnow_stream stream);
/* Allocates, and waits for the count: that is how Thrust works. */
int bench_thrust_copy_if(winnow_type type, const void *threshold,
                         const void *d_in, uint64_t n, void *d_out,
                         uint64_t *count_p, winnow_stream stream);

/* Has C++ such a type? */
bool bench_std_offers(winnow_type type);
/* By one thread, on the host; std::count_if where out is NULL. Returns how many
 * passed. */
uint64_t bench_std_run(winnow_type type, const void *threshold, const void *in,
                       uint64_t n, void *out);
/* Count and sum, and the minimum and the maximum, which nobody looks at; also
 * by one thread. */
void bench_std_reduce(winnow_type type, const void *threshold, const void *in,
                      uint64_t n, uint64_t *count_p, winnow_number *sum_p);

#ifdef __cplusplus
}
#endif

#endif
