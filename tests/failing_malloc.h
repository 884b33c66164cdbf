/*
 * The program's malloc(), in place of the C library's, also for libwinnow: it
 * counts, and fails when a test says so. The sanitizers have their own; on the CPU
 * device it is that of the program's own objects alone, with any sanitizer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_FAILING_MALLOC_H
#define WINNOW_TESTS_FAILING_MALLOC_H

#include <stdbool.h>
#include <stdlib.h>

#if defined(WINNOW_SIMT) ||                                                    \
    (defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                   \
     !defined(__SANITIZE_THREAD__))
#define FAILING_MALLOC 1

/* The allocation fails, once, with this number of others before it. */
void failing_malloc_after(long allocations);
/* None fails any more; has one? */
bool failing_malloc_stop(void);
/* Pieces of memory that are not freed. */
long failing_malloc_alive(void);
/* Allocations since the last reset. */
void failing_malloc_reset(void);
unsigned long failing_malloc_count(void);
#endif

#endif
