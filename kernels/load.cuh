/*
 * Load: a tile of the input, with 16-byte accesses, whatever its alignment.
 *
 * Tiles are cut where memory is aligned, not where the array begins: vector 0
 * is the aligned 16 bytes that hold the first element, and `head` elements of
 * it lie before the array. Only the first and the last tile of an array can
 * meet its ends; they load the elements at the ends one by one, so that
 * nothing outside of the array is ever read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_LOAD_CUH
#define WINNOW_KERNELS_LOAD_CUH

#include "args.h"
#include "predicate.cuh"
#include "warp.cuh"

namespace winnow {

/* An input array, seen as vectors. */
template <class U>
struct Input {
    const uint4 *vectors;
    uint64_t head; /* the array is items [head, end) of the vectors */
    uint64_t end;

    __device__ __forceinline__ explicit Input(const winnow__args &args) {
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
template <class U, unsigned int THREADS_, unsigned int VECTORS_>
struct Tile {
    static constexpr unsigned int THREADS = THREADS_, VECTORS = VECTORS_;
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;
    static constexpr unsigned int ITEMS = THREADS * VECTORS * EACH;

    uint4 vector[VECTORS];
    uint32_t keep[VECTORS]; /* bit i: item i of the vector passes */

    /* The elements of the array before tile number `tile`. */
    __device__ __forceinline__ static uint64_t before(const winnow__args &args,
                                                      uint64_t tile) {
        return tile == 0 ? 0 : tile * ITEMS - Input<U>(args).head;
    }

    /*
     * Begin to load tile number `tile`. Nothing waits for the loads until
     * their values are used: other work may come between this and test().
     */
    __device__ __forceinline__ void fetch(const Input<U> &input,
                                          uint64_t tile) {
        const uint64_t first = first_vector(tile);
        if (is_whole(input, tile)) {
            const uint4 *const vectors = input.vectors + first;
#pragma unroll
            for (unsigned int k = 0; k < VECTORS; k++)
                vector[k] = __ldcs(vectors + k * WARP);
        } else {
            fetch_edge(input, first);
        }
    }

    /* Test the elements of the tile that was fetched. */
    template <class Test>
    __device__ __forceinline__ void test(const Input<U> &input, uint64_t tile,
                                         const Test &passes) {
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
            keep[k] = passes(vector[k]);
        if (!is_whole(input, tile)) {
#pragma unroll
            for (unsigned int k = 0; k < VECTORS; k++)
                keep[k] &= inside(input, first_vector(tile) + k * WARP);
        }
    }

    template <class Test>
    __device__ __forceinline__ void load(const Input<U> &input, uint64_t tile,
                                         const Test &passes) {
        fetch(input, tile);
        test(input, tile, passes);
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

    /* Does the array fill the tile? */
    __device__ __forceinline__ static bool is_whole(const Input<U> &input,
                                                    uint64_t tile) {
        const uint64_t begin = tile * ITEMS;
        return input.head <= begin && begin + ITEMS <= input.end;
    }

    /* Which items of a vector belong to the array, as bits. */
    __device__ __forceinline__ static uint32_t inside(const Input<U> &input,
                                                      uint64_t index) {
        const uint64_t begin = index * VECTOR_ITEMS<U>;
        const uint64_t end = begin + VECTOR_ITEMS<U>;
        if (end <= input.head || begin >= input.end)
            return 0;
        uint32_t mask = ALL_ITEMS<U>;
        if (begin < input.head)
            mask &= ALL_ITEMS<U> << (input.head - begin);
        if (end > input.end)
            mask &= ALL_ITEMS<U> >> (end - input.end);
        return mask;
    }

    /*
     * A tile that the array does not fill; zero for the rest. The loads of
     * whole vectors come first, so that they are under way together.
     */
    __device__ __forceinline__ void fetch_edge(const Input<U> &input,
                                               uint64_t first) {
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++) {
            vector[k] = make_uint4(0, 0, 0, 0);
            if (inside(input, first + k * WARP) == ALL_ITEMS<U>)
                vector[k] = __ldcs(input.vectors + first + k * WARP);
        }
        /* Not unrolled: an array has two such vectors at most. */
#pragma unroll 1
        for (unsigned int k = 0; k < VECTORS; k++) {
            const uint32_t mask = inside(input, first + k * WARP);
            if (mask == 0 || mask == ALL_ITEMS<U>)
                continue;
            const uint4 end = load_end(input.vectors + first + k * WARP, mask);
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
