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
    /* selections_cub_q6_flags(), selections_cub_flagged() and
     * selections_cub_product_sum() */
    int (*q6_flags)(const int32_t *d_ship_date, const int32_t *d_discount,
                    const int32_t *d_quantity, uint64_t n, uint8_t *d_flags,
                    winnow_stream stream);
    int (*flagged)(size_t element_bytes, void *d_temp, size_t *temp_bytes_p,
                   const uint8_t *d_flags, const void *d_in, uint64_t n,
                   void *d_out, uint64_t *d_count, winnow_stream stream);
    int (*product_sum)(void *d_temp, size_t *temp_bytes_p, const int64_t *d_a,
                       const int32_t *d_b, uint64_t n, int64_t *d_sum,
                       winnow_stream stream);
} selections_cub;

/* The first of each run of equal int32 or int64; with the values of 4 or 8
 * bytes that stand beside them, unless value_bytes is 0. */
int selections_cub_unique(size_t key_bytes, size_t value_bytes, void *d_temp,
                          size_t *temp_bytes_p, const void *d_keys,
                          const void *d_values, uint64_t n, void *d_keys_out,
                          void *d_values_out, uint64_t *d_count,
                          winnow_stream stream);

/* Which rows pass the condition of query 6 of TPC-H. All arrays are aligned to
 * 16 bytes. */
int selections_cub_q6_flags(const int32_t *d_ship_date,
                            const int32_t *d_discount,
                            const int32_t *d_quantity, uint64_t n,
                            uint8_t *d_flags, winnow_stream stream);
/* The elements, of 4 or 8 bytes, that are flagged. */
int selections_cub_flagged(size_t element_bytes, void *d_temp,
                           size_t *temp_bytes_p, const uint8_t *d_flags,
                           const void *d_in, uint64_t n, void *d_out,
                           uint64_t *d_count, winnow_stream stream);
/* The sum of a[i] * b[i]. */
int selections_cub_product_sum(void *d_temp, size_t *temp_bytes_p,
                               const int64_t *d_a, const int32_t *d_b,
                               uint64_t n, int64_t *d_sum,
                               winnow_stream stream);

/* NULL in the program that is installed: CUB takes minutes to compile. */
extern const selections_cub *const selections_peer;

#ifdef __cplusplus
}
#endif

#endif
