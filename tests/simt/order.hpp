/*
 * What happens before what, for the race detector: a build with SIMT_RACES has
 * ThreadSanitizer look at the kernels, the library and the tests, each CUDA
 * thread being a fiber of its own to it; in other builds nothing here does
 * anything.
 *
 * The machine itself is not instrumented, and fibers are switched without an
 * order. So an order is made only where release() and acquire() say so, which
 * is where CUDA promises one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_ORDER_HPP
#define WINNOW_TESTS_SIMT_ORDER_HPP

#include <cstddef>
#include <cstdint>

namespace simt::order {

/* Where releases and acquires synchronise. It lasts until the device is idle. */
using Point = void *;
/* What ThreadSanitizer takes for a thread. */
using Fiber = void *;

#ifdef SIMT_RACES

constexpr bool ENABLED = true;

Point new_point();
void release(Point point);
void acquire(Point point);

Fiber current();
Fiber make_fiber();
/* For work that is no thread's: one that has seen nothing, if there is one left
 * before the device is idle. */
Fiber take_fiber();
/* Makes no order. */
void switch_to(Fiber fiber);

/* A word is accessed atomically, or memory is accessed plainly, by the current
 * fiber: is that a race? */
uint64_t load_word(const void *word, size_t bytes);
void store_word(void *word, size_t bytes, uint64_t value);
void read(const void *memory, size_t bytes);
void write(void *memory, size_t bytes);

/* The fiber that allocates and frees what the machine keeps while threads run.
 * To ThreadSanitizer an allocation is a write; it ignores those of this fiber.
 */
Fiber janitor();

/* From here to there, what a thread of the host locks orders nothing. */
void begin_unseen();
void end_unseen();
/* From here to there, what it reads and writes is the machine's. */
void begin_call();
void end_call();

/* Nothing runs, and nothing is left to run: points and fibers can be used
 * again. By the host. */
void idle();

#else

constexpr bool ENABLED = false;

inline Point new_point() {
    return nullptr;
}
inline void release(Point) {
}
inline void acquire(Point) {
}
inline Fiber current() {
    return nullptr;
}
inline Fiber make_fiber() {
    return nullptr;
}
inline Fiber take_fiber() {
    return nullptr;
}
inline void switch_to(Fiber) {
}
uint64_t load_word(const void *word, size_t bytes);
void store_word(void *word, size_t bytes, uint64_t value);
inline void read(const void *, size_t) {
}
inline void write(void *, size_t) {
}
inline Fiber janitor() {
    return nullptr;
}
inline void begin_unseen() {
}
inline void end_unseen() {
}
inline void begin_call() {
}
inline void end_call() {
}
inline void idle() {
}

#endif

/* Lock and unlock what keeps the machine's own memory: neither orders anything,
 * and what a thread does in between is the machine's. */
template <class Mutex>
void lock(Mutex &mutex) {
    begin_unseen();
    mutex.lock();
    end_unseen();
    begin_call();
}
template <class Mutex>
void unlock(Mutex &mutex) {
    end_call();
    begin_unseen();
    mutex.unlock();
    end_unseen();
}

/* As long as it lasts, what is allocated is the janitor's. */
class Outside {
  public:
    Outside() : own_(current()) {
        switch_to(janitor());
    }
    ~Outside() {
        switch_to(own_);
    }
    Outside(const Outside &) = delete;
    Outside &operator=(const Outside &) = delete;

  private:
    Fiber own_;
};

} // namespace simt::order

#endif
