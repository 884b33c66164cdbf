/*
 * Atomic updates of one value: by CUDA's own atomic if it has one, and by a
 * loop of compare-and-swap for all other types and operators.
 *
 * Like atomicAdd() they are relaxed, at the scope of the device, and work on
 * global and shared memory. They return the value before the update.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_DEVICE_ATOMIC_CUH
#define WINNOW_DEVICE_ATOMIC_CUH

#include "value.cuh"

namespace winnow::device {

/*
 * *to = op(*to, value), by compare-and-swap, for a T of 2, 4 or 8 bytes that is
 * aligned to its size. Bits are compared, so a NaN equals itself and the loop
 * ends. If another thread has updated *to, the loop repeats; so some thread
 * succeeds in each round.
 */
template <class T, class Op>
__device__ __forceinline__ T atomic_update_cas(T *to, Same<T> value, Op op) {
    Word<T> *const word = reinterpret_cast<Word<T> *>(to);
    Word<T> seen = port::load_relaxed(word);
    for (;;) {
        const Word<T> next =
            copy_bits<Word<T>>(static_cast<T>(op(copy_bits<T>(seen), value)));
        const Word<T> found = atomicCAS(word, seen, next);
        if (found == seen)
            return copy_bits<T>(seen);
        seen = found;
    }
}

template <class T>
__device__ __forceinline__ T atomic_add_cas(T *to, Same<T> value) {
    return atomic_update_cas(to, value, Plus());
}

template <class T>
__device__ __forceinline__ T atomic_min_cas(T *to, Same<T> value) {
    return atomic_update_cas(to, value, Minimum());
}

template <class T>
__device__ __forceinline__ T atomic_max_cas(T *to, Same<T> value) {
    return atomic_update_cas(to, value, Maximum());
}

/* ------------------------------------------------------- CUDA's own atomics */

/* The type that CUDA's atomic functions have for a type T. They have no long,
 * which is as wide as int or long long. Signed integers are added as unsigned
 * integers. `void`: CUDA has no such function. */
template <class T>
struct Native {
    using Sum = void;
    using Order = void; /* minimum, maximum */
};
template <>
struct Native<int> {
    using Sum = unsigned int;
    using Order = int;
};
template <>
struct Native<unsigned int> {
    using Sum = unsigned int;
    using Order = unsigned int;
};
template <>
struct Native<long long> {
    using Sum = unsigned long long;
    using Order = long long;
};
template <>
struct Native<unsigned long long> {
    using Sum = unsigned long long;
    using Order = unsigned long long;
};
template <unsigned int BYTES>
struct Long {
    using Signed = long long;
    using Unsigned = unsigned long long;
};
template <>
struct Long<4> {
    using Signed = int;
    using Unsigned = unsigned int;
};
template <>
struct Native<long> {
    using Sum = Long<sizeof(long)>::Unsigned;
    using Order = Long<sizeof(long)>::Signed;
};
template <>
struct Native<unsigned long> {
    using Sum = Long<sizeof(long)>::Unsigned;
    using Order = Long<sizeof(long)>::Unsigned;
};
template <>
struct Native<float> {
    using Sum = float;
    using Order = void;
};
template <>
struct Native<double> {
    using Sum = double;
    using Order = void;
};

/* An update by CUDA's atomic for type U; if U is `void`, by
 * compare-and-swap. */
template <class U>
struct AtomicAs {
    template <class T>
    __device__ __forceinline__ static T update(T *to, T value, Plus) {
        return static_cast<T>(
            atomicAdd(reinterpret_cast<U *>(to), static_cast<U>(value)));
    }
    template <class T>
    __device__ __forceinline__ static T update(T *to, T value, Minimum) {
        return static_cast<T>(
            atomicMin(reinterpret_cast<U *>(to), static_cast<U>(value)));
    }
    template <class T>
    __device__ __forceinline__ static T update(T *to, T value, Maximum) {
        return static_cast<T>(
            atomicMax(reinterpret_cast<U *>(to), static_cast<U>(value)));
    }
};
template <>
struct AtomicAs<void> {
    template <class T, class Op>
    __device__ __forceinline__ static T update(T *to, T value, Op op) {
        return atomic_update_cas(to, value, op);
    }
};

/* *to = op(*to, value), in the fastest way for the type. */
template <class T, class Op>
__device__ __forceinline__ T atomic_update(T *to, Same<T> value, Op op) {
    return atomic_update_cas(to, value, op);
}
template <class T>
__device__ __forceinline__ T atomic_update(T *to, Same<T> value, Plus op) {
    return AtomicAs<typename Native<T>::Sum>::update(to, value, op);
}
template <class T>
__device__ __forceinline__ T atomic_update(T *to, Same<T> value, Minimum op) {
    return AtomicAs<typename Native<T>::Order>::update(to, value, op);
}
template <class T>
__device__ __forceinline__ T atomic_update(T *to, Same<T> value, Maximum op) {
    return AtomicAs<typename Native<T>::Order>::update(to, value, op);
}

} // namespace winnow::device

#endif
