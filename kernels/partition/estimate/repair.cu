/*
 * partition_by_key by an estimate (regions.cuh): the last step, after all
 * tiles. Displaced items go to spare room, then all items there to free places.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../width.cuh"
#include "regions.cuh"

namespace winnow::partition {

constexpr unsigned int REPAIR_THREADS = WINNOW__PARTITION_REPAIR_THREADS;
constexpr unsigned int MOST_DIGITS = WINNOW__PARTITION_DIGITS;

/* The results of settle(), in shared memory. Displaced items are numbered
 * through all digits, one digit after the other. The free places of a digit,
 * where it keeps nothing, are numbered, too. */
class Repair {
  public:
    /* By all threads. A barrier follows. */
    __device__ __forceinline__ void
    load(const winnow__partition_estimate &estimate) {
        for (unsigned int d = threadIdx.x; d < MOST_DIGITS; d += blockDim.x) {
            const auto &from = estimate.repair[d];
            placed_[d] = from.placed;
            final_[d] = from.final;
            kept_end_[d] = from.kept_end;
            displaced_[d] = from.displaced;
            ahead_[d] = from.ahead;
            room_[d] = from.room;
        }
        if (threadIdx.x == 0)
            displaced_[MOST_DIGITS] = estimate.all_displaced;
    }

    __device__ __forceinline__ uint64_t all_displaced() const {
        return displaced_[MOST_DIGITS];
    }

    /* The displaced items of the digits before; and of this one. */
    __device__ __forceinline__ uint64_t before(unsigned int digit) const {
        return displaced_[digit];
    }
    __device__ __forceinline__ uint64_t displaced(unsigned int digit) const {
        return displaced_[digit + 1] - displaced_[digit];
    }

    /* The digit of a displaced item. */
    __device__ __forceinline__ unsigned int digit_of(uint64_t number) const {
        unsigned int low = 0;
#pragma unroll
        for (unsigned int step = MOST_DIGITS / 2; step != 0; step /= 2)
            if (displaced_[low + step] <= number)
                low += step;
        return low;
    }

    /* The same; `digit` is that of an earlier item. */
    __device__ __forceinline__ unsigned int digit_from(unsigned int digit,
                                                       uint64_t number) const {
        while (displaced_[digit + 1] <= number)
            digit++;
        return digit;
    }

    /* Where a displaced item lies. */
    __device__ __forceinline__ uint64_t source(unsigned int digit,
                                               uint64_t number) const {
        const uint64_t nth = number - displaced_[digit];
        return nth < ahead_[digit] ? placed_[digit] + nth
                                   : kept_end_[digit] + (nth - ahead_[digit]);
    }

    /* A free place of a digit. */
    __device__ __forceinline__ uint64_t place(unsigned int digit,
                                              uint64_t nth) const {
        return nth < room_[digit] ? final_[digit] + nth
                                  : kept_end_[digit] + (nth - room_[digit]);
    }

  private:
    uint64_t placed_[MOST_DIGITS], final_[MOST_DIGITS], kept_end_[MOST_DIGITS];
    uint64_t displaced_[MOST_DIGITS + 1], ahead_[MOST_DIGITS],
        room_[MOST_DIGITS];
};

/* Items of a thread, a warp apart, whose elements are in flight together. */
constexpr unsigned int BATCH = 4;

/* Copies element from[k] of an array to to[k] of another, if item k exists. */
struct Copies {
    uint64_t from[BATCH], to[BATCH];
    bool exist[BATCH];

    template <class T>
    __device__ __forceinline__ void copy(void *to_array,
                                         const void *from_array) const {
        T elements[BATCH] = {};
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            load_if(exist[k], static_cast<const T *>(from_array) + from[k],
                    elements[k]);
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            if (exist[k])
                static_cast<T *>(to_array)[to[k]] = elements[k];
    }

    __device__ __forceinline__ void copy(void *to_array, const void *from_array,
                                         uint64_t bytes) const {
        visit_width(bytes, [&](auto element) {
            copy<typename decltype(element)::Type>(to_array, from_array);
        });
    }
};

/* Copies all wanted arrays: from the output to spare rows, or back. */
template <bool TO_SPARE>
__device__ __forceinline__ void
copy_rows(const winnow__partition_scatter_args &args, const Copies &copies) {
    const auto copy = [&](void *out, void *spare, uint64_t bytes) {
        copies.copy(TO_SPARE ? spare : out, TO_SPARE ? out : spare, bytes);
    };
    if (args.keys_out != nullptr)
        copy(args.keys_out, args.estimate.spare_keys, args.estimate.key_bytes);
    for (unsigned int c = 0; c < args.moves; c++)
        copy(args.move[c].out, args.move[c].spare, args.move[c].bytes);
}

/* For each of the warp's batches of the numbers below `end`, 128 adjacent ones
 * from `first` on: call set(first, copies), then copy. */
template <bool TO_SPARE, class Set>
__device__ __forceinline__ void
for_batches(const winnow__partition_scatter_args &args, uint64_t end, Set set) {
    constexpr unsigned int OF_WARP = BATCH * WARP;
    const uint64_t warp =
        uint64_t(blockIdx.x) * (REPAIR_THREADS / WARP) + warp_id();
    const uint64_t step =
        uint64_t(gridDim.x) * (REPAIR_THREADS / WARP) * OF_WARP;
    for (uint64_t first = warp * OF_WARP; first < end; first += step) {
        Copies copies = {};
        set(first, copies);
        copy_rows<TO_SPARE>(args, copies);
    }
}

/* Call set(k, i, digit) for the thread's displaced items of a batch. */
template <class Set>
__device__ __forceinline__ void
for_displaced(const Repair &repair, uint64_t first, Copies &copies, Set set) {
    unsigned int digit = repair.digit_of(first);
#pragma unroll
    for (unsigned int k = 0; k < BATCH; k++) {
        const uint64_t i = first + k * WARP + lane_id();
        copies.exist[k] = i < repair.all_displaced();
        if (copies.exist[k]) {
            digit = repair.digit_from(digit, i);
            set(k, i, digit);
        }
    }
}

/* The first spare row for displaced items. */
__device__ __forceinline__ uint64_t
displaced_rows(const winnow__partition_scatter_args &args) {
    return args.estimate.spare_left_over +
           uint64_t(args.estimate.estimate->exchange.all_overflow) *
               args.estimate.sector;
}

/* Copies displaced items to spare rows. */
__global__ void __launch_bounds__(REPAIR_THREADS, resident(REPAIR_THREADS, 2))
    collect(const __grid_constant__ winnow__partition_scatter_args args) {
    WINNOW__SHARED(repair, Repair);
    trigger_dependents();
    wait_for_stream();
    if (args.estimate.estimate->exchange.settled == 0)
        return;
    repair.load(*args.estimate.estimate);
    __syncthreads();
    const uint64_t rows = displaced_rows(args);
    for_batches<true>(
        args, repair.all_displaced(), [&](uint64_t first, Copies &copies) {
            for_displaced(repair, first, copies,
                          [&](unsigned int k, uint64_t i, unsigned int digit) {
                              copies.from[k] = repair.source(digit, i);
                              copies.to[k] = rows + i;
                          });
        });
}

/* Gives places to the first `end` spare items, which never had one. Each takes
 * a free place of its digit behind those for displaced items. All lanes with
 * the same digit share an atomic. */
template <class Key>
__device__ __forceinline__ void
take_places(const winnow__partition_scatter_args &args, const Repair &repair,
            uint64_t first, uint64_t end, Copies &copies) {
    winnow__partition_exchange &exchange = args.estimate.estimate->exchange;
    const Digit<Key> digit_of(args.field);
    const Key *const keys = static_cast<const Key *>(args.estimate.spare_keys);
#pragma unroll
    for (unsigned int k = 0; k < BATCH; k++) {
        const uint64_t i = first + k * WARP + lane_id();
        const bool exists = i < end;
        const uint64_t row =
            i < exchange.all_left_over
                ? i
                : i - exchange.all_left_over + args.estimate.spare_left_over;
        const unsigned int digit = exists ? digit_of(keys[row]) : ~0u;
        const unsigned int peers = __match_any_sync(ALL_LANES, digit);
        const int leader = __ffs(static_cast<int>(peers)) - 1;
        uint32_t nth = 0;
        if (exists && lane_id() == static_cast<unsigned int>(leader))
            nth = atomicAdd(&exchange.restored[digit],
                            static_cast<uint32_t>(__popc(peers)));
        nth =
            __shfl_sync(ALL_LANES, nth, leader) + __popc(peers & lanes_below());
        copies.exist[k] = exists;
        copies.from[k] = row;
        if (exists)
            copies.to[k] = repair.place(digit, repair.displaced(digit) + nth);
    }
}

/* Copies spare rows to free places. Displaced items take the first places. */
template <class Key>
__global__ void __launch_bounds__(REPAIR_THREADS, resident(REPAIR_THREADS, 2))
    restore(const __grid_constant__ winnow__partition_scatter_args args) {
    WINNOW__SHARED(repair, Repair);
    trigger_dependents();
    wait_for_stream();
    if (args.estimate.estimate->exchange.settled == 0)
        return;
    repair.load(*args.estimate.estimate);
    __syncthreads();
    const uint64_t rows = displaced_rows(args);
    const uint64_t others = args.estimate.estimate->exchange.all_left_over +
                            rows - args.estimate.spare_left_over;
    for_batches<false>(
        args, repair.all_displaced(), [&](uint64_t first, Copies &copies) {
            for_displaced(repair, first, copies,
                          [&](unsigned int k, uint64_t i, unsigned int digit) {
                              copies.from[k] = rows + i;
                              copies.to[k] =
                                  repair.place(digit, i - repair.before(digit));
                          });
        });
    for_batches<false>(args, others, [&](uint64_t first, Copies &copies) {
        take_places<Key>(args, repair, first, others, copies);
    });
}

} // namespace winnow::partition

#define RESTORE(KEY)                                                           \
    WINNOW__ENTRY(winnow::partition::REPAIR_THREADS, 0, 0, 0,                  \
                  winnow::partition::restore<KEY>)
const winnow__kernel winnow__partition_collect = WINNOW__ENTRY(
    winnow::partition::REPAIR_THREADS, 0, 0, 0, winnow::partition::collect);
const winnow__kernel winnow__partition_restore[2] = {RESTORE(uint32_t),
                                                     RESTORE(uint64_t)};
