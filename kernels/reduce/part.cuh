/*
 * What a thread of a block finds in a part of the input, as it goes through the
 * part tile by tile: the count, sums, and the least ranks.
 *
 * Which elements are a thread's depends on the alignment of the array: vectors
 * are loaded where memory is aligned, as kernels/tile/blocked.cuh says. Which
 * sum an element belongs to does not: a thread has a sum for each item of a
 * vector, and all rows' elements of it are at the same place of a row (args.h).
 *
 * The index of a minimum is not kept for each element, but for each tile: the
 * first tile that has one is searched when all is known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_REDUCE_PART_CUH
#define WINNOW_KERNELS_REDUCE_PART_CUH

#include "kernels/core/kernel.cuh"
#include "packed.cuh"
#include "kernels/core/warp.cuh"

namespace winnow {

constexpr unsigned int REDUCE_THREADS = WINNOW__REDUCE_THREADS;
constexpr unsigned int REDUCE_ROWS = WINNOW__REDUCE_ROWS;

/* The elements of a part, seen as rows of vectors. */
template <class U>
struct PartSource {
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;
    static constexpr unsigned int TILE = REDUCE_THREADS * REDUCE_ROWS * EACH;

    const uint4 *vectors;
    unsigned int head; /* the part is items [head, end) of the vectors */
    uint64_t end;
    uint64_t first_tile; /* in the list of all tiles */

    __device__ __forceinline__ PartSource(const winnow__reduce_args &args,
                                          unsigned int part) {
        const uint64_t first = part * args.cut.part_items;
        const uint64_t left = args.n - first;
        const uintptr_t address = reinterpret_cast<uintptr_t>(
            static_cast<const U *>(args.in) + first);
        vectors = reinterpret_cast<const uint4 *>(address & ~uintptr_t(15));
        head = static_cast<unsigned int>(address % 16 / sizeof(U));
        end = head + (left < args.cut.part_items ? left : args.cut.part_items);
        first_tile = part * tiles_of_part(args);
    }

    /* A part that is not aligned reaches into one more. */
    __device__ __forceinline__ static uint64_t
    tiles_of_part(const winnow__reduce_args &args) {
        return uint64_t(args.cut.part_tiles) + 1;
    }

    __device__ __forceinline__ bool is_whole(uint64_t tile) const {
        return (tile != 0 || head == 0) && (tile + 1) * TILE <= end;
    }

    /* Which items of a vector belong to the part, as bits. */
    __device__ __forceinline__ uint32_t inside(uint64_t vector) const {
        const uint64_t begin = vector * EACH;
        if (begin >= end)
            return 0;
        uint32_t mask = ALL_ITEMS<U>;
        if (vector == 0)
            mask &= ALL_ITEMS<U> << head;
        if (begin + EACH > end)
            mask &= ALL_ITEMS<U> >> (begin + EACH - end);
        return mask;
    }
};

/* Call visit(passes), with the tile's test of the kind that the call's is.
 * KEYS: elements may be floats, whose tests may need a key. */
template <class Tile, class U, bool KEYS, class Visit>
__device__ __forceinline__ void visit_test(const winnow__test &test,
                                           Visit visit) {
    if constexpr (KEYS && sizeof(U) > 1) {
        if (static_cast<U>(test.flip) != 0) {
            visit(typename Tile::template Test<WINNOW__KEYED>(test));
            return;
        }
    }
    if (static_cast<U>(~test.mask) != 0)
        visit(typename Tile::template Test<WINNOW__BITS>(test));
    else
        visit(typename Tile::template Test<WINNOW__INTERVAL>(test));
}

/* ENDS: 0; 1, the minimum or the maximum, as the call wants; or 2, both. */
template <class E, bool SUM, int ENDS>
struct ThreadPart {
    using U = typename E::U;
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;
    static constexpr int RANKS = ENDS != 0 ? ENDS : 1;
    using Tile = std::conditional_t<(sizeof(U) <= 2), PackedTile<E, SUM, ENDS>,
                                    ElementTile<E, SUM, ENDS>>;
    /* 32 bits at least. */
    using Rank = std::conditional_t<(sizeof(U) < 4), uint32_t, U>;
    /* Floats are counted as integers of their size. */
    static constexpr bool KEYS = E::IS_FLOAT || (!SUM && ENDS == 0);

    uint64_t count = 0;
    ThreadSum<E> sum;
    Rank rank[RANKS];
    uint64_t tile[RANKS];

    __device__
        __forceinline__ explicit ThreadPart(const winnow__reduce_args &args)
        : in_tile_(args) {
#pragma unroll
        for (int e = 0; e < RANKS; e++) {
            rank[e] = ~Rank(0);
            nth_tile_[e] = NO_TILE;
        }
    }

    /* Go through a part, with a test of the kind that the call's is. But for
     * the tiles at the part's ends there is one code for all kinds, since each
     * more takes seconds to compile. */
    __device__ __forceinline__ void run(const PartSource<U> &source,
                                        const winnow__test &test) {
        for (uint32_t i = 0; uint64_t(i) * PartSource<U>::TILE < source.end;) {
            if (source.is_whole(i)) {
                visit_test<Tile, U, KEYS>(test, [&](const auto &passes) {
                    for (; source.is_whole(i); i++)
                        run_tile(i, [&] { add_whole(source, i, passes); });
                });
            } else {
                const typename Tile::template Test<ANY> passes(test);
                run_tile(i, [&] { add_edge(source, i, passes); });
                i++;
            }
        }
#pragma unroll
        for (int e = 0; e < RANKS; e++)
            tile[e] = nth_tile_[e] == NO_TILE
                          ? WINNOW__REDUCE_NO_TILE
                          : source.first_tile + nth_tile_[e];
    }

  private:
    static constexpr uint32_t NO_TILE = UINT32_MAX;

    template <class Add>
    __device__ __forceinline__ void run_tile(uint32_t i, const Add &add_tile) {
        in_tile_.begin();
        add_tile();
        end_tile(i);
    }

    __device__ __forceinline__ void end_tile(uint32_t number) {
        const uint32_t kept = in_tile_.count();
        count += kept;
        in_tile_.end(sum);
#pragma unroll
        for (int e = 0; e < ENDS; e++)
            if (kept != 0 &&
                (in_tile_.rank(e) < rank[e] || nth_tile_[e] == NO_TILE)) {
                rank[e] = in_tile_.rank(e);
                nth_tile_[e] = number;
            }
    }

    /* Elements of 4 and 8 bytes: all vectors are loaded, then added. Smaller
     * elements: a loop loads the next vectors while it adds some. Unrolled,
     * that takes twice as long to compile. */
    template <class Passes>
    __device__ __forceinline__ void add_whole(const PartSource<U> &source,
                                              uint64_t tile,
                                              const Passes &passes) {
        constexpr unsigned int TOGETHER = sizeof(U) > 2        ? REDUCE_ROWS
                                          : SUM && E::IS_FLOAT ? 2
                                                               : 4;
        static_assert(REDUCE_ROWS % TOGETHER == 0, "whole groups");
        const uint4 *const from = source.vectors +
                                  tile * (REDUCE_THREADS * REDUCE_ROWS) +
                                  threadIdx.x;
        uint4 next[TOGETHER];
        load_vectors(from, next);
#pragma unroll 1
        for (unsigned int k = TOGETHER;; k += TOGETHER) {
            uint4 here[TOGETHER];
#pragma unroll
            for (unsigned int j = 0; j < TOGETHER; j++)
                here[j] = next[j];
            if (k < REDUCE_ROWS)
                load_vectors(from + k * REDUCE_THREADS, next);
#pragma unroll
            for (unsigned int j = 0; j < TOGETHER; j++)
                in_tile_.add(here[j], ALL_ITEMS<U>, passes, sum);
            if (k >= REDUCE_ROWS)
                return;
        }
    }

    template <unsigned int NUMBER>
    __device__ __forceinline__ static void
    load_vectors(const uint4 *from, uint4 (&vector)[NUMBER]) {
#pragma unroll
        for (unsigned int j = 0; j < NUMBER; j++)
            vector[j] = __ldcs(from + j * REDUCE_THREADS);
    }

    /*
     * A tile that the part does not fill. The loads of whole vectors are under
     * way together, too; those that the part's ends cut are loaded item by
     * item, of which there are two at most.
     */
    template <class Passes>
    __device__ __forceinline__ void
    add_edge(const PartSource<U> &source, uint64_t tile, const Passes &passes) {
        const uint64_t first =
            tile * (REDUCE_THREADS * REDUCE_ROWS) + threadIdx.x;
        uint4 vector[REDUCE_ROWS];
#pragma unroll
        for (unsigned int k = 0; k < REDUCE_ROWS; k++) {
            vector[k] = make_uint4(0, 0, 0, 0);
            const uint64_t v = first + k * REDUCE_THREADS;
            if (source.inside(v) == ALL_ITEMS<U>)
                vector[k] = __ldcs(source.vectors + v);
        }
        /* Not unrolled: a vector after the other in the same code. */
#pragma unroll 1
        for (unsigned int k = 0; k < REDUCE_ROWS; k++) {
            const uint64_t v = first + k * REDUCE_THREADS;
            const uint32_t mask = source.inside(v);
            uint4 here = vector[0];
#pragma unroll
            for (unsigned int j = 1; j < REDUCE_ROWS; j++)
                if (j == k)
                    here = vector[j];
            if (mask != 0 && mask != ALL_ITEMS<U>)
                here = load_items(source.vectors + v, mask);
            in_tile_.add(here, mask, passes, sum);
        }
    }

    /* Those items of a vector; the others are 0. */
    __device__ __forceinline__ static uint4 load_items(const uint4 *vector,
                                                       uint32_t mask) {
        const U *const items = reinterpret_cast<const U *>(vector);
        constexpr unsigned int WORD_ITEMS = sizeof(U) < 4 ? 4 / sizeof(U) : 1;
        uint32_t words[4] = {};
#pragma unroll
        for (unsigned int i = 0; i < EACH; i++) {
            const U x = mask >> i & 1 ? __ldcs(items + i) : U(0);
            const unsigned int shift = 8 * sizeof(U) * (i % WORD_ITEMS);
            if constexpr (sizeof(U) == 8)
                words[2 * i + 1] = static_cast<uint32_t>(x >> 32);
            words[i * sizeof(U) / 4] |= static_cast<uint32_t>(x) << shift;
        }
        return make_uint4(words[0], words[1], words[2], words[3]);
    }

    Tile in_tile_;
    uint32_t nth_tile_[RANKS]; /* of the part's: the first with that rank */
};

} // namespace winnow

#endif
