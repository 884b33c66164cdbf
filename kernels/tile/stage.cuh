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
 * Three loops stage the survivors of a vector, from `staged` on. This one goes
 * over all items; its cost does not depend on how many are kept.
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
 * The loop for small elements of which nearly all are kept, in the whole tile
 * or, in clustered data, in some rows. Neighbouring lanes then write 16 bytes
 * apart, so that every eighth lane writes to the same bank. The skew avoids
 * these bank conflicts: each group of eight lanes begins one word later than
 * the group before, and wraps around.
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

/* An item whose index is not a constant. Selects avoid an indexed vector, which
 * the compiler would put in local memory. */
template <class U>
__device__ __forceinline__ U select_item(const uint4 &vector, unsigned int i) {
    static_assert(sizeof(U) <= 4, "an item of 8 bytes is two words");
    const unsigned int word = i * sizeof(U) / 4;
    const uint32_t low = word & 1 ? vector.y : vector.x;
    const uint32_t high = word & 1 ? vector.w : vector.z;
    return static_cast<U>((word & 2 ? high : low) >> 8 * (i * sizeof(U) % 4));
}

/* The loop over the kept items, for when they are few. */
template <class U>
__device__ __forceinline__ void stage_sparse(U *staged, const uint4 &vector,
                                             uint32_t keep) {
    for (; keep != 0; keep &= keep - 1)
        *staged++ = select_item<U>(vector, __ffs(keep) - 1);
}

/* The number of the warp's vectors whose keep bits meet a condition. */
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
 * Is a skew faster? It is if the warp keeps at least a row of whole vectors. If
 * most of the tile is kept, many vectors are whole in any case; then a skew is
 * faster if hardly any vector is kept in part.
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

/* Stage a tile of which all items are kept. */
template <class U, class TileType>
__device__ __forceinline__ void stage_all(U *staged, const TileType &tile) {
    uint4 *const rows = reinterpret_cast<uint4 *>(staged) +
                        warp_id() * (WARP * TileType::VECTORS) + lane_id();
#pragma unroll
    for (unsigned int k = 0; k < TileType::VECTORS; k++)
        rows[k * WARP] = tile.vector[k];
}

/* Are survivors so few that a loop over them is faster? The lane with the most
 * survivors determines its time, so no vector may be kept whole. */
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
 * Stage a tile's survivors at their ranks: by a plain copy if all are kept,
 * else by a loop that the tuning selects. `staged` is aligned to 16 bytes. A
 * loop serves the whole tile: branches from row to row would cost 5%.
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
