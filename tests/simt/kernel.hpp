/*
 * What a kernel's source sees when the host's compiler compiles it: CUDA's
 * keywords, built-in variables and functions. kernels/core/ptx.cuh includes it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_KERNEL_HPP
#define WINNOW_TESTS_SIMT_KERNEL_HPP

#include "device.hpp"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __launch_bounds__(...)

struct uint2 {
    unsigned int x, y;
};
struct alignas(16) uint4 {
    unsigned int x, y, z, w;
};

inline uint2 make_uint2(unsigned int x, unsigned int y) {
    return {x, y};
}
inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z,
                        unsigned int w) {
    return {x, y, z, w};
}

using std::max;
using std::min;

/* ------------------------------------------------------- built-in variables */

/* threadIdx.x and the like: objects, since structs have members of that name.
 */
#define WINNOW__SIMT_INDEX(NAME, MEMBER)                                       \
    constexpr struct {                                                         \
        struct {                                                               \
            operator unsigned int() const {                                    \
                return simt::place->MEMBER.x;                                  \
            }                                                                  \
        } x;                                                                   \
        struct {                                                               \
            operator unsigned int() const {                                    \
                return simt::place->MEMBER.y;                                  \
            }                                                                  \
        } y;                                                                   \
        struct {                                                               \
            operator unsigned int() const {                                    \
                return simt::place->MEMBER.z;                                  \
            }                                                                  \
        } z;                                                                   \
    } NAME = {}
WINNOW__SIMT_INDEX(threadIdx, thread);
WINNOW__SIMT_INDEX(blockIdx, block);
WINNOW__SIMT_INDEX(blockDim, block_dim);
WINNOW__SIMT_INDEX(gridDim, grid_dim);
#undef WINNOW__SIMT_INDEX
constexpr int warpSize = 32;

/* ------------------------------------------------------------------- warps */

inline void __syncwarp(unsigned int mask = 0xffffffffu) {
    simt::collective(simt::SYNC, mask, 0);
}
/* Which call this is, is known by where it returns to; so it is never one. */
__attribute__((always_inline)) inline unsigned int __activemask() {
    return simt::active_mask();
}
inline unsigned int __ballot_sync(unsigned int mask, int predicate) {
    return static_cast<unsigned int>(
        simt::collective(simt::BALLOT, mask, predicate != 0));
}
inline int __any_sync(unsigned int mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned int mask, int predicate) {
    return __ballot_sync(mask, !predicate) == 0;
}

template <class T>
T __shfl_sync(unsigned int mask, T value, int from, int width = 32) {
    const unsigned int first = simt::lane() & ~(width - 1u);
    return simt::from_bits<T>(
        simt::collective(simt::SHUFFLE, mask, simt::to_bits(value),
                         first + (static_cast<unsigned>(from) & (width - 1u))));
}
template <class T>
T __shfl_up_sync(unsigned int mask, T value, unsigned int delta,
                 int width = 32) {
    const unsigned int own = simt::lane(), first = own & ~(width - 1u);
    return simt::from_bits<T>(
        simt::collective(simt::SHUFFLE, mask, simt::to_bits(value),
                         own - first >= delta ? own - delta : own));
}
template <class T>
T __shfl_down_sync(unsigned int mask, T value, unsigned int delta,
                   int width = 32) {
    const unsigned int own = simt::lane(), last = own | (width - 1u);
    return simt::from_bits<T>(
        simt::collective(simt::SHUFFLE, mask, simt::to_bits(value),
                         last - own >= delta ? own + delta : own));
}
template <class T>
T __shfl_xor_sync(unsigned int mask, T value, int bits, int width = 32) {
    const unsigned int own = simt::lane(), from = own ^ bits;
    return simt::from_bits<T>(
        simt::collective(simt::SHUFFLE, mask, simt::to_bits(value),
                         from <= (own | (width - 1u)) ? from : own));
}

template <class T>
unsigned int __match_any_sync(unsigned int mask, T value) {
    return static_cast<unsigned int>(
        simt::collective(simt::MATCH_ANY, mask, simt::to_bits(value)));
}
template <class T>
unsigned int __match_all_sync(unsigned int mask, T value, int *all) {
    const auto same = static_cast<unsigned int>(
        simt::collective(simt::MATCH_ALL, mask, simt::to_bits(value)));
    *all = same != 0;
    return same;
}

inline unsigned int __reduce_add_sync(unsigned int mask, unsigned int x) {
    return static_cast<unsigned int>(
        simt::collective(simt::REDUCE_ADD, mask, x));
}
inline unsigned int __reduce_min_sync(unsigned int mask, unsigned int x) {
    return static_cast<unsigned int>(
        simt::collective(simt::REDUCE_MIN, mask, x));
}
inline unsigned int __reduce_max_sync(unsigned int mask, unsigned int x) {
    return static_cast<unsigned int>(
        simt::collective(simt::REDUCE_MAX, mask, x));
}
inline int __reduce_add_sync(unsigned int mask, int x) {
    return static_cast<int>(
        simt::collective(simt::REDUCE_ADD, mask, static_cast<unsigned int>(x)));
}
inline int __reduce_min_sync(unsigned int mask, int x) {
    return static_cast<int>(simt::collective(simt::REDUCE_MIN_SIGNED, mask,
                                             static_cast<unsigned int>(x)));
}
inline int __reduce_max_sync(unsigned int mask, int x) {
    return static_cast<int>(simt::collective(simt::REDUCE_MAX_SIGNED, mask,
                                             static_cast<unsigned int>(x)));
}
inline unsigned int __reduce_and_sync(unsigned int mask, unsigned int x) {
    return static_cast<unsigned int>(
        simt::collective(simt::REDUCE_AND, mask, x));
}
inline unsigned int __reduce_or_sync(unsigned int mask, unsigned int x) {
    return static_cast<unsigned int>(
        simt::collective(simt::REDUCE_OR, mask, x));
}
inline unsigned int __reduce_xor_sync(unsigned int mask, unsigned int x) {
    return static_cast<unsigned int>(
        simt::collective(simt::REDUCE_XOR, mask, x));
}

/* ------------------------------------------------------------------ blocks */

inline void __syncthreads() {
    simt::block_barrier(simt::NO_COUNT, 0);
}
inline int __syncthreads_count(int predicate) {
    return simt::block_barrier(simt::COUNT, predicate);
}
inline int __syncthreads_and(int predicate) {
    return simt::block_barrier(simt::AND, predicate);
}
inline int __syncthreads_or(int predicate) {
    return simt::block_barrier(simt::OR, predicate);
}

/* ------------------------------------------------------------------ memory */

inline void __threadfence_block() {
    simt::fence(simt::BLOCK);
}
inline void __threadfence() {
    simt::fence(simt::DEVICE);
}
inline void __threadfence_system() {
    simt::fence(simt::DEVICE);
}

/* Loads and stores that leave the caches alone are plain ones. A GPU traps
 * where the address is not aligned. */
template <class T>
T __ldcs(const T *from) {
    if (reinterpret_cast<uintptr_t>(from) % alignof(T) != 0)
        simt::trap();
    return *from;
}
template <class T>
T __ldg(const T *from) {
    return *from;
}
template <class T>
void __stcs(T *to, const std::common_type_t<T> &value) {
    *to = value;
}

#define WINNOW__SIMT_ATOMIC(NAME, OPERATION)                                   \
    template <class T>                                                         \
    T NAME(T *word, std::common_type_t<T> operand) {                           \
        return simt::update(word, operand, simt::OPERATION());                 \
    }                                                                          \
    template <class T>                                                         \
    T NAME##_block(T *word, std::common_type_t<T> operand) {                   \
        return simt::update(word, operand, simt::OPERATION(), simt::RELAXED,   \
                            simt::BLOCK);                                      \
    }                                                                          \
    template <class T>                                                         \
    T NAME##_system(T *word, std::common_type_t<T> operand) {                  \
        return simt::update(word, operand, simt::OPERATION());                 \
    }
WINNOW__SIMT_ATOMIC(atomicAdd, Add)
WINNOW__SIMT_ATOMIC(atomicSub, Subtract)
WINNOW__SIMT_ATOMIC(atomicExch, Exchange)
WINNOW__SIMT_ATOMIC(atomicMin, Minimum)
WINNOW__SIMT_ATOMIC(atomicMax, Maximum)
WINNOW__SIMT_ATOMIC(atomicAnd, And)
WINNOW__SIMT_ATOMIC(atomicOr, Or)
WINNOW__SIMT_ATOMIC(atomicXor, Xor)
#undef WINNOW__SIMT_ATOMIC

template <class T>
T atomicCAS(T *word, std::common_type_t<T> expected,
            std::common_type_t<T> value) {
    return simt::compare_and_swap(word, expected, value);
}

/* ----------------------------------------------------------------- integers */

inline int __popc(unsigned int x) {
    return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
inline int __ffs(unsigned int x) {
    return __builtin_ffs(static_cast<int>(x));
}
inline int __ffsll(unsigned long long x) {
    return __builtin_ffsll(static_cast<long long>(x));
}
inline int __clz(unsigned int x) {
    return x == 0 ? 32 : __builtin_clz(x);
}
inline unsigned int __byte_perm(unsigned int low, unsigned int high,
                                unsigned int selector) {
    const unsigned long long bytes = (unsigned long long)high << 32 | low;
    unsigned int result = 0;
    for (unsigned int i = 0; i < 4; i++)
        result |= (unsigned int)(bytes >> (selector >> 4 * i & 7) * 8 & 0xff)
                  << 8 * i;
    return result;
}

inline unsigned int __funnelshift_l(unsigned int low, unsigned int high,
                                    unsigned int shift) {
    const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
    return static_cast<unsigned int>(both << (shift & 31) >> 32);
}
inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high,
                                     unsigned int shift) {
    const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
    return static_cast<unsigned int>(both << (shift < 32 ? shift : 32) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high,
                                    unsigned int shift) {
    const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
    return static_cast<unsigned int>(both >> (shift & 31));
}
namespace simt {
template <class Byte, class Sum>
Sum dot_of_bytes(Sum a, Sum b, Sum sum) {
    for (int i = 0; i < 32; i += 8)
        sum += static_cast<Byte>(a >> i) * static_cast<Byte>(b >> i);
    return sum;
}
template <class Half, class Byte, class Sum>
Sum dot_of_halves(Sum a, Sum b, Sum sum) {
    for (int i = 0; i < 2; i++)
        sum += static_cast<Half>(a >> 16 * i) * static_cast<Byte>(b >> 8 * i);
    return sum;
}
} // namespace simt
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int sum) {
    return simt::dot_of_bytes<uint8_t>(a, b, sum);
}
inline int __dp4a(int a, int b, int sum) {
    return simt::dot_of_bytes<int8_t>(a, b, sum);
}
inline unsigned int __dp2a_lo(unsigned int a, unsigned int b,
                              unsigned int sum) {
    return simt::dot_of_halves<uint16_t, uint8_t>(a, b, sum);
}
inline int __dp2a_lo(int a, int b, int sum) {
    return simt::dot_of_halves<int16_t, int8_t>(a, b, sum);
}
inline unsigned int __vminu2(unsigned int a, unsigned int b) {
    const auto least = [&](int shift) {
        return std::min(a >> shift & 0xffff, b >> shift & 0xffff) << shift;
    };
    return least(16) | least(0);
}

/* ------------------------------------------------------------------ floats */

inline float __uint_as_float(unsigned int x) {
    float value;
    std::memcpy(&value, &x, sizeof(value));
    return value;
}
inline double __longlong_as_double(long long x) {
    double value;
    std::memcpy(&value, &x, sizeof(value));
    return value;
}

/* ------------------------------------------------------------------- other */

inline long long clock64() {
    return static_cast<long long>(simt::cycles());
}
[[noreturn]] inline void __trap() {
    simt::trap();
}

#endif
