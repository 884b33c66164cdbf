/*
 * CUB's nearest calls. Each enqueues on the stream and returns a cudaError_t as
 * an int; d_temp NULL: it sets *temp_bytes_p to the bytes that are needed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_CUB_H
#define WINNOW_BENCH_SELECTIONS_CUB_H

#include <winnow.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct selections_cub {
    const char *(*name)(void); /* with its version */
    /* The int32 below the threshold. */
    int (*select_if)(int32_t threshold, void *d_temp, size_t *temp_bytes_p,
                     const int32_t *d_in, uint64_t n, int32_t *d_out,
                     uint64_t *d_count, winnow_stream stream);
    /* selections_cub_unique() */
    int (*unique)(size_t key_bytes, size_t value_bytes, void *d_temp,
                  size_t *temp_bytes_p, const void *d_keys,
                  const void *d_values, uint64_t n, void *d_keys_out,
                  void *d_values_out, uint64_t *d_count, winnow_stream stream);
} selections_cub;

/* The first of each run of equal int32 or int64; with the values of 4 or 8
 * bytes that stand beside them, unless value_bytes is 0. */
int selections_cub_unique(size_t key_bytes, size_t value_bytes, void *d_temp,
                          size_t *temp_bytes_p, const void *d_keys,
                          const void *d_values, uint64_t n, void *d_keys_out,
                          void *d_values_out, uint64_t *d_count,
                          winnow_stream stream);

/* NULL in the program that is installed: CUB takes minutes to compile. */
extern const selections_cub *const selections_peer;

#ifdef __cplusplus
}
#endif

#endif
