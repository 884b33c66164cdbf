/*
 * Parts: a sink (sink_values.cuh) that writes survivors to one array and
 * rejects, the other items, to another array. The offset of a tile's rejects is
 * the number of items before the tile less the offset of its survivors.
 *
 * All of a tile is staged: first its survivors, then its rejects. Each part is
 * in the order of the input. It is then scattered like the survivors of other
 * sinks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "scatter.cuh"
#include "stage.cuh"

namespace winnow::tile {

/*
 * Stage the items of a vector, each behind those of its part. Places are in
 * bytes from `staged` on. `kept` is the place of the first survivor, and `both`
 * the sum of the places of the first survivor and of the first reject. So only
 * `kept` changes in the loop.
 */
template <class U>
__device__ __forceinline__ void
stage_parts(U *staged, unsigned int kept, unsigned int both,
            const uint4 &vector, uint32_t keep) {
    constexpr unsigned int SIZE = sizeof(U);
    char *const bytes = reinterpret_cast<char *>(staged);
#pragma unroll
    for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++) {
        const bool keeps = keep >> i & 1;
        const unsigned int at = keeps ? kept : both + i * SIZE - kept;
        *reinterpret_cast<U *>(bytes + at) = item<U>(vector, i);
        kept += keeps ? SIZE : 0;
    }
}

/* The same for bytes, with the skew of stage_skewed(): if most of a tile is
 * kept, or rejected, every eighth lane would write to the same bank. */
template <>
__device__ __forceinline__ void
stage_parts<uint8_t>(uint8_t *staged, unsigned int kept, unsigned int both,
                     const uint4 &vector, uint32_t keep) {
    constexpr unsigned int ITEMS = VECTOR_ITEMS<uint8_t>;
    const unsigned int words = lane_id() / 8, skew = 4 * words;
    uint4 v = vector;
    if (words & 1)
        v = make_uint4(v.y, v.z, v.w, v.x);
    if (words & 2)
        v = make_uint4(v.z, v.w, v.x, v.y);
    const unsigned int first = kept;
    kept += __popc(keep & ((1u << skew) - 1));
    both += skew;
    keep = keep >> skew | keep << (ITEMS - skew);
#pragma unroll
    for (unsigned int i = 0; i < ITEMS; i++) {
        if (i % 4 == 0 && i / 4 + words == 4) {
            kept = first;
            both -= ITEMS;
        }
        const bool keeps = keep >> i & 1;
        staged[keeps ? kept : both + i - kept] = item<uint8_t>(v, i);
        kept += keeps;
    }
}

template <class U_>
struct Parts {
    using U = U_;
    using Staged = U;

    /* The first reject is staged at a multiple of this: small elements are
     * scattered in vectors of 8 bytes. */
    static constexpr unsigned int ALIGNMENT = sizeof(U) < 4 ? 8 / sizeof(U) : 1;
    /* The stage has room for a tile and for this number of items in the gap
     * between the parts: whole vectors. */
    static constexpr unsigned int GAP = sizeof(U) < 4 ? VECTOR_ITEMS<U> : 0;

    /*
     * Stage a tile. `ahead` of its items lie before the array. They are staged
     * before the rejects, and items behind the array after the rejects. Nothing
     * reads either.
     */
    template <class TileType, class Rank>
    __device__ __forceinline__ static void
    stage(U *staged, const TileType &tile, Rank &rank, unsigned int ahead) {
        const unsigned int first = first_reject(rank.total, ahead) - ahead;
        if (rank.total == TileType::ITEMS || (rank.total | first) == 0) {
            stage_all(staged, tile);
            return;
        }
#pragma unroll
        for (unsigned int k = 0; k < TileType::VECTORS; k++) {
            const unsigned int kept = rank.next(tile, k);
            const unsigned int both = first + TileType::item_of(k);
            stage_parts<U>(staged, kept * sizeof(U), both * sizeof(U),
                           tile.vector[k], tile.keep[k]);
        }
    }

    /*
     * Write a tile's parts. `first` is the index of its item 0, modulo 2^64; it
     * has `total` survivors, which go to `offset`.
     */
    template <class Tuning, class Vector>
    __device__ __forceinline__ static void
    scatter_parts(const winnow__args &args, uint64_t offset, uint64_t first,
                  const U *staged, unsigned int total) {
        const uint64_t begin = static_cast<int64_t>(first) < 0 ? 0 : first;
        const unsigned int ahead = static_cast<unsigned int>(begin - first);
        const uint64_t left = item_count(args) - begin;
        const unsigned int room = Tuning::ITEMS - ahead;
        const unsigned int items =
            left < room ? static_cast<unsigned int>(left) : room;
        scatter<Tuning, Vector>(static_cast<U *>(args.sink.out) + offset,
                                staged, total);
        scatter<Tuning, Vector>(
            static_cast<U *>(args.parts.rejected) + (begin - offset),
            staged + first_reject(total, ahead), items - total);
    }

  private:
    /* Where the array's first reject is staged. */
    __device__ __forceinline__ static unsigned int
    first_reject(unsigned int total, unsigned int ahead) {
        return (total + ahead + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    template <class Tuning, class Vector>
    __device__ __forceinline__ static void scatter(U *out, const U *staged,
                                                   unsigned int count) {
        if constexpr (sizeof(U) < 4)
            scatter_vectors<Vector, U, Tuning::THREADS>(out, staged, count);
        else
            scatter_elements<U, Tuning::THREADS>(out, staged, count);
    }
};

} // namespace winnow::tile
