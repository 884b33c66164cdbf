/*
 * Fills the places of an array behind a count, which the kernel reads.
 *
 * Elements are rows of V, the widest type that size and alignment allow. A
 * thread has one V of the value and writes it to its rows. Elements of one V
 * narrower than 16 bytes are written in vectors of 16 bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/selection/use.cuh"
#include "args.h"

namespace winnow::pack {

using selection::SINK_THREADS;

/* A thread's number in the grid, and the grid's number of threads. */
struct Mine {
    uint64_t number = uint64_t{blockIdx.x} * SINK_THREADS + threadIdx.x;
    uint64_t threads = uint64_t{gridDim.x} * SINK_THREADS;
};

/* args.fill has whole vectors. */
template <class V>
__device__ __forceinline__ void fill_elements(const winnow__fill_args &args,
                                              uint64_t count, uint64_t places,
                                              const Mine &mine) {
    constexpr unsigned int EACH = sizeof(uint4) / sizeof(V);
    V *const begin = static_cast<V *>(args.out) + count;
    const uint64_t before =
        -reinterpret_cast<uintptr_t>(begin) % sizeof(uint4) / sizeof(V);
    const uint64_t head = min(before, places);
    const uint64_t vectors = (places - head) / EACH;
    uint4 vector;
    V value;
    memcpy(&vector, args.fill, sizeof vector);
    memcpy(&value, args.fill, sizeof value);
    for (uint64_t i = mine.number; i < vectors; i += mine.threads)
        reinterpret_cast<uint4 *>(begin + head)[i] = vector;
    const uint64_t tail = head + vectors * EACH + mine.number;
    if (mine.number < head)
        begin[mine.number] = value;
    if (tail < places)
        begin[tail] = value;
}

template <class V>
__global__ void __launch_bounds__(SINK_THREADS)
    fill(const __grid_constant__ winnow__fill_args args) {
    const uint64_t end = items_of(args);
    const uint64_t count = min(end, uint64_t{*args.count});
    const Mine mine;
    if constexpr (sizeof(V) < sizeof(uint4)) {
        if (args.width == 1) {
            fill_elements<V>(args, count, end - count, mine);
            return;
        }
    }
    /* Rows that all threads write at once. Some threads may have none. */
    const uint64_t rows = mine.threads / args.strip;
    const unsigned int column =
        static_cast<unsigned int>(mine.number % args.strip);
    V value;
    memcpy(&value,
           reinterpret_cast<const unsigned char *>(args.fill) +
               column * sizeof(V),
           sizeof value);
    V *const out = static_cast<V *>(args.out) + args.first + column;
    if (mine.number < rows * args.strip)
        for (uint64_t row = count + mine.number / args.strip; row < end;
             row += rows)
            out[row * args.width] = value;
}

} // namespace winnow::pack

/* By the size of V. */
WINNOW__FOR_HOST(winnow__fill[WINNOW__ROW_SIZES]) =
    WINNOW__SINK_OF_ROWS(winnow::pack::fill);
