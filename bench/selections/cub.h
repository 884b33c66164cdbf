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
    /* The elements of which a flag, a byte, is not 0. */
    int (*flagged)(winnow_type type, const void *d_flags, void *d_temp,
                   size_t *temp_bytes_p, const void *d_in, uint64_t n,
                   void *d_out, uint64_t *d_count, winnow_stream stream);
    /* 1 for the keys below the threshold, else 0; both arrays are aligned to
     * 16. */
    int (*make_flags)(int32_t threshold, const int32_t *d_keys, uint64_t n,
                      uint8_t *d_flags, winnow_stream stream);
    /* The rows of which the element of the first column is below the threshold.
     * 2, 4 or 13 columns, of int32 and int64 in turn. */
    int (*select_rows)(unsigned number, int32_t threshold, void *d_temp,
                       size_t *temp_bytes_p, const void *const *d_in,
                       uint64_t n, void *const *d_out, uint64_t *d_count,
                       winnow_stream stream);
    /* Records of 16, 32, 128, 1024 or 4096 bytes, aligned to 16, whose bytes 8
     * to 11 are an int32 below the threshold; or their indices; and the records
     * of such indices. */
    int (*select_records)(size_t record_bytes, int32_t threshold, void *d_temp,
                          size_t *temp_bytes_p, const void *d_in, uint64_t n,
                          void *d_out, uint64_t *d_count, winnow_stream stream);
    int (*select_record_indices)(size_t record_bytes, int32_t threshold,
                                 void *d_temp, size_t *temp_bytes_p,
                                 const void *d_in, uint64_t n,
                                 uint32_t *d_indices, uint64_t *d_count,
                                 winnow_stream stream);
    int (*gather_records)(size_t record_bytes, const void *d_in,
                          const uint32_t *d_indices, const uint64_t *d_count,
                          void *d_out, winnow_stream stream);
    /* The first of each run of equal int32 or int64; with the values of 4 or 8
     * bytes that stand beside them, unless value_bytes is 0. */
    int (*unique)(size_t key_bytes, size_t value_bytes, void *d_temp,
                  size_t *temp_bytes_p, const void *d_keys,
                  const void *d_values, uint64_t n, void *d_keys_out,
                  void *d_values_out, uint64_t *d_count, winnow_stream stream);
    /* 1 for the rows that pass the condition of query 6 of TPC-H, else 0; all
     * arrays are aligned to 16. */
    int (*q6_flags)(const int32_t *d_ship_date, const int32_t *d_discount,
                    const int32_t *d_quantity, uint64_t n, uint8_t *d_flags,
                    winnow_stream stream);
    /* The sum of a[i] * b[i]. */
    int (*product_sum)(void *d_temp, size_t *temp_bytes_p, const int64_t *d_a,
                       const int32_t *d_b, uint64_t n, int64_t *d_sum,
                       winnow_stream stream);
    /* The sum of prices times discounts of the rows that pass, in one kernel. */
    int (*q6_sum)(void *d_temp, size_t *temp_bytes_p,
                  const int32_t *d_ship_date, const int32_t *d_discount,
                  const int32_t *d_quantity, const int64_t *d_price, uint64_t n,
                  int64_t *d_sum, winnow_stream stream);
    /* The strings of which a flag, a byte, is not 0, `kept` of them. Offsets
     * have 4 or 8 bytes; spans has 16 bytes for each string that is kept, and
     * the output room for it. */
    int (*pack_strings)(size_t offset_bytes, const uint8_t *d_flags,
                        void *d_temp, size_t *temp_bytes_p,
                        const void *d_offsets, const void *d_data, uint64_t n,
                        uint64_t kept, void *d_spans, void *d_out_offsets,
                        void *d_out, uint64_t *d_count, winnow_stream stream);
} selections_cub;

/* NULL in the program that is installed: CUB takes minutes to compile. */
extern const selections_cub *const selections_peer;

#ifdef __cplusplus
}
#endif

#endif
