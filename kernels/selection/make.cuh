/*
 * What the sources of selections share. A warp makes a tile: it writes the
 * tile's words and its count, independently of other warps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "items.cuh"
#include "kernels/core/kernel.cuh"
#include "kernels/core/vectors.cuh"
#include "kernels/core/warp.cuh"

#include <type_traits>

namespace winnow::selection {

constexpr unsigned int SOURCE_THREADS = WINNOW__SELECTION_THREADS;
constexpr unsigned int SOURCE_WARPS = SOURCE_THREADS / WARP;
constexpr unsigned int TILE_ITEMS = WINNOW__SELECTION_TILE;
constexpr unsigned int TILE_WORDS = WINNOW__SELECTION_WORDS;
/* Words of a tile for each lane of its warp. */
constexpr unsigned int LANE_WORDS = TILE_WORDS / WARP;
static_assert(LANE_WORDS == 4, "a lane's words are a vector");

/* The tile of this warp; it may be behind the last tile. */
__device__ __forceinline__ uint64_t tile_of_warp() {
    return static_cast<uint64_t>(blockIdx.x) * SOURCE_WARPS + warp_id();
}

/* The number of items from the tile's first item on. */
__device__ __forceinline__ uint64_t
items_from_tile(const winnow__selection &selection, uint64_t tile) {
    const uint64_t first = tile * TILE_ITEMS;
    return first < selection.n ? selection.n - first : 0;
}

/* The number of items of the tile. */
__device__ __forceinline__ unsigned int
items_of_tile(const winnow__selection &selection, uint64_t tile) {
    const uint64_t left = items_from_tile(selection, tile);
    return left < TILE_ITEMS ? static_cast<unsigned int>(left) : TILE_ITEMS;
}

/* All lanes write the tile's count; `kept` is this lane's. */
__device__ __forceinline__ void put_count(const winnow__selection &to,
                                          uint64_t tile, unsigned int kept) {
    kept = sum(kept);
    if (lane_id() == 0)
        to.counts[tile] = static_cast<uint16_t>(kept);
}

/* Write the tile; this lane has four adjacent words. */
__device__ __forceinline__ void put_tile(const winnow__selection &to,
                                         uint64_t tile, const uint4 &words) {
    reinterpret_cast<uint4 *>(to.keep)[tile * WARP + lane_id()] = words;
    put_count(to, tile,
              __popc(words.x) + __popc(words.y) + __popc(words.z) +
                  __popc(words.w));
}

/* Write a tile that has no items. */
__device__ __forceinline__ void put_empty_tile(const winnow__selection &to,
                                               uint64_t tile) {
    put_tile(to, tile, make_uint4(0, 0, 0, 0));
}

/*
 * All threads call this at the end of a source. If the launch is one block or
 * one cluster, with few tiles, it does the work of scan.cu, which the host then
 * does not launch (lib/selection/format.c).
 *
 * Each warp has written its tile's count and read what it needs of `before`. It
 * arrives at the barriers of its block and of the cluster; both are a release.
 * The first warp waits at both, an acquire. A single block needs only its own.
 */
__device__ __forceinline__ void scan_few(const winnow__selection &to) {
    if (to.tiles > WINNOW__FEW_TILES || cluster_blocks() != gridDim.x)
        return;
    __syncthreads();
    if (gridDim.x != 1) {
        cluster_arrive();
        cluster_wait();
    }
    if (blockIdx.x != 0 || warp_id() != 0)
        return;
    const unsigned int tile = 2 * lane_id();
    const unsigned int first = tile < to.tiles ? to.counts[tile] : 0;
    const unsigned int second = tile + 1 < to.tiles ? to.counts[tile + 1] : 0;
    const unsigned int upto = inclusive_sum(first + second);
    if (tile == 0)
        to.before[0] = 0;
    if (tile < to.tiles)
        to.before[tile + 1] = upto - second;
    if (tile + 1 < to.tiles)
        to.before[tile + 2] = upto;
}
static_assert(WINNOW__FEW_TILES <= 2 * WARP, "two tiles for each lane");

/* A source in which each warp makes one tile: make(tile) writes it. */
template <class Make>
__device__ __forceinline__ void make_tiles(const winnow__selection &to,
                                           const Make &make) {
    const uint64_t tile = tile_of_warp();
    if (tile < to.tiles)
        make(tile);
    scan_few(to);
}

/* ------------------------------------------------- elements of 1 and 2 bytes
 */

/* The vectors of a tile of a column that has `left` items from the tile's first
 * item on. There is one vector more: it has the tile's last items if its first
 * item is not at the beginning of a vector. */
template <class U>
__device__ __forceinline__ Vectors<U, unsigned int>
vectors_of_tile(const void *column, uint64_t tile, uint64_t left) {
    constexpr unsigned int MOST = TILE_ITEMS + VECTOR_ITEMS<U>;
    return {static_cast<const U *>(column) + tile * TILE_ITEMS,
            left < MOST ? static_cast<unsigned int>(left) : MOST, tile != 0};
}

/* A bit for each item of these vectors, in shared memory. */
template <class U>
struct VectorBits {
    static constexpr unsigned int VECTORS = TILE_ITEMS / VECTOR_ITEMS<U>;

    alignas(16) uint32_t words[TILE_WORDS + 4];

    __device__ __forceinline__ void put(unsigned int vector, uint32_t bits) {
        using OfVector = std::conditional_t<sizeof(U) == 1, uint16_t, uint8_t>;
        static_assert(8 * sizeof(OfVector) == VECTOR_ITEMS<U>, "a bit each");
        reinterpret_cast<OfVector *>(words)[vector] =
            static_cast<OfVector>(bits);
    }

    /* This lane's words, which begin `skip` bits later. */
    __device__ __forceinline__ uint4 get(unsigned int skip) const {
        const uint32_t *const from = words + LANE_WORDS * lane_id();
        const uint4 low = *reinterpret_cast<const uint4 *>(from);
        return make_uint4(__funnelshift_r(low.x, low.y, skip),
                          __funnelshift_r(low.y, low.z, skip),
                          __funnelshift_r(low.z, low.w, skip),
                          __funnelshift_r(low.w, from[LANE_WORDS], skip));
    }
};

} // namespace winnow::selection

/* The entry of a source in its table. */
#define WINNOW__SOURCE(...)                                                    \
    WINNOW__ENTRY(winnow::selection::SOURCE_THREADS, 0, 0, 0, __VA_ARGS__)
