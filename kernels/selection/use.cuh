/*
 * What the sinks of selections share: the tiles that a block works on, in
 * shared memory, with the rank of each word; and lists of survivors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "kernels/core/block_sum.cuh"
#include "kernels/core/kernel.cuh"

namespace winnow::selection {

constexpr unsigned int SINK_THREADS = WINNOW__SELECTION_THREADS;
constexpr unsigned int SINK_WARPS = SINK_THREADS / WARP;

/*
 * A unit is the tiles of a block: up to TILES adjacent tiles. `before` and
 * `count` are known before anything else is loaded.
 */
template <unsigned int TILES>
struct Unit {
    uint64_t first;       /* the index of its item 0 */
    uint64_t before;      /* survivors of the selection before it */
    unsigned int items;   /* in it; fewer at the end of the selection */
    unsigned int count;   /* survivors in it */
    unsigned int rejects; /* items in it that are not kept */

    /* Units have `tiles` tiles. A unit behind the last tile, or behind the last
     * item, has no items. */
    __device__ __forceinline__ Unit(const winnow__selection &from,
                                    uint64_t number,
                                    unsigned int tiles = TILES) {
        const uint64_t tile = number * tiles;
        const unsigned int most = tiles * WINNOW__SELECTION_TILE;
        items = count = rejects = 0;
        first = before = 0;
        if (tile >= from.tiles)
            return;
        const uint64_t next =
            tile + tiles < from.tiles ? tile + tiles : from.tiles;
        first = tile * WINNOW__SELECTION_TILE;
        before = from.before[tile];
        count = static_cast<unsigned int>(from.before[next] - before);
        const uint64_t left = first < from.n ? from.n - first : 0;
        items = left < most ? static_cast<unsigned int>(left) : most;
        rejects = items - count;
    }
};

/* The words of a unit, in shared memory. */
template <unsigned int TILES>
class SelectedWords {
    static constexpr unsigned int WORDS = TILES * WINNOW__SELECTION_WORDS;
    /* Each thread has EACH adjacent words, or none. */
    static constexpr unsigned int EACH =
        WORDS > SINK_THREADS ? WORDS / SINK_THREADS : 1;
    static_assert(WORDS * 32 < 1u << 16, "a rank fits in 16 bits");

  public:
    static constexpr unsigned int NUMBER = WORDS;

    /* All threads load a unit's words; ends with a barrier. */
    __device__ __forceinline__ void load(const winnow__selection &from,
                                         const Unit<TILES> &unit) {
        const unsigned int mine = threadIdx.x * EACH;
        const uint32_t *const words = from.keep + unit.first / 32;
        unsigned int kept = 0;
        uint32_t keep[EACH];
        /* The last unit may have fewer tiles; its last tile is whole. */
        load_words(words + mine, mine * 32 < unit.items, keep);
#pragma unroll
        for (unsigned int i = 0; i < EACH; i++)
            kept += __popc(keep[i]);
        const unsigned int in_warp = inclusive_sum(kept);
        warps_.write(in_warp, WARP - 1);
        __syncthreads();
        unsigned int rank = warps_.before() + in_warp - kept;
#pragma unroll
        for (unsigned int i = 0; i < EACH; i++) {
            if (mine + i >= WORDS)
                break;
            keep_[mine + i] = keep[i];
            ranks_[mine + i] = static_cast<uint16_t>(rank);
            rank += __popc(keep[i]);
        }
        if (mine + EACH == WORDS)
            ranks_[WORDS] = static_cast<uint16_t>(rank);
        __syncthreads();
    }

    /* The bits of 32 items from item `first` on; zero outside of words `begin`
     * to `end`. */
    __device__ __forceinline__ uint32_t bits(int first, int begin,
                                             int end) const {
        const int w = first >> 5; /* rounded down */
        const uint32_t low = w >= begin ? keep_[w] : 0;
        const uint32_t high = w + 1 < end ? keep_[w + 1] : 0;
        return __funnelshift_r(low, high, first & 31);
    }

    /* The bits of an item and of later items in its word. */
    __device__ __forceinline__ uint32_t keep_from(unsigned int item) const {
        return keep_[item / 32] >> item % 32;
    }

    /* Is an item kept? */
    __device__ __forceinline__ bool has(unsigned int item) const {
        return keep_[item / 32] >> item % 32 & 1;
    }

    /* The number of the unit's survivors before an item; and before a word or
     * the end. */
    __device__ __forceinline__ unsigned int
    rank_of_item(unsigned int item) const {
        const unsigned int w = item / 32;
        return ranks_[w] + __popc(keep_[w] & ((1u << item % 32) - 1));
    }

    __device__ __forceinline__ unsigned int
    rank_of_word(unsigned int word) const {
        return ranks_[word];
    }

  private:
    /* A thread's words, or none. */
    __device__ __forceinline__ static void
    load_words(const uint32_t *from, bool are_there, uint32_t (&keep)[EACH]) {
        if constexpr (EACH % 4 == 0) {
            const uint4 *const vectors = reinterpret_cast<const uint4 *>(from);
#pragma unroll
            for (unsigned int i = 0; i < EACH; i += 4) {
                const uint4 v =
                    are_there ? vectors[i / 4] : make_uint4(0, 0, 0, 0);
                keep[i] = v.x;
                keep[i + 1] = v.y;
                keep[i + 2] = v.z;
                keep[i + 3] = v.w;
            }
        } else {
#pragma unroll
            for (unsigned int i = 0; i < EACH; i++)
                keep[i] = are_there ? from[i] : 0;
        }
    }

    uint32_t keep_[WORDS];
    uint16_t ranks_[WORDS + 1];
    WarpSums<unsigned int, SINK_WARPS> warps_;
};

/*
 * A slice is adjacent items of a unit: `first` is the index of its item 0, and
 * it has the unit's words from `begin` to `end`.
 */
template <class Words>
struct Slice {
    const Words &words;
    uint64_t first;
    unsigned int items;
    unsigned int begin, end;

    /* Survivors of the unit before the slice, and of the slice. */
    __device__ __forceinline__ unsigned int before() const {
        return words.rank_of_word(begin);
    }

    __device__ __forceinline__ unsigned int count() const {
        return words.rank_of_word(end) - words.rank_of_word(begin);
    }

    __device__ __forceinline__ uint32_t bits(int item) const {
        return words.bits(static_cast<int>(begin * 32) + item,
                          static_cast<int>(begin), static_cast<int>(end));
    }

    __device__ __forceinline__ unsigned int rank(unsigned int item) const {
        return words.rank_of_item(begin * 32 + item) - before();
    }
};

/* The slice of a whole unit, whose words are loaded. */
template <unsigned int TILES>
__device__ __forceinline__ Slice<SelectedWords<TILES>>
whole_slice(const SelectedWords<TILES> &words, const Unit<TILES> &unit) {
    return {words, unit.first, unit.items, 0, SelectedWords<TILES>::NUMBER};
}

/* The slice of a unit from `item` on, which begins a word: it has `items`
 * items, or all that are left. */
template <class Words>
__device__ __forceinline__ Slice<Words>
slice_from(const Slice<Words> &unit, unsigned int item, unsigned int items) {
    return {unit.words, unit.first + item, min(items, unit.items - item),
            unit.begin + item / 32, unit.begin + (item + items) / 32};
}

/*
 * Chosen: the items of a slice that a sink packs. `before` is their offset in
 * the output, and `count` their number. bits(i) has the bits of 32 items from
 * item i on, and rank(i) is the number of the slice's chosen items before item
 * i.
 */
template <class Words>
struct Kept {
    Slice<Words> slice;
    uint64_t before;
    unsigned int count;

    __device__ __forceinline__ uint32_t bits(int first) const {
        return slice.bits(first);
    }

    __device__ __forceinline__ unsigned int rank(unsigned int item) const {
        return slice.rank(item);
    }
};

/* `before` is the number of survivors before the slice's unit. */
template <class Words>
__device__ __forceinline__ Kept<Words> kept_of(const Slice<Words> &slice,
                                               uint64_t before) {
    return {slice, before + slice.before(), slice.count()};
}

/* The same for the rejects of a slice: its items that are not kept.
 */
template <class Words>
struct Rejected {
    Slice<Words> slice;
    uint64_t before;
    unsigned int count;

    __device__ __forceinline__ uint32_t bits(int first) const {
        uint32_t inside = ~0u;
        if (first < 0)
            inside <<= -first; /* 31 at most */
        const int left = static_cast<int>(slice.items) - first;
        if (left < 32)
            inside &= left <= 0 ? 0 : (1u << left) - 1;
        return ~slice.bits(first) & inside;
    }

    __device__ __forceinline__ unsigned int rank(unsigned int item) const {
        return item - slice.rank(item);
    }
};

template <class Words>
__device__ __forceinline__ Rejected<Words>
rejected_of(const Slice<Words> &slice, uint64_t before) {
    return {slice, slice.first - (before + slice.before()),
            slice.items - slice.count()};
}

/* If fewer than one of 16 items is chosen, the list is made bit by bit. */
constexpr unsigned int FEW_LISTED = 16;

/*
 * All threads list the chosen items of a slice, in ascending order. A barrier
 * has to follow before the list is read.
 */
template <class Chosen>
__device__ __forceinline__ void list_items(const Chosen &chosen,
                                           uint16_t *list) {
    const unsigned int words = (chosen.slice.items + 31) / 32;
    if (chosen.count * FEW_LISTED < chosen.slice.items) {
        for (unsigned int w = threadIdx.x; w < words; w += SINK_THREADS) {
            uint16_t *at = list + chosen.rank(w * 32);
            for (uint32_t keep = chosen.bits(static_cast<int>(w * 32));
                 keep != 0; keep &= keep - 1)
                *at++ = static_cast<uint16_t>(w * 32 + __ffs(keep) - 1);
        }
        return;
    }
    const uint32_t below = lanes_below();
    for (unsigned int w = warp_id(); w < words; w += SINK_WARPS) {
        const uint32_t keep = chosen.bits(static_cast<int>(w * 32));
        if (keep >> lane_id() & 1)
            list[chosen.rank(w * 32) + __popc(keep & below)] =
                static_cast<uint16_t>(w * 32 + lane_id());
    }
}

/* The number of the `count` survivors at `offset` that fit in an output. */
__device__ __forceinline__ unsigned int
room_for(uint64_t capacity, uint64_t offset, unsigned int count) {
    if (offset >= capacity)
        return 0;
    const uint64_t room = capacity - offset;
    return count > room ? static_cast<unsigned int>(room) : count;
}

/* Where the output of a sink begins: `start` elements behind its address, with
 * room for `room` elements. */
struct Place {
    uint64_t start, room;

    __device__ __forceinline__ Place(const unsigned long long *position,
                                     uint64_t capacity)
        : start(0), room(capacity) {
        if (position == nullptr)
            return;
        start = *position < capacity ? *position : capacity;
        room = capacity - start;
    }
};

/* Report the total, if `count` is not NULL. */
__device__ __forceinline__ void report_total(const winnow__selection &from,
                                             unsigned long long *count) {
    if (count != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
        *count = from.before[from.tiles];
}

} // namespace winnow::selection

/* The entry of a sink in its table. */
#define WINNOW__SINK(...)                                                      \
    WINNOW__ENTRY(winnow::selection::SINK_THREADS, 0, 0, 0, __VA_ARGS__)
/* Tables of sinks, by the size of elements; for rows, by the size of V. */
#define WINNOW__SINK_OF_COLUMNS(F) WINNOW__OF_COLUMNS(WINNOW__SINK, F)
#define WINNOW__SINK_OF_ROWS(F)                                                \
    {                                                                          \
        WINNOW__SINK(F<uint8_t>), WINNOW__SINK(F<uint16_t>),                   \
            WINNOW__SINK(F<uint32_t>), WINNOW__SINK(F<uint2>),                 \
            WINNOW__SINK(F<uint4>)                                             \
    }
