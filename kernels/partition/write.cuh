/*
 * partition_by_key by tiles: writes the groups of a tile, whose places
 * places.cuh describes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_WRITE_CUH
#define WINNOW_KERNELS_PARTITION_WRITE_CUH

#include "exact.cuh"
#include "places.cuh"
#include "reserve.cuh"

namespace winnow {
namespace partition {

/* What is written of a tile. */
struct Written {
    unsigned int groups;
    bool checked; /* not all items of all groups are the chunk's, or have room
                     in their regions */
};

/* Call load(place, elements), then store(group, within, elements), for each
 * vector of all groups of a tile: `within` is the first element's place in its
 * group. By all threads. */
template <class Shape, class T, class Load, class Store>
__device__ __forceinline__ void for_vectors(const TileMemory<Shape> &memory,
                                            unsigned int groups, Load load,
                                            Store store) {
    constexpr unsigned int NUMBER = TOGETHER<T>;
    const unsigned int end = groups * Shape::GROUP;
    /* One vector at a time: two would spill. */
#pragma unroll 1
    for (unsigned int i = thread_number() * NUMBER; i < end;
         i += Shape::THREADS * NUMBER) {
        const Group group = memory.groups[i / Shape::GROUP];
        const unsigned int within = i % Shape::GROUP;
        T elements[NUMBER];
        load(group.place() + within, elements);
        store(group, within, elements);
    }
}

/* Write all groups of a tile in vectors. `out` is aligned to them. */
template <class Shape, class T, class Load>
__device__ __forceinline__ void write_vectors(const TileMemory<Shape> &memory,
                                              unsigned int groups, T *out,
                                              Load load) {
    for_vectors<Shape, T>(
        memory, groups, load,
        [&](const Group &group, unsigned int within, const auto &elements) {
            store_together(out + group.number() * Shape::GROUP + within,
                           elements);
        });
}

/* The same where some regions may have no room. */
template <class Shape, class T, class Load>
__device__ __forceinline__ void
write_reserved_vectors(const winnow__partition_args &args,
                       const TileMemory<Shape> &memory, unsigned int groups,
                       T *out, void *spare, Load load) {
    const ReserveOf<Shape> reserve(args, memory);
    for_vectors<Shape, T>(
        memory, groups, load,
        [&](const Group &group, unsigned int within, const auto &elements) {
            reserve.store(group, within, elements, out, spare);
        });
}

/* The same element by element, those that the chunk has: load(place, element)
 * has one, or there is none. Where places are reserved all are the chunk's. */
template <class Shape, class T, class Load>
__device__ __forceinline__ void
write_elements(const winnow__partition_args &args,
               const TileMemory<Shape> &memory, const Written &written, T *out,
               void *spare, Load load) {
    const unsigned int end = written.groups * Shape::GROUP;
#pragma unroll 2
    for (unsigned int i = thread_number(); i < end; i += Shape::THREADS) {
        const Group group = memory.groups[i / Shape::GROUP];
        const unsigned int within = i % Shape::GROUP;
        const uint64_t to = group.number() * Shape::GROUP + within;
        T element;
        if (!load(group.place() + within, element))
            continue;
        if constexpr (Shape::RESERVES) {
            ReserveOf<Shape>(args, memory)
                .store_one(group, within, element, out, spare);
        } else if (!written.checked || (to >= memory.first[group.digit()] &&
                                        to < memory.end[group.digit()])) {
            out[to] = element;
        }
    }
}

/* The elements of so many items from `begin` on are wanted soon. By all
 * threads. */
template <class Shape>
__device__ __forceinline__ void
prefetch_elements(const void *in, uint64_t bytes, uint64_t begin,
                  unsigned int items) {
    prefetch_lines<Shape::THREADS>(
        static_cast<const unsigned char *>(in) + begin * bytes,
        items * static_cast<unsigned int>(bytes), thread_number());
}

template <class T>
__device__ __forceinline__ bool is_vectors(const Written &written,
                                           const T *out) {
    return !written.checked && is_aligned(out);
}

} // namespace partition
} // namespace winnow

#endif
