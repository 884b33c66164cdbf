/*
 * A selection of the elements of a column that pass a predicate.
 *
 * Elements of 4 and 8 bytes are loaded one to a lane, 32 side by side, so that
 * a ballot is a word of the selection. Smaller ones are loaded in aligned
 * vectors; their bits go through shared memory, from where they are read as
 * words, shifted if the column does not begin at a vector.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/selection/make.cuh"
#include "kernels/core/predicate.cuh"

namespace winnow {

/* ------------------------------------------------- elements of 4 and 8 bytes
 */

template <class U, class Select>
__device__ __forceinline__ void
select_wide(const void *column, const winnow__selection &to, uint64_t tile,
            const Select &select) {
    constexpr unsigned int BATCH = 16; /* loads under way together */
    const U *const in =
        static_cast<const U *>(column) + tile * TILE_ITEMS + lane_id();
    const unsigned int items = items_of_tile(to, tile);
    uint32_t words[LANE_WORDS] = {};
#pragma unroll 1
    for (unsigned int first = 0; first < TILE_WORDS; first += BATCH) {
        U value[BATCH];
        bool inside[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            inside[k] = (first + k) * WARP + lane_id() < items;
            value[k] = inside[k] ? __ldcs(in + (first + k) * WARP) : U(0);
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

/* ------------------------------------------------- elements of 1 and 2 bytes
 */

/*
 * The bits of a tile's vectors, in shared memory: a piece for each vector, and
 * one more where the tile begins inside of a vector.
 */
template <class U>
struct TileBits {
    using Piece = std::conditional_t<sizeof(U) == 1, uint16_t, uint8_t>;
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;
    static constexpr unsigned int VECTORS = TILE_ITEMS / EACH;
    static_assert(8 * sizeof(Piece) == EACH, "a bit for each item");

    alignas(16) uint32_t words[TILE_WORDS + 4];

    __device__ __forceinline__ void put(unsigned int vector, uint32_t keep) {
        reinterpret_cast<Piece *>(words)[vector] = static_cast<Piece>(keep);
    }

    /* This lane's words, that begin `skip` bits later. */
    __device__ __forceinline__ uint4 get(unsigned int skip) const {
        const uint32_t *const from = words + LANE_WORDS * lane_id();
        const uint4 low = *reinterpret_cast<const uint4 *>(from);
        return make_uint4(__funnelshift_r(low.x, low.y, skip),
                          __funnelshift_r(low.y, low.z, skip),
                          __funnelshift_r(low.z, low.w, skip),
                          __funnelshift_r(low.w, from[LANE_WORDS], skip));
    }
};

/* A tile of a column as aligned vectors. Item i of vector v is the tile's item
 * v * EACH + i - head. */
template <class U>
struct TileVectors {
    using Bits = TileBits<U>;
    static constexpr unsigned int EACH = Bits::EACH;

    const U *items;       /* the tile's item 0 */
    const uint4 *vectors; /* the aligned vector that it is in */
    unsigned int head;    /* items of that vector before it */
    int begin, end;       /* the column's items, as far as vectors reach */

    __device__ __forceinline__ TileVectors(const void *column,
                                           const winnow__selection &to,
                                           uint64_t tile)
        : items(static_cast<const U *>(column) + tile * TILE_ITEMS) {
        const uintptr_t address = reinterpret_cast<uintptr_t>(items);
        vectors = reinterpret_cast<const uint4 *>(address & ~uintptr_t(15));
        head = address % 16 / sizeof(U);
        begin = tile == 0 ? 0 : -static_cast<int>(EACH);
        const uint64_t left = items_from_tile(to, tile);
        end = left < TILE_ITEMS + EACH ? static_cast<int>(left)
                                       : static_cast<int>(TILE_ITEMS + EACH);
    }

    /* How many vectors hold items of a whole tile. */
    __device__ __forceinline__ unsigned int number() const {
        return Bits::VECTORS + (head != 0);
    }

    __device__ __forceinline__ int first_item(unsigned int v) const {
        return static_cast<int>(v * EACH) - static_cast<int>(head);
    }

    /* Does the column fill the vector? */
    __device__ __forceinline__ bool is_whole(unsigned int v) const {
        return begin <= first_item(v) &&
               first_item(v) + static_cast<int>(EACH) <= end;
    }

    __device__ __forceinline__ bool all_whole() const {
        return is_whole(0) && is_whole(number() - 1);
    }
};

/* A vector that the column does not fill, or none of it: item by item. */
template <class U, class Select>
__device__ __forceinline__ uint32_t keep_at_edge(const TileVectors<U> &tile,
                                                 unsigned int v,
                                                 const Select &select) {
    uint32_t keep = 0;
#pragma unroll 1
    for (int j = 0; j < static_cast<int>(tile.EACH); j++) {
        const int i = tile.first_item(v) + j;
        if (tile.begin <= i && i < tile.end && select(__ldcs(tile.items + i)))
            keep |= 1u << j;
    }
    return keep;
}

/* The vectors that begin in the tile. WHOLE: the column fills all of them. */
template <bool WHOLE, class U, class Select>
__device__ __forceinline__ void select_vectors(const TileVectors<U> &from,
                                               const Select &select,
                                               TileBits<U> &bits) {
    constexpr unsigned int BATCH = 8; /* loads under way together */
#pragma unroll 1
    for (unsigned int first = lane_id(); first < TileBits<U>::VECTORS;
         first += BATCH * WARP) {
        uint4 vector[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            vector[k] = make_uint4(0, 0, 0, 0);
            if (WHOLE || from.is_whole(first + k * WARP))
                vector[k] = __ldcs(from.vectors + first + k * WARP);
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            bits.put(first + k * WARP, select(vector[k]));
    }
}

template <class U, class Select>
__device__ __forceinline__ void
select_narrow(const void *column, const winnow__selection &to, uint64_t tile,
              const Select &select, TileBits<U> &bits) {
    constexpr unsigned int VECTORS = TileBits<U>::VECTORS;
    const TileVectors<U> from(column, to, tile);
    if (from.all_whole()) {
        select_vectors<true>(from, select, bits);
        if (from.head != 0 && lane_id() == 0)
            bits.put(VECTORS, select(__ldcs(from.vectors + VECTORS)));
    } else {
        select_vectors<false>(from, select, bits);
        /* A lane puts pieces again that it has put above. */
#pragma unroll 1
        for (unsigned int v = lane_id(); v < from.number(); v += WARP)
            if (v == VECTORS || !from.is_whole(v))
                bits.put(v, keep_at_edge(from, v, select));
    }
    __syncwarp(); /* the lanes' pieces, before they are read as words */
    put_tile(to, tile, bits.get(from.head));
}

/* ----------------------------------------------------------------- kernel */

template <class U>
__global__ void __launch_bounds__(SOURCE_THREADS)
    select_if(const __grid_constant__ winnow__select_args args) {
    const uint64_t tile = tile_of_warp();
    if (tile >= args.to.tiles)
        return;
    const winnow__selection to = limit_items(args.to, args.items);
    if (items_of_tile(to, tile) == 0)
        return put_empty_tile(to, tile);
    if constexpr (sizeof(U) < 4) {
        using Tiles = TileBits<U>[SOURCE_WARPS];
        WINNOW__SHARED(bits, Tiles);
        visit_kind<Compare<U, ANY>>(args.args, [&](const auto &select) {
            select_narrow<U>(args.args.in, to, tile, select, bits[warp_id()]);
        });
    } else {
        visit_kind<Compare<U, ANY>>(args.args, [&](const auto &select) {
            select_wide<U>(args.args.in, to, tile, select);
        });
    }
}

} // namespace winnow

extern "C" const winnow__kernel winnow__select_if[WINNOW__SIZES];
const winnow__kernel winnow__select_if[WINNOW__SIZES] = {
    WINNOW__SOURCE(winnow::select_if<uint8_t>),
    WINNOW__SOURCE(winnow::select_if<uint16_t>),
    WINNOW__SOURCE(winnow::select_if<uint32_t>),
    WINNOW__SOURCE(winnow::select_if<uint64_t>)};
