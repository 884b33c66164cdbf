/*
 * A thread's totals of a part of the input, tile by tile: the count, sums, and
 * the lowest ranks.
 *
 * The alignment of the array decides which elements a thread has (vectors.cuh).
 * It does not decide to which sum an element is added: a thread has a sum for
 * each item of a vector, and the elements of that sum have the same place in
 * all stripes (args.h).
 *
 * Threads keep the tile of a minimum, not its index. At the end, the first tile
 * with the minimum is searched for the index.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/kernel.cuh"
#include "packed.cuh"
#include "kernels/core/warp.cuh"

namespace winnow::reduce {

constexpr unsigned int THREADS = WINNOW__REDUCE_THREADS;
constexpr unsigned int STRIPES = WINNOW__REDUCE_STRIPES;

/* The elements of a part, seen as tiles of vectors. */
template <class U>
struct PartSource : Vectors<U> {
    static constexpr unsigned int VECTORS = THREADS * STRIPES; /* of a tile */
    static constexpr unsigned int TILE = VECTORS * VECTOR_ITEMS<U>;

    uint64_t first_tile; /* in the list of all tiles */

    __device__ __forceinline__ PartSource(const winnow__reduce_args &args,
                                          unsigned int part)
        : Vectors<U>(static_cast<const U *>(args.in) +
                         part * args.cut.part_items,
                     items_from(args, part * args.cut.part_items)),
          first_tile(part * tiles_of_part(args)) {
    }

    /* A part that is not aligned extends into one more tile. */
    __device__ __forceinline__ static uint64_t
    tiles_of_part(const winnow__reduce_args &args) {
        return uint64_t(args.cut.part_tiles) + 1;
    }

    __device__ __forceinline__ bool is_whole_tile(uint64_t tile) const {
        return this->are_whole(tile * VECTORS, VECTORS);
    }

  private:
    /* The number of items of a part that begins at `begin`. The kernel has
     * waited for the caller's kernels, and no concurrent one writes *items. */
    __device__ __forceinline__ static uint64_t
    items_from(const winnow__reduce_args &args, uint64_t begin) {
        uint64_t n = args.n;
        if (args.items != nullptr)
            n = max(min(n, *args.items), begin);
        return min(n - begin, args.cut.part_items);
    }
};

/* ENDS is 0, 1 (the minimum or the maximum, as the call wants), or 2 (both). */
template <class E, bool SUM, int ENDS>
struct ThreadPart {
    using U = typename E::U;
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;
    static constexpr int RANKS = ENDS != 0 ? ENDS : 1;
    using Tile = std::conditional_t<(sizeof(U) <= 2), PackedTile<E, SUM, ENDS>,
                                    ElementTile<E, SUM, ENDS>>;
    /* At least 32 bits. */
    using Rank = std::conditional_t<(sizeof(U) < 4), uint32_t, U>;
    /* If only the count is wanted, floats use the kernel of integers. */
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

    /* Reduce a part. Whole tiles have code for each kind of test. Tiles at the
     * part's ends have one code for all kinds, since each further one takes
     * seconds to compile. */
    __device__ __forceinline__ void run(const PartSource<U> &source,
                                        const winnow__test &test) {
        for (uint32_t i = 0; uint64_t(i) * PartSource<U>::TILE < source.end;) {
            if (source.is_whole_tile(i)) {
                visit_kind_of<U, KEYS>(test, [&](auto kind) {
                    const typename Tile::template Test<decltype(kind)::value>
                        passes(test);
                    for (; source.is_whole_tile(i); i++)
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

    /* For elements of 4 and 8 bytes all vectors are loaded, then added. For
     * smaller elements a loop loads the next vectors while it adds some. If it
     * were unrolled, it would take twice as long to compile. */
    template <class Passes>
    __device__ __forceinline__ void add_whole(const PartSource<U> &source,
                                              uint64_t tile,
                                              const Passes &passes) {
        constexpr unsigned int TOGETHER = sizeof(U) > 2        ? STRIPES
                                          : SUM && E::IS_FLOAT ? 2
                                                               : 4;
        static_assert(STRIPES % TOGETHER == 0, "whole groups");
        const uint4 *const from =
            source.vectors + tile * PartSource<U>::VECTORS + threadIdx.x;
        uint4 next[TOGETHER];
        load_vectors(from, next);
#pragma unroll 1
        for (unsigned int k = TOGETHER;; k += TOGETHER) {
            uint4 here[TOGETHER];
#pragma unroll
            for (unsigned int j = 0; j < TOGETHER; j++)
                here[j] = next[j];
            if (k < STRIPES)
                load_vectors(from + k * THREADS, next);
#pragma unroll
            for (unsigned int j = 0; j < TOGETHER; j++)
                in_tile_.add(here[j], ALL_ITEMS<U>, passes, sum);
            if (k >= STRIPES)
                return;
        }
    }

    template <unsigned int NUMBER>
    __device__ __forceinline__ static void
    load_vectors(const uint4 *from, uint4 (&vector)[NUMBER]) {
#pragma unroll
        for (unsigned int j = 0; j < NUMBER; j++)
            vector[j] = __ldcs(from + j * THREADS);
    }

    /* A tile that the part does not fill. */
    template <class Passes>
    __device__ __forceinline__ void
    add_edge(const PartSource<U> &source, uint64_t tile, const Passes &passes) {
        const uint64_t first = tile * PartSource<U>::VECTORS + threadIdx.x;
        uint4 vector[STRIPES];
        source.template load_edge<THREADS>(first, vector);
        /* Not unrolled: the same code adds one vector after the other. */
#pragma unroll 1
        for (unsigned int k = 0; k < STRIPES; k++) {
            uint4 here = vector[0];
#pragma unroll
            for (unsigned int j = 1; j < STRIPES; j++)
                if (j == k)
                    here = vector[j];
            in_tile_.add(here, source.inside(first + k * THREADS), passes, sum);
        }
    }

    Tile in_tile_;
    uint32_t nth_tile_[RANKS]; /* the part's first tile with that rank */
};

} // namespace winnow::reduce
