/*
 * Sums by key that are kept in shared memory until the end.
 *
 * No two warps have a sum in common, so that there is no atomic in shared
 * memory, where GPUs have none for floats but a compare-and-swap loop. There
 * are `copies` of all sums, and in each copy a warp for each component. The
 * warps of a copy go through the same rows of the tiles, each for its
 * component.
 *
 * In a row the lanes with the same key add up first, so that a sum has one
 * lane. Where there is a slot for each key, that is all (`direct`). Else the
 * sums are a cache: a slot has a tag, the key whose sum it holds. A key that
 * finds another one there sends that one's sum to global memory and takes its
 * place. So a miss costs one atomic, as much as every item does without a
 * cache.
 *
 * A warp's lanes exchange sums and tags by shared memory; a __syncwarp() is
 * between any two rows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_ACCUMULATE_SHARED_CUH
#define WINNOW_KERNELS_ACCUMULATE_SHARED_CUH

#include "accumulate_items.cuh"
#include "accumulate_sample.cuh"

namespace winnow {

template <class V, class Key>
class SharedSums {
  public:
    __device__ __forceinline__ explicit SharedSums(
        const winnow__accumulate_args &arguments)
        : args(arguments), copy(warp_id() / arguments.components),
          component(warp_id() % arguments.components), begun(false) {
        WINNOW__DYNAMIC_SHARED(memory);
        const uint32_t all = args.copies * args.components * args.slots;
        values = reinterpret_cast<V *>(memory);
        tags = reinterpret_cast<Key *>(memory + all * sizeof(V));
    }

    /* All threads of the block. Returns how many of the keys that the thread
     * answers for were beyond the bound. */
    __device__ __forceinline__ unsigned int add(const Part &part) {
        if (!begun)
            begin();
        if (copy >= args.copies)
            return 0;
        constexpr unsigned int AHEAD = 4; /* rows that are loaded together */
        const uint64_t step = args.copies * WARP;
        unsigned int beyond = 0;
        for (uint64_t i = part.first + copy * WARP + lane_id();
             i - lane_id() < part.end; i += AHEAD * step) {
            Key keys[AHEAD];
            V items[AHEAD];
#pragma unroll
            for (unsigned int r = 0; r < AHEAD; r++) {
                const uint64_t item = i + r * step;
                keys[r] =
                    item < part.end ? load_key<Key>(args, item) : NO_KEY<Key>;
                beyond += item < part.end && keys[r] == NO_KEY<Key>;
            }
#pragma unroll
            for (unsigned int r = 0; r < AHEAD; r++)
                items[r] = keys[r] != NO_KEY<Key>
                               ? load_value<V>(args, component, i + r * step)
                               : V(0);
#pragma unroll
            for (unsigned int r = 0; r < AHEAD; r++)
                add_row(keys[r], items[r]);
        }
        return component == 0 ? beyond : 0;
    }

    /* All threads of the block: what is left goes to global memory. */
    __device__ __forceinline__ void flush() {
        if (!begun)
            return;
        if (args.direct)
            flush_direct();
        else if (copy < args.copies)
            flush_tagged();
    }

  private:
    /* Of a copy's component. */
    __device__ __forceinline__ uint32_t first_slot(uint32_t of_copy,
                                                   uint32_t of) const {
        return (of_copy * args.components + of) * args.slots;
    }

    __device__ __forceinline__ void begin() {
        const uint32_t all = args.copies * args.components * args.slots;
        for (uint32_t i = threadIdx.x; i < all;
             i += WINNOW__ACCUMULATE_THREADS) {
            values[i] = V(0);
            if (!args.direct)
                tags[i] = NO_KEY<Key>;
        }
        begun = true;
        __syncthreads();
    }

    __device__ __forceinline__ void add_row(Key key, V value) {
        const bool there = key != NO_KEY<Key>;
        const uint32_t slot = args.direct ? static_cast<uint32_t>(key)
                                          : slot_of(hash_of(key), args.slots);
        unsigned int peers = __match_any_sync(ALL_LANES, there ? slot : ~0u);
        if (!args.direct) {
            /* The slot is for the key of the first lane that wants it. */
            const Key wanted = __shfl_sync(ALL_LANES, key, __ffs(peers) - 1);
            const unsigned int same = __ballot_sync(ALL_LANES, wanted == key);
            if (wanted != key && there)
                add_to_out(args, component, key, value);
            peers = wanted == key ? peers & same : 1u << lane_id();
            if (wanted != key)
                key = NO_KEY<Key>;
        }
        const V sum = PeerTree(peers).sum(value);
        if (key != NO_KEY<Key> && (peers & lanes_below()) == 0)
            add_to_slot(first_slot(copy, component) + slot, key, sum);
        __syncwarp();
    }

    __device__ __forceinline__ void add_to_slot(uint32_t slot, Key key,
                                                V value) {
        if (args.direct || tags[slot] == key) {
            values[slot] += value;
            return;
        }
        if (tags[slot] != NO_KEY<Key>)
            add_to_out(args, component, tags[slot], values[slot]);
        tags[slot] = key;
        values[slot] = value;
    }

    __device__ __forceinline__ void flush_tagged() const {
        const uint32_t first = first_slot(copy, component);
        for (uint32_t i = lane_id(); i < args.slots; i += WARP)
            if (tags[first + i] != NO_KEY<Key>)
                add_to_out(args, component, tags[first + i], values[first + i]);
    }

    /* The copies' sums together, the components of a key side by side. A sum of
     * 0 is nothing to add: most of these keys did not occur. */
    __device__ __forceinline__ void flush_direct() const {
        __syncthreads();
        const uint32_t all =
            static_cast<uint32_t>(args.key_bound) * args.components;
        for (uint32_t i = threadIdx.x; i < all;
             i += WINNOW__ACCUMULATE_THREADS) {
            const uint32_t key = i / args.components, of = i % args.components;
            V sum = 0;
            for (uint32_t c = 0; c < args.copies; c++)
                sum += values[first_slot(c, of) + key];
            if (sum != V(0))
                add_to_out(args, of, key, sum);
        }
    }

    const winnow__accumulate_args &args;
    const uint32_t copy, component; /* the warp's */
    bool begun;
    V *values;
    Key *tags;
};

} // namespace winnow

#endif
