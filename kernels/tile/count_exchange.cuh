/*
 * Count exchange: blocks signal to each other, through memory, how many
 * survivors they have, and wait for the counts of those before them. Each then
 * knows its offset, in order.
 *
 * To signal is to add to a word that the other block reads; it waits for
 * nothing. Reading the counts of all earlier blocks would take many loads, from
 * lines of memory that all blocks read. To have few additions too, blocks are
 * in groups: a block signals to each later one of its own group, and to each
 * later group as a whole. So a block reads two words.
 *
 * A word counts survivors in its lower bits and signals above, and so is
 * complete when it counts all who have to signal. It goes on counting from
 * launch to launch, modulo 2^32: each block keeps what its words were when a
 * launch was over, and takes that away in the next.
 *
 * Additions and loads are relaxed, at the scope of the device, since a word is
 * all that is exchanged; but in place they are a release and an acquire of the
 * tiles' loads (publish.cuh). Additions to the same word go on with each
 * other's releases, so that one load acquires from all who signalled.
 *
 * No block need run beside another. One that has looked often enough and still
 * lacks a count does not wait for those who may not have begun: it counts what
 * comes before its tile (after T. Smith, R. Levien, J. D. Owens, "Decoupled
 * Fallback: A Portable Single-Pass GPU Scan", 2025). Only in place it cannot,
 * since the input may be gone; then the launch is cooperative, so
 * that its blocks are sure to run together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/kernel.cuh"
#include "publish.cuh"
#include "kernels/core/predicate.cuh"
#include "kernels/core/warp.cuh"

namespace winnow::tile {

constexpr unsigned int GROUP = WINNOW__GROUP;
static_assert(GROUP == WARP && WINNOW__MOST_ONE_WAVE <= GROUP * WARP,
              "a lane for each block of a group, and for each group");
static_assert(WINNOW__MOST_ONE_WAVE <= 1u << (32 - WINNOW__EXCHANGE_BITS),
              "a word can count all blocks");

/*
 * How many of the elements from `begin` to `end` pass; by all threads of the
 * block. Nothing calls it as a rule: so it is a function, out of the way.
 */
template <class Select>
__device__ WINNOW__NOINLINE unsigned int
count_between(const winnow__args &args, uint64_t begin, uint64_t end) {
    using U = typename Select::U;
    WINNOW__SHARED(total, unsigned int);
    const U *const in = static_cast<const U *>(args.in);
    const Select select = selector_of<Select>(args);
    unsigned int kept = 0;
    end = min(end, item_count(args));
    for (uint64_t i = begin + threadIdx.x; i < end; i += blockDim.x)
        kept += select(in[i]) ? 1 : 0;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    atomicAdd(&total, kept);
    __syncthreads();
    const unsigned int all = total;
    __syncthreads();
    return all;
}

/* A block's part of the exchange. In shared memory; for one use in a kernel. */
class CountExchange {
  public:
    /* By thread 0, before anyone signals. */
    __device__ __forceinline__ void prepare(const winnow__args &args) {
        copy_async<sizeof previous_>(&previous_,
                                     &group(args).previous[index_in_group()]);
    }

    /* By all lanes of a warp: the word that a lane adds to, which is how it
     * signals to another block (the first warp's), or to a later group (the
     * second one's); or NULL. No other warp has one to use. */
    __device__ __forceinline__ static uint32_t *
    find_word(const winnow__args &args) {
        const unsigned int lane = lane_id();
        const unsigned int block = blockIdx.x - index_in_group() + lane;
        if (warp_id() == 0)
            return block > blockIdx.x && block < args.blocks
                       ? &group(args).in_group[lane]
                       : nullptr;
        return lane > blockIdx.x / GROUP && lane * GROUP < args.blocks
                   ? &args.one_wave.groups[lane].earlier
                   : nullptr;
    }

    /*
     * By the same lanes, when the tile has been counted: signal to all later
     * blocks. Without a spin limit the call is in place: to compare two
     * pointers would fetch them where everybody waits.
     */
    __device__ __forceinline__ static void
    signal(const winnow__args &args, uint32_t *word, unsigned int total) {
        release_loads(args.one_wave.spin_limit == 0);
        if (word != nullptr)
            add_relaxed(word, 1u << BITS | total);
    }

    /* By thread 0, before a barrier: wait for the signals of all earlier
     * blocks. */
    __device__ __forceinline__ void wait(const winnow__args &args) {
        winnow__group &group = this->group(args);
        copy_async_wait();
        if (args.blocks > MANY)
            pause();
        const unsigned int index = index_in_group();
        winnow__counts now = {load_relaxed(&group.in_group[index]),
                              load_relaxed(&group.earlier)};
        const winnow__counts previous = previous_;
        bool in_group = is_group_complete(now.in_group - previous.in_group);
        bool earlier = are_earlier_complete(now.earlier - previous.earlier);
        unsigned int left =
            args.one_wave.spin_limit; /* in place 0, which stays */
        while (!(in_group && earlier) && left != 1) {
            if (!in_group)
                now.in_group = load_relaxed(&group.in_group[index]);
            if (!earlier)
                now.earlier = load_relaxed(&group.earlier);
            in_group = is_group_complete(now.in_group - previous.in_group);
            earlier = are_earlier_complete(now.earlier - previous.earlier);
            left -= left != 0;
        }
        acquire_loads(left == 0);
        keep(now, in_group && earlier ? survivors(now, previous) : UNKNOWN,
             group);
    }

    /* By all threads, after that barrier: the survivors before this block's
     * tile. */
    template <class Select, class TileType>
    __device__ __forceinline__ unsigned int offset(const winnow__args &args) {
        unsigned int offset = offset_;
        if (offset == UNKNOWN) {
            count_predecessors<Select, TileType>(args);
            offset = offset_;
        }
        return offset;
    }

    /*
     * By all lanes of one warp, when the offset is known. The last block, which
     * has `total` survivors, knows the count; and that in the next launch there
     * may be more blocks in its group, to which it leaves their words.
     */
    __device__ __forceinline__ void finish(const winnow__args &args,
                                           unsigned int total) const {
        if (blockIdx.x != args.blocks - 1)
            return;
        if (lane_id() > index_in_group())
            group(args).previous[lane_id()].earlier = earlier_;
        if (lane_id() == 0)
            store_count(args, offset_ + total);
    }

  private:
    static constexpr unsigned int BITS = WINNOW__EXCHANGE_BITS;
    static constexpr unsigned int UNKNOWN = ~0u;
    static constexpr unsigned int MANY = 2 * GROUP; /* or less: no pause */

    alignas(8) winnow__counts previous_; /* before this launch; copied whole */
    uint32_t earlier_;                   /* after it */
    unsigned int offset_; /* or UNKNOWN, if not all have signalled */

    /* The survivors that complete words count. */
    __device__ __forceinline__ static unsigned int
    survivors(const winnow__counts &now, const winnow__counts &previous) {
        return (now.in_group - previous.in_group + now.earlier -
                previous.earlier) &
               ((1u << BITS) - 1);
    }

    /* By thread 0: what is known now; and leave the words for the next launch,
     * which they are fit for if they are complete. The end of the kernel puts
     * this store before that. (If not,
     * count_predecessors() comes and keeps others.) */
    __device__ __forceinline__ void
    keep(const winnow__counts &now, unsigned int offset, winnow__group &group) {
        offset_ = offset;
        earlier_ = now.earlier;
        *reinterpret_cast<uint2 *>(&group.previous[index_in_group()]) =
            make_uint2(now.in_group, now.earlier);
    }

    __device__ __forceinline__ static unsigned int index_in_group() {
        return blockIdx.x % GROUP;
    }

    __device__ __forceinline__ static winnow__group &
    group(const winnow__args &args) {
        return args.one_wave.groups[blockIdx.x / GROUP];
    }

    __device__ __forceinline__ static bool is_group_complete(uint32_t word) {
        return word >> BITS == index_in_group();
    }

    __device__ __forceinline__ static bool are_earlier_complete(uint32_t word) {
        return word >> BITS == blockIdx.x - index_in_group();
    }

    /*
     * A moment, in cycles: for the signals of the most distant blocks to
     * arrive. Loads that come too early stand in their way.
     */
    __device__ __forceinline__ static void pause() {
        constexpr int CYCLES = 100;
        const long long start = clock64();
        while (clock64() - start < CYCLES) {
        }
    }

    /* The fallback: as if all had signalled. */
    template <class Select, class TileType>
    __device__ __forceinline__ void
    count_predecessors(const winnow__args &args) {
        const unsigned int first = blockIdx.x - index_in_group();
        const uint64_t begin = TileType::before(args, first);
        const uint64_t end = TileType::before(args, blockIdx.x);
        const unsigned int in_group = count_between<Select>(args, begin, end);
        const unsigned int earlier = count_between<Select>(args, 0, begin);
        if (threadIdx.x == 0) {
            const winnow__counts now = {
                previous_.in_group + (index_in_group() << BITS | in_group),
                previous_.earlier + (first << BITS | earlier)};
            keep(now, survivors(now, previous_), group(args));
            atomicAdd(&group(args).fallbacks, 1);
        }
        __syncthreads();
    }
};

} // namespace winnow::tile
