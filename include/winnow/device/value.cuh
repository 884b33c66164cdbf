/*
 * Values of any type that can be copied byte by byte: their bits, shuffles, and
 * operators.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_DEVICE_VALUE_CUH
#define WINNOW_DEVICE_VALUE_CUH

#include "platform.cuh"

namespace winnow::device {

/* A type that is not deduced from an argument: the type of the counter decides,
 * and a value of another type is converted. */
template <class T>
struct As {
    using Type = T;
};
template <class T>
using Same = typename As<T>::Type;

/* The unsigned integer of 2, 4 or 8 bytes that CUDA's atomics take. */
template <unsigned int BYTES>
struct WordOf {
    static_assert(BYTES == 2 || BYTES == 4 || BYTES == 8,
                  "a key, or a value that is updated atomically, has 2, 4 or 8 "
                  "bytes");
};
template <>
struct WordOf<2> {
    using Type = unsigned short;
};
template <>
struct WordOf<4> {
    using Type = unsigned int;
};
template <>
struct WordOf<8> {
    using Type = unsigned long long;
};
template <class T>
using Word = typename WordOf<sizeof(T)>::Type;

template <class To, class From>
__device__ __forceinline__ To copy_bits(const From &from) {
    static_assert(sizeof(To) == sizeof(From), "as many bytes");
    static_assert(__is_trivially_copyable(To) && __is_trivially_copyable(From),
                  "a type that can be copied byte by byte");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

/* The value of another lane. All lanes of the mask make the call with the same
 * mask, and `from` is one of them. */
template <class T>
__device__ __forceinline__ T shuffle(unsigned int mask, const T &value,
                                     unsigned int from) {
    static_assert(__is_trivially_copyable(T),
                  "a type that can be copied byte by byte");
    constexpr unsigned int WORDS = (sizeof(T) + 3) / 4;
    unsigned int words[WORDS] = {};
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (unsigned int i = 0; i < WORDS; i++)
        words[i] = __shfl_sync(mask, words[i], static_cast<int>(from));
    T result = value;
    memcpy(&result, words, sizeof(T));
    return result;
}

/* The value of the lane `step` below, for all lanes of a warp. If there is no
 * such lane, a lane gets its own value. */
template <class T>
__device__ __forceinline__ T shuffle_up(const T &value, unsigned int step) {
    static_assert(__is_trivially_copyable(T),
                  "a type that can be copied byte by byte");
    constexpr unsigned int WORDS = (sizeof(T) + 3) / 4;
    unsigned int words[WORDS] = {};
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (unsigned int i = 0; i < WORDS; i++)
        words[i] = __shfl_up_sync(FULL_WARP, words[i], step);
    T result = value;
    memcpy(&result, words, sizeof(T));
    return result;
}

/* The sum. Sums of signed integers wrap around, like those of an atomic. */
struct Plus {
    template <class T>
    __device__ __forceinline__ T operator()(const T &a, const T &b) const {
        return a + b;
    }
    __device__ __forceinline__ int operator()(int a, int b) const {
        return static_cast<int>(static_cast<unsigned int>(a) +
                                static_cast<unsigned int>(b));
    }
    __device__ __forceinline__ long operator()(long a, long b) const {
        return static_cast<long>(static_cast<unsigned long>(a) +
                                 static_cast<unsigned long>(b));
    }
    __device__ __forceinline__ long long operator()(long long a,
                                                    long long b) const {
        return static_cast<long long>(static_cast<unsigned long long>(a) +
                                      static_cast<unsigned long long>(b));
    }
};

/* If the two are equal, or one is NaN, the result is the first. */
struct Minimum {
    template <class T>
    __device__ __forceinline__ T operator()(const T &a, const T &b) const {
        return b < a ? b : a;
    }
};

struct Maximum {
    template <class T>
    __device__ __forceinline__ T operator()(const T &a, const T &b) const {
        return a < b ? b : a;
    }
};

} // namespace winnow::device

#endif
