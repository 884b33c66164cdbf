/*
 * Locks of the library. Another thread may hold one when a thread calls fork(); the
 * child would wait for ever, since it does not have that thread. So the forking thread
 * takes the locks before, and both processes release them. A thread that holds one
 * takes no other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <pthread.h>

#define WINNOW__HOLD_AT_FORK(lock)                                             \
    static void before_fork(void) {                                            \
        pthread_mutex_lock(&(lock));                                           \
    }                                                                          \
    static void after_fork(void) {                                             \
        pthread_mutex_unlock(&(lock));                                         \
    }                                                                          \
    __attribute__((constructor)) static void hold_at_fork(void) {              \
        pthread_atfork(before_fork, after_fork, after_fork);                   \
    }                                                                          \
    _Static_assert(1, "a semicolon follows")
