/*
 * A selection of records by a field: elements at a constant stride in bytes.
 * Each field is loaded alone, so the kernel reads only those sectors of a
 * record that contain the field.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/selection/make.cuh"
#include "kernels/core/predicate.cuh"

namespace winnow::select {

using namespace selection;

/* A field of any alignment, byte by byte. */
template <class U>
__device__ __forceinline__ U load_bytes(const unsigned char *field) {
    U value = 0;
#pragma unroll
    for (unsigned int i = 0; i < sizeof(U); i++)
        value = static_cast<U>(value | static_cast<U>(field[i]) << 8 * i);
    return value;
}

template <bool ALIGNED, class U>
__device__ __forceinline__ U load_field(const unsigned char *field) {
    if constexpr (ALIGNED)
        return *reinterpret_cast<const U *>(field);
    else
        return load_bytes<U>(field);
}

/* Words of a tile for each warp of its block. */
constexpr unsigned int WARP_WORDS = TILE_WORDS / SOURCE_WARPS;
static_assert(WARP_WORDS <= WARP, "a lane for each word");

/* Test the warp's words of a tile: lane w gets word w. */
template <bool ALIGNED, class U, class Select>
__device__ __forceinline__ uint32_t
select_fields(const winnow__select_field_args &args, uint64_t tile,
              unsigned int items, const Select &select) {
    constexpr unsigned int BATCH = 8; /* loads in flight */
    const unsigned int item = warp_id() * WARP_WORDS * WARP + lane_id();
    const uint64_t stride = args.stride;
    const unsigned char *const in =
        static_cast<const unsigned char *>(args.select.args.in) +
        (tile * TILE_ITEMS + item) * stride;
    uint32_t mine = 0;
#pragma unroll 1
    for (unsigned int first = 0; first < WARP_WORDS; first += BATCH) {
        U value[BATCH];
        bool inside[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            inside[k] = item + (first + k) * WARP < items;
            value[k] =
                inside[k]
                    ? load_field<ALIGNED, U>(in + (first + k) * WARP * stride)
                    : U(0);
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const uint32_t word =
                __ballot_sync(ALL_LANES, inside[k] && select(value[k]));
            if (lane_id() == first + k)
                mine = word;
        }
    }
    return mine;
}

/* A block makes a tile, not a warp: fields take more loads than contiguous
 * keys, and large records have few tiles. */
template <class U>
__global__ void __launch_bounds__(SOURCE_THREADS)
    select_field(const __grid_constant__ winnow__select_field_args args) {
    using Counts = unsigned int[SOURCE_WARPS];
    WINNOW__SHARED(counts, Counts);
    const uint64_t tile = blockIdx.x;
    const winnow__selection to = limit_items(args.select.to, args.select.items);
    const unsigned int items = items_of_tile(to, tile);
    const Compare<U, ANY> select =
        selector_of<Compare<U, ANY>>(args.select.args);
    const uint32_t word =
        args.is_aligned ? select_fields<true, U>(args, tile, items, select)
                        : select_fields<false, U>(args, tile, items, select);
    if (lane_id() < WARP_WORDS)
        to.keep[tile * TILE_WORDS + warp_id() * WARP_WORDS + lane_id()] = word;
    const unsigned int kept = sum(static_cast<unsigned int>(__popc(word)));
    if (lane_id() == 0)
        counts[warp_id()] = kept;
    __syncthreads();
    if (warp_id() == 0)
        put_count(to, tile, lane_id() < SOURCE_WARPS ? counts[lane_id()] : 0);
    scan_few(args.select.to);
}

} // namespace winnow::select

WINNOW__FOR_HOST(winnow__select_field[WINNOW__SIZES]) =
    WINNOW__OF_COLUMNS(WINNOW__SOURCE, winnow::select::select_field);
