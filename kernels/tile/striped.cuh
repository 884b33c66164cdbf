/*
 * Striped tiles: items are warp-striped, so that each load and store of a warp
 * accesses 32 adjacent elements, one per lane. They are for small inputs, whose
 * time is the latency of the code and not the transfer of data. So the code is
 * short: survivors go straight to the output, alignment does not matter, and
 * one kernel serves every kind of test.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "hold.cuh"
#include "sink_values.cuh"

namespace winnow::tile {

/*
 * Threads of a block. A block of few threads starts sooner, and its barriers
 * take less time; larger tiles have more items per thread. Kernels whose blocks
 * wait for each other use few threads. With many threads each has fewer items
 * to process in sequence. That is faster if a block waits for nothing but
 * perhaps an atomic, and if there are few blocks.
 */
constexpr unsigned int STRIPED_THREADS = 256;
constexpr unsigned int MANY_STRIPED_THREADS = 512;

/* A tile in registers: each thread has PER_THREAD of its items, 32 apart. The
 * array has fewer than 2^31 elements. */
template <class Select, unsigned int PER_THREAD,
          unsigned int THREADS = STRIPED_THREADS>
class StripedTile {
  public:
    using U = typename Select::U;
    static constexpr unsigned int ITEMS = THREADS * PER_THREAD;
    /* From 16 items on, population counts of all ballots take longer than sums
     * over lanes: a multiprocessor computes 16 population counts a cycle. */
    static constexpr bool MANY = PER_THREAD >= 16;

    /* The elements before tile number `tile`. */
    __device__ __forceinline__ static uint64_t before(const winnow__args &,
                                                      unsigned int tile) {
        return uint64_t(tile) * ITEMS;
    }

    /*
     * Begin to load tile number `tile`; nothing waits for the loads before
     * test(). Returns false if another candidate was chosen
     * (kernels/core/kernel.cuh): then there is nothing to do. In a launch that
     * is no candidate, that check takes a branch for the last tile alone.
     */
    __device__ __forceinline__ bool fetch(const winnow__args &args,
                                          unsigned int tile) {
        const bool candidate = args.candidate != 0;
        const unsigned int first = tile * ITEMS;
        const unsigned int left = items_from(args, first);
        const U *const items =
            static_cast<const U *>(args.in) + first + item_of(0);
        end_ = min(left, ITEMS);
        /* All tiles but the last. */
        if (end_ == ITEMS && !candidate) {
#pragma unroll
            for (unsigned int k = 0; k < PER_THREAD; k++)
                item_[k] = __ldcs(items + k * WARP);
            return true;
        }
        if (candidate && is_other_chosen(args))
            return false;
#pragma unroll
        for (unsigned int k = 0; k < PER_THREAD; k++)
            item_[k] = is_inside(k) ? __ldcs(items + k * WARP) : 0;
        return true;
    }

    /* Load the output's capacity, at most n, into a register for scatter(). All
     * lanes call this. */
    __device__ __forceinline__ void fetch_capacity(const winnow__args &args) {
        capacity_ = static_cast<uint32_t>(args.sink.position == nullptr
                                              ? args.sink.capacity
                                              : min(room_of(args), args.n));
        hold_same(capacity_);
    }

    __device__ __forceinline__ void test(const winnow__args &args) {
        visit_kind<Select>(args, [&](const auto &select) {
            if (end_ == ITEMS)
                keep([&](unsigned int k) { return select(item_[k]); });
            else
                keep([&](unsigned int k) {
                    return is_inside(k) && select(item_[k]);
                });
        });
    }

    /* The number of items that the warp keeps. */
    __device__ __forceinline__ unsigned int kept() const {
        unsigned int count = 0;
        if constexpr (MANY) {
#pragma unroll
            for (const uint32_t sums : sums_)
                count = __dp4a(sums, 0x01010101u, count);
        } else {
#pragma unroll
            for (unsigned int k = 0; k < PER_THREAD; k++)
                count += kept(k);
        }
        return count;
    }

    /*
     * Rank the warp's survivors; lower warps have `rank` survivors. This work
     * does not need the tile's offset.
     */
    __device__ __forceinline__ void rank(unsigned int rank) {
        const unsigned int own = 1u << lane_id();
#pragma unroll
        for (unsigned int k = 0; k < PER_THREAD; k++) {
            const unsigned int before = __popc(keep_[k] & (own - 1));
            rank_[k] = (keep_[k] & own) != 0 ? rank + before : NONE;
            rank += kept(k);
            pin(rank_[k]);
        }
    }

    /* Write the survivors to the output, from `offset` on, but never at or past
     * its capacity. */
    template <class Sink>
    __device__ __forceinline__ void scatter(const winnow__args &args,
                                            unsigned int tile,
                                            unsigned int offset) const {
        const unsigned int room = max(capacity_, offset) - offset;
        const typename Sink::Output out(args, offset);
#pragma unroll
        for (unsigned int k = 0; k < PER_THREAD; k++)
            if (rank_[k] < room)
                out.put(rank_[k], item_[k], tile * ITEMS + item_of(k));
    }

  private:
    static constexpr unsigned int FIELDS = 4; /* bytes in a word */
    static constexpr unsigned int WORDS = (PER_THREAD + FIELDS - 1) / FIELDS;
    static constexpr unsigned int NONE = ~0u;

    U item_[PER_THREAD];
    uint32_t keep_[PER_THREAD];     /* bit i: lane i's item passes */
    uint32_t sums_[WORDS];          /* MANY: a byte for each ballot's count */
    unsigned int rank_[PER_THREAD]; /* of a lane's item, or NONE */
    unsigned int end_;              /* items of the tile in the array */
    uint32_t capacity_;             /* of the output */

    /* The number of items from `first` on. With args.items a tile may lie
     * behind the last item. */
    __device__ __forceinline__ static unsigned int
    items_from(const winnow__args &args, unsigned int first) {
        unsigned int n = static_cast<unsigned int>(args.n);
        if (args.items != nullptr)
            n = max(static_cast<unsigned int>(item_count(args)), first);
        return n - first;
    }

    /* Which item of the tile is a thread's k-th? */
    __device__ __forceinline__ static unsigned int item_of(unsigned int k) {
        return warp_id() * (WARP * PER_THREAD) + lane_id() + k * WARP;
    }

    __device__ __forceinline__ bool is_inside(unsigned int k) const {
        return item_of(k) < end_;
    }

    /* Does the lane keep its k-th item? */
    template <class Keeps>
    __device__ __forceinline__ void keep(const Keeps &keeps) {
        uint32_t own[WORDS] = {};
#pragma unroll
        for (unsigned int k = 0; k < PER_THREAD; k++) {
            const bool kept = keeps(k);
            keep_[k] = __ballot_sync(ALL_LANES, kept);
            if (kept)
                own[k / FIELDS] |= 1u << 8 * (k % FIELDS);
        }
        if constexpr (MANY)
#pragma unroll
            for (unsigned int i = 0; i < WORDS; i++)
                sums_[i] = sum(own[i]);
    }

    /* The number of k-th items that the warp keeps. */
    __device__ __forceinline__ unsigned int kept(unsigned int k) const {
        if constexpr (MANY)
            return sums_[k / FIELDS] >> 8 * (k % FIELDS) & 0xff;
        else
            return __popc(keep_[k]);
    }
};

} // namespace winnow::tile

/* WINNOW__TABLE's entry of a kernel that has striped tiles. */
#define WINNOW__STRIPED_ENTRY(U, PER_THREAD, THREADS, ...)                     \
    WINNOW__ENTRY(winnow::tile::THREADS,                                       \
                  winnow::tile::THREADS *PER_THREAD * sizeof(U), sizeof(U), 0, \
                  __VA_ARGS__)
