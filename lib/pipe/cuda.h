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

/* ---- staging.c: threads that copy items to a device through pinned memory. */
typedef struct winnow__staging winnow__staging;

/* Items of a source for a chunk. */
typedef struct winnow__load {
    uint64_t first, n;
    uint64_t inputs; /* bit i: input i, copied to d_to[i] */
    void *d_to[WINNOW_PIPE_MOST_INPUTS];
    uint64_t left; /* elements whose copies are not yet enqueued */
} winnow__load;

enum {
    WINNOW__MOST_LOADS = 2 /* at a time */
};

/* NULL: no memory. */
winnow__staging *winnow__staging_create(winnow_pipe *pipe, cudaStream_t in);
/* Nothing of it may be in use. */
void winnow__staging_destroy(winnow__staging *staging);

/*
 * Run lead(argument) in the caller's thread, while other threads copy the loads that it
 * puts in: items of a source of memory, or of files that are not read in order. Return
 * when all have ended.
 */
winnow_status winnow__staging_run(winnow__staging *staging,
                                  const winnow__source *source,
                                  winnow_status (*lead)(void *argument),
                                  void *argument);

/* ---- called by lead() */

/* Put in a load. Fewer than WINNOW__MOST_LOADS loads are there before. */
void winnow__staging_put(winnow__staging *staging, const winnow__load *load);
/* Help until all copies of the first load are enqueued, and remove it. */
winnow_status winnow__staging_bring(winnow__staging *staging);

/* ---- workers.c: threads that copy what a device has written to memory that it does
 * not reach. */
enum {
    /* Unless the caller says how many: enough to fill a PCIe 5 link. The link has 55
     * GB/s; a thread copies 10 GB/s. */
    WINNOW__PIPE_THREADS = 6
};

/* The team has the number of threads in the pipe's options. NULL: no memory. */
winnow__team *winnow__pipe_team(const winnow_pipe *pipe);
void winnow__team_copy(winnow__team *team, void *to, const void *from,
                       uint64_t bytes);

/* The slot of a chunk while it goes through the device. */
typedef struct winnow__pipe_slot {
    winnow__chunk chunk; /* its columns, and device memory */
    void *d_memory;
    void *d_in[WINNOW_PIPE_MOST_INPUTS];
    void *staged_memory; /* pinned; NULL: not needed yet */
    void *staged_in[WINNOW_PIPE_MOST_INPUTS];
    void *drained_memory; /* pinned; NULL: no output needs it */
    void *drained_out[WINNOW_PIPE_MOST_OUTPUTS];

    cudaEvent_t copied, filtered, drained;
    winnow__piece piece;
    uint64_t most;   /* the most items it may have */
    uint64_t staged; /* items in staged_in, which follow the copied ones */
    uint64_t late;   /* bit i: input i is fetched late, from chunk.in[i] */
    bool is_loaded;  /* staging has a load for it */
} winnow__pipe_slot;

typedef struct winnow__pipe_on_device {
    winnow_pipe *pipe;
    cudaStream_t in, work, out;
    uint64_t *counts; /* pinned: one of each slot */
    winnow__pipe_slot *slots;
    unsigned slot_count;
    unsigned ahead; /* how many chunks may be filled at a time */
    winnow__staging *staging;
    winnow__team *workers;
    bool drains[WINNOW_PIPE_MOST_OUTPUTS]; /* through drained_out */
    uint64_t keyed; /* bit i: the condition has a column of input i */

    /* Chunks are numbered; number k is in slot k % slot_count. The numbers of chunks
     * that are */
    uint64_t begun;       /* filled, */
    uint64_t launched;    /* filtered, */
    uint64_t settled;     /* counted, and on their way out, */
    uint64_t delivered;   /* written */
    uint64_t items, kept; /* of the settled chunks */
} winnow__pipe_on_device;

/* What a thread needs to call the runtime, after winnow__pipe_enter(). */
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

/* The chunk that was begun last. NULL: it is launched already. */
static inline winnow__pipe_slot *
winnow__pipe_filling(const winnow__pipe_on_device *own) {
    return own->begun == own->launched
               ? NULL
               : winnow__pipe_slot_of(own, own->begun - 1);
}

/* Does the device reach this memory? *on_host_p: does the host reach it, too? */
winnow_status winnow__pipe_look_at(const void *memory, bool *reached_p,
                                   bool *on_host_p);

/* ---- cuda_chunks.c */

/* Copies nothing for 0 bytes. */
winnow_status winnow__pipe_copy(void *to, const void *from, uint64_t bytes,
                                cudaStream_t stream, const char *what);
/* Copy the staged items, which are the last ones of the slot. */
winnow_status winnow__pipe_copy_staged(winnow__pipe_on_device *own,
                                       winnow__pipe_slot *slot);
/* Launch a chunk, which is complete. */
winnow_status winnow__pipe_launch(winnow__pipe_on_device *own);
/* Enqueue the copy out of all launched chunks but the newest `counted`, and write all
 * but the newest `old`. */
winnow_status winnow__pipe_advance(winnow__pipe_on_device *own,
                                   uint64_t counted, uint64_t old);
/* Wait until nothing is in use. */
void winnow__pipe_drain(winnow__pipe_on_device *own);

/* ---- cuda_feed.c */

winnow_status winnow__pipe_feed_source(winnow__pipe_on_device *own,
                                       const winnow__source *source);
/* Memory is registered while a piece of it is copied and filtered. */
winnow_status winnow__pipe_feed_registered(winnow__pipe_on_device *own,
                                           const winnow__source *source);

/* ---- cuda_memory.c */

winnow_status winnow__pipe_make_event(cudaEvent_t *event);

winnow_status winnow__pipe_make_slots(winnow__pipe_on_device *own);
/* Make the memory for staging, when it is first needed. */
winnow_status winnow__pipe_make_staging(winnow__pipe_on_device *own,
                                        winnow__pipe_slot *slot);
void winnow__pipe_free_slots(winnow__pipe_on_device *own);

/* ---- late.c */

/* The most items of the next chunk, whose inputs are in pinned host memory (bit i:
 * input i). It is small while the fraction kept, which decides about late fetch, is
 * unknown. */
uint64_t winnow__pipe_next_items(const winnow__pipe_on_device *own,
                                 uint64_t pinned);
/* Which inputs in pinned host memory (bit i: input i) should be fetched late in the
 * next chunk. */
uint64_t winnow__pipe_late_inputs(const winnow__pipe_on_device *own,
                                  uint64_t pinned);

/* ---- register.c: pageable memory that is fed is registered, piece by piece. */
typedef struct winnow__registered {
    const void *inputs[WINNOW_PIPE_MOST_INPUTS]; /* NULL: not registered */
} winnow__registered;

/* How many items of an array are registered at a time. */
uint64_t winnow__registered_items(const winnow_pipe *pipe);

/* Register n items of each input that the device does not reach. On an error nothing is
 * registered. */
winnow_status winnow__register(const winnow_pipe *pipe,
                               const void *const *inputs, uint64_t n,
                               winnow__registered *registered);
/* The memory must not be in use. */
winnow_status winnow__unregister(const winnow_pipe *pipe,
                                 winnow__registered *registered);
