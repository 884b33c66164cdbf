/*
 * A sample of a part's keys decides which way the part is added.
 *
 * Each warp reads 32 adjacent keys, at places spread over the part. The sample
 * counts runs and distinct keys in each warp. It also counts keys that other
 * warps have, too, as far as a small table in shared memory shows them: these
 * would be hits in a cache of sums. The same part always gives the same counts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "items.cuh"

namespace winnow::accumulate {

struct KeySample {
    int keys;
    int runs;     /* of equal neighbours */
    int distinct; /* keys in a warp, over all warps */
    int hits;     /* `distinct`, without the first one of each key */
    int joined;   /* warps whose first key is the last key of the warp before */
    int lines;    /* runs of keys in the same LINE_KEYS keys */
    int front;    /* keys below front_keys */
};

constexpr unsigned int SAMPLE_SLOTS = 1024;
constexpr unsigned int LINE_KEYS = 32; /* a cache line of 4-byte sums */
constexpr uint32_t NOBODY = ~0u;       /* a mark that no key has */

/* A key's hash, before it is reduced to a table's size. */
template <class Key>
__device__ __forceinline__ uint32_t hash_of(Key key, uint32_t seed) {
    const uint64_t wide = key;
    return (static_cast<uint32_t>(wide ^ wide >> 32) ^ seed) * 0x9e3779b1u;
}

__device__ __forceinline__ uint32_t slot_of(uint32_t hash, uint32_t slots) {
    return static_cast<uint32_t>(static_cast<uint64_t>(hash) * slots >> 32);
}

/* All threads of the block call this and get the same counts. */
template <class Key>
__device__ __forceinline__ KeySample sample(const winnow__accumulate_args &args,
                                            const Part &part) {
    using Table = uint32_t[SAMPLE_SLOTS];
    using LastKeys = Key[MOST_THREADS / WARP];
    WINNOW__SHARED(table, Table);
    WINNOW__SHARED(last, LastKeys);
    for (unsigned int i = threadIdx.x; i < SAMPLE_SLOTS; i += blockDim.x)
        table[i] = NOBODY;
    __syncthreads();
    const uint64_t stratum = (part.end - part.first) / (blockDim.x / WARP);
    const uint64_t i = part.first + warp_id() * stratum + lane_id();
    Key keys[1];
    load_keys(args, Rows{i, 0, part.end}, keys);
    const Key key = keys[0];
    const bool there = key != NO_KEY<Key>;
    if (lane_id() == WARP - 1)
        last[warp_id()] = key;
    const unsigned int heads = heads_of(key);
    const unsigned int lines = heads_of<Key>(key / LINE_KEYS);
    const unsigned int peers = __match_any_sync(ALL_LANES, key);
    const bool run = there && (heads >> lane_id() & 1);
    const bool distinct = there && (peers & lanes_below()) == 0;
    /* A slot keeps the smallest mark, so that the order of threads does not
     * matter. */
    const uint32_t mark = hash_of(key, args.seed) & ~1u;
    uint32_t &slot = table[slot_of(mark, SAMPLE_SLOTS)];
    const bool first = distinct && atomicMin(&slot, mark) == NOBODY;
    const int slots = __syncthreads_count(first);
    const bool stays = distinct && slot == mark;
    const bool joined =
        there && lane_id() == 0 && warp_id() != 0 && last[warp_id() - 1] == key;
    return {__syncthreads_count(there),
            __syncthreads_count(run),
            __syncthreads_count(distinct),
            __syncthreads_count(stays) - slots,
            __syncthreads_count(joined),
            __syncthreads_count(there && (lines >> lane_id() & 1)),
            __syncthreads_count(there && key < args.front_keys)};
}

/* Do keys repeat in a warp? */
__device__ __forceinline__ bool repeats(const KeySample &sample) {
    return sample.distinct * 2 <= sample.keys;
}

/* Do keys repeat in a warp, with equal keys mostly adjacent? */
__device__ __forceinline__ bool has_runs(const KeySample &sample) {
    return repeats(sample) && sample.runs * 4 <= sample.distinct * 5;
}

/* Are neighbouring keys far from each other: in different cache lines? */
__device__ __forceinline__ bool is_spread(const KeySample &sample) {
    return sample.lines * 2 > sample.keys;
}

/* Are atomics in shared memory faster than finding lanes with equal keys? They
 * are if few lanes share a key. For floats such an atomic is a loop. */
__device__ __forceinline__ bool are_different(const KeySample &sample) {
    return sample.distinct * 5 >= sample.keys * 4;
}

/* Do warps share most keys? A run that continues from one warp to the next does
 * not count, unless one run covers all warps. */
__device__ __forceinline__ bool are_shared(const KeySample &sample) {
    const int distinct = sample.distinct - sample.joined;
    return distinct < 2 || (sample.hits - sample.joined) * 2 >= distinct;
}

/* Decides which lanes of a row add together. */
__device__ __forceinline__ int choose_row_way(const KeySample &sample) {
    return repeats(sample) && !has_runs(sample) ? WINNOW__WAY_WARP
                                                : WINNOW__WAY_RUNS;
}

/*
 * Do warps share keys so often that a cache of sums is faster? A sample of 512
 * keys has one hit for 24 keys if about 6000 keys are equally frequent, or if
 * 16 million follow Zipf's law (bench/KEYED.md). A cache of several components
 * has fewer slots: then one hit for 8 keys is needed.
 */
__device__ __forceinline__ bool
are_frequent(const winnow__accumulate_args &args, const KeySample &sample) {
    const int hits_of = args.direct || args.components == 1 ? 24 : 8;
    return sample.hits * hits_of >= sample.distinct;
}

/* Does front.cu take the part? It does if the part has no runs, enough of its
 * keys have sums in the shared memory of front.cu, and no key is frequent:
 * atomics to a frequent key would wait for each other. */
__device__ __forceinline__ bool takes_front(const winnow__accumulate_args &args,
                                            const KeySample &sample) {
    return args.front_keys != 0 && !has_runs(sample) &&
           !are_frequent(args, sample) &&
           sample.front * WINNOW__ACCUMULATE_FRONT_SHARE >= sample.keys;
}

/* Does shared memory have a slot for each key and component? */
__device__ __forceinline__ bool
has_all_sums(const winnow__accumulate_args &args) {
    return args.direct && args.components == args.all;
}

/* Does runs.cu take the part? It does if the part has runs, and sums are in
 * global memory or have a slot each. A cache takes frequent keys. */
__device__ __forceinline__ bool takes_runs(const winnow__accumulate_args &args,
                                           const KeySample &sample) {
    return args.runs && has_runs(sample) &&
           (has_all_sums(args) ||
            (args.way == WINNOW__WAY_AUTO && !are_shared(sample)));
}

/* Runs are added to global memory, with two exceptions. If a part has more runs
 * than there are slots, sums in shared memory take fewer global atomics: one
 * for each slot, at the end. If warps have the same keys, global atomics would
 * contend for few addresses. Slots for all keys have to be cleared and read
 * again. For a part with fewer items than slots, such as the last one, that
 * takes too long, unless the block uses slots already. */
__device__ __forceinline__ int choose_way(const winnow__accumulate_args &args,
                                          const Part &part,
                                          const KeySample &sample, bool begun) {
    const uint64_t items = part.end - part.first;
    const bool many_runs =
        has_all_sums(args) &&
        items * sample.runs >= uint64_t(args.slots) * sample.keys;
    if (has_runs(sample) && !are_shared(sample) && !many_runs)
        return WINNOW__WAY_RUNS;
    const int global =
        repeats(sample) ? choose_row_way(sample) : WINNOW__WAY_ATOMIC;
    if (args.direct && !begun && items < args.slots)
        return global;
    if (args.slots != 0 && (args.worth || are_frequent(args, sample)))
        return WINNOW__WAY_SHARED;
    return takes_front(args, sample) ? WINNOW__WAY_SHARED : global;
}

} // namespace winnow::accumulate
