/*
 * Sums by key, one component at a time. The sums of the first keys are in
 * shared memory, for as many keys as there are room and items for; other sums
 * are in global memory. If keys differ, atomics in shared memory are several
 * times as fast as atomics in global memory.
 *
 * Blocks add the parts that by_key.cu left. That kernel had as many blocks and
 * threads, and took the same samples. With several components, a block adds one
 * component, or one and then the next; it adds more only if there are fewer
 * blocks than components. It takes the parts of as many blocks of by_key.cu as
 * there are components. So it adds its sums to global memory once or twice, not
 * once for each component. All warps of a block add to one copy.
 *
 * Order of memory: as in by_key.cu. That kernel wrote *beyond and ended before
 * this one; blocks add to it by relaxed atomics.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "launches.cuh"
#include "rows.cuh"
#include "sample.cuh"

namespace winnow::accumulate {

template <class V, class Key>
class FrontSums {
  public:
    __device__ __forceinline__ explicit FrontSums(
        const winnow__accumulate_args &arguments)
        : args(arguments), component(0), begun(false) {
        WINNOW__DYNAMIC_SHARED(memory);
        values = reinterpret_cast<V *>(memory);
    }

    /* All threads of the block call this. Later additions are to component
     * `other`. */
    __device__ __forceinline__ void turn_to(uint32_t other) {
        if (other == component)
            return;
        flush();
        begun = false;
        component = other;
    }

    /* All threads of the block call this. A thread clears the sums that it has
     * flushed. */
    __device__ __forceinline__ void begin() {
        if (begun)
            return;
        for (uint32_t i = threadIdx.x; i < args.front_keys; i += blockDim.x)
            values[i] = V(0);
        begun = true;
        __syncthreads();
    }

    /* All threads of the block call this. A sum of 0 need not be added. */
    __device__ __forceinline__ void flush() const {
        if (!begun)
            return;
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < args.front_keys; i += blockDim.x)
            if (values[i] != V(0))
                add_to_out(args, component, i, values[i]);
    }

    /* add_batches() calls these functions. */
    __device__ __forceinline__ bool has(Key) const {
        return true;
    }

    __device__ __forceinline__ uint32_t components() const {
        return 1;
    }

    __device__ __forceinline__ V load(unsigned int, uint64_t i) const {
        return load_value<V>(args, component, i);
    }

    __device__ __forceinline__ const FrontSums &of(unsigned int) const {
        return *this;
    }

    __device__ __forceinline__ void add(uint64_t key, V value) const {
        if (key < args.front_keys)
            atomicAdd(values + static_cast<uint32_t>(key), value);
        else
            add_to_out(args, component, key, value);
    }

  private:
    const winnow__accumulate_args &args;
    uint32_t component;
    bool begun;
    V *values;
};

template <class V, class Key>
__global__ void __launch_bounds__(MOST_THREADS, 1)
    front(const __grid_constant__ winnow__accumulate_args args) {
    wait_for_stream();
    if (is_nothing_left(args, &args.cursor->left))
        return;
    FrontSums<V, Key> sums(args);
    unsigned int beyond = 0;
    for (uint32_t i = 0; i < args.all; i++) {
        /* A share is one component of the parts of one block of by_key.cu.
         * Shares are ordered by component. */
        const uint32_t share = blockIdx.x * args.all + i;
        const uint32_t component = share / gridDim.x;
        sums.turn_to(component);
        Parts parts(args, share % gridDim.x);
        Part part;
        while (parts.take(part)) {
            const KeySample keys = sample<Key>(args, part);
            if (!takes_front(args, keys))
                continue;
            sums.begin();
            const unsigned int of_part = add_batches<V, Key, SingleBatch>(
                args, part, choose_row_way(keys), sums);
            if (component == 0)
                beyond += of_part;
        }
    }
    end_launch(args, &args.cursor->left, sums, beyond);
}

} // namespace winnow::accumulate

const winnow__kernel winnow__accumulate_front[WINNOW__SUMS][2] =
    WINNOW__SUM_TABLE(winnow::accumulate::MOST_THREADS,
                      winnow::accumulate::front);
