/*
 * partition_by_key, two passes: counts the items of all parts, and sums up such
 * counts.
 *
 * A block counts in shared memory. The additions return nothing, so the lanes
 * of a warp with one part are added at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_PART_COUNTS_CUH
#define WINNOW_KERNELS_PARTITION_PART_COUNTS_CUH

#include "digit.cuh"

namespace winnow {
namespace partition {

/* A block's counts of so many parts: set to 0, */
template <unsigned int THREADS_>
__device__ __forceinline__ void clear_counts(uint32_t *table,
                                             unsigned int parts) {
    for (unsigned int p = threadIdx.x; p < parts; p += THREADS_)
        table[p] = 0;
}

/* and added to those of all blocks, from the part `start` on. */
template <unsigned int THREADS_>
__device__ __forceinline__ void
add_counts(const uint32_t *table, unsigned int parts, unsigned int start,
           unsigned long long *items) {
    for (unsigned int i = threadIdx.x; i < parts; i += THREADS_) {
        const unsigned int p =
            start + i < parts ? start + i : start + i - parts;
        if (table[p] != 0)
            atomicAdd(&items[p], static_cast<unsigned long long>(table[p]));
    }
}

/* Of a block of so many threads. */
template <class Key, unsigned int THREADS_>
class PartCounts {
  public:
    __device__ __forceinline__ PartCounts(const winnow__partition_args &args,
                                          unsigned char *shared)
        : args_(args), digit_of_(args),
          table_(reinterpret_cast<uint32_t *>(shared + args.part_table)) {
    }

    __device__ __forceinline__ bool are_wanted() const {
        return args_.part_items != nullptr;
    }

    /* By all threads. A barrier follows. */
    __device__ __forceinline__ void clear() const {
        clear_counts<THREADS_>(table_, args_.parts);
    }

    /* Of a key that has a part. */
    __device__ __forceinline__ void count(Key key) const {
        atomicAdd(&table_[digit_of_.part(key)], 1u);
    }

    /* By all threads, behind a barrier: adds the block's counts to those of
     * all. */
    __device__ __forceinline__ void add() const {
        add_counts<THREADS_>(table_, args_.parts, 0, args_.part_items);
    }

  private:
    const winnow__partition_args &args_;
    const Digit<Key> digit_of_;
    uint32_t *const table_;
};

/* The items of some parts, which a warp loads together: a lane's are a warp
 * apart. */
struct PartItems {
    static constexpr unsigned int EACH = 4, NUMBER = EACH * WARP;
    unsigned long long of[EACH] = {};

    __device__ __forceinline__ PartItems(const winnow__partition_args &args,
                                         unsigned int first, unsigned int end) {
#pragma unroll
        for (unsigned int i = 0; i < EACH; i++) {
            const unsigned int part = first + i * WARP + lane_id();
            if (part < end)
                of[i] = args.part_items[part];
        }
    }
};

/* From the items of the parts from `begin` to `end` - 1 to where each begins,
 * `before` items being those of the parts before: by a block of WARPS_ warps. A
 * warp has neighbouring parts. Ends with a barrier, and another one comes
 * between the last use of `sums` and this call. */
template <unsigned int WARPS_>
__device__ __forceinline__ void
sum_up_parts(const winnow__partition_args &args, unsigned int begin,
             unsigned int end, unsigned long long before,
             unsigned long long *sums) {
    const unsigned int each = (end - begin + WARPS_ - 1) / WARPS_;
    const unsigned int first = min(begin + warp_id() * each, end);
    const unsigned int last = min(first + each, end);
    unsigned long long own = 0, all;
    for (unsigned int p = first; p < last; p += PartItems::NUMBER) {
        const PartItems items(args, p, last);
#pragma unroll
        for (unsigned int i = 0; i < PartItems::EACH; i++)
            own += items.of[i];
    }
    const unsigned long long others = exclusive_sum<WARPS_>(own, sums, &all);
    unsigned long long start = before + __shfl_sync(ALL_LANES, others, 0);
    for (unsigned int p = first; p < last; p += PartItems::NUMBER) {
        const PartItems items(args, p, last);
#pragma unroll
        for (unsigned int i = 0; i < PartItems::EACH; i++) {
            const unsigned int part = p + i * WARP + lane_id();
            const unsigned long long inclusive = inclusive_sum(items.of[i]);
            if (part < last)
                args.part_begins[part] = args.part_offsets[part] =
                    start + inclusive - items.of[i];
            start += __shfl_sync(ALL_LANES, inclusive, WARP - 1);
        }
    }
    if (end == args.parts && threadIdx.x == 0)
        args.part_begins[end] = args.part_offsets[end] = before + all;
    __syncthreads(); /* sums is free again */
}

} // namespace partition
} // namespace winnow

#endif
