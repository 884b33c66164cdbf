/*
 * Calls of the table in cub.h that have files of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_CUB_CALLS_H
#define WINNOW_BENCH_SELECTIONS_CUB_CALLS_H

#include <winnow.h>

#include <cstddef>
#include <cstdint>

int selections_cub_make_flags(std::int32_t threshold,
                              const std::int32_t *d_keys, std::uint64_t n,
                              std::uint8_t *d_flags, winnow_stream stream);
int selections_cub_select_rows(unsigned number, std::int32_t threshold,
                               void *d_temp, std::size_t *temp_bytes_p,
                               const void *const *d_in, std::uint64_t n,
                               void *const *d_out, std::uint64_t *d_count,
                               winnow_stream stream);
int selections_cub_select_records(std::size_t record_bytes,
                                  std::int32_t threshold, void *d_temp,
                                  std::size_t *temp_bytes_p, const void *d_in,
                                  std::uint64_t n, void *d_out,
                                  std::uint64_t *d_count, winnow_stream stream);
int selections_cub_select_record_indices(
    std::size_t record_bytes, std::int32_t threshold, void *d_temp,
    std::size_t *temp_bytes_p, const void *d_in, std::uint64_t n,
    std::uint32_t *d_indices, std::uint64_t *d_count, winnow_stream stream);
int selections_cub_gather_records(std::size_t record_bytes, const void *d_in,
                                  const std::uint32_t *d_indices,
                                  const std::uint64_t *d_count, void *d_out,
                                  winnow_stream stream);
int selections_cub_unique(std::size_t key_bytes, std::size_t value_bytes,
                          void *d_temp, std::size_t *temp_bytes_p,
                          const void *d_keys, const void *d_values,
                          std::uint64_t n, void *d_keys_out, void *d_values_out,
                          std::uint64_t *d_count, winnow_stream stream);
int selections_cub_q6_flags(const std::int32_t *d_ship_date,
                            const std::int32_t *d_discount,
                            const std::int32_t *d_quantity, std::uint64_t n,
                            std::uint8_t *d_flags, winnow_stream stream);
int selections_cub_product_sum(void *d_temp, std::size_t *temp_bytes_p,
                               const std::int64_t *d_a, const std::int32_t *d_b,
                               std::uint64_t n, std::int64_t *d_sum,
                               winnow_stream stream);
int selections_cub_q6_sum(void *d_temp, std::size_t *temp_bytes_p,
                          const std::int32_t *d_ship_date,
                          const std::int32_t *d_discount,
                          const std::int32_t *d_quantity,
                          const std::int64_t *d_price, std::uint64_t n,
                          std::int64_t *d_sum, winnow_stream stream);
int selections_cub_pack_strings(std::size_t offset_bytes,
                                const std::uint8_t *d_flags, void *d_temp,
                                std::size_t *temp_bytes_p,
                                const void *d_offsets, const void *d_data,
                                std::uint64_t n, std::uint64_t kept,
                                void *d_spans, void *d_out_offsets, void *d_out,
                                std::uint64_t *d_count, winnow_stream stream);

#endif
