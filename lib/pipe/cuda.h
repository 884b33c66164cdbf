/*
 * A pipe on a CUDA device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "chunk.h"
#include "sink.h"
#include "cuda/context.h"
#include "host/team.h"

/* ---- staging.c: threads that bring items to a device by way of pinned
 * memory. */
typedef struct winnow__staging winnow__staging;

/* Items of a source that go to a chunk. */
typedef struct winnow__load {
    uint64_t first, n;
    uint64_t inputs; /* bit i: input i, from d_to[i] on */
    void *d_to[WINNOW_PIPE_MOST_INPUTS];
    uint64_t left; /* elements whose copies are not enqueued so far */
} winnow__load;

enum {
    WINNOW__MOST_LOADS = 2 /* at a time */
};

/* NULL: there is no memory. */
winnow__staging *winnow__staging_create(winnow_pipe *pipe, cudaStream_t in);
/* Nothing of it is in use. */
void winnow__staging_destroy(winnow__staging *staging);

/*
 * Run lead(argument) in the caller's thread, while others bring what it puts
 * in: items of a source of memory, or of files that are not read in order.
 * Return when all have ended.
 */
winnow_status winnow__staging_run(winnow__staging *staging,
                                  const winnow__source *source,
                                  winnow_status (*lead)(void *argument),
                                  void *argument);

/* ---- By lead() */

/* Put a load in, behind fewer than WINNOW__MOST_LOADS others. */
void winnow__staging_put(winnow__staging *staging, const winnow__load *load);
/* Help until all copies of the first load are enqueued, and take it out. */
winnow_status winnow__staging_bring(winnow__staging *staging);

/* ---- workers.c: threads that copy what a device has written to memory that
 * it does not reach. */
enum {
    /* As many as fill a link of PCIe 5, unless the caller says how many: it takes
     * 55 GB/s, of which a thread copies 10. */
    WINNOW__PIPE_THREADS = 6
};

/* Of the number of threads that the pipe's options give. NULL: there is no
 * memory. */
winnow__team *winnow__pipe_team(const winnow_pipe *pipe);
void winnow__team_copy(winnow__team *team, void *to, const void *from,
                       uint64_t bytes);

/* Where a chunk is: on its way through the device. */
typedef struct winnow__pipe_slot {
    winnow__chunk chunk; /* its columns, and memory of the device's */
    void *d_memory;
    void *d_in[WINNOW_PIPE_MOST_INPUTS];
    void *staged_memory; /* pinned; NULL: not needed so far */
    void *staged_in[WINNOW_PIPE_MOST_INPUTS];
    void *drained_memory; /* pinned; NULL: no output needs it */
    void *drained_out[WINNOW_PIPE_MOST_OUTPUTS];

    cudaEvent_t copied, filtered, drained;
    winnow__piece piece;
    uint64_t most;   /* items that it may have */
    uint64_t staged; /* items in staged_in behind those copied: the last ones */
    uint64_t late;   /* bit i: input i is fetched late, from chunk.in[i] */
    bool is_loaded;  /* staging has a load of it */
} winnow__pipe_slot;

typedef struct winnow__pipe_on_device {
    winnow_pipe *pipe;
    cudaStream_t in, work, out;
    uint64_t *counts; /* pinned: of each slot */
    winnow__pipe_slot *slots;
    unsigned slot_count;
    unsigned ahead; /* how many chunks may be filled at a time */
    winnow__staging *staging;
    winnow__team *workers;
    bool drains[WINNOW_PIPE_MOST_OUTPUTS]; /* by way of drained_out */
    uint64_t keyed; /* bit i: input i has a column of the condition */

    /* Chunks are numbered; number k is in slot k % slot_count. So many are */
    uint64_t begun;       /* filled, */
    uint64_t launched;    /* filtered, */
    uint64_t settled;     /* counted, and on their way out, */
    uint64_t delivered;   /* written */
    uint64_t items, kept; /* of those settled */
} winnow__pipe_on_device;

/* What a thread needs to call the runtime, from winnow__pipe_enter() on. */
typedef struct winnow__pipe_scope {
    bool entered;
    enum cudaStreamCaptureMode mode;
} winnow__pipe_scope;
winnow_status winnow__pipe_enter(const winnow_pipe *pipe,
                                 winnow__pipe_scope *scope);
void winnow__pipe_leave(const winnow_pipe *pipe, winnow__pipe_scope *scope);

static inline winnow__pipe_slot *
winnow__pipe_slot_of(const winnow__pipe_on_device *own, uint64_t number) {
    return &own->slots[number % own->slot_count];
}

/* The chunk that was begun last; NULL: it is launched. */
static inline winnow__pipe_slot *
winnow__pipe_filling(const winnow__pipe_on_device *own) {
    return own->begun == own->launched
               ? NULL
               : winnow__pipe_slot_of(own, own->begun - 1);
}

/* Is it memory that the device reaches? *on_host_p: and the host, too. */
winnow_status winnow__pipe_look_at(const void *memory, bool *reached_p,
                                   bool *on_host_p);

/* ---- cuda_chunks.c */

/* Nothing, of 0 bytes. */
winnow_status winnow__pipe_copy(void *to, const void *from, uint64_t bytes,
                                cudaStream_t stream, const char *what);
/* Copy what is staged: the last items of the slot. */
winnow_status winnow__pipe_copy_staged(winnow__pipe_on_device *own,
                                       winnow__pipe_slot *slot);
/* The chunk is complete. */
winnow_status winnow__pipe_launch(winnow__pipe_on_device *own);
/* Bring chunks on their way, all that are `counted` or more chunks old to be
 * copied out, and all that are `old` or more to be written. */
winnow_status winnow__pipe_advance(winnow__pipe_on_device *own,
                                   uint64_t counted, uint64_t old);
/* Until nothing is in use. */
void winnow__pipe_drain(winnow__pipe_on_device *own);

/* ---- cuda_feed.c */

winnow_status winnow__pipe_feed_source(winnow__pipe_on_device *own,
                                       const winnow__source *source);
/* Memory is registered for as long as a piece of it is copied and filtered. */
winnow_status winnow__pipe_feed_registered(winnow__pipe_on_device *own,
                                           const winnow__source *source);

/* ---- cuda_memory.c */

winnow_status winnow__pipe_make_event(cudaEvent_t *event);

winnow_status winnow__pipe_make_slots(winnow__pipe_on_device *own);
/* Memory that is staged, when it is needed first. */
winnow_status winnow__pipe_make_staging(winnow__pipe_on_device *own,
                                        winnow__pipe_slot *slot);
void winnow__pipe_free_slots(winnow__pipe_on_device *own);

/* ---- late.c */

/* The most items of the next chunk, which its inputs in pinned memory of the
 * host (bit i: input i) have: few, as long as the fraction kept is not known by
 * which to decide whether inputs are fetched late. */
uint64_t winnow__pipe_next_items(const winnow__pipe_on_device *own,
                                 uint64_t pinned);
/* Of the inputs in pinned memory of the host (bit i: input i), those that had
 * better be fetched late in the next chunk. */
uint64_t winnow__pipe_late_inputs(const winnow__pipe_on_device *own,
                                  uint64_t pinned);

/* ---- register.c: plain memory that is fed is registered, piece by piece. */
typedef struct winnow__registered {
    const void *inputs[WINNOW_PIPE_MOST_INPUTS]; /* NULL: it is not */
} winnow__registered;

/* As many items of an array are registered at a time. */
uint64_t winnow__registered_items(const winnow_pipe *pipe);

/* Register n items of each input that the device does not reach. On an error
 * none is. */
winnow_status winnow__register(const winnow_pipe *pipe,
                               const void *const *inputs, uint64_t n,
                               winnow__registered *registered);
/* Nothing uses them. */
winnow_status winnow__unregister(const winnow_pipe *pipe,
                                 winnow__registered *registered);
