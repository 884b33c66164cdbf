/*
 * Calls of the table in cub.h that have files of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_CUB_COLUMNS_H
#define WINNOW_BENCH_SELECTIONS_CUB_COLUMNS_H

#include <winnow.h>

#include <cstddef>
#include <cstdint>

int selections_make_flags(std::int32_t threshold, const std::int32_t *d_keys,
                          std::uint64_t n, std::uint8_t *d_flags,
                          winnow_stream stream);
int selections_select_records(std::size_t record_bytes, std::int32_t threshold,
                              void *d_temp, std::size_t *temp_bytes_p,
                              const void *d_in, std::uint64_t n, void *d_out,
                              std::uint64_t *d_count, winnow_stream stream);
int selections_select_record_indices(
    std::size_t record_bytes, std::int32_t threshold, void *d_temp,
    std::size_t *temp_bytes_p, const void *d_in, std::uint64_t n,
    std::uint32_t *d_indices, std::uint64_t *d_count, winnow_stream stream);
int selections_gather_records(std::size_t record_bytes, const void *d_in,
                              const std::uint32_t *d_indices,
                              const std::uint64_t *d_count, void *d_out,
                              winnow_stream stream);

#endif
