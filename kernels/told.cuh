/*
 * Blocks that tell each other, through memory, how many survivors they have, so
 * that each knows its place in order.
 *
 * To tell is to add to a word that the other block reads, and does not take
 * long: it waits for nothing. Reading the counts of all earlier blocks would
 * take many loads, from lines of memory that all blocks read. That there be few
 * additions too, blocks meet in groups: a block tells each later one of its own
 * group, and each later group as a whole. So a block reads two words.
 *
 * A word counts survivors in its lower bits and those who told above, and so is
 * complete when it counts all who have to. It goes on counting from launch to
 * launch, modulo 2^32: each block keeps what its words were when a launch was
 * over, and takes that away in the next.
 *
 * Additions and looks are relaxed, at the scope of the device, since a word is
 * all that is exchanged; but in place they are a release and an acquire of the
 * tiles' loads (publish.cuh). Additions to the same word go on with each
 * other's releases, so that one look acquires from all who told.
 *
 * No block need run beside another. One that has looked often enough and still
 * lacks a count does not wait for those who may not have begun: it counts what
 * comes before it by itself (after T. Smith, R. Levien, J. D. Owens, "Decoupled
 * Fallback: A Portable Single-Pass GPU Scan", 2025). Only in place it cannot,
 * since the input may be there no longer; then the launch is one whose blocks
 * are sure to run together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_TOLD_CUH
#define WINNOW_KERNELS_TOLD_CUH

#include "args.h"
#include "predicate.cuh"
#include "ptx.cuh"
#include "publish.cuh"
#include "warp.cuh"

namespace winnow {

constexpr unsigned int GROUP = WINNOW__GROUP;
static_assert(GROUP == WARP && WINNOW__MOST_RESIDENT <= GROUP * WARP,
              "a lane for each block of a group, and for each group");
static_assert(WINNOW__MOST_RESIDENT <= 1u << (32 - WINNOW__TOLD_BITS),
              "a word can count all blocks");

/*
 * How many of the elements from `begin` to `end` pass; by all threads of the
 * block. Nothing calls it as a rule: so it is a function, out of the way.
 */
template <class U, winnow__test_kind KIND>
__device__ WINNOW__NOINLINE unsigned int
count_between(const winnow__args &args, uint64_t begin, uint64_t end) {
    WINNOW__SHARED(total, unsigned int);
    const U *const in = static_cast<const U *>(args.in);
    const Predicate<U, KIND> passes(args.test);
    unsigned int kept = 0;
    for (uint64_t i = begin + threadIdx.x; i < end; i += blockDim.x)
        kept += passes(in[i]) ? 1 : 0;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    atomicAdd(&total, kept);
    __syncthreads();
    const unsigned int all = total;
    __syncthreads();
    return all;
}

/* What the earlier blocks tell this one. In shared memory; for one use in a
 * kernel. */
class ToldByAll {
  public:
    /* By thread 0, before anyone tells. */
    __device__ __forceinline__ void expect(const winnow__args &args) {
        copy_async<sizeof old_>(&old_, &group(args).old[place()]);
    }

    /* By all lanes of a warp: the word that a lane adds to, which is how it
     * tells another block (the first warp's), or a later group (the second
     * one's); or NULL. No other warp has one to use. */
    __device__ __forceinline__ static uint32_t *find(const winnow__args &args) {
        const unsigned int lane = lane_id();
        const unsigned int block = blockIdx.x - place() + lane;
        if (warp_id() == 0)
            return block > blockIdx.x && block < args.blocks
                       ? &group(args).told[lane]
                       : nullptr;
        return lane > blockIdx.x / GROUP && lane * GROUP < args.blocks
                   ? &args.groups[lane].before
                   : nullptr;
    }

    /*
     * By the same lanes, when the tile has been counted: tell all later blocks.
     * Where patience is endless, the call is in place: to compare two pointers
     * would fetch them where everybody waits.
     */
    __device__ __forceinline__ static void
    tell(const winnow__args &args, uint32_t *word, unsigned int total) {
        release_loads(args.patience == 0);
        if (word != nullptr)
            add_relaxed(word, 1u << BITS | total);
    }

    /* By thread 0, before a barrier: wait to be told. */
    __device__ __forceinline__ void hear(const winnow__args &args) {
        winnow__group &group = this->group(args);
        copy_async_wait();
        if (args.blocks > MANY)
            pause();
        winnow__words now = {load_relaxed(&group.told[place()]),
                             load_relaxed(&group.before)};
        const winnow__words old = old_;
        bool told = is_told(now.told - old.told);
        bool before = is_before(now.before - old.before);
        unsigned int left = args.patience; /* looks; in place 0, which stays */
        while (!(told && before) && left != 1) {
            if (!told)
                now.told = load_relaxed(&group.told[place()]);
            if (!before)
                now.before = load_relaxed(&group.before);
            told = is_told(now.told - old.told);
            before = is_before(now.before - old.before);
            left -= left != 0;
        }
        acquire_loads(left == 0);
        keep(now, told && before ? survivors(now, old) : UNKNOWN, group);
    }

    /* By all threads, after that barrier: the survivors before this block's
     * tile. */
    template <class U, winnow__test_kind KIND, class TileType>
    __device__ __forceinline__ unsigned int position(const winnow__args &args) {
        unsigned int position = position_;
        if (position == UNKNOWN) {
            count_alone<U, KIND, TileType>(args);
            position = position_;
        }
        return position;
    }

    /*
     * By all lanes of one warp, when the position is known. The last block,
     * which has `total` survivors, knows the count; and that in the next launch
     * there may be more blocks in its group, to which it leaves their words.
     */
    __device__ __forceinline__ void leave(const winnow__args &args,
                                          unsigned int total) const {
        if (blockIdx.x != args.blocks - 1)
            return;
        if (lane_id() > place())
            group(args).old[lane_id()].before = before_;
        if (lane_id() == 0)
            *args.count = position_ + total;
    }

  private:
    static constexpr unsigned int BITS = WINNOW__TOLD_BITS;
    static constexpr unsigned int UNKNOWN = ~0u;
    static constexpr unsigned int MANY = 2 * GROUP; /* or less: no pause */

    alignas(8) winnow__words old_; /* before this launch; copied as 8 bytes */
    uint32_t before_;              /* after it */
    unsigned int position_;        /* or UNKNOWN, if not all have told */

    /* The survivors that words count which are complete. */
    __device__ __forceinline__ static unsigned int
    survivors(const winnow__words &now, const winnow__words &old) {
        return (now.told - old.told + now.before - old.before) &
               ((1u << BITS) - 1);
    }

    /* By thread 0: what is known now; and leave the words for the next launch,
     * which they are fit for if they are complete. (If not, count_alone() comes
     * and keeps others.) */
    __device__ __forceinline__ void keep(const winnow__words &now,
                                         unsigned int position,
                                         winnow__group &group) {
        position_ = position;
        before_ = now.before;
        *reinterpret_cast<uint2 *>(&group.old[place()]) =
            make_uint2(now.told, now.before);
    }

    /* In its group. */
    __device__ __forceinline__ static unsigned int place() {
        return blockIdx.x % GROUP;
    }

    __device__ __forceinline__ static winnow__group &
    group(const winnow__args &args) {
        return args.groups[blockIdx.x / GROUP];
    }

    __device__ __forceinline__ static bool is_told(uint32_t word) {
        return word >> BITS == place();
    }

    __device__ __forceinline__ static bool is_before(uint32_t word) {
        return word >> BITS == blockIdx.x - place();
    }

    /*
     * A moment, in cycles: for what is told from the most distant blocks to
     * arrive. Reads that come too early stand in its way.
     */
    __device__ __forceinline__ static void pause() {
        constexpr int CYCLES = 100;
        const long long start = clock64();
        while (clock64() - start < CYCLES) {
        }
    }

    /* As if all had told. */
    template <class U, winnow__test_kind KIND, class TileType>
    __device__ __forceinline__ void count_alone(const winnow__args &args) {
        const unsigned int first = blockIdx.x - place();
        const uint64_t begin = TileType::before(args, first);
        const uint64_t end = TileType::before(args, blockIdx.x);
        const unsigned int told = count_between<U, KIND>(args, begin, end);
        const unsigned int before = count_between<U, KIND>(args, 0, begin);
        if (threadIdx.x == 0) {
            const winnow__words now = {old_.told + (place() << BITS | told),
                                       old_.before + (first << BITS | before)};
            keep(now, survivors(now, old_), group(args));
            atomicAdd(&group(args).alone, 1);
        }
        __syncthreads();
    }
};

} // namespace winnow

#endif
