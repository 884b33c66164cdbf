/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tables.h"

#include "core/fork.h"
#include "core/status.h"
#include "cuda/slot.h"
#include "image.h"

#include <stdlib.h>

enum {
    CHAINS = 64,
    /* If retired tables of a context have more bytes than this, a call that makes a
     * table frees them and waits for the device. Making as many takes longer. */
    MOST_RETIRED = 64 << 20,
    /* Bytes of a block's shared memory for everything but tables. */
    SHARED_BESIDE = 4 << 10
};

typedef struct table {
    struct table *next;
    const void *owner; /* NULL: retired */
    bool captured;
    size_t bytes;
    winnow__set_ref ref;
} table;

/* The tables of a context: its slot. */
typedef struct tables {
    struct tables *next, **link; /* in the list of all contexts */
    table *chains[CHAINS];       /* hashed by the owner */
    table *retired;
    size_t retired_bytes; /* only tables that can be freed */
} tables;

/* Guards the list and everything in it. No CUDA function is called while the lock
 * is held, since it may wait. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
WINNOW__HOLD_AT_FORK(lock);
static tables *all;

static table **chain_of(tables *of, const void *owner) {
    const uintptr_t hash = (uintptr_t)owner / 16;
    return &of->chains[(hash ^ hash / CHAINS) % CHAINS];
}

/* ---------------------------------------------------------------- a context */

static winnow_status fill(const winnow__cuda_context *context, void *slot) {
    tables *const of = slot;
    (void)context;
    pthread_mutex_lock(&lock);
    of->next = all;
    of->link = &all;
    if (all != NULL)
        all->link = &of->next;
    all = of;
    pthread_mutex_unlock(&lock);
    return WINNOW_OK;
}

static void free_list(table *list, bool on_device) {
    while (list != NULL) {
        table *const next = list->next;
        if (on_device)
            cudaFree((void *)(uintptr_t)list->ref.table);
        free(list);
        list = next;
    }
}

/* The context ends: no set can find it any more. */
static void release(void *slot, bool on_device) {
    tables *const of = slot;
    pthread_mutex_lock(&lock);
    if (of->link != NULL) {
        *of->link = of->next;
        if (of->next != NULL)
            of->next->link = of->link;
    }
    of->link = NULL;
    pthread_mutex_unlock(&lock);
    for (unsigned i = 0; i < CHAINS; i++) {
        free_list(of->chains[i], on_device);
        of->chains[i] = NULL;
    }
    free_list(of->retired, on_device);
    of->retired = NULL;
}

static void empty_on_device(void *slot) {
    release(slot, true);
}

static void empty(void *slot) {
    release(slot, false);
}

static const winnow__slot_kind kind = {.bytes = sizeof(tables),
                                       .fill = fill,
                                       .empty_on_device = empty_on_device,
                                       .empty = empty};

size_t winnow__tables_shared(const winnow_context *context) {
    const size_t block = winnow__cuda(context)->shared_bytes / 2;
    const size_t most = block > SHARED_BESIDE ? block - SHARED_BESIDE : 0;
    return most < WINNOW__SET_MOST_SHARED ? most : WINNOW__SET_MOST_SHARED;
}

/* --------------------------------------------------------------- retiring */

/* The caller holds the lock. */
static void retire(tables *of, table *one) {
    one->owner = NULL;
    one->next = of->retired;
    of->retired = one;
    if (!one->captured)
        of->retired_bytes += one->bytes;
}

void winnow__tables_retire(const void *owner) {
    pthread_mutex_lock(&lock);
    for (tables *of = all; of != NULL; of = of->next)
        for (table **link = chain_of(of, owner); *link != NULL;) {
            table *const one = *link;
            if (one->owner != owner) {
                link = &one->next;
                continue;
            }
            *link = one->next;
            retire(of, one);
        }
    pthread_mutex_unlock(&lock);
}

/* If the retired tables that no graph can read have more than `most` bytes, remove
 * them from the list and return them. */
static table *take_retired(tables *of, size_t most) {
    table *taken = NULL;
    pthread_mutex_lock(&lock);
    if (of->retired_bytes > most) {
        for (table **link = &of->retired; *link != NULL;) {
            table *const one = *link;
            if (one->captured) {
                link = &one->next;
                continue;
            }
            *link = one->next;
            one->next = taken;
            taken = one;
        }
        of->retired_bytes = 0;
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

/* ------------------------------------------------------------------- making
 *
 * CUDA forbids some calls while a stream is captured, in any thread, since they
 * might be meant for the capture. These here touch no stream of the caller's: so
 * they are made in the relaxed mode, in which CUDA takes the thread's word.
 */

/* If there is no memory, freeing retired tables may help. */
static winnow_status allocate(tables *of, size_t bytes, void **memory_p) {
    free_list(take_retired(of, MOST_RETIRED), true);
    cudaError_t error = cudaMalloc(memory_p, bytes);
    table *const retired =
        error == cudaErrorMemoryAllocation ? take_retired(of, 0) : NULL;
    if (retired != NULL) {
        cudaGetLastError(); /* this error is not the caller's */
        free_list(retired, true);
        error = cudaMalloc(memory_p, bytes);
    }
    return winnow__cuda_status(error, "allocating the table of a set");
}

static winnow_status upload(tables *of, const winnow__set_image *image,
                            table *one) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    void *memory = NULL;
    WINNOW__TRY(winnow__cuda_status(cudaThreadExchangeStreamCaptureMode(&mode),
                                    "setting a capture mode"));
    winnow_status status = allocate(of, image->bytes, &memory);
    if (status == WINNOW_OK) {
        status = winnow__cuda_copy(memory, image->table, image->bytes,
                                   "uploading the table of a set");
        if (status != WINNOW_OK)
            cudaFree(memory);
    }
    cudaThreadExchangeStreamCaptureMode(&mode);
    one->ref =
        (winnow__set_ref){.table = memory,
                          .bytes = image->fits ? (uint32_t)image->bytes : 0,
                          .place = WINNOW__SET_STAYS};
    one->bytes = image->bytes;
    return status;
}

/* --------------------------------------------------------------- finding */

/* The caller holds the lock. */
static const table *find(tables *of, const void *owner, bool captured) {
    table *one = *chain_of(of, owner);
    while (one != NULL && one->owner != owner)
        one = one->next;
    if (one != NULL && captured)
        one->captured = true;
    return one;
}

static bool look_up(tables *of, const void *owner, bool captured,
                    winnow__set_ref *ref_p) {
    pthread_mutex_lock(&lock);
    const table *const found = find(of, owner, captured);
    if (found != NULL)
        *ref_p = found->ref;
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

/* If another thread has added one meanwhile, that one is used. */
static void add(tables *of, table *one, bool captured, winnow__set_ref *ref_p) {
    pthread_mutex_lock(&lock);
    const table *found = find(of, one->owner, captured);
    if (found == NULL) {
        table **const chain = chain_of(of, one->owner);
        one->captured = captured;
        one->next = *chain;
        *chain = one;
        found = one;
    } else {
        retire(of, one);
    }
    *ref_p = found->ref;
    pthread_mutex_unlock(&lock);
}

static winnow_status check_use(const winnow__table_use *use) {
    return use->may_not_make == NULL
               ? WINNOW_OK
               : winnow__unsupported(
                     "the condition's sets have no tables on the "
                     "device yet, and %s: call "
                     "winnow_condition_prepare() before",
                     use->may_not_make);
}

static winnow_status make(tables *of, const void *owner,
                          const winnow__set_image *image, bool captured,
                          winnow__set_ref *ref_p) {
    table *const one = calloc(1, sizeof *one);
    if (one == NULL)
        return winnow__no_memory("the table of a set");
    one->owner = owner;
    winnow_status status = upload(of, image, one);
    if (status == WINNOW_OK)
        add(of, one, captured, ref_p);
    else
        free(one);
    return status;
}

winnow_status winnow__table_of(const winnow_context *context,
                               const winnow__set *set,
                               const winnow__table_use *use,
                               winnow__set_ref *ref_p) {
    winnow__set_image image;
    void *slot;
    WINNOW__TRY(winnow__slot(context, &kind, &slot));
    if (look_up(slot, set, use->captured, ref_p))
        return WINNOW_OK;
    WINNOW__TRY(check_use(use));
    WINNOW__TRY(
        winnow__set_image_make(set, winnow__tables_shared(context), &image));
    winnow_status status = make(slot, set, &image, use->captured, ref_p);
    winnow__set_image_free(&image);
    return status;
}

winnow_status winnow__block_of(const winnow_context *context, const void *owner,
                               void *bytes, size_t number,
                               const winnow__table_use *use,
                               const void **block_p) {
    const winnow__set_image image = {.table = bytes, .bytes = number};
    winnow__set_ref ref;
    void *slot;
    WINNOW__TRY(winnow__slot(context, &kind, &slot));
    if (!look_up(slot, owner, use->captured, &ref)) {
        WINNOW__TRY(check_use(use));
        WINNOW__TRY(make(slot, owner, &image, use->captured, &ref));
    }
    *block_p = ref.table;
    return WINNOW_OK;
}
