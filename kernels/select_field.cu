/*
 * A selection of records by a field: elements of a predicate's type that stand
 * the same number of bytes apart. Each is loaded alone, so that of a record no
 * sector of memory is read but those of its field.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "select.cuh"
#include "selector.cuh"

namespace winnow {

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

template <bool ALIGNED, class U, class Select>
__device__ __forceinline__ void
select_fields(const winnow__select_field_args &args,
              const winnow__selection &to, uint64_t tile,
              const Select &select) {
    constexpr unsigned int BATCH = 8; /* loads under way together */
    const uint64_t stride = args.stride;
    const unsigned char *const in =
        static_cast<const unsigned char *>(args.select.args.in) +
        (tile * TILE_ITEMS + lane_id()) * stride;
    const unsigned int items = items_of_tile(to, tile);
    uint32_t words[LANE_WORDS] = {};
#pragma unroll 1
    for (unsigned int first = 0; first < TILE_WORDS; first += BATCH) {
        U value[BATCH];
        bool inside[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            inside[k] = (first + k) * WARP + lane_id() < items;
            value[k] =
                inside[k]
                    ? load_field<ALIGNED, U>(in + (first + k) * WARP * stride)
                    : U(0);
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const uint32_t word =
                __ballot_sync(ALL_LANES, inside[k] && select(value[k]));
            if (lane_id() == first / LANE_WORDS + k / LANE_WORDS)
                words[k % LANE_WORDS] = word;
        }
    }
    put_tile(to, tile, make_uint4(words[0], words[1], words[2], words[3]));
}

template <class U>
__global__ void __launch_bounds__(SOURCE_THREADS)
    select_field(const __grid_constant__ winnow__select_field_args args) {
    const uint64_t tile = tile_of_warp();
    if (tile >= args.select.to.tiles)
        return;
    const winnow__selection to = limit_items(args.select.to, args.select.items);
    if (items_of_tile(to, tile) == 0)
        return put_empty_tile(to, tile);
    const Compare<U, ANY> select =
        selector_of<Compare<U, ANY>>(args.select.args);
    if (args.is_aligned)
        select_fields<true, U>(args, to, tile, select);
    else
        select_fields<false, U>(args, to, tile, select);
}

} // namespace winnow

extern "C" const winnow__kernel winnow__select_field[WINNOW__SIZES];
const winnow__kernel winnow__select_field[WINNOW__SIZES] = {
    WINNOW__SOURCE(winnow::select_field<uint8_t>),
    WINNOW__SOURCE(winnow::select_field<uint16_t>),
    WINNOW__SOURCE(winnow::select_field<uint32_t>),
    WINNOW__SOURCE(winnow::select_field<uint64_t>)};
