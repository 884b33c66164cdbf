/*
 * Calls of the table in cub.h that have a file of their own.
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

#endif
