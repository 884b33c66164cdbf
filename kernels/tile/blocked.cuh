/*
 * Tile: a piece of the input, loaded with 16-byte accesses, whatever its
 * alignment, and the keep bits of its items.
 *
 * Tiles are cut where memory is aligned, not where the array begins
 * (kernels/core/vectors.cuh). Only the first and the last tile of an array can
 * meet its ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/kernel.cuh"
#include "kernels/core/predicate.cuh"
#include "kernels/core/warp.cuh"

namespace winnow::tile {

/* The items of one record. The caller's n counts records. */
template <class Select>
constexpr unsigned int ITEMS_OF_RECORD = 1;

/* An input array, and what selects from it. */
template <class Select>
struct Source : Vectors<typename Select::U> {
    Select select;

    __device__ __forceinline__ explicit Source(const winnow__args &args)
        : Source(args, item_count<ITEMS_OF_RECORD<Select>>(args)) {
    }

    __device__ __forceinline__ Source(const winnow__args &args, uint64_t n)
        : Vectors<typename Select::U>(args.in, n),
          select(selector_of<Select>(args)) {
    }
};

/*
 * A tile in registers: VECTORS vectors per thread. Each warp has a contiguous
 * piece of the input, and loads it a row of 32 vectors at a time.
 */
template <class Select, unsigned int THREADS_, unsigned int VECTORS_>
struct Tile {
    using U = typename Select::U;
    static constexpr unsigned int THREADS = THREADS_, VECTORS = VECTORS_;
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;
    static constexpr unsigned int ITEMS = THREADS * VECTORS * EACH;
    static constexpr unsigned int RECORD = ITEMS_OF_RECORD<Select>;

    uint4 vector[VECTORS];
    uint32_t keep[VECTORS]; /* bit i: item i of the vector passes */

    /* The elements of the array before tile number `tile`. */
    __device__ __forceinline__ static uint64_t before(const winnow__args &args,
                                                      uint64_t tile) {
        return tile == 0 ? 0 : tile * ITEMS - Source<Select>(args).head;
    }

    /* The number of tiles with items; 1 if there are none. */
    __device__ __forceinline__ static uint64_t
    number(const Source<Select> &source) {
        return source.end <= ITEMS ? 1 : (source.end - 1) / ITEMS + 1;
    }

    __device__ __forceinline__ static bool
    is_behind(const Source<Select> &source, uint64_t tile) {
        return tile != 0 && tile * ITEMS >= source.end;
    }

    /* The index in the array of item 0 of tile number `tile`, modulo 2^64: item
     * 0 of the first tile may lie before the array. */
    __device__ __forceinline__ static uint64_t
    first_index(const Source<Select> &source, uint64_t tile) {
        return tile * ITEMS - source.head;
    }

    /* The items of tile number `tile` that lie before the array. */
    __device__ __forceinline__ static unsigned int
    ahead(const Source<Select> &source, uint64_t tile) {
        return tile == 0 ? static_cast<unsigned int>(source.head) : 0;
    }

    /* Which item of the tile is item 0 of this thread's vector k? */
    __device__ __forceinline__ static unsigned int item_of(unsigned int k) {
        return (warp_id() * (WARP * VECTORS) + k * WARP + lane_id()) * EACH;
    }

    /*
     * Begin to load tile number `tile`. Nothing waits for the loads until
     * their values are used: other work may come between this and test().
     */
    __device__ __forceinline__ void fetch(const Source<Select> &source,
                                          uint64_t tile) {
        const uint64_t first = first_vector(tile);
        if (is_whole(source, tile)) {
            const uint4 *const vectors = source.vectors + first;
#pragma unroll
            for (unsigned int k = 0; k < VECTORS; k++)
                vector[k] = __ldcs(vectors + k * WARP);
        } else {
            source.template load_edge<WARP>(first, vector);
        }
    }

    /* Test the elements of the tile that was fetched. */
    __device__ __forceinline__ void test(const Source<Select> &source,
                                         uint64_t tile) {
        if constexpr (LOOKS_BEFORE<Select>) {
            test_neighbours(source, tile);
        } else {
#pragma unroll
            for (unsigned int k = 0; k < VECTORS; k++)
                keep[k] = source.select(vector[k]);
        }
        if (!is_whole(source, tile)) {
#pragma unroll
            for (unsigned int k = 0; k < VECTORS; k++)
                keep[k] &= source.inside(first_vector(tile) + k * WARP);
        }
    }

    __device__ __forceinline__ void load(const Source<Select> &source,
                                         uint64_t tile) {
        fetch(source, tile);
        test(source, tile);
    }

    /* The number of this thread's items that pass. */
    __device__ __forceinline__ unsigned int kept() const {
        unsigned int count = 0;
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
            count += __popc(keep[k]);
        return count;
    }

  private:
    /* This thread's first vector of the tile. */
    __device__ __forceinline__ static uint64_t first_vector(uint64_t tile) {
        return tile * (THREADS * VECTORS) + warp_id() * (WARP * VECTORS) +
               lane_id();
    }

    /* The item before the warp's first one, for lane 0. The warp before this
     * one loads it, too, at about the same time, so the load hits a cache. */
    __device__ __forceinline__ static U
    load_before(const Source<Select> &source, uint64_t tile) {
        const uint64_t first =
            tile * ITEMS + warp_id() * (WARP * VECTORS * EACH);
        return lane_id() == 0 && source.head < first && first <= source.end
                   ? reinterpret_cast<const U *>(source.vectors)[first - 1]
                   : 0;
    }

    /*
     * A lane gets the item before its vector from the lane below. Lane 0 gets
     * it from lane 31's vector of the row before. Row 0 is tested last, because
     * it waits for a load. The array's first item has none before it: it
     * passes.
     */
    __device__ __forceinline__ void
    test_neighbours(const Source<Select> &source, uint64_t tile) {
        const U before = load_before(source, tile);
#pragma unroll
        for (unsigned int k = VECTORS; k-- > 0;) {
            const auto own = Select::last_of(vector[k]);
            const auto last = k == 0 ? own : Select::last_of(vector[k - 1]);
            auto below =
                __shfl_sync(ALL_LANES, lane_id() == WARP - 1 ? last : own,
                            (lane_id() + WARP - 1) % WARP);
            if (k == 0 && lane_id() == 0)
                below = Select::widen(before);
            keep[k] = source.select(below, vector[k]);
        }
        if (tile == 0 && threadIdx.x == 0)
            keep[0] |= 1u << source.head;
    }

    /* Does the array fill the tile? */
    __device__ __forceinline__ static bool
    is_whole(const Source<Select> &source, uint64_t tile) {
        return source.are_whole(tile * (THREADS * VECTORS), THREADS * VECTORS);
    }
};

} // namespace winnow::tile
