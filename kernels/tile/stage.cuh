/*
 * Stage: put a tile's survivors side by side in shared memory, at their ranks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "rank.cuh"
#include "tuning.cuh"

namespace winnow::tile {

/*
 * Stage the survivors of a vector, from `staged` on. Three loops for three
 * cases. One over the items, which costs the same however many are kept:
 */
template <class U>
__device__ __forceinline__ void stage_dense(U *staged, const uint4 &vector,
                                            uint32_t keep) {
#pragma unroll
    for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++)
        if (keep >> i & 1)
            *staged++ = item<U>(vector, i);
}

/*
 * One for small elements of which nearly all are kept, in the whole tile or,
 * where data is clustered, in some of its rows. Neighbouring lanes then
 * write 16 bytes apart, every eighth lane to the same bank. So each eight lanes
 * begin one word later than the eight before, and go around: a skew against
 * bank conflicts.
 */
template <class U>
__device__ __forceinline__ void stage_skewed(U *staged, const uint4 &vector,
                                             uint32_t keep) {
    static_assert(sizeof(U) < 4, "larger elements have no such conflicts");
    constexpr unsigned int EACH = 4 / sizeof(U); /* items of a word */
    const unsigned int words = lane_id() / 8;
    uint4 v = vector;
    if (words & 1)
        v = make_uint4(v.y, v.z, v.w, v.x);
    if (words & 2)
        v = make_uint4(v.z, v.w, v.x, v.y);
    const unsigned int skew = words * EACH; /* items */
    U *at = staged + __popc(keep & ((1u << skew) - 1));
    keep = keep >> skew | keep << (VECTOR_ITEMS<U> - skew);
#pragma unroll
    for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++) {
        if (i % EACH == 0 && i / EACH + words == 4)
            at = staged;
        if (keep >> i & 1)
            *at++ = item<U>(v, i);
    }
}

/* An item whose index is not a constant: selected, or the vector would be put
 * in memory to be indexed. */
template <class U>
__device__ __forceinline__ U select_item(const uint4 &vector, unsigned int i) {
    static_assert(sizeof(U) <= 4, "an item of 8 bytes is two words");
    const unsigned int word = i * sizeof(U) / 4;
    const uint32_t low = word & 1 ? vector.y : vector.x;
    const uint32_t high = word & 1 ? vector.w : vector.z;
    return static_cast<U>((word & 2 ? high : low) >> 8 * (i * sizeof(U) % 4));
}

/* And one over the kept items, for when they are few: */
template <class U>
__device__ __forceinline__ void stage_sparse(U *staged, const uint4 &vector,
                                             uint32_t keep) {
    for (; keep != 0; keep &= keep - 1)
        *staged++ = select_item<U>(vector, __ffs(keep) - 1);
}

/* How many of the warp's vectors meet a condition on what they keep. */
template <class TileType, class Condition>
__device__ __forceinline__ unsigned int count_vectors(const TileType &tile,
                                                      Condition meets) {
    unsigned int count = 0;
#pragma unroll
    for (unsigned int k = 0; k < TileType::VECTORS; k++)
        count += meets(tile.keep[k]);
    return sum(count);
}

template <class U>
__device__ __forceinline__ bool is_full(uint32_t keep) {
    return keep == ALL_ITEMS<U>;
}

template <class U>
__device__ __forceinline__ bool is_partial(uint32_t keep) {
    return keep != 0 && keep != ALL_ITEMS<U>;
}

/*
 * Do the warp's lanes have whole vectors to stage, a row's worth at least, so
 * that a skew is better? Where most of the tile is kept there are many in any
 * case; then it matters that hardly any is kept in part.
 */
template <class Tuning, class TileType>
__device__ __forceinline__ bool needs_skew(const TileType &tile,
                                           unsigned int total) {
    using U = typename TileType::U;
    constexpr unsigned int ITEMS = TileType::ITEMS;
    if (Tuning::SKEW == SKEW_ALL && total > ITEMS / 16 * 15)
        return true;
    if (Tuning::SKEW == SKEW_CLUSTERED && total > ITEMS / 8 * 7)
        return count_vectors(tile, is_partial<U>) <
               WARP * TileType::VECTORS / 16;
    return count_vectors(tile, is_full<U>) >= WARP;
}

/* Stage a tile of which all is kept. */
template <class U, class TileType>
__device__ __forceinline__ void stage_all(U *staged, const TileType &tile) {
    uint4 *const rows = reinterpret_cast<uint4 *>(staged) +
                        warp_id() * (WARP * TileType::VECTORS) + lane_id();
#pragma unroll
    for (unsigned int k = 0; k < TileType::VECTORS; k++)
        rows[k * WARP] = tile.vector[k];
}

/* Do so few survive that the lane that has most takes the time? It may have no
 * run of them then. */
template <class Tuning, class TileType>
__device__ __forceinline__ bool is_sparse(const TileType &tile,
                                          unsigned int total) {
    return total * Tuning::SPARSE < TileType::ITEMS &&
           count_vectors(tile, is_full<typename TileType::U>) == 0;
}

/* Stage a tile's survivors at their ranks, vector by vector. */
template <class U, class TileType, class Rank, class StageVector>
__device__ __forceinline__ void stage_each(U *staged, const TileType &tile,
                                           Rank &rank,
                                           StageVector stage_vector) {
#pragma unroll
    for (unsigned int k = 0; k < TileType::VECTORS; k++)
        stage_vector(staged + rank.next(tile, k), tile.vector[k], tile.keep[k]);
}

/*
 * Stage a tile's survivors at their ranks: a plain copy where all are kept,
 * else by the loop that the tuning wants. `staged` is aligned to 16 bytes.
 * Each path is straight code: branches from row to row would cost 5%.
 */
template <class Tuning, class U, class TileType, class Rank>
__device__ __forceinline__ void stage(U *staged, const TileType &tile,
                                      Rank &rank) {
    if (rank.total == TileType::ITEMS) {
        stage_all(staged, tile);
        return;
    }
    if constexpr (Tuning::SPARSE != 0) {
        if (is_sparse<Tuning>(tile, rank.total)) {
            stage_each(staged, tile, rank, stage_sparse<U>);
            return;
        }
    }
    if constexpr (Tuning::SKEW != NO_SKEW) {
        if (needs_skew<Tuning>(tile, rank.total)) {
            stage_each(staged, tile, rank, stage_skewed<U>);
            return;
        }
    }
    stage_each(staged, tile, rank, stage_dense<U>);
}

} // namespace winnow::tile
