/*
 * Place: write survivors to the output, never at or past its capacity.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PLACE_CUH
#define WINNOW_KERNELS_PLACE_CUH

#include "rank.cuh"
#include "tuning.cuh"

namespace winnow {

/* Write one survivor. */
template <class U>
__device__ __forceinline__ void place(const winnow__args &args,
                                      uint64_t position, U element) {
    if (position < args.capacity)
        __stcs(static_cast<U *>(args.out) + position, element);
}

/*
 * Stage the survivors of a vector, from `staged` on. Three loops for three
 * cases. One over the items, which costs the same however many are kept:
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
 * One for small elements of which nearly all are kept, in the whole tile or,
 * where data is clustered, in some of its rows. Neighbouring lanes then
 * write 16 bytes apart, every eighth lane to the same bank. So each eight lanes
 * begin one word later than the eight before, and go around.
 */
template <class U>
__device__ __forceinline__ void
stage_nearly_full(U *staged, const uint4 &vector, uint32_t keep) {
    static_assert(sizeof(U) < 4, "larger elements have no such conflicts");
    constexpr unsigned int EACH = 4 / sizeof(U); /* items of a word */
    const unsigned int turn = lane_id() / 8;
    uint4 v = vector;
    if (turn & 1)
        v = make_uint4(v.y, v.z, v.w, v.x);
    if (turn & 2)
        v = make_uint4(v.z, v.w, v.x, v.y);
    const unsigned int late = turn * EACH;
    U *at = staged + __popc(keep & ((1u << late) - 1));
    keep = keep >> late | keep << (VECTOR_ITEMS<U> - late);
#pragma unroll
    for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++) {
        if (i % EACH == 0 && i / EACH + turn == 4)
            at = staged;
        if (keep >> i & 1)
            *at++ = item<U>(v, i);
    }
}

/* And one over the kept items, for when they are few: */
template <class U>
__device__ __forceinline__ void stage_sparse(U *staged, const uint4 &vector,
                                             uint32_t keep) {
    static_assert(sizeof(U) <= 4, "an item of 8 bytes is two words");
    while (keep != 0) {
        const unsigned int i = __ffs(keep) - 1;
        keep &= keep - 1;
        /* The index is not a constant: select, or the vector would be put in
           memory to be indexed. */
        const unsigned int word = i * sizeof(U) / 4;
        const uint32_t low = word & 1 ? vector.y : vector.x;
        const uint32_t high = word & 1 ? vector.w : vector.z;
        *staged++ =
            static_cast<U>((word & 2 ? high : low) >> 8 * (i * sizeof(U) % 4));
    }
}

/* How many of the warp's vectors meet a condition on what they keep. */
template <class U, unsigned int THREADS, unsigned int VECTORS, class Condition>
__device__ __forceinline__ unsigned int
count_vectors(const Tile<U, THREADS, VECTORS> &tile, Condition meets) {
    unsigned int count = 0;
#pragma unroll
    for (unsigned int k = 0; k < VECTORS; k++)
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
 * Do the warp's lanes have whole vectors to stage, a row's worth at least, so
 * that they had better be out of step? Where most of the tile is kept there are
 * many in any case; then it matters that hardly any is kept in part.
 */
template <class Tuning, class U, unsigned int THREADS, unsigned int VECTORS>
__device__ __forceinline__ bool
is_staggered(const Tile<U, THREADS, VECTORS> &tile, unsigned int total) {
    constexpr unsigned int ITEMS = Tile<U, THREADS, VECTORS>::ITEMS;
    if (Tuning::STAGGER == STAGGERED && total > ITEMS / 16 * 15)
        return true;
    if (Tuning::STAGGER == CLUSTERED && total > ITEMS / 8 * 7)
        return count_vectors(tile, is_partial<U>) < WARP * VECTORS / 16;
    return count_vectors(tile, is_full<U>) >= WARP;
}

/*
 * Stage a tile's survivors at their ranks: a plain copy where all are kept,
 * else by the loop that the tuning wants.
 */
template <class Tuning, class U, unsigned int THREADS, unsigned int VECTORS,
          class Rank>
__device__ __forceinline__ void
stage(U *staged, const Tile<U, THREADS, VECTORS> &tile, Rank &rank) {
    constexpr unsigned int ITEMS = Tile<U, THREADS, VECTORS>::ITEMS;
    if (rank.total == ITEMS) {
        uint4 *const rows = reinterpret_cast<uint4 *>(staged) +
                            warp_id() * (WARP * VECTORS) + lane_id();
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
            rows[k * WARP] = tile.vector[k];
        return;
    }
    if constexpr (Tuning::SPARSE != 0) {
        /* The lane that has most takes the time: no run of survivors. */
        if (rank.total * Tuning::SPARSE < ITEMS &&
            count_vectors(tile, is_full<U>) == 0) {
#pragma unroll
            for (unsigned int k = 0; k < VECTORS; k++)
                stage_sparse(staged + rank.next(tile, k), tile.vector[k],
                             tile.keep[k]);
            return;
        }
    }
    /* Each path is straight code: branches from row to row would cost 5%. */
    if constexpr (Tuning::STAGGER != PLAIN) {
        if (is_staggered<Tuning>(tile, rank.total)) {
#pragma unroll
            for (unsigned int k = 0; k < VECTORS; k++)
                stage_nearly_full(staged + rank.next(tile, k), tile.vector[k],
                                  tile.keep[k]);
            return;
        }
    }
#pragma unroll
    for (unsigned int k = 0; k < VECTORS; k++)
        stage_dense(staged + rank.next(tile, k), tile.vector[k], tile.keep[k]);
}

/*
 * Write the survivors that a block has staged (4-byte aligned), all its
 * threads together. Each warp's stores fill one aligned line of memory, in
 * words; elements smaller than a word are put together from two staged words,
 * as the output need not be aligned as the stage is.
 */
template <class U, unsigned int THREADS>
__device__ __forceinline__ void place_staged(const winnow__args &args,
                                             uint64_t position, const U *staged,
                                             unsigned int count) {
    if (position >= args.capacity)
        return;
    if (count > args.capacity - position)
        count = static_cast<unsigned int>(args.capacity - position);
    U *const out = static_cast<U *>(args.out) + position;
    const uintptr_t address = reinterpret_cast<uintptr_t>(out);
    using Word = std::conditional_t<(sizeof(U) > 4), U, uint32_t>;
    constexpr unsigned int LINE = 128 / sizeof(Word);
    constexpr unsigned int PACKED = sizeof(Word) / sizeof(U);
    /* Items that the first word of the output holds before our first. */
    const unsigned int ahead = address % sizeof(Word) / sizeof(U);
    Word *const words = reinterpret_cast<Word *>(out - ahead);
    const Word *const from = reinterpret_cast<const Word *>(staged);
    const unsigned int end = ahead + count;
    const int first = static_cast<int>(address / sizeof(Word) % LINE);
    for (int i = static_cast<int>(threadIdx.x) - first;
         i < static_cast<int>((end + PACKED - 1) / PACKED); i += THREADS) {
        if (i < 0)
            continue;
        if constexpr (PACKED == 1) {
            __stcs(words + i, from[i]);
        } else {
            const Word low = i != 0 ? from[i - 1] : 0;
            const Word word =
                __funnelshift_l(low, from[i], 8 * sizeof(U) * ahead);
            const unsigned int item = i * PACKED;
            if (item >= ahead && item + PACKED <= end) {
                __stcs(words + i, word);
            } else {
                for (unsigned int j = 0; j < PACKED; j++)
                    if (item + j >= ahead && item + j < end)
                        reinterpret_cast<U *>(words)[item + j] =
                            static_cast<U>(word >> 8 * sizeof(U) * j);
            }
        }
    }
}

/* Shared memory to stage a tile in. */
template <class U, class Tuning>
struct Stage {
    alignas(16) U items[Tuning::TILE_BYTES / sizeof(U)];
};

/*
 * Put a tile's survivors into the output. All threads of the block; `position`
 * is shared memory, which one thread has just written or still writes: it is
 * read after a barrier.
 */
template <class Tuning, class U, class TileType, class Rank>
__device__ __forceinline__ void
place_tile(const winnow__args &args, const uint64_t &position,
           Stage<U, Tuning> &staged, const TileType &tile, Rank &rank) {
    stage<Tuning>(staged.items, tile, rank);
    __syncthreads();
    place_staged<U, Tuning::THREADS>(args, position, staged.items, rank.total);
}

} // namespace winnow

#endif
