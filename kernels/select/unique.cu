/*
 * A selection of the heads, or the tails, of runs of equal keys.
 *
 * A warp makes a tile from the differences between neighbours. A lane gets the
 * previous key from the lane below it, so each key is loaded once; only the key
 * before a tile is loaded twice. In columns of 4 and 8 bytes each lane loads
 * one item; in columns of 1 and 2 bytes, an aligned vector. Other keys, and
 * keys that are fields of records, are loaded in pieces.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/selection/make.cuh"
#include "args.h"

namespace winnow::select {

using namespace selection;

/* ---------------------------------------------------------------- equality */

/* Compares keys. VALUES: as floats, by value. */
template <class U, bool VALUES>
struct Equality {
    U magnitude, infinity;
    bool nan_differs;

    __device__
        __forceinline__ explicit Equality(const winnow__key_values &values)
        : magnitude(static_cast<U>(~values.sign)),
          infinity(static_cast<U>(values.infinity)),
          nan_differs(values.nan_differs != 0) {
    }

    /* Equal values get equal bits: both zeros become +0, all NaNs one NaN. */
    __device__ __forceinline__ U canonical(U key) const {
        if constexpr (VALUES) {
            if ((key & magnitude) == 0)
                return 0;
            if ((key & magnitude) > infinity)
                return infinity + 1;
        }
        return key;
    }

    __device__ __forceinline__ bool differ(U a, U b) const {
        if constexpr (VALUES)
            return a != b || (nan_differs && b == infinity + 1);
        else
            return a != b;
    }
};

/* --------------------------------------------------------------- the items */

/* The items of a warp's tile. Let i = base + j: difference j compares items i -
 * 1 and i. */
struct UniqueTile {
    uint64_t tile;
    uint64_t n;    /* the number of items */
    uint64_t base; /* the tile's first item; for tails the next one */

    __device__ __forceinline__
    UniqueTile(const winnow__select_unique_args &args, uint64_t tile_)
        : tile(tile_), n(args.to.n), base(tile_ * TILE_ITEMS + args.tails) {
        if (args.n != nullptr && *args.n < n)
            n = *args.n;
    }

    /* Does item base + j exist? */
    __device__ __forceinline__ bool has(unsigned int j) const {
        return base + j < n;
    }

    /* Does item base - 1 exist? */
    __device__ __forceinline__ bool has_before() const {
        return base != 0 && base - 1 < n;
    }

    /* Write the tile. This lane has 128 differences, from 128 * lane on. The
     * bit that needs no comparison is set here. */
    __device__ __forceinline__ void put(const winnow__select_unique_args &args,
                                        const uint4 &differences) const {
        const uint64_t first = tile * TILE_ITEMS;
        const uint64_t left = n > first ? n - first : 0;
        const unsigned int items =
            left < TILE_ITEMS ? static_cast<unsigned int>(left) : TILE_ITEMS;
        /* The first item is a head, the last item is a tail. */
        const uint64_t sure = args.tails ? n - 1 - first : 0 - first;
        uint32_t words[LANE_WORDS] = {differences.x, differences.y,
                                      differences.z, differences.w};
#pragma unroll
        for (unsigned int k = 0; k < LANE_WORDS; k++) {
            const unsigned int w = LANE_WORDS * lane_id() + k;
            if (sure / 32 == w)
                words[k] |= 1u << sure % 32;
            words[k] &= winnow__bits_inside(w * 32, items);
        }
        put_tile(args.to, tile,
                 make_uint4(words[0], words[1], words[2], words[3]));
    }
};

/* ------------------------------------------------ one item for each lane */

/* load(i) loads the key of item i; BATCH loads are in flight. */
template <class Key, unsigned int BATCH, class Load, class Up, class Differ>
__device__ __forceinline__ void
select_by_lanes(const winnow__select_unique_args &args, const UniqueTile &from,
                const Load &load, const Up &up, const Differ &differ) {
    uint32_t words[LANE_WORDS] = {};
    Key before = from.has_before() ? load(from.base - 1) : Key();
#pragma unroll 1
    for (unsigned int first = 0; first < TILE_WORDS; first += BATCH) {
        Key key[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const unsigned int j = (first + k) * WARP + lane_id();
            key[k] = from.has(j) ? load(from.base + j) : Key();
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const Key last = up(key[k], before);
            const uint32_t word =
                __ballot_sync(ALL_LANES, differ(last, key[k]));
            if (lane_id() == (first + k) / LANE_WORDS)
                words[k % LANE_WORDS] = word;
        }
    }
    from.put(args, make_uint4(words[0], words[1], words[2], words[3]));
}

/* Returns the value of the lane below; lane 0 gets `before`. Then `before` is
 * the value of the last lane. */
template <class T>
__device__ __forceinline__ T lane_below(T x, T &before) {
    const T below = __shfl_up_sync(ALL_LANES, x, 1);
    const T mine = lane_id() == 0 ? before : below;
    before = __shfl_sync(ALL_LANES, x, WARP - 1);
    return mine;
}

/* ------------------------------------------------- columns of 4 and 8 bytes */

template <class U, bool VALUES>
__device__ __forceinline__ void
select_unique_wide(const winnow__select_unique_args &args,
                   const UniqueTile &from) {
    const Equality<U, VALUES> equality(args.values);
    const U *const keys = static_cast<const U *>(args.keys);
    select_by_lanes<U, 16>(
        args, from,
        [&](uint64_t i) { return equality.canonical(__ldcs(keys + i)); },
        [](U key, U &before) { return lane_below(key, before); },
        [&](U a, U b) { return equality.differ(a, b); });
}

/* ------------------------------------------------- columns of 1 and 2 bytes */

/* A bit for each of a word's four bytes, or two halves, that differs. */
template <class U, bool VALUES>
__device__ __forceinline__ uint32_t
differing(const Equality<U, VALUES> &equality, uint32_t a, uint32_t b) {
    const uint32_t x = a ^ b;
    if constexpr (sizeof(U) == 1) {
        const uint32_t any =
            (((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x) & 0x80808080u;
        return (any >> 7) * 0x10204080u >> 28; /* the products do not overlap */
    } else {
        const bool low = equality.differ(static_cast<U>(a), static_cast<U>(b));
        const bool high =
            equality.differ(static_cast<U>(a >> 16), static_cast<U>(b >> 16));
        return (low ? 1u : 0) | (high ? 2u : 0);
    }
}

template <class U, bool VALUES>
__device__ __forceinline__ uint32_t
canonical_word(const Equality<U, VALUES> &equality, uint32_t word) {
    if constexpr (VALUES)
        return equality.canonical(static_cast<U>(word)) |
               static_cast<uint32_t>(
                   equality.canonical(static_cast<U>(word >> 16)))
                   << 16;
    else
        return word;
}

/* The differences of a vector's items; `below` is the word before it. */
template <class U, bool VALUES>
__device__ __forceinline__ uint32_t differences_of(
    const Equality<U, VALUES> &equality, const uint4 &vector, uint32_t below) {
    constexpr unsigned int PER_WORD = 4 / sizeof(U);
    const uint32_t words[5] = {below, vector.x, vector.y, vector.z, vector.w};
    uint32_t bits = 0;
#pragma unroll
    for (unsigned int i = 0; i < 4; i++) {
        const uint32_t before =
            __funnelshift_l(words[i], words[i + 1], 8 * sizeof(U));
        bits |= differing(equality, before, words[i + 1]) << i * PER_WORD;
    }
    return bits;
}

template <class U, bool VALUES>
__device__ __forceinline__ uint4
canonical_vector(const Equality<U, VALUES> &equality, const uint4 &vector) {
    return make_uint4(
        canonical_word(equality, vector.x), canonical_word(equality, vector.y),
        canonical_word(equality, vector.z), canonical_word(equality, vector.w));
}

/* The differences of the tile's vectors; `before` is the word before them.
 * WHOLE: all are whole vectors. Returns the last word, canonical. */
template <bool WHOLE, class U, bool VALUES>
__device__ __forceinline__ uint32_t
find_differences(const Vectors<U, unsigned int> &vectors, uint32_t before,
                 const Equality<U, VALUES> &equality, VectorBits<U> &bits) {
    constexpr unsigned int BATCH = WHOLE ? 8 : 1; /* loads in flight */
    before = canonical_word(equality, before);
#pragma unroll 1
    for (unsigned int first = lane_id(); first < VectorBits<U>::VECTORS;
         first += BATCH * WARP) {
        uint4 vector[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            vector[k] = WHOLE ? __ldcs(vectors.vectors + first + k * WARP)
                              : vectors.load(first + k * WARP);
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            vector[k] = canonical_vector(equality, vector[k]);
            const uint32_t below = lane_below(vector[k].w, before);
            bits.put(first + k * WARP,
                     differences_of(equality, vector[k], below));
        }
    }
    return before;
}

template <class U, bool VALUES>
__device__ __forceinline__ void
select_unique_narrow(const winnow__select_unique_args &args,
                     const UniqueTile &from, VectorBits<U> &bits) {
    constexpr unsigned int LAST = VectorBits<U>::VECTORS;
    const Equality<U, VALUES> equality(args.values);
    const uint64_t first = from.tile * TILE_ITEMS;
    if (from.n <= first)
        return put_empty_tile(args.to, from.tile);
    const auto vectors =
        vectors_of_tile<U>(args.keys, from.tile, from.n - first);
    /* The item before the vectors, as the last item of a word. */
    const U *const items = reinterpret_cast<const U *>(vectors.vectors);
    uint32_t before = from.tile != 0 ? __ldcs(items - 1) : 0;
    before <<= 32 - 8 * sizeof(U);
    before = vectors.are_whole(0, LAST + 1)
                 ? find_differences<true>(vectors, before, equality, bits)
                 : find_differences<false>(vectors, before, equality, bits);
    /* The tile's last items are in one additional vector. */
    const unsigned int skip = vectors.head + args.tails;
    if (skip != 0 && lane_id() == 0) {
        const uint4 last = canonical_vector(equality, vectors.load(LAST));
        bits.put(LAST, differences_of(equality, last, before));
    }
    __syncwarp(); /* all lanes have put their bits, which are read as words */
    from.put(args, bits.get(skip));
}

/* ---------------------------------------------------------------- records */

/* A key of 1 to 16 bytes, as two numbers, padded with zeros. */
struct Key128 {
    uint64_t low, high;
};

/* Load the key of an item from args.width pieces V. */
template <class V>
__device__ __forceinline__ Key128
load_key(const winnow__select_unique_args &args, uint64_t item) {
    constexpr unsigned int MOST = WINNOW__MOST_KEY_BYTES / sizeof(V);
    constexpr unsigned int BITS = 8 * sizeof(V);
    const V *const from =
        static_cast<const V *>(args.keys) + item * args.stride;
    Key128 key = {0, 0};
    if constexpr (sizeof(V) == 16) {
        const uint4 all = *from;
        key.low = all.x | static_cast<uint64_t>(all.y) << 32;
        key.high = all.z | static_cast<uint64_t>(all.w) << 32;
    } else {
#pragma unroll
        for (unsigned int p = 0; p < MOST; p++) {
            const uint64_t piece = p < args.width ? from[p] : V(0);
            if (p * BITS < 64)
                key.low |= piece << p * BITS % 64;
            else
                key.high |= piece << p * BITS % 64;
        }
    }
    return key;
}

template <class V, bool VALUES>
__device__ __forceinline__ void
select_unique_records_tile(const winnow__select_unique_args &args,
                           const UniqueTile &from) {
    const Equality<uint64_t, VALUES> equality(args.values);
    select_by_lanes<Key128, 4>(
        args, from,
        [&](uint64_t i) {
            Key128 key = load_key<V>(args, i);
            key.low = equality.canonical(key.low);
            return key;
        },
        [](const Key128 &key, Key128 &before) {
            return Key128{lane_below(key.low, before.low),
                          lane_below(key.high, before.high)};
        },
        [&](const Key128 &a, const Key128 &b) {
            return equality.differ(a.low, b.low) || a.high != b.high;
        });
}

/* ----------------------------------------------------------------- kernels */

template <class U, bool VALUES>
__global__ void __launch_bounds__(SOURCE_THREADS)
    select_unique(const __grid_constant__ winnow__select_unique_args args) {
    const uint64_t tile = tile_of_warp();
    if constexpr (sizeof(U) < 4) {
        using Tiles = VectorBits<U>[SOURCE_WARPS];
        WINNOW__SHARED(bits, Tiles);
        if (tile < args.to.tiles)
            select_unique_narrow<U, VALUES>(args, UniqueTile(args, tile),
                                            bits[warp_id()]);
    } else {
        if (tile < args.to.tiles)
            select_unique_wide<U, VALUES>(args, UniqueTile(args, tile));
    }
}

template <class V>
__global__ void __launch_bounds__(SOURCE_THREADS) select_unique_records(
    const __grid_constant__ winnow__select_unique_args args) {
    const uint64_t tile = tile_of_warp();
    if (tile >= args.to.tiles)
        return;
    const UniqueTile from(args, tile);
    if constexpr (sizeof(V) <= 8)
        if (args.values.infinity != 0) {
            select_unique_records_tile<V, true>(args, from);
            return;
        }
    select_unique_records_tile<V, false>(args, from);
}

} // namespace winnow::select

/* By the size of a key; the second kernel compares floats by value. */
WINNOW__FOR_HOST(winnow__select_unique[WINNOW__SIZES][2]) = {
    {WINNOW__SOURCE(winnow::select::select_unique<uint8_t, false>), {}},
    {WINNOW__SOURCE(winnow::select::select_unique<uint16_t, false>),
     WINNOW__SOURCE(winnow::select::select_unique<uint16_t, true>)},
    {WINNOW__SOURCE(winnow::select::select_unique<uint32_t, false>),
     WINNOW__SOURCE(winnow::select::select_unique<uint32_t, true>)},
    {WINNOW__SOURCE(winnow::select::select_unique<uint64_t, false>),
     WINNOW__SOURCE(winnow::select::select_unique<uint64_t, true>)}};

WINNOW__FOR_HOST(winnow__select_unique_records[WINNOW__ROW_SIZES]) = {
    WINNOW__SOURCE(winnow::select::select_unique_records<uint8_t>),
    WINNOW__SOURCE(winnow::select::select_unique_records<uint16_t>),
    WINNOW__SOURCE(winnow::select::select_unique_records<uint32_t>),
    WINNOW__SOURCE(winnow::select::select_unique_records<uint64_t>),
    WINNOW__SOURCE(winnow::select::select_unique_records<uint4>)};
