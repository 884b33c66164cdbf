/*
 * Sums by key: what all ways share. The items of a block, their keys and
 * values, and the sums in global memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "kernels/core/kernel.cuh"
#include "kernels/core/peers.cuh"

#include <type_traits>

namespace winnow::accumulate {

/* A team is the threads that take adjacent rows. A block has one or two
 * teams. */
constexpr unsigned int TEAM = WINNOW__ACCUMULATE_THREADS;
constexpr unsigned int MOST_THREADS = WINNOW__ACCUMULATE_BLOCKS * TEAM;

__device__ __forceinline__ unsigned int teams() {
    return blockDim.x / TEAM;
}

/* Items from `first` on, up to `end`. */
struct Part {
    uint64_t first, end;
};

/* A block takes a new sample after this number of tiles. */
constexpr uint64_t EPOCH = 64;

/* The parts of a block: each has EPOCH of its tiles. */
class Parts {
  public:
    __device__ __forceinline__ Parts(const winnow__accumulate_args &args,
                                     uint32_t block)
        : next_(block * args.tiles * WINNOW__ACCUMULATE_TILE),
          end_(min(items_of(args),
                   next_ + args.tiles * WINNOW__ACCUMULATE_TILE)) {
    }

    /* Gives the next part; returns false if there is none. */
    __device__ __forceinline__ bool take(Part &part) {
        if (next_ >= end_)
            return false;
        part.first = next_;
        part.end = min(end_, next_ + EPOCH * WINNOW__ACCUMULATE_TILE);
        next_ = part.end;
        return true;
    }

  private:
    uint64_t next_, end_;
};

__device__ __forceinline__ void report_way(const winnow__accumulate_args &args,
                                           int way) {
    if (args.chosen != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
        *args.chosen = way;
}

/* Rows and components that a warp loads together. */
template <unsigned int ROWS_, unsigned int COMPONENTS_>
struct Batch {
    static constexpr unsigned int ROWS = ROWS_, COMPONENTS = COMPONENTS_;

    /* The number of components; a constant if it is 1. */
    __device__ __forceinline__ static unsigned int all(uint32_t components) {
        return COMPONENTS == 1 ? 1 : components;
    }
};

/* Batches for one component, for several components with sums in global memory
 * (one row, so that additions for a key hit the cache), and for several with
 * sums in shared memory. Values of 8 bytes take twice the registers. */
using SingleBatch = Batch<4, 1>;
using GlobalBatch = Batch<1, 8>;
template <class V>
using SharedBatch =
    std::conditional_t<sizeof(V) == 4, Batch<2, 4>, Batch<1, 8>>;

/* Replaces a key that is not counted: no bound is above it. */
template <class Key>
constexpr Key NO_KEY = static_cast<Key>(~Key(0));

/* A lane's items of several rows: item, item + step..., up to end. */
struct Rows {
    uint64_t item, step, end;

    __device__ __forceinline__ bool has(unsigned int row) const {
        return item + row * step < end;
    }

    /* The item of the row, or the last item if there is none: so all loads of a
     * batch are issued together, without a branch between them. */
    __device__ __forceinline__ uint64_t at(unsigned int row) const {
        return has(row) ? item + row * step : end - 1;
    }
};

template <class From, class Key, unsigned int ROWS>
__device__ __forceinline__ unsigned int
load_keys_from(const From *from, const winnow__accumulate_args &args,
               const Rows &rows, Key (&keys)[ROWS]) {
    From loaded[ROWS];
    unsigned int beyond = 0;
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++)
        loaded[r] = __ldcs(from + rows.at(r));
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++) {
        const bool below = loaded[r] < args.key_bound;
        keys[r] =
            below && rows.has(r) ? static_cast<Key>(loaded[r]) : NO_KEY<Key>;
        beyond += rows.has(r) && !below;
    }
    return beyond;
}

/* Loads keys; those beyond the bound become NO_KEY, as do rows that are not
 * there. Returns the number of keys beyond the bound. */
template <class Key, unsigned int ROWS>
__device__ __forceinline__ unsigned int
load_keys(const winnow__accumulate_args &args, const Rows &rows,
          Key (&keys)[ROWS]) {
    return args.wide ? load_keys_from(
                           static_cast<const unsigned long long *>(args.keys),
                           args, rows, keys)
                     : load_keys_from(static_cast<const uint32_t *>(args.keys),
                                      args, rows, keys);
}

/* The type of `narrow` values, whose sums have 8 bytes. */
template <class V>
using NarrowOf = std::conditional_t<std::is_same_v<V, double>, float, uint32_t>;

__device__ __forceinline__ double widen(const winnow__accumulate_args &,
                                        float value) {
    return value;
}

/* Extends the sign, if values have one. */
__device__ __forceinline__ unsigned long long
widen(const winnow__accumulate_args &args, uint32_t value) {
    return static_cast<unsigned long long>(value ^ args.sign) - args.sign;
}

template <class V>
__device__ __forceinline__ V load_value(const winnow__accumulate_args &args,
                                        unsigned int component, uint64_t i) {
    const void *const values = args.arrays.values[component];
    i *= args.arrays.value_stride;
    if constexpr (sizeof(V) == 8)
        if (args.narrow)
            return widen(args,
                         __ldcs(static_cast<const NarrowOf<V> *>(values) + i));
    return __ldcs(static_cast<const V *>(values) + i);
}

/* A component's sums in global memory. */
template <class V>
struct GlobalColumn {
    V *sums;
    uint64_t stride;

    __device__ __forceinline__ void add(uint64_t key, V value) const {
        add_relaxed(sums + key * stride, value);
    }
};

template <class V>
__device__ __forceinline__ GlobalColumn<V>
out_column(const winnow__accumulate_args &args, unsigned int component) {
    return {static_cast<V *>(args.arrays.out[component]),
            args.arrays.out_stride};
}

template <class V>
__device__ __forceinline__ void add_to_out(const winnow__accumulate_args &args,
                                           unsigned int component, uint64_t key,
                                           V value) {
    out_column<V>(args, component).add(key, value);
}

} // namespace winnow::accumulate
