/*
 * What a thread of a block finds in a part of the input, as it goes through the
 * part tile by tile: the count, sums, and the least ranks.
 *
 * Which elements are a thread's depends on the alignment of the array: vectors
 * are loaded where memory is aligned, as tile.cuh says. Which sum an element
 * belongs to does not: a thread has a sum for each item of a vector, and all
 * rows' elements of it are at the same place of a row (reduce.h).
 *
 * The index of a minimum is not kept for each element, but for each tile: the
 * first tile that has one is searched when all is known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_REDUCE_PART_CUH
#define WINNOW_KERNELS_REDUCE_PART_CUH

#include "kernel.cuh"
#include "reduce_element.cuh"
#include "warp.cuh"

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

/* In registers: arithmetic with less than their 32 bits takes an instruction
 * more each time. */
template <class U>
using Wide = std::conditional_t<(sizeof(U) < 4), uint32_t, U>;

/*
 * The sum of a thread. Integers of 1 and 2 bytes fit in 32 bits as long as a
 * tile lasts, those of 4 in 64 for more elements than memory holds.
 */
template <class E>
struct ThreadSum {
    using U = typename E::U;
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;

    double of_item[E::IS_FLOAT ? EACH : 1] = {};
    uint32_t of_tile = 0;
    uint64_t low = 0, high = 0;

    __device__ __forceinline__ void add(unsigned int i, U x, Wide<U> rank,
                                        bool passes) {
        if constexpr (E::IS_FLOAT) {
            of_item[i] += passes ? E::value(x) : 0.0;
        } else if constexpr (sizeof(U) <= 2) {
            of_tile += passes ? rank : 0;
        } else {
            const uint64_t more = passes ? rank : 0;
            low += more;
            if constexpr (sizeof(U) == 8)
                high += low < more;
        }
    }

    __device__ __forceinline__ void end_tile() {
        if constexpr (!E::IS_FLOAT && sizeof(U) <= 2) {
            low += of_tile;
            of_tile = 0;
        }
    }
};

/* Call visit(passes), with the predicate of the kind that the call's is. KEYS:
 * elements may be floats, whose predicates may need a key. */
template <class U, bool KEYS, class Visit>
__device__ __forceinline__ void visit_test(const winnow__test &test,
                                           Visit visit) {
    if constexpr (KEYS && sizeof(U) > 1) {
        if (static_cast<U>(test.flip) != 0) {
            visit(Predicate<U, WINNOW__KEYED>(test));
            return;
        }
    }
    if (static_cast<U>(~test.mask) != 0)
        visit(Predicate<U, WINNOW__BITS>(test));
    else
        visit(Predicate<U, WINNOW__INTERVAL>(test));
}

/* ENDS: 0; 1, the minimum or the maximum, as the call wants; or 2, both. */
template <class E, bool SUM, int ENDS>
struct ThreadPart {
    using U = typename E::U;
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;
    static constexpr int RANKS = ENDS != 0 ? ENDS : 1;
    /* The maximum of a tile is kept as the highest rank: it takes the value
     * that the sum adds, and no subtraction for each element. A NaN's rank
     * would be the highest. */
    static constexpr bool HIGHEST = !E::IS_FLOAT && sizeof(U) <= 2;
    /* Floats are counted as integers of their size. */
    static constexpr bool KEYS = E::IS_FLOAT || (!SUM && ENDS == 0);

    uint64_t count = 0;
    ThreadSum<E> sum;
    Wide<U> rank[RANKS];
    uint64_t tile[RANKS];

    __device__
        __forceinline__ explicit ThreadPart(const winnow__reduce_args &args)
        : bias_(static_cast<U>(args.type.order.bias)),
          last_(static_cast<U>(args.type.order.last)),
          is_maximum_(ENDS == 1 && (args.wanted & WINNOW_REDUCE_MINIMUM) == 0) {
#pragma unroll
        for (int e = 0; e < RANKS; e++) {
            rank[e] = ~Wide<U>(0);
            tile[e] = WINNOW__REDUCE_NO_TILE;
        }
    }

    /* Go through a part, with a predicate of the kind that the call's is. But
     * for the tiles at the part's ends there is one code for all kinds, since
     * each more takes seconds to compile. */
    __device__ __forceinline__ void run(const PartSource<U> &source,
                                        const winnow__test &test) {
        for (uint64_t i = 0; i * PartSource<U>::TILE < source.end;) {
            if (source.is_whole(i)) {
                visit_test<U, KEYS>(test, [&](const auto &passes) {
                    for (; source.is_whole(i); i++)
                        run_tile(source, i,
                                 [&] { add_whole(source, i, passes); });
                });
            } else {
                run_tile(source, i,
                         [&] { add_edge(source, i, Predicate<U, ANY>(test)); });
                i++;
            }
        }
    }

  private:
    template <class Add>
    __device__ __forceinline__ void run_tile(const PartSource<U> &source,
                                             uint64_t i, const Add &add_tile) {
        begin_tile();
        add_tile();
        end_tile(source.first_tile + i);
    }

    __device__ __forceinline__ void begin_tile() {
        kept_ = 0;
#pragma unroll
        for (int e = 0; e < RANKS; e++)
            tile_rank_[e] = ~Wide<U>(0);
        highest_ = 0;
    }

    __device__ __forceinline__ void end_tile(uint64_t number) {
        count += kept_;
        if constexpr (SUM)
            sum.end_tile();
        if constexpr (ENDS == 2 && HIGHEST)
            tile_rank_[1] = last_ - highest_;
#pragma unroll
        for (int e = 0; e < ENDS; e++)
            if (kept_ != 0 && (tile_rank_[e] < rank[e] ||
                               tile[e] == WINNOW__REDUCE_NO_TILE)) {
                rank[e] = tile_rank_[e];
                tile[e] = number;
            }
    }

    __device__ __forceinline__ void add(unsigned int i, U x, bool passes) {
        const Wide<U> rank = E::rank(x, bias_);
        kept_ += passes;
        if constexpr (SUM)
            sum.add(i, x, rank, passes);
        if constexpr (ENDS == 1)
            lower(0, is_maximum_ ? last_ - rank : rank, passes);
        if constexpr (ENDS == 2)
            lower(0, rank, passes);
        if constexpr (ENDS == 2 && HIGHEST)
            highest_ = max(highest_, passes ? rank : 0);
        if constexpr (ENDS == 2 && !HIGHEST)
            lower(1, last_ - rank, passes);
    }

    /* A NaN's rank is above the last one. last_ - rank wraps around, and is
     * above it, too. */
    __device__ __forceinline__ void lower(int e, Wide<U> rank, bool passes) {
        if (passes)
            tile_rank_[e] = min(tile_rank_[e], rank);
    }

    /* Elements of 4 and 8 bytes: all vectors are loaded, then added. Smaller
     * elements: a loop loads the next vectors while it adds some. Unrolled,
     * that takes twice as long to compile; of 16 elements two vectors would
     * spill. */
    template <class Passes>
    __device__ __forceinline__ void add_whole(const PartSource<U> &source,
                                              uint64_t tile,
                                              const Passes &passes) {
        constexpr unsigned int TOGETHER = EACH > 8   ? 1
                                          : EACH > 4 ? 2
                                                     : REDUCE_ROWS;
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
#pragma unroll
                for (unsigned int i = 0; i < EACH; i++) {
                    const U x = item<U>(here[j], i);
                    add(i, x, passes(x));
                }
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
            const U *const items =
                reinterpret_cast<const U *>(source.vectors + v);
#pragma unroll
            for (unsigned int i = 0; i < EACH; i++) {
                U x = item<U>(here, i);
                const bool is_inside = mask >> i & 1;
                if (mask != ALL_ITEMS<U> && is_inside)
                    x = __ldcs(items + i);
                add(i, x, is_inside && passes(x));
            }
        }
    }

    U bias_;
    Wide<U> last_;
    bool is_maximum_;
    uint32_t kept_; /* of the tile in hand */
    Wide<U> tile_rank_[RANKS];
    Wide<U> highest_;
};

} // namespace winnow

#endif
