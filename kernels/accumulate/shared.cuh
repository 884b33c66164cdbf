/*
 * Sums by key that are kept in shared memory until the end.
 *
 * If there is room, each of the block's first `copies` warps has a copy of all
 * sums, and adds rows of its own to it. So it needs no atomics in shared
 * memory, which for floats would be compare-and-swap loops. The peers of a row,
 * the lanes with the same key, are found once for all components; that takes
 * most of the time if keys differ. Peers add up their values first, and one of
 * them adds to the sum.
 *
 * `direct`: there is a slot for each key. Then a warp whose keys are different,
 * or come in runs, does not look for peers: its lanes add by atomics, one lane
 * for a run. If there is no room for a copy for each warp, and for 32-bit
 * integers, all warps add to one copy by atomics (`common`).
 *
 * If there are fewer slots than keys, the sums are a cache: a slot has a tag,
 * the key whose sums it holds. If a key finds the tag of another key, the other
 * key's sums are added to global memory and the key takes the slot. So a miss
 * costs one atomic for each component, as every item does without a cache.
 *
 * Lanes of a warp exchange sums and tags through shared memory, with a
 * __syncwarp() between rows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "rows.cuh"
#include "runs.cuh"
#include "sample.cuh"

namespace winnow::accumulate {

/* A component's sums in shared memory, from its sum `first` on. */
template <class V>
struct SharedColumn {
    uint32_t first;

    __device__ __forceinline__ void add(uint64_t key, V value) const {
        WINNOW__DYNAMIC_SHARED(memory);
        V *const sums = reinterpret_cast<V *>(memory) + first;
        atomicAdd(sums + static_cast<uint32_t>(key), value);
    }
};

/* A copy to which lanes add by atomics; all warps of a block share it, or each
 * warp has its own. */
template <class V, class Key>
struct BlockSums {
    using Several = SharedBatch<V>;

    const winnow__accumulate_args &args;
    uint32_t first; /* of the copy's sums */

    __device__ __forceinline__ bool has(Key) const {
        return true;
    }

    __device__ __forceinline__ uint32_t components() const {
        return args.components;
    }

    __device__ __forceinline__ V load(unsigned int component,
                                      uint64_t i) const {
        return load_value<V>(args, component, i);
    }

    __device__ __forceinline__ SharedColumn<V>
    of(unsigned int component) const {
        return {first + component * args.slots};
    }
};

template <class V, class Key>
class SharedSums {
  public:
    __device__ __forceinline__ explicit SharedSums(
        const winnow__accumulate_args &arguments)
        : args(arguments), copy(warp_id()), begun(false) {
        WINNOW__DYNAMIC_SHARED(memory);
        const uint32_t all = args.copies * args.components * args.slots;
        values = reinterpret_cast<V *>(memory);
        tags = reinterpret_cast<Key *>(memory + all * sizeof(V));
    }

    /* All threads of the block call this. Returns the number of the thread's
     * keys beyond the bound. */
    __device__ __forceinline__ unsigned int add(const Part &part,
                                                const KeySample &keys) {
        if (!begun)
            begin();
        if (args.common ||
            (args.direct && (are_different(keys) || has_runs(keys))))
            return add_part<V, Key>(args, part, choose_row_way(keys),
                                    block_sums());
        if (copy >= args.copies)
            return 0;
        return args.components == 1 ? add_own_rows<SingleBatch>(part)
                                    : add_own_rows<SharedBatch<V>>(part);
    }

    /* The same for a part in runs. */
    __device__ __forceinline__ unsigned int add_in_runs(const Part &part) {
        if (!begun)
            begin();
        return add_runs<V, Key>(args, part, block_sums());
    }

    __device__ __forceinline__ bool have_begun() const {
        return begun;
    }

    /* All threads of the block add the remaining sums to global memory. */
    __device__ __forceinline__ void flush() {
        if (!begun)
            return;
        if (args.direct)
            flush_direct();
        else if (copy < args.copies)
            flush_tagged();
    }

  private:
    /* What a lane does with its item's values. */
    struct Row {
        Key key;     /* NO_KEY: there is none */
        Key evicted; /* the key whose sums leave the slot, or NO_KEY */
        uint32_t slot;
        bool adds;   /* the lane adds the sum of its peers to the slot */
        bool fresh;  /* the slot has no sum of this key */
        bool passes; /* its values go to global memory at once */
        PeerTree tree;
    };

    /* The first slot of a copy's component. */
    __device__ __forceinline__ uint32_t first_slot(uint32_t of_copy,
                                                   uint32_t component) const {
        return (of_copy * args.components + component) * args.slots;
    }

    /* The warp's copy, or the copy that all warps share. */
    __device__ __forceinline__ BlockSums<V, Key> block_sums() const {
        return {args, args.common ? 0 : first_slot(copy, 0)};
    }

    __device__ __forceinline__ void begin() {
        const uint32_t slots = args.copies * args.slots;
        for (uint32_t i = threadIdx.x; i < slots * args.components;
             i += blockDim.x)
            values[i] = V(0);
        if (!args.direct)
            for (uint32_t i = threadIdx.x; i < slots; i += blockDim.x)
                tags[i] = NO_KEY<Key>;
        begun = true;
        __syncthreads();
    }

    template <class Batch>
    __device__ __forceinline__ unsigned int add_own_rows(const Part &part) {
        const uint64_t step = args.copies * WARP;
        unsigned int beyond = 0;
        for (uint64_t i = part.first + copy * WARP + lane_id();
             i - lane_id() < part.end; i += Batch::ROWS * step) {
            const Rows rows = {i, step, part.end};
            Key keys[Batch::ROWS];
            beyond += load_keys(args, rows, keys);
            add_batch<Batch>(keys, rows);
        }
        return beyond;
    }

    template <class Batch>
    __device__ __forceinline__ void add_batch(const Key (&keys)[Batch::ROWS],
                                              const Rows &rows) {
        Row row[Batch::ROWS];
        for (uint32_t first = 0; first < Batch::all(args.components);
             first += Batch::COMPONENTS) {
            V items[Batch::ROWS][Batch::COMPONENTS];
#pragma unroll
            for (unsigned int r = 0; r < Batch::ROWS; r++) {
#pragma unroll
                for (unsigned int c = 0; c < Batch::COMPONENTS; c++)
                    items[r][c] =
                        first + c < Batch::all(args.components)
                            ? load_value<V>(args, first + c, rows.at(r))
                            : V(0);
            }
#pragma unroll
            for (unsigned int r = 0; r < Batch::ROWS; r++) {
                if (first == 0)
                    row[r] = look_up(keys[r]);
#pragma unroll
                for (unsigned int c = 0; c < Batch::COMPONENTS; c++)
                    if (first + c < Batch::all(args.components))
                        add_one(row[r], first + c, items[r][c]);
                __syncwarp();
            }
        }
    }

    /* Find the row's peers, and take the slot. Only one lane reads and writes a
     * tag. */
    __device__ __forceinline__ Row look_up(Key key) {
        Row row = {key, NO_KEY<Key>, 0, false, false, false, PeerTree()};
        const bool there = key != NO_KEY<Key>;
        row.slot = args.direct ? static_cast<uint32_t>(key)
                               : slot_of(hash_of(key, args.seed), args.slots);
        unsigned int peers =
            __match_any_sync(ALL_LANES, there ? row.slot : ~0u);
        if (!args.direct) {
            /* The slot goes to the key of the lowest lane that hashes to it. */
            const Key wanted = __shfl_sync(ALL_LANES, key, __ffs(peers) - 1);
            const unsigned int same = __ballot_sync(ALL_LANES, wanted == key);
            row.passes = there && wanted != key;
            peers = wanted == key ? peers & same : 1u << lane_id();
        }
        row.tree = PeerTree(peers);
        row.adds = there && !row.passes && (peers & lanes_below()) == 0;
        if (row.adds && !args.direct) {
            Key &tag = tags[copy * args.slots + row.slot];
            row.fresh = tag != key;
            if (row.fresh) {
                row.evicted = tag;
                tag = key;
            }
        }
        return row;
    }

    __device__ __forceinline__ void add_one(const Row &row, uint32_t component,
                                            V value) {
        const V sum = row.tree.sum(value);
        if (row.passes)
            add_to_out(args, component, row.key, value);
        if (!row.adds)
            return;
        V &here = values[first_slot(copy, component) + row.slot];
        if (row.evicted != NO_KEY<Key>)
            add_to_out(args, component, row.evicted, here);
        here = row.fresh ? sum : here + sum;
    }

    __device__ __forceinline__ void flush_tagged() const {
        for (uint32_t i = lane_id(); i < args.slots; i += WARP) {
            const Key key = tags[copy * args.slots + i];
            if (key == NO_KEY<Key>)
                continue;
            for (uint32_t c = 0; c < args.components; c++)
                add_to_out(args, c, key, values[first_slot(copy, c) + i]);
        }
    }

    /* Adds up the copies. Neighbouring threads have the components of one key.
     * A sum of 0 need not be added: most such keys did not occur. */
    __device__ __forceinline__ void flush_direct() const {
        __syncthreads();
        const uint32_t all =
            static_cast<uint32_t>(args.key_bound) * args.components;
        for (uint32_t i = threadIdx.x; i < all; i += blockDim.x) {
            const uint32_t key = i / args.components, of = i % args.components;
            V sum = 0;
            for (uint32_t c = 0; c < args.copies; c++)
                sum += values[first_slot(c, of) + key];
            if (sum != V(0))
                add_to_out(args, of, key, sum);
        }
    }

    const winnow__accumulate_args &args;
    const uint32_t copy; /* the warp's */
    bool begun;
    V *values;
    Key *tags;
};

} // namespace winnow::accumulate
