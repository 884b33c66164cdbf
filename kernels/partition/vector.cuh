/*
 * partition_by_key by tiles: neighbouring elements that a thread loads or
 * stores together, in a vector.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_VECTOR_CUH
#define WINNOW_KERNELS_PARTITION_VECTOR_CUH

#include "kernels/core/kernel.cuh"
#include "kernels/core/predicate.cuh"

namespace winnow {
namespace partition {

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

template <class T>
__device__ __forceinline__ bool is_aligned(const T *out) {
    return reinterpret_cast<uintptr_t>(out) % (TOGETHER<T> * sizeof(T)) == 0;
}

} // namespace partition
} // namespace winnow

#endif
