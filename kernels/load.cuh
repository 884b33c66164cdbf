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
template <class U, unsigned int THREADS, unsigned int VECTORS>
struct Tile {
    static constexpr unsigned int BYTES = THREADS * VECTORS * 16;
    static constexpr unsigned int ITEMS = BYTES / sizeof(U);

    uint4 vector[VECTORS];
    uint32_t keep[VECTORS]; /* bit i: item i of the vector passes */

    /* Load tile number `tile`, and test its elements. */
    template <class Test>
    __device__ __forceinline__ void load(const Input<U> &input, uint64_t tile,
                                         const Test &test) {
        const uint64_t first = tile * (THREADS * VECTORS) +
                               warp_id() * (WARP * VECTORS) + lane_id();
        const uint64_t tile_begin = tile * ITEMS;
        if (input.head <= tile_begin && tile_begin + ITEMS <= input.end)
            load_whole(input, first, test);
        else
            load_edge(input, first, test);
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
    template <class Test>
    __device__ __forceinline__ void
    load_whole(const Input<U> &input, uint64_t first, const Test &test) {
        const uint4 *const vectors = input.vectors + first;
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
            vector[k] = __ldcs(vectors + k * WARP);
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
            keep[k] = test(vector[k]);
    }

    template <class Test>
    __device__ __forceinline__ void
    load_edge(const Input<U> &input, uint64_t first, const Test &test) {
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++) {
            const uint32_t inside =
                load_ends(input, first + k * WARP, vector[k]);
            keep[k] = test(vector[k]) & inside;
        }
    }

    /* Loads what the array has of a vector, and tells which items it has. */
    __device__ __noinline__ static uint32_t
    load_ends(const Input<U> &input, uint64_t index, uint4 &loaded) {
        const U *const items =
            reinterpret_cast<const U *>(input.vectors + index);
        const uint64_t begin = index * VECTOR_ITEMS<U>;
        uint32_t words[4] = {0, 0, 0, 0};
        uint32_t inside = 0;
#pragma unroll
        for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++) {
            if (begin + i < input.head || begin + i >= input.end)
                continue;
            inside |= 1u << i;
            const uint64_t x = items[i];
            if (sizeof(U) == 8) {
                words[2 * i % 4] = static_cast<uint32_t>(x);
                words[(2 * i + 1) % 4] = static_cast<uint32_t>(x >> 32);
            } else {
                words[i * sizeof(U) / 4] |= static_cast<uint32_t>(x)
                                            << 8 * (i * sizeof(U) % 4);
            }
        }
        loaded = make_uint4(words[0], words[1], words[2], words[3]);
        return inside;
    }
};

} // namespace winnow

#endif
