/*
 * partition_by_key: reads the keys of a chunk, to count them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_READ_CUH
#define WINNOW_KERNELS_PARTITION_READ_CUH

#include "digit.cuh"
#include "kernels/core/predicate.cuh"

namespace winnow {
namespace partition {

/* Vectors of 16 bytes that a thread has under way. */
constexpr unsigned int BATCH = 4;

template <class Key, class Count>
__device__ __forceinline__ void count_vector(uint4 vector, Count count) {
#pragma unroll
    for (unsigned int i = 0; i < VECTOR_ITEMS<Key>; i++)
        count(item<Key>(vector, i));
}

/* Call count(key) for all keys of the chunk, in any order, by a block of so
 * many threads. */
template <unsigned int THREADS_, class Key, class Count>
__device__ __forceinline__ void for_each_key(const Key *keys, uint64_t number,
                                             Count count) {
    /* Those before the first whole vector, */
    const unsigned int misplaced = reinterpret_cast<uintptr_t>(keys) % 16;
    const unsigned int ahead =
        misplaced != 0 ? (16 - misplaced) / sizeof(Key) : 0;
    const uint64_t head = ahead < number ? ahead : number;
    if (threadIdx.x < head)
        count(keys[threadIdx.x]);
    /* the vectors, */
    const uint64_t vectors = (number - head) / VECTOR_ITEMS<Key>;
    const uint4 *const from = reinterpret_cast<const uint4 *>(keys + head);
    uint64_t i = threadIdx.x;
    for (; i + (BATCH - 1) * THREADS_ < vectors; i += BATCH * THREADS_) {
        uint4 batch[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            batch[k] = from[i + k * THREADS_];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            count_vector<Key>(batch[k], count);
    }
    for (; i < vectors; i += THREADS_)
        count_vector<Key>(from[i], count);
    /* and those behind the last. */
    const uint64_t done = head + vectors * VECTOR_ITEMS<Key>;
    if (threadIdx.x < number - done)
        count(keys[done + threadIdx.x]);
}

/* The same for all keys of the chunk that have a part. */
template <unsigned int THREADS_, class Key, class Count>
__device__ __forceinline__ void
for_each_item(const winnow__partition_args &args, const Digit<Key> &digit_of,
              const Chunk &chunk, Count count) {
    const Key *const keys = static_cast<const Key *>(args.keys) + chunk.begin;
    const uint64_t number = chunk.end - chunk.begin;
    if (args.drops)
        for_each_key<THREADS_>(keys, number, [&](Key key) {
            if (digit_of.has_part(key))
                count(key);
        });
    else
        for_each_key<THREADS_>(keys, number, count);
}

} // namespace partition
} // namespace winnow

#endif
