/*
 * partition_by_key: sums over the rows of a table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_SCAN_CUH
#define WINNOW_KERNELS_PARTITION_SCAN_CUH

#include "digit.cuh"

namespace winnow {
namespace partition {

constexpr unsigned int SCAN_THREADS = WINNOW__PARTITION_SCAN_THREADS;
static_assert(SCAN_THREADS == WARP * WARP &&
                  WINNOW__PARTITION_SCAN_DIGITS == WARP,
              "a lane for each column, and for each warp");

/* Of a warp's piece, and a column; a column more, for the banks. */
using ScanSums = Array<unsigned long long[WARP + 1], WARP>;

/*
 * Each entry of a table of so many rows and columns becomes the sum of those
 * above it in its column, and totals[column] that of all. A block has 32
 * columns, one for each lane; its warps have a piece of the rows each.
 */
template <class Entry>
__device__ __forceinline__ void
scan_rows(Entry *table, unsigned int rows, unsigned int columns,
          unsigned long long *totals, ScanSums &sums) {
    const unsigned int column = blockIdx.x * WARP + lane_id();
    const bool exists = column < columns;
    const unsigned int piece = (rows + WARP - 1) / WARP;
    const unsigned int first = min(warp_id() * piece, rows);
    const unsigned int last = min(first + piece, rows);
    Entry *const entries = table + column;

    unsigned long long sum = 0;
    if (exists) {
#pragma unroll 8
        for (unsigned int r = first; r < last; r++)
            sum += entries[uint64_t(r) * columns];
    }
    sums.at[warp_id()][lane_id()] = sum;
    __syncthreads();
    /* Now a warp has a column, and its lanes the pieces. */
    unsigned long long &own = sums.at[lane_id()][warp_id()];
    const unsigned long long inclusive = inclusive_sum(own);
    const unsigned int summed = blockIdx.x * WARP + warp_id();
    if (lane_id() == WARP - 1 && summed < columns)
        totals[summed] = inclusive;
    own = inclusive - own;
    __syncthreads();
    if (!exists)
        return;
    Entry before = static_cast<Entry>(sums.at[warp_id()][lane_id()]);
#pragma unroll 8
    for (unsigned int r = first; r < last; r++) {
        Entry &entry = entries[uint64_t(r) * columns];
        const Entry here = entry;
        entry = before;
        before += here;
    }
}

} // namespace partition
} // namespace winnow

#endif
