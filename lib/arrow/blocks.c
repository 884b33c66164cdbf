/*
 * Blocks of host memory, some of which are reused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "blocks.h"

#include "core/fork.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE (UINT64_C(2) << 20)

enum {
    MOST_KEPT = 64
};

/* Sanitizers can only detect a use after free if the block is really freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const uint64_t most_kept_bytes = 0;
#else
static const uint64_t most_kept_bytes = 128 * HUGE_PAGE;
#endif

/* Precedes each block. */
typedef struct header {
    _Alignas(WINNOW__BLOCK_ALIGNMENT) uint64_t bytes; /* includes the header */
} header;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
WINNOW__HOLD_AT_FORK(lock);
static header *kept[MOST_KEPT]; /* in the order in which they were freed */
static unsigned kept_n;
static uint64_t kept_bytes;

static void forget(unsigned i) {
    kept_bytes -= kept[i]->bytes;
    kept_n--;
    for (; i < kept_n; i++)
        kept[i] = kept[i + 1];
}

/* The smallest kept block that is large enough, but not much larger; or NULL. */
static header *find(uint64_t bytes) {
    unsigned best = MOST_KEPT;
    header *found = NULL;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < kept_n; i++)
        if (kept[i]->bytes >= bytes && kept[i]->bytes - bytes <= bytes / 2 &&
            (found == NULL || kept[i]->bytes < found->bytes)) {
            best = i;
            found = kept[i];
        }
    if (found != NULL)
        forget(best);
    pthread_mutex_unlock(&lock);
    return found;
}

/* Keep a block. If too many are kept, free the oldest ones. */
static void keep(header *block) {
    pthread_mutex_lock(&lock);
    while (kept_n == MOST_KEPT ||
           (kept_n > 0 && kept_bytes + block->bytes > most_kept_bytes)) {
        header *const oldest = kept[0];
        forget(0);
        free(oldest);
    }
    kept[kept_n++] = block;
    kept_bytes += block->bytes;
    pthread_mutex_unlock(&lock);
}

/* Use pages of 2 MiB if the system has them, since fewer pages are then new. */
static header *allocate(uint64_t bytes) {
    const bool huge = bytes >= HUGE_PAGE;
    void *memory = NULL;
    if (posix_memalign(&memory,
                       huge ? (size_t)HUGE_PAGE : WINNOW__BLOCK_ALIGNMENT,
                       (size_t)bytes) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (huge)
        madvise(memory, (size_t)(bytes / HUGE_PAGE * HUGE_PAGE), MADV_HUGEPAGE);
#endif
    return memory;
}

void *winnow__block_allocate(uint64_t bytes) {
    const uint64_t whole = bytes + sizeof(header);
    header *block = whole >= HUGE_PAGE ? find(whole) : NULL;
    if (block == NULL) {
        block = allocate(whole);
        if (block == NULL)
            return NULL;
        block->bytes = whole;
    }
    return block + 1;
}

void winnow__block_free(void *block) {
    if (block == NULL)
        return;
    header *const own = (header *)block - 1;
    if (own->bytes >= HUGE_PAGE && own->bytes <= most_kept_bytes)
        keep(own);
    else
        free(own);
}
