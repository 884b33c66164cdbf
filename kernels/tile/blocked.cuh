/*
 * Tile: a piece of the input, loaded with 16-byte accesses, whatever its
 * alignment, and the keep bits of its items.
 *
 * Tiles are cut where memory is aligned, not where the array begins: vector 0
 * is the aligned 16 bytes that hold the first element, and `head` elements of
 * it lie before the array. Only the first and the last tile of an array can
 * meet its ends; they load the elements at the ends one by one, so that
 * nothing outside of the array is ever read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_TILE_BLOCKED_CUH
#define WINNOW_KERNELS_TILE_BLOCKED_CUH

#include "kernels/core/args.h"
#include "kernels/core/predicate.cuh"
#include "kernels/core/warp.cuh"

namespace winnow {

/* An input array, seen as vectors, and what selects from it. */
template <class Select>
struct Source {
    using U = typename Select::U;

    const uint4 *vectors;
    uint64_t head; /* the array is items [head, end) of the vectors */
    uint64_t end;
    Select select;

    __device__ __forceinline__ explicit Source(const winnow__args &args)
        : select(selector_of<Select>(args)) {
        const uintptr_t address = reinterpret_cast<uintptr_t>(args.in);
        vectors = reinterpret_cast<const uint4 *>(address & ~uintptr_t(15));
        head = address % 16 / sizeof(U);
        end = head + args.n;
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

    uint4 vector[VECTORS];
    uint32_t keep[VECTORS]; /* bit i: item i of the vector passes */

    /* The elements of the array before tile number `tile`. */
    __device__ __forceinline__ static uint64_t before(const winnow__args &args,
                                                      uint64_t tile) {
        return tile == 0 ? 0 : tile * ITEMS - Source<Select>(args).head;
    }

    /* The index in the array of item 0 of tile number `tile`, modulo 2^64: the
     * first tile's may lie before the array. */
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
            fetch_edge(source, first);
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
                keep[k] &= inside(source, first_vector(tile) + k * WARP);
        }
    }

    __device__ __forceinline__ void load(const Source<Select> &source,
                                         uint64_t tile) {
        fetch(source, tile);
        test(source, tile);
    }

    /* How many of this thread's items pass. */
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

    /* The item before the warp's first one, for lane 0. The warp before it has
     * loaded it, too, or soon will: so the caches keep it. */
    __device__ __forceinline__ static U
    load_before(const Source<Select> &source, uint64_t tile) {
        const uint64_t first =
            tile * ITEMS + warp_id() * (WARP * VECTORS * EACH);
        return lane_id() == 0 && source.head < first && first <= source.end
                   ? reinterpret_cast<const U *>(source.vectors)[first - 1]
                   : 0;
    }

    /*
     * A lane gets the item before its vector from the lane below; the first
     * lane, from the last one's vector of the row before. Row 0 comes last: it
     * waits for a load. The array's first item has none before it, and passes.
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
        const uint64_t begin = tile * ITEMS;
        return source.head <= begin && begin + ITEMS <= source.end;
    }

    /* Which items of a vector belong to the array, as bits. */
    __device__ __forceinline__ static uint32_t
    inside(const Source<Select> &source, uint64_t index) {
        const uint64_t begin = index * VECTOR_ITEMS<U>;
        const uint64_t end = begin + VECTOR_ITEMS<U>;
        if (end <= source.head || begin >= source.end)
            return 0;
        uint32_t mask = ALL_ITEMS<U>;
        if (begin < source.head)
            mask &= ALL_ITEMS<U> << (source.head - begin);
        if (end > source.end)
            mask &= ALL_ITEMS<U> >> (end - source.end);
        return mask;
    }

    /*
     * A tile that the array does not fill; zero for the rest. The loads of
     * whole vectors come first, so that they are under way together.
     */
    __device__ __forceinline__ void fetch_edge(const Source<Select> &source,
                                               uint64_t first) {
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++) {
            vector[k] = make_uint4(0, 0, 0, 0);
            if (inside(source, first + k * WARP) == ALL_ITEMS<U>)
                vector[k] = __ldcs(source.vectors + first + k * WARP);
        }
        if constexpr (EACH != 1)
            fetch_ends(source, first);
    }

    /* Those across an end of the array. Not unrolled: it has two at most. */
    __device__ __forceinline__ void fetch_ends(const Source<Select> &source,
                                               uint64_t first) {
#pragma unroll 1
        for (unsigned int k = 0; k < VECTORS; k++) {
            const uint32_t mask = inside(source, first + k * WARP);
            if (mask == 0 || mask == ALL_ITEMS<U>)
                continue;
            const uint4 end = load_end(source.vectors + first + k * WARP, mask);
#pragma unroll
            for (unsigned int j = 0; j < VECTORS; j++)
                if (j == k)
                    vector[j] = end;
        }
    }

    /*
     * A vector across an end of the array: word by word, and item by item in
     * words across the end. All loads are under way together.
     */
    __device__ __forceinline__ static uint4 load_end(const uint4 *address,
                                                     uint32_t mask) {
        constexpr unsigned int PIECES = sizeof(U) < 4 ? 4 / sizeof(U) : 1;
        constexpr uint32_t WHOLE = (1u << PIECES) - 1;
        const uint32_t *const words =
            reinterpret_cast<const uint32_t *>(address);
        uint32_t word[4];
#pragma unroll
        for (unsigned int i = 0; i < 4; i++) {
            const uint32_t here = mask >> (i * 4 / sizeof(U)) & WHOLE;
            word[i] = 0;
            if (here == WHOLE) {
                word[i] = __ldcs(words + i);
            } else if (PIECES != 1) {
                const U *const items = reinterpret_cast<const U *>(words + i);
#pragma unroll
                for (unsigned int j = 0; j < PIECES; j++)
                    if (here >> j & 1)
                        word[i] |= static_cast<uint32_t>(__ldcs(items + j))
                                   << 8 * sizeof(U) * j;
            }
        }
        return make_uint4(word[0], word[1], word[2], word[3]);
    }
};

} // namespace winnow

#endif
