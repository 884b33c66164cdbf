/* SPDX-License-Identifier: Apache-2.0 */
#include "order.hpp"

#include <cstdlib>
#include <vector>

#ifdef SIMT_RACES

#include <sanitizer/tsan_interface.h>
#include <sanitizer/tsan_interface_atomic.h>

extern "C" {
void __tsan_read_range(void *memory, unsigned long bytes);
void __tsan_write_range(void *memory, unsigned long bytes);
}

namespace simt::order {

namespace {

/* ThreadSanitizer keeps what it knows of a point by its address, and forgets it
 * when the memory is freed. */
struct Pool {
    static constexpr size_t POINTS = 1 << 14;
    std::vector<uint64_t *> chunks;
    size_t used = POINTS;
};

struct Fibers {
    static constexpr size_t MOST = 6000; /* ThreadSanitizer takes 8128 */
    std::vector<Fiber> all;
    size_t used = 0; /* since the device was idle */
};

Pool &pool() {
    static Pool pool;
    return pool;
}

Fibers &fibers() {
    static Fibers fibers;
    return fibers;
}

} // namespace

Fiber janitor() {
    static const Fiber fiber =
        __tsan_create_fiber(__tsan_switch_to_fiber_no_sync);
    return fiber;
}

Point new_point() {
    Pool &p = pool();
    if (p.used == Pool::POINTS) {
        const Outside outside;
        p.chunks.push_back(static_cast<uint64_t *>(
            std::malloc(Pool::POINTS * sizeof(uint64_t))));
        p.used = 0;
    }
    return &p.chunks.back()[p.used++];
}

void release(Point point) {
    __tsan_release(point);
}

void acquire(Point point) {
    __tsan_acquire(point);
}

Fiber current() {
    return __tsan_get_current_fiber();
}

Fiber take_fiber() {
    Fibers &f = fibers();
    if (f.used == f.all.size() && f.all.size() < Fibers::MOST) {
        const Outside outside;
        f.all.push_back(__tsan_create_fiber(__tsan_switch_to_fiber_no_sync));
    }
    /* Beyond that, one has two lives between which nothing is a race. */
    return f.all[f.used++ % f.all.size()];
}

void switch_to(Fiber fiber) {
    __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);
}

uint64_t load_word(const void *word, size_t bytes) {
    switch (bytes) {
    case 1:
        return static_cast<uint8_t>(__tsan_atomic8_load(
            static_cast<const volatile __tsan_atomic8 *>(word),
            __tsan_memory_order_relaxed));
    case 2:
        return static_cast<uint16_t>(__tsan_atomic16_load(
            static_cast<const volatile __tsan_atomic16 *>(word),
            __tsan_memory_order_relaxed));
    case 4:
        return static_cast<uint32_t>(__tsan_atomic32_load(
            static_cast<const volatile __tsan_atomic32 *>(word),
            __tsan_memory_order_relaxed));
    case 8:
        return static_cast<uint64_t>(__tsan_atomic64_load(
            static_cast<const volatile __tsan_atomic64 *>(word),
            __tsan_memory_order_relaxed));
    default:
        std::abort();
    }
}

void store_word(void *word, size_t bytes, uint64_t value) {
    switch (bytes) {
    case 1:
        __tsan_atomic8_store(static_cast<volatile __tsan_atomic8 *>(word),
                             static_cast<__tsan_atomic8>(value),
                             __tsan_memory_order_relaxed);
        break;
    case 2:
        __tsan_atomic16_store(static_cast<volatile __tsan_atomic16 *>(word),
                              static_cast<__tsan_atomic16>(value),
                              __tsan_memory_order_relaxed);
        break;
    case 4:
        __tsan_atomic32_store(static_cast<volatile __tsan_atomic32 *>(word),
                              static_cast<__tsan_atomic32>(value),
                              __tsan_memory_order_relaxed);
        break;
    case 8:
        __tsan_atomic64_store(static_cast<volatile __tsan_atomic64 *>(word),
                              static_cast<__tsan_atomic64>(value),
                              __tsan_memory_order_relaxed);
        break;
    default:
        std::abort();
    }
}

void read(const void *memory, size_t bytes) {
    __tsan_read_range(const_cast<void *>(memory), bytes);
}

void write(void *memory, size_t bytes) {
    __tsan_write_range(memory, bytes);
}

void idle() {
    const Outside outside;
    for (uint64_t *chunk : pool().chunks)
        std::free(chunk);
    pool().chunks.clear();
    pool().used = Pool::POINTS;
    fibers().used = 0;
}

} // namespace simt::order

#else

namespace simt::order {

namespace {

template <class T>
uint64_t load(const void *word) {
    return __atomic_load_n(static_cast<const T *>(word), __ATOMIC_RELAXED);
}

template <class T>
void store(void *word, uint64_t value) {
    __atomic_store_n(static_cast<T *>(word), static_cast<T>(value),
                     __ATOMIC_RELAXED);
}

} // namespace

uint64_t load_word(const void *word, size_t bytes) {
    switch (bytes) {
    case 1:
        return load<uint8_t>(word);
    case 2:
        return load<uint16_t>(word);
    case 4:
        return load<uint32_t>(word);
    case 8:
        return load<uint64_t>(word);
    default:
        std::abort();
    }
}

void store_word(void *word, size_t bytes, uint64_t value) {
    switch (bytes) {
    case 1:
        return store<uint8_t>(word, value);
    case 2:
        return store<uint16_t>(word, value);
    case 4:
        return store<uint32_t>(word, value);
    case 8:
        return store<uint64_t>(word, value);
    default:
        std::abort();
    }
}

} // namespace simt::order

#endif
