/*
 * partition_by_key: reads the keys of a chunk, to count them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "digit.cuh"
#include "kernels/core/vectors.cuh"

namespace winnow::partition {

/* Call count(key) for `number` keys, in any order, by a block. */
template <unsigned int THREADS_, class Key, class Count>
__device__ __forceinline__ void for_each_key(const Key *keys, uint64_t number,
                                             Count count) {
    constexpr unsigned int BATCH = 4; /* vectors of a thread in flight */
    const Vectors<Key> all(keys, number);
    const uint64_t end = all.end_whole();
    const auto count_vector = [&](const uint4 &vector) {
#pragma unroll
        for (unsigned int i = 0; i < VECTOR_ITEMS<Key>; i++)
            count(item<Key>(vector, i));
    };
    all.visit_ends(threadIdx.x, [&](uint64_t i) { count(keys[i]); });
    uint64_t v = all.first_whole() + threadIdx.x;
    for (; v + (BATCH - 1) * THREADS_ < end; v += BATCH * THREADS_) {
        uint4 batch[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            batch[k] = all.vectors[v + k * THREADS_];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            count_vector(batch[k]);
    }
    for (; v < end; v += THREADS_)
        count_vector(all.vectors[v]);
}

/* The same for all of the chunk's keys that have a part. */
template <unsigned int THREADS_, class Key, class Count>
__device__ __forceinline__ void
for_each_item(const winnow__partition_count_args &args,
              const Digit<Key> &digit_of, const Chunk &chunk, Count count) {
    const Key *const keys = static_cast<const Key *>(args.keys) + chunk.begin;
    const uint64_t number = chunk.end - chunk.begin;
    if (args.field.drops)
        for_each_key<THREADS_>(keys, number, [&](Key key) {
            if (digit_of.has_part(key))
                count(key);
        });
    else
        for_each_key<THREADS_>(keys, number, count);
}

} // namespace winnow::partition
