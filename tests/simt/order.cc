/* SPDX-License-Identifier: Apache-2.0 */
#include "order.hpp"
#include "machine.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef SIMT_RACES

#include <sanitizer/tsan_interface.h>

/* What gcc has no header for. */
extern "C" {
uint8_t __tsan_atomic8_load(const volatile uint8_t *, int);
uint16_t __tsan_atomic16_load(const volatile uint16_t *, int);
uint32_t __tsan_atomic32_load(const volatile uint32_t *, int);
uint64_t __tsan_atomic64_load(const volatile uint64_t *, int);
void __tsan_atomic8_store(volatile uint8_t *, uint8_t, int);
void __tsan_atomic16_store(volatile uint16_t *, uint16_t, int);
void __tsan_atomic32_store(volatile uint32_t *, uint32_t, int);
void __tsan_atomic64_store(volatile uint64_t *, uint64_t, int);
void AnnotateIgnoreReadsBegin(const char *, int);
void AnnotateIgnoreWritesBegin(const char *, int);
void AnnotateIgnoreReadsEnd(const char *, int);
void AnnotateIgnoreWritesEnd(const char *, int);
void AnnotateIgnoreSyncBegin(const char *, int);
void AnnotateIgnoreSyncEnd(const char *, int);
void __tsan_read_range(void *memory, unsigned long bytes);
void __tsan_write_range(void *memory, unsigned long bytes);
}

/* The first race ends the program, and its seed is printed. */
extern "C" const char *__tsan_default_options() {
    return "halt_on_error=1:abort_on_error=1:report_signal_unsafe=0";
}
extern "C" void __tsan_on_report(void *) {
    std::fprintf(stderr, "simt: a race; WINNOW_SIMT_SEED=%llu repeats it\n",
                 static_cast<unsigned long long>(simt_get_seed()));
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
    static constexpr size_t MOST = 2000;
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
    static const Fiber fiber = [] {
        const Fiber made = __tsan_create_fiber(__tsan_switch_to_fiber_no_sync);
        const Fiber own = current();
        switch_to(made);
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
        switch_to(own);
        return made;
    }();
    return fiber;
}

void begin_unseen() {
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
}

void end_unseen() {
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
}

void begin_call() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}

void end_call() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

Point new_point() {
    Pool &p = pool();
    if (p.used == Pool::POINTS) {
        const Outside outside;
        p.chunks.push_back(new uint64_t[Pool::POINTS]);
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

Fiber make_fiber() {
    const Outside outside;
    return __tsan_create_fiber(__tsan_switch_to_fiber_no_sync);
}

Fiber take_fiber() {
    Fibers &f = fibers();
    if (f.used == f.all.size() && f.all.size() < Fibers::MOST) {
        const Outside outside;
        f.all.push_back(make_fiber());
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
        return __tsan_atomic8_load(static_cast<const uint8_t *>(word), 0);
    case 2:
        return __tsan_atomic16_load(static_cast<const uint16_t *>(word), 0);
    case 4:
        return __tsan_atomic32_load(static_cast<const uint32_t *>(word), 0);
    case 8:
        return __tsan_atomic64_load(static_cast<const uint64_t *>(word), 0);
    default:
        std::abort();
    }
}

void store_word(void *word, size_t bytes, uint64_t value) {
    switch (bytes) {
    case 1:
        return __tsan_atomic8_store(static_cast<uint8_t *>(word),
                                    static_cast<uint8_t>(value), 0);
    case 2:
        return __tsan_atomic16_store(static_cast<uint16_t *>(word),
                                     static_cast<uint16_t>(value), 0);
    case 4:
        return __tsan_atomic32_store(static_cast<uint32_t *>(word),
                                     static_cast<uint32_t>(value), 0);
    case 8:
        return __tsan_atomic64_store(static_cast<uint64_t *>(word), value, 0);
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
        delete[] chunk;
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
