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
#include <string.h>

/* On the CPU device the linker gives what the library calls these names, for the
 * machine beside it has to have its memory; else they are the C library's. */
#ifdef WINNOW_SIMT
#define MINE(name) __wrap_##name
#define THEIR_MALLOC __real_malloc
#define THEIR_CALLOC __real_calloc
#define THEIR_ALIGNED __real_aligned_alloc
#define THEIR_REALLOC __real_realloc
#define THEIR_FREE __real_free
#else
#define MINE(name) name
#define THEIR_MALLOC __libc_malloc
#define THEIR_CALLOC __libc_calloc
#define THEIR_ALIGNED __libc_memalign
#define THEIR_REALLOC __libc_realloc
#define THEIR_FREE __libc_free
#endif

void *THEIR_MALLOC(size_t bytes);
void *THEIR_CALLOC(size_t number, size_t bytes);
void *THEIR_ALIGNED(size_t alignment, size_t bytes);
void *THEIR_REALLOC(void *piece, size_t bytes);
void THEIR_FREE(void *piece);

#ifdef WINNOW_SIMT
void *MINE(malloc)(size_t bytes);
void *MINE(calloc)(size_t number, size_t bytes);
void *MINE(aligned_alloc)(size_t alignment, size_t bytes);
int MINE(posix_memalign)(void **piece_p, size_t alignment, size_t bytes);
int __real_posix_memalign(void **piece_p, size_t alignment, size_t bytes);
void *MINE(realloc)(void *piece, size_t bytes);
char *MINE(strdup)(const char *text);
void MINE(free)(void *piece);
#endif

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

void *MINE(malloc)(size_t bytes) {
    return fails() ? NULL : counted(THEIR_MALLOC(bytes));
}

void *MINE(calloc)(size_t number, size_t bytes) {
    return fails() ? NULL : counted(THEIR_CALLOC(number, bytes));
}

void *MINE(aligned_alloc)(size_t alignment, size_t bytes) {
    return fails() ? NULL : counted(THEIR_ALIGNED(alignment, bytes));
}

int MINE(posix_memalign)(void **piece_p, size_t alignment, size_t bytes) {
#ifdef WINNOW_SIMT
    /* Of any size, which aligned_alloc() need not take. */
    const int error =
        fails() ? ENOMEM : __real_posix_memalign(piece_p, alignment, bytes);
    if (error == 0)
        (void)counted(*piece_p);
    return error;
#else
    void *const piece = MINE(aligned_alloc)(alignment, bytes);
    if (piece == NULL)
        return ENOMEM;
    *piece_p = piece;
    return 0;
#endif
}

void *MINE(realloc)(void *piece, size_t bytes) {
    if (piece == NULL)
        return MINE(malloc)(bytes);
    return fails() ? NULL : THEIR_REALLOC(piece, bytes);
}

void MINE(free)(void *piece) {
    if (piece != NULL)
        atomic_fetch_sub(&alive, 1);
    THEIR_FREE(piece);
}

#ifdef WINNOW_SIMT
/* The C library's would not call the others. */
char *MINE(strdup)(const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *const copy = MINE(malloc)(bytes);
    return copy == NULL ? NULL : memcpy(copy, text, bytes);
}
#endif
#endif
