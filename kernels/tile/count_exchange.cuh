/*
 * Count exchange: each block signals its number of survivors to all later
 * blocks, through global memory, and waits for the counts of all earlier
 * blocks. Their sum is the offset of its survivors, in the order of the input.
 *
 * A block signals by an atomic addition to a word that the other block reads;
 * it does not wait for the addition. If each block read the counts of all
 * earlier blocks, it would need many loads, from lines that all blocks read. To
 * have few additions, too, blocks form groups: a block signals to each later
 * block of its own group, and to each later group. So a block reads two words.
 *
 * The lower bits of a word sum survivors, and the upper bits count signals. A
 * word is complete when all blocks that signal to it have done so. Words are
 * not cleared between launches; they count modulo 2^32. Each block stores the
 * values of its words at the end of a launch, and subtracts them in the next.
 *
 * Additions and loads are relaxed, at the scope of the device, since blocks
 * exchange nothing but the words. In place, fences make them a release and an
 * acquire of the tiles' loads (publish.cuh). Each addition continues the
 * release sequences of earlier additions to the same word, so that one load
 * acquires from all blocks that signalled.
 *
 * Blocks need not be resident together. A block that has polled for long and
 * still lacks a count does not wait for blocks that may not have begun: it
 * counts the survivors before its tile itself (after T. Smith, R. Levien, J. D.
 * Owens, "Decoupled Fallback: A Portable Single-Pass GPU Scan", 2025). In place
 * it cannot, since the input may be overwritten; then the launch is
 * cooperative, so that all of its blocks are resident.
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
 * The number of elements from `begin` to `end` that pass. All threads of the
 * block call it. Calls are rare, so it is not inlined.
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

/* A block's part of the exchange, in shared memory. A kernel uses it once. */
class CountExchange {
  public:
    /* Thread 0 calls this before any block signals. */
    __device__ __forceinline__ void prepare(const winnow__args &args) {
        copy_async<sizeof previous_>(&previous_,
                                     &group(args).previous[index_in_group()]);
    }

    /* All lanes of a warp call this. It returns the word to which the lane adds
     * in order to signal, or NULL: a lane of warp 0 signals to a block of its
     * group, a lane of warp 1 to a later group. Other warps do not signal. */
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
     * The same lanes signal to all later blocks, after the tile was counted.
     * spin_limit is 0 in place: comparing `in` and `out` would load these two
     * arguments while all blocks wait.
     */
    __device__ __forceinline__ static void
    signal(const winnow__args &args, uint32_t *word, unsigned int total) {
        release_loads(args.one_wave.spin_limit == 0);
        if (word != nullptr)
            add_relaxed(word, 1u << BITS | total);
    }

    /* Thread 0, before a barrier, waits for the signals of all earlier
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
            args.one_wave.spin_limit; /* 0 in place, for no limit */
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

    /* The number of survivors before this block's tile. All threads call this,
     * after that barrier. */
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
     * All lanes of one warp call this when the offset is known. The last block,
     * with `total` survivors, stores the count. The next launch may have more
     * blocks in its group: for these it stores the value of `earlier`.
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
    static constexpr unsigned int MANY = 2 * GROUP; /* with more, pause */

    alignas(8) winnow__counts previous_; /* words before this launch */
    uint32_t earlier_;                   /* the second word, after it */
    unsigned int offset_; /* or UNKNOWN, if a signal is missing */

    /* The survivors that two complete words have counted. */
    __device__ __forceinline__ static unsigned int
    survivors(const winnow__counts &now, const winnow__counts &previous) {
        return (now.in_group - previous.in_group + now.earlier -
                previous.earlier) &
               ((1u << BITS) - 1);
    }

    /* Thread 0 stores the offset, and the words for the next launch. These are
     * right if they are complete; else count_predecessors() stores others. The
     * end of the kernel orders this store before the next launch. */
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
     * Wait some cycles, until the signals of the most distant blocks arrive.
     * Earlier loads would delay these signals.
     */
    __device__ __forceinline__ static void pause() {
        constexpr int CYCLES = 100;
        const long long start = clock64();
        while (clock64() - start < CYCLES) {
        }
    }

    /* The fallback: the same results as if all blocks had signalled. */
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
