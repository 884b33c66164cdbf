/*
 * partition_by_key and partition_blocks of few keys and parts: one launch, in
 * the input's order.
 *
 *   rank       each block ranks the items of its piece within their parts
 *   publish    each block writes its count of each part to a table column
 *   wait       until all blocks have published
 *   sum        all columns: the items of each part, in all and earlier pieces
 *   set        where each part begins, and each warp's items in it
 *   move       the elements; and fill the gaps behind the parts
 *
 * Order of memory: a block's threads write its column. Behind a barrier, thread
 * 0's fence and its addition to the cursor are a release at device scope. The
 * additions are one release sequence. So the load that sees all of them, and
 * the fence behind it, are an acquire from all blocks. A barrier passes this on
 * to the threads that read the columns.
 *
 * The cursor is 0 before and after the launch. cursor->survivors counts the
 * blocks that have published. The last block that has read it clears it:
 * is_last_to_come() orders all blocks' reads before that, and the end of the
 * kernel orders it before the next launch.
 *
 * Blocks need not be resident together. A block that reaches its spin limit, so
 * that a column may be missing, counts all keys itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "digit.cuh"
#include "target.cuh"
#include "kernels/core/last_block.cuh"

namespace winnow::partition {

constexpr unsigned int SMALL_THREADS = WINNOW__PARTITION_SMALL_THREADS;
constexpr unsigned int SMALL_WARPS = SMALL_THREADS / WARP;
constexpr unsigned int NO_PART = ~0u;

/* A number for each of a thread's four adjacent parts. */
struct alignas(16) Four {
    static constexpr unsigned int PARTS = 4;
    uint32_t of[PARTS];

    __device__ __forceinline__ void operator+=(const Four &other) {
#pragma unroll
        for (unsigned int j = 0; j < PARTS; j++)
            of[j] += other.of[j];
    }
};
static_assert(WINNOW__PARTITION_SMALL_PARTS <= Four::PARTS * SMALL_THREADS,
              "all parts have a thread");

/* A block, with EACH items for each thread. */
template <class Key, unsigned int EACH_>
class Small {
    static constexpr unsigned int ITEMS = SMALL_THREADS * EACH_;
    using Sums = WarpSums<uint32_t, SMALL_WARPS>;

  public:
    /* `shared`: SMALL_WARPS + 2 numbers for each part. */
    __device__ __forceinline__ Small(const winnow__partition_small_args &args,
                                     unsigned char *shared)
        : args_(args), to_(args.to), digit_of_(args.field),
          items_(static_cast<unsigned int>(items_of(args))),
          parts_(args.field.parts),
          fours_((parts_ + Four::PARTS - 1) / Four::PARTS),
          of_warps_(reinterpret_cast<uint32_t *>(shared)),
          totals_(of_warp(SMALL_WARPS)), begins_(of_warp(SMALL_WARPS + 1)) {
    }

    __device__ __forceinline__ void run() {
        clear();
        rank();
        Four total = sum_warps(), before = {};
        if (gridDim.x != 1) {
            publish(total);
            if (wait())
                sum_columns(&total, &before);
            else
                count_all(&total, &before);
        }
        /* Not earlier: the next kernel would occupy free multiprocessors, and
         * this kernel's blocks would have to share the others. */
        trigger_dependents();
        set_places(total, before);
        move();
        if (to_.log_align != 0 || to_.block_parts != nullptr)
            fill_gaps();
    }

  private:
    const winnow__partition_small_args &args_;
    const winnow__partition_outputs &to_;
    const Digit<Key> digit_of_;
    const unsigned int items_, parts_, fours_;
    uint32_t *const of_warps_;                /* counts, then places */
    uint32_t *const totals_, *const begins_;  /* of the parts */
    unsigned int part_[EACH_], place_[EACH_]; /* of the thread's items */

    __device__ __forceinline__ uint32_t *of_warp(unsigned int warp) const {
        return of_warps_ + warp * fours_ * Four::PARTS;
    }

    /* Does the thread have parts? */
    __device__ __forceinline__ bool has_parts() const {
        return threadIdx.x < fours_;
    }

    __device__ __forceinline__ static Four &own(uint32_t *numbers) {
        return reinterpret_cast<Four *>(numbers)[threadIdx.x];
    }

    __device__ __forceinline__ void clear() const {
        Four *const all = reinterpret_cast<Four *>(of_warps_);
        for (unsigned int i = threadIdx.x; i < (SMALL_WARPS + 2) * fours_;
             i += SMALL_THREADS)
            all[i] = Four();
        __syncthreads();
    }

    /* A warp's items are adjacent: EACH rounds of one item for each lane. */
    __device__ __forceinline__ unsigned int item(unsigned int i) const {
        return blockIdx.x * ITEMS + warp_id() * WARP * EACH_ + i * WARP +
               lane_id();
    }

    __device__ __forceinline__ unsigned int part_of(unsigned int item) const {
        if (item >= items_)
            return NO_PART;
        const Key key = static_cast<const Key *>(args_.keys)[item];
        return digit_of_.has_part(key)
                   ? static_cast<unsigned int>(digit_of_.part(key))
                   : NO_PART;
    }

    /* For each of the thread's items, find the lanes whose item has the same
     * part. __match_any_sync() takes a round for each part that the lanes have:
     * with 256 parts an H200 took 0.5 us an item. */
    __device__ __forceinline__ void find_peers(unsigned int (&peers)[EACH_]) {
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++)
            peers[i] = ALL_LANES;
        /* In bits up to parts_'s highest no part is all ones, as NO_PART is. */
        for (unsigned int bit = 1; bit <= parts_; bit *= 2)
#pragma unroll
            for (unsigned int i = 0; i < EACH_; i++)
                peers[i] &= lanes_with_same_bit(part_[i], bit);
    }

    /* Ranks each item among the warp's items of its part. */
    __device__ __forceinline__ void rank() {
        uint32_t *const counts = of_warp(warp_id());
        unsigned int peers[EACH_];
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++)
            part_[i] = part_of(item(i));
        find_peers(peers);
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            const bool exists = part_[i] != NO_PART;
            const unsigned int below = __popc(peers[i] & lanes_below());
            place_[i] = exists ? counts[part_[i]] + below : 0;
            /* Warp barriers: peers read the count before the first writes. */
            __syncwarp();
            if (exists && below == 0)
                counts[part_[i]] = place_[i] + __popc(peers[i]);
            __syncwarp();
        }
        __syncthreads();
    }

    /* Makes each warp's count the sum of those before. Returns the total. */
    __device__ __forceinline__ Four sum_warps() const {
        Four sum = {};
        if (!has_parts())
            return sum;
#pragma unroll
        for (unsigned int w = 0; w < SMALL_WARPS; w++) {
            const Four count = own(of_warp(w));
            own(of_warp(w)) = sum;
            sum += count;
        }
        return sum;
    }

    __device__ __forceinline__ uint32_t *column(unsigned int block) const {
        return args_.table + block * fours_ * Four::PARTS;
    }

    __device__ __forceinline__ void publish(const Four &counts) const {
        if (has_parts())
            own(column(blockIdx.x)) = counts;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            add_relaxed(&args_.cursor->survivors, 1ull);
        }
    }

    /* Have all blocks published their columns? */
    __device__ __forceinline__ bool wait() const {
        WINNOW__SHARED(there, bool);
        winnow__cursor *const cursor = args_.cursor;
        if (threadIdx.x == 0) {
            unsigned int left = args_.spin_limit;
            bool all = false;
            do
                all = load_relaxed(&cursor->survivors) == gridDim.x;
            while (!all && left-- != 1);
            __threadfence();
            there = all;
        }
        __syncthreads();
        /* The last thread's warp: the others wait for it least. */
        if (threadIdx.x == SMALL_THREADS - 1 &&
            is_last_to_come(&cursor->blocks_done))
            store_relaxed(&cursor->survivors, 0ull);
        return there;
    }

    __device__ __forceinline__ void sum_columns(Four *total_p,
                                                Four *before_p) const {
        Four total = {}, before = {};
        if (!has_parts())
            return;
#pragma unroll 8
        for (unsigned int b = 0; b < gridDim.x; b++) {
            const Four count = own(column(b));
            total += count;
            if (b < blockIdx.x)
                before += count;
        }
        *total_p = total;
        *before_p = before;
    }

    /* Without the columns: counts all keys, since blocks may not have begun. */
    __device__ __forceinline__ void count_all(Four *total_p,
                                              Four *before_p) const {
#pragma unroll 1
        for (unsigned int i = threadIdx.x; i < items_; i += SMALL_THREADS) {
            const unsigned int part = part_of(i);
            if (part != NO_PART)
                atomicAdd(&totals_[part], 1u);
            if (part != NO_PART && i < blockIdx.x * ITEMS)
                atomicAdd(&begins_[part], 1u);
        }
        __syncthreads();
        if (!has_parts())
            return;
        *total_p = own(totals_);
        *before_p = own(begins_);
    }

    __device__ __forceinline__ uint32_t round_up(uint32_t items) const {
        const uint32_t below = (1u << to_.log_align) - 1;
        return (items + below) & ~below;
    }

    /* Where each part begins, and each warp's items. Block 0 writes results. */
    __device__ __forceinline__ void set_places(const Four &total,
                                               const Four &before) const {
        WINNOW__SHARED(sums, Sums);
        Four begin;
        uint32_t room = 0, end;
#pragma unroll
        for (unsigned int j = 0; j < Four::PARTS; j++) {
            begin.of[j] = room;
            room += round_up(total.of[j]);
        }
        room = exclusive_sum(room, sums, &end);
        begin += {{room, room, room, room}};
        if (has_parts()) {
            own(totals_) = total;
            own(begins_) = begin;
            for (unsigned int w = 0; w < SMALL_WARPS; w++) {
                own(of_warp(w)) += begin;
                own(of_warp(w)) += before;
            }
        }
        if (blockIdx.x == 0)
            write_results(begin, total, end);
        __syncthreads();
    }

    __device__ __forceinline__ void
    write_results(const Four &begin, const Four &total, uint32_t end) const {
#pragma unroll
        for (unsigned int j = 0; j < Four::PARTS; j++) {
            const unsigned int part = threadIdx.x * Four::PARTS + j;
            if (part < parts_)
                to_.offsets[part] = begin.of[j];
            if (part < parts_ && to_.counts != nullptr)
                to_.counts[part] = total.of[j];
        }
        if (threadIdx.x == 0)
            to_.offsets[parts_] = end;
    }

    __device__ __forceinline__ void move() {
        const uint32_t *const starts = of_warp(warp_id());
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++)
            place_[i] =
                part_[i] == NO_PART ? NO_PART : place_[i] + starts[part_[i]];
#pragma unroll 1
        for (unsigned int m = 0; m < to_.moves; m++)
            visit_width(to_.move[m].bytes, [&](auto element) {
                move_column<typename decltype(element)::Type>(to_.move[m]);
            });
    }

    /* Several loads are in flight before the first store. */
    template <class T>
    __device__ __forceinline__ void
    move_column(const winnow__partition_target &move) const {
        constexpr unsigned int BATCH = sizeof(T) > 8 && EACH_ > 4 ? 4 : EACH_;
        static_assert(EACH_ % BATCH == 0, "whole batches");
#pragma unroll
        for (unsigned int first = 0; first < EACH_; first += BATCH) {
            T elements[BATCH] = {};
#pragma unroll
            for (unsigned int i = 0; i < BATCH; i++)
                if (place_[first + i] != NO_PART)
                    elements[i] = element_of<T>(move, item(first + i));
#pragma unroll
            for (unsigned int i = 0; i < BATCH; i++)
                if (place_[first + i] != NO_PART)
                    static_cast<T *>(move.out)[place_[first + i]] = elements[i];
        }
    }

    /* Each part has one warp of the grid. */
    __device__ __forceinline__ void fill_gaps() const {
        for (unsigned int p = blockIdx.x * SMALL_WARPS + warp_id(); p < parts_;
             p += gridDim.x * SMALL_WARPS) {
            const uint32_t begin = begins_[p], end = begin + totals_[p];
            const uint32_t stop = round_up(end);
            if (to_.block_parts != nullptr)
                for (uint32_t b = (begin >> to_.log_align) + lane_id();
                     b < stop >> to_.log_align; b += WARP)
                    to_.block_parts[b] = p;
#pragma unroll 1
            for (unsigned int m = 0; m < to_.moves; m++)
                if (to_.move[m].fills)
                    fill(to_.move[m], end, stop);
        }
    }

    __device__ __forceinline__ static void
    fill(const winnow__partition_target &move, uint32_t begin, uint32_t end) {
        visit_width(move.bytes, [&](auto element) {
            using T = typename decltype(element)::Type;
            for (uint32_t i = begin + lane_id(); i < end; i += WARP)
                static_cast<T *>(move.out)[i] = fill_of<T>(move);
        });
    }
};

template <class Key, unsigned int EACH_>
__global__ void __launch_bounds__(SMALL_THREADS)
    small(const __grid_constant__ winnow__partition_small_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    wait_for_stream();
    Small<Key, EACH_>(args, shared).run();
}

} // namespace winnow::partition

#define SMALL(KEY, EACH)                                                       \
    WINNOW__ENTRY(winnow::partition::SMALL_THREADS,                            \
                  (winnow::partition::SMALL_THREADS * (EACH) * sizeof(KEY)),   \
                  sizeof(KEY), 0, winnow::partition::small<KEY, EACH>)
#define SMALL_SHAPES(KEY)                                                      \
    { SMALL(KEY, 2), SMALL(KEY, 4), SMALL(KEY, 8), SMALL(KEY, 16) }
const winnow__kernel
    winnow__partition_small[2][WINNOW__PARTITION_SMALL_SHAPES] = {
        SMALL_SHAPES(uint32_t), SMALL_SHAPES(uint64_t)};
