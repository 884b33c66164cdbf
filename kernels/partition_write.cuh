/*
 * partition_by_key by tiles: writes the groups of a tile, whose places
 * partition_places.cuh describes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_WRITE_CUH
#define WINNOW_KERNELS_PARTITION_WRITE_CUH

#include "partition_places.cuh"
#include "partition_reserve.cuh"
#include "selector.cuh"

namespace winnow {
namespace partition {

/* What is written of a tile. */
struct Written {
    unsigned int groups;
    bool checked; /* not all items of all groups are the chunk's, or have room
                     in their regions */
};

/* Elements that a thread writes at a time, of one group: in a vector of up to
 * 16 bytes. */
template <class T>
constexpr unsigned int TOGETHER = sizeof(T) < 4 ? 4 : 16 / sizeof(T);

template <unsigned int BYTES>
struct VectorOf {
    using Type = uint4;
    static_assert(BYTES == 16, "or less");
};
template <>
struct VectorOf<8> {
    using Type = uint2;
};
template <>
struct VectorOf<4> {
    using Type = uint32_t;
};

/* Store them as a vector. */
template <class T, unsigned int NUMBER>
__device__ __forceinline__ void store_together(T *to, const T (&x)[NUMBER]) {
    using Vector = typename VectorOf<NUMBER * sizeof(T)>::Type;
    Vector *const vector = reinterpret_cast<Vector *>(to);
    if constexpr (NUMBER == 1) {
        *vector = x[0];
    } else {
        uint32_t words[4] = {};
#pragma unroll
        for (unsigned int i = 0; i < NUMBER; i++) {
            if constexpr (sizeof(T) == 8) {
                words[2 * i] = static_cast<uint32_t>(x[i]);
                words[2 * i + 1] = static_cast<uint32_t>(x[i] >> 32);
            } else {
                words[i * sizeof(T) / 4] |= static_cast<uint32_t>(x[i])
                                            << 8 * (i * sizeof(T) % 4);
            }
        }
        if constexpr (sizeof(Vector) == 16)
            *vector = make_uint4(words[0], words[1], words[2], words[3]);
        else if constexpr (sizeof(Vector) == 8)
            *vector = make_uint2(words[0], words[1]);
        else
            *vector = words[0];
    }
}

/* Load them as a vector. */
template <class T, unsigned int NUMBER>
__device__ __forceinline__ void load_together(const T *from, T (&x)[NUMBER]) {
    using Vector = typename VectorOf<NUMBER * sizeof(T)>::Type;
    const Vector vector = *reinterpret_cast<const Vector *>(from);
    if constexpr (NUMBER == 1) {
        x[0] = vector;
    } else if constexpr (sizeof(Vector) == 16) {
#pragma unroll
        for (unsigned int i = 0; i < NUMBER; i++)
            x[i] = item<T>(vector, i);
    } else if constexpr (sizeof(Vector) == 8) {
#pragma unroll
        for (unsigned int i = 0; i < NUMBER; i++)
            x[i] = static_cast<T>((i * sizeof(T) < 4 ? vector.x : vector.y) >>
                                  8 * (i * sizeof(T) % 4));
    } else {
#pragma unroll
        for (unsigned int i = 0; i < NUMBER; i++)
            x[i] = static_cast<T>(vector >> 8 * (i * sizeof(T)));
    }
}

/* Call load(place, elements), then store(number, within, elements), for each
 * vector of all groups of a tile: `number` is the group's, `within` the first
 * element's place in it. By all threads. */
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
        store(group.number(), within, elements);
    }
}

/* Write all groups of a tile in vectors. `out` is aligned to them. */
template <class Shape, class T, class Load>
__device__ __forceinline__ void write_vectors(const TileMemory<Shape> &memory,
                                              unsigned int groups, T *out,
                                              Load load) {
    for_vectors<Shape, T>(
        memory, groups, load,
        [&](uint64_t number, unsigned int within, const auto &elements) {
            store_together(out + number * Shape::GROUP + within, elements);
        });
}

/* The same by an estimate, where some groups may go to spare rows. */
template <class Shape, class T, class Load>
__device__ __forceinline__ void
write_spare_vectors(const winnow__partition_args &args,
                    const TileMemory<Shape> &memory, unsigned int groups,
                    T *out, void *spare, Load load) {
    const Reserve<Shape> reserve(args, memory);
    for_vectors<Shape, T>(
        memory, groups, load,
        [&](uint64_t number, unsigned int within, const auto &elements) {
            T *const start =
                reserve.start(number, out, static_cast<T *>(spare));
            if (start != nullptr)
                store_together(start + within, elements);
        });
}

/* The same element by element, those that the chunk has: load(place, element)
 * has one, or there is none. With an estimate all are the chunk's, and go to
 * `out` if that is wanted, or to spare rows. */
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
        if constexpr (Shape::ESTIMATED) {
            T *const start =
                Reserve<Shape>(args, memory)
                    .start(group.number(), out, static_cast<T *>(spare));
            if (start != nullptr)
                start[within] = element;
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
__device__ __forceinline__ bool is_aligned(const T *out) {
    return reinterpret_cast<uintptr_t>(out) % (TOGETHER<T> * sizeof(T)) == 0;
}

template <class T>
__device__ __forceinline__ bool is_vectors(const Written &written,
                                           const T *out) {
    return !written.checked && is_aligned(out);
}

} // namespace partition
} // namespace winnow

#endif
