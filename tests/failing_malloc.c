/*
 * The program's malloc().
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "failing_malloc.h"

#ifdef FAILING_MALLOC
#include <errno.h>
#include <stdatomic.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t number, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void *__libc_realloc(void *piece, size_t bytes);
void __libc_free(void *piece);

/* How many allocations there will be before the one that fails; below 0: none
 * fails any more. */
static atomic_long until_failure = -1;
static atomic_ulong allocations;
static atomic_long alive;

void failing_malloc_after(long number) {
    atomic_store(&until_failure, number);
}

bool failing_malloc_stop(void) {
    return atomic_exchange(&until_failure, -1) < 0;
}

long failing_malloc_alive(void) {
    return atomic_load(&alive);
}

void failing_malloc_reset(void) {
    atomic_store(&allocations, 0);
}

unsigned long failing_malloc_count(void) {
    return atomic_load(&allocations);
}

static bool fails(void) {
    atomic_fetch_add(&allocations, 1);
    if (atomic_load(&until_failure) < 0 ||
        atomic_fetch_sub(&until_failure, 1) != 0)
        return false;
    errno = ENOMEM;
    return true;
}

static void *counted(void *piece) {
    if (piece != NULL)
        atomic_fetch_add(&alive, 1);
    return piece;
}

void *malloc(size_t bytes) {
    return fails() ? NULL : counted(__libc_malloc(bytes));
}

void *calloc(size_t number, size_t bytes) {
    return fails() ? NULL : counted(__libc_calloc(number, bytes));
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    return fails() ? NULL : counted(__libc_memalign(alignment, bytes));
}

int posix_memalign(void **piece_p, size_t alignment, size_t bytes) {
    void *const piece = aligned_alloc(alignment, bytes);
    if (piece == NULL)
        return ENOMEM;
    *piece_p = piece;
    return 0;
}

void *realloc(void *piece, size_t bytes) {
    if (piece == NULL)
        return malloc(bytes);
    return fails() ? NULL : __libc_realloc(piece, bytes);
}

void free(void *piece) {
    if (piece != NULL)
        atomic_fetch_sub(&alive, 1);
    __libc_free(piece);
}
#endif
