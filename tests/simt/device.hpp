/*
 * What the machine does for a CUDA thread, which is a fiber: all that threads
 * do together, and all that they do to memory that others look at. A fiber may
 * be stopped in each of these.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_DEVICE_HPP
#define WINNOW_TESTS_SIMT_DEVICE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace simt {

/* ------------------------------------------------------ where a thread is */

struct Index {
    unsigned int x, y, z;
};

struct Place {
    Index thread, block, block_dim, grid_dim;
};

extern const Place *place; /* of the thread that runs */

inline unsigned int lane() {
    return place->thread.x % 32;
}
inline unsigned int lanes_below() {
    return (1u << lane()) - 1;
}

/* ------------------------------------------------------------- launching */

/* How a kernel is called with arguments that are in memory. */
using Invoker = void(const void *kernel, void *const *arguments);
void announce(const void *kernel, Invoker *invoker, const size_t *sizes,
              size_t number);

template <class... P, size_t... I>
void invoke(void (*kernel)(P...), void *const *arguments,
            std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_const_t<P> *>(arguments[I])...);
}

template <class... P>
void announce(void (*kernel)(P...)) {
    static const size_t sizes[] = {sizeof(P)...};
    announce(
        reinterpret_cast<const void *>(kernel),
        [](const void *address, void *const *arguments) {
            invoke(reinterpret_cast<void (*)(P...)>(
                       reinterpret_cast<uintptr_t>(address)),
                   arguments, std::index_sequence_for<P...>());
        },
        sizes, sizeof...(P));
}

/* --------------------------------------------------------- shared memory */

void *shared_variable(const void *key, size_t bytes, size_t alignment);
unsigned char *dynamic_shared();
uint32_t shared_address(const void *variable);
void *shared_pointer(uint32_t address);

/* The block's own variable of a type, one for each key. */
template <class T>
T &shared_variable(const void *key) {
    return *static_cast<T *>(shared_variable(key, sizeof(T), alignof(T)));
}

void copy_async(void *to, const void *from, size_t bytes);
void copy_async_wait();

void fence_bulk_copies();
void bulk_copy(void *to, const void *shared, size_t bytes);
void commit_bulk_copies();
void wait_for_bulk_reads();
void wait_for_bulk_copies();

/* ----------------------------------------------------------------- warps */

enum Collective {
    SYNC,
    BALLOT,
    SHUFFLE,
    MATCH_ANY,
    MATCH_ALL,
    REDUCE_ADD,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
    REDUCE_MIN_SIGNED,
    REDUCE_MAX_SIGNED
};

/* By the lanes of a mask, each with a value and, for SHUFFLE, the lane whose
 * value it wants. */
uint64_t collective(Collective kind, uint32_t mask, uint64_t value,
                    unsigned int from = 0);
/* Of the lanes that come to the same call, some that chance has come together;
 * each of them gets the same mask. */
uint32_t active_mask();

template <class T>
uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= 8, "a value that a lane can hand on");
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
T from_bits(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

/* ---------------------------------------------------------------- blocks */

enum Count {
    NO_COUNT,
    COUNT,
    AND,
    OR
};
int block_barrier(Count count, int predicate);
void barrier_sync(unsigned int name, unsigned int threads);
void barrier_arrive(unsigned int name, unsigned int threads);

/* -------------------------------------------------- memory that others see */

enum Scope {
    BLOCK,
    CLUSTER,
    DEVICE,
    SYSTEM /* all devices, and the host */
};

/* What an access orders, beside itself. */
enum Order {
    RELAXED,
    ACQUIRE,
    RELEASE,
    ACQUIRE_RELEASE
};

void fence(Scope scope);

/* Words of 1, 2, 4 or 8 bytes. */
uint64_t load_word(const void *word, size_t bytes, Order order, Scope scope);
void store_word(void *word, size_t bytes, uint64_t value, Order order,
                Scope scope);

/* A new value from the old one: returns false to leave it. */
using Update = bool(uint64_t old, const uint64_t *operands, uint64_t *value_p);
uint64_t update_word(void *word, size_t bytes, Update *update,
                     const uint64_t *operands, Order order, Scope scope);

template <class T>
T load(const T *word, Order order = RELAXED, Scope scope = DEVICE) {
    return from_bits<T>(load_word(word, sizeof(T), order, scope));
}

template <class T>
void store(T *word, T value, Order order = RELAXED, Scope scope = DEVICE) {
    store_word(word, sizeof(T), to_bits(value), order, scope);
}

/* f(old, operand): the new value. */
template <class T, class F>
T update(T *word, T operand, F, Order order = RELAXED, Scope scope = DEVICE) {
    const uint64_t operands[] = {to_bits(operand)};
    return from_bits<T>(update_word(
        word, sizeof(T),
        [](uint64_t old, const uint64_t *with, uint64_t *value_p) {
            *value_p = to_bits(F()(from_bits<T>(old), from_bits<T>(with[0])));
            return true;
        },
        operands, order, scope));
}

struct Add {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a + b);
    }
};
struct Subtract {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a - b);
    }
};
struct Exchange {
    template <class T>
    T operator()(T, T b) const {
        return b;
    }
};
struct Minimum {
    template <class T>
    T operator()(T a, T b) const {
        return b < a ? b : a;
    }
};
struct Maximum {
    template <class T>
    T operator()(T a, T b) const {
        return a < b ? b : a;
    }
};
struct And {
    template <class T>
    T operator()(T a, T b) const {
        return a & b;
    }
};
struct Or {
    template <class T>
    T operator()(T a, T b) const {
        return a | b;
    }
};
struct Xor {
    template <class T>
    T operator()(T a, T b) const {
        return a ^ b;
    }
};

template <class T>
T compare_and_swap(T *word, T expected, T value, Order order = RELAXED,
                   Scope scope = DEVICE) {
    const uint64_t operands[] = {to_bits(expected), to_bits(value)};
    return from_bits<T>(update_word(
        word, sizeof(T),
        [](uint64_t old, const uint64_t *with, uint64_t *value_p) {
            *value_p = with[1];
            return old == with[0];
        },
        operands, order, scope));
}

/* ptx.cuh's. */
template <class T>
void store_relaxed(T *word, std::common_type_t<T> value) {
    store(word, value);
}
template <class T>
void add_relaxed(T *word, std::common_type_t<T> value) {
    update(word, value, Add());
}
template <class T>
T load_relaxed(const T *word) {
    return load(word);
}

/* -------------------------------------------------------------- clusters */

uint32_t cluster_address(const void *variable, unsigned int block);
void store_async(uint32_t to, uint32_t value, uint32_t mbarrier);
void mbarrier_init(uint64_t *mbarrier, unsigned int arrivals);
void mbarrier_expect(uint64_t *mbarrier, uint32_t bytes);
bool mbarrier_try_wait(uint64_t *mbarrier, unsigned int parity, Scope scope);
unsigned int cluster_blocks();
void cluster_arrive();
void cluster_arrive_relaxed();
void cluster_wait();

/* ------------------------------------------------------ dependent launch */

void wait_for_stream();
void trigger_dependents();

/* ------------------------------------------------------------------ other */

/* Of a selector's four bits the upper one asks for copies of the sign. */
inline uint32_t permute(uint32_t low, uint32_t high, uint32_t selector) {
    const uint64_t bytes = static_cast<uint64_t>(high) << 32 | low;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t which = selector >> 4 * i & 0xf;
        uint32_t byte = static_cast<uint32_t>(bytes >> 8 * (which & 7)) & 0xff;
        if (which & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}
/* Of an IEEE 754 binary16. */
inline float half_to_float(uint16_t bits) {
    const unsigned exponent = bits >> 10 & 31;
    const float fraction = static_cast<float>(bits & 1023) / 1024;
    float value = exponent == 0 ? fraction * 0x1p-14f
                                : (1 + fraction) *
                                      static_cast<float>(1u << exponent) /
                                      32768;
    if (exponent == 31)
        value = fraction == 0 ? __builtin_inff() : __builtin_nanf("");
    return bits >> 15 ? -value : value;
}
uint64_t cycles(); /* of a clock that goes on as threads run */
[[noreturn]] void trap();

} // namespace simt

#endif
