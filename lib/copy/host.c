/*
 * Compaction on the host reads the input once, with any number of threads.
 *
 * The input is cut into chunks, which threads take in order. A thread packs its
 * chunk into its own buffer and publishes the number of survivors. When all
 * earlier chunks have published theirs, the thread copies the buffer to its
 * offset. By then these chunks have been read, so the output may be the input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    /* Bytes that one thread packs at a time, in a buffer on its stack. */
    STEP = 4096,
    /* For fewer bytes it is not worth waking a second thread. */
    LEAST_BYTES_PER_THREAD = 1 << 20,
    /* How often a thread checks for another's count before it assumes that the
     * other has no CPU: several times what packing a chunk takes. */
    LOOKS = 20000
};

static unsigned log2_size(const winnow__host_task *task) {
    return task->predicate->type->log2_size;
}

static unsigned log2_out(const winnow__host_copy *copy) {
    return copy->index_type != NULL ? copy->index_type->log2_size
                                    : log2_size(&copy->task);
}

/* Buffers hold elements of the input or of the output: the wider of the two. */
static unsigned log2_widest(const winnow__host_copy *copy) {
    return log2_size(&copy->task) > log2_out(copy) ? log2_size(&copy->task)
                                                   : log2_out(copy);
}

static uint64_t pack(const winnow__host_copy *copy, uint64_t start, uint64_t n,
                     void *out) {
    const winnow_predicate *p = copy->task.predicate;
    const size_t ahead = winnow__host_ahead((copy->task.n - start - n)
                                            << log2_size(&copy->task));
    if (copy->index_type != NULL)
        return copy->task.loops->index[copy->index_type->size == 8][log2_size(
            &copy->task)][p->kind](&p->test,
                                   winnow__host_element(&copy->task, start), n,
                                   ahead, start, out);
    return copy->task.loops->pack[log2_size(&copy->task)][p->kind](
        &p->test, winnow__host_element(&copy->task, start), n, ahead, out);
}

static bool is_streamed(const winnow__host_copy *copy) {
    return copy->task.n << log2_widest(copy) > copy->task.streamed_bytes;
}

/* Copy `n` packed elements or indices to element `offset` of the output and on,
 * as far as there is room. */
static void put(const winnow__host_copy *copy, uint64_t offset,
                const void *packed, uint64_t n, bool streamed) {
    if (offset >= copy->capacity)
        return;
    if (n > copy->capacity - offset)
        n = copy->capacity - offset;
    unsigned char *const to =
        (unsigned char *)copy->out + (offset << log2_out(copy));
    const size_t bytes = n << log2_out(copy);
    if (streamed)
        winnow__host_stream(copy->task.loops, to, packed, bytes);
    else
        winnow__host_copy_bytes(to, packed, bytes);
}

/* --------------------------------------------------------------- one thread */

static uint64_t copy_in_one_thread(const winnow__host_copy *copy,
                                   bool streamed) {
    _Alignas(64) unsigned char buffer[2 * STEP + WINNOW__HOST_SLACK];
    const unsigned shift = log2_out(copy);
    const uint64_t step = STEP >> log2_widest(copy);
    uint64_t offset = 0, held = 0, start = 0;
    for (; start < copy->task.n && offset < copy->capacity; start += step) {
        const uint64_t left = copy->task.n - start;
        held += pack(copy, start, left < step ? left : step,
                     buffer + (held << shift));
        if (held >= step || left <= step) {
            put(copy, offset, buffer, held, streamed);
            offset += held;
            held = 0;
        }
    }
    if (start < copy->task.n)
        offset +=
            winnow__host_count_part(&copy->task, start, copy->task.n - start);
    return offset;
}

/* ------------------------------------------------------------- many threads */

/* Flags in a chunk's state, beside the number of its survivors. */
#define COUNTED (UINT32_C(1) << 30) /* the number is valid */
#define READ (UINT32_C(1) << 31)    /* its thread no longer reads the input */

typedef struct shared {
    const winnow__host_task *task;
    const winnow__host_copy *copy; /* NULL: survivors are only counted */
    uint64_t size;                 /* elements of a chunk */
    bool streamed, in_place;
    winnow__turns turns; /* of chunks */
    atomic_uint_least64_t total;
    atomic_uint_least32_t *states; /* one for each chunk */
} shared;

static uint64_t length_of(const shared *s, uint64_t chunk) {
    const uint64_t left = s->task->n - chunk * s->size;
    return left < s->size ? left : s->size;
}

static uint32_t look(const shared *s, uint64_t chunk) {
    return atomic_load_explicit(&s->states[chunk], memory_order_acquire);
}

/* The survivors of a chunk that another thread has taken. That thread may have
 * no CPU. As nothing writes to the input here, this thread can count them as
 * well. */
static uint64_t count_of(shared *s, uint64_t chunk) {
    uint32_t state = 0;
    for (unsigned i = 0; i < LOOKS && state == 0; i++)
        state = look(s, chunk);
    if (state != 0)
        return state & (COUNTED - 1);
    const uint64_t kept =
        winnow__host_count_part(s->task, chunk * s->size, length_of(s, chunk));
    /* Relaxed: only the count is exchanged, since this is not in place. */
    atomic_fetch_or_explicit(&s->states[chunk], (uint32_t)kept | COUNTED,
                             memory_order_relaxed);
    return kept;
}

/* In place, the output may overwrite what that thread still reads: wait. */
static uint64_t count_read(shared *s, uint64_t chunk) {
    uint32_t state = look(s, chunk);
    for (unsigned i = 0; (state & READ) == 0; i++) {
        if (i > LOOKS)
            winnow__give_way(&s->turns);
        state = look(s, chunk);
    }
    return state & (COUNTED - 1);
}

static void copy_chunks(void *argument, unsigned char *buffer) {
    shared *const s = argument;
    uint64_t chunk, before = 0, offset = 0; /* of `before` chunks */
    while (winnow__take_turn(&s->turns, &chunk)) {
        const uint64_t kept =
            pack(s->copy, chunk * s->size, length_of(s, chunk), buffer);
        /* A release: this thread's reads of the input come before the writes of
         * threads that acquire this. */
        atomic_fetch_or_explicit(&s->states[chunk],
                                 (uint32_t)kept | COUNTED | READ,
                                 memory_order_release);
        for (; before < chunk; before++)
            offset += s->in_place ? count_read(s, before) : count_of(s, before);
        put(s->copy, offset, buffer, kept, s->streamed);
    }
}

static void count_chunks(void *argument, unsigned char *buffer) {
    shared *const s = argument;
    uint64_t chunk, kept = 0;
    (void)buffer;
    while (winnow__take_turn(&s->turns, &chunk))
        kept += winnow__host_count_part(s->task, chunk * s->size,
                                        length_of(s, chunk));
    atomic_fetch_add_explicit(&s->total, kept, memory_order_relaxed);
}

static shared cut(const winnow__host_task *task, unsigned log2_bytes) {
    const uint64_t size = WINNOW__HOST_CHUNK >> log2_bytes;
    return (shared){
        .task = task,
        .size = size,
        .turns = winnow__begin_turns(task->n / size + (task->n % size != 0))};
}

/* A small input is not worth a second thread. */
static unsigned count_threads(const winnow__host_task *task) {
    return winnow__team_threads(task->team, (task->n << log2_size(task)) /
                                                LEAST_BYTES_PER_THREAD);
}

/* False: one thread has to do all the work. */
static bool copy_together(shared *s, unsigned threads, uint64_t *kept_p) {
    s->states = calloc(s->turns.pieces, sizeof *s->states);
    const bool done = s->states != NULL &&
                      winnow__team_run(s->task->team, threads, copy_chunks, s);
    *kept_p = 0;
    for (uint64_t i = 0; done && i < s->turns.pieces; i++)
        *kept_p += look(s, i) & (COUNTED - 1);
    free(s->states);
    return done;
}

uint64_t winnow__host_copy_if(const winnow__host_copy *copy) {
    const winnow__host_task *const task = &copy->task;
    if (copy->capacity == 0)
        return winnow__host_count_if(task);
    const unsigned threads = count_threads(task);
    shared s = cut(task, log2_widest(copy));
    uint64_t kept;
    s.copy = copy;
    s.streamed = is_streamed(copy);
    s.in_place = task->in == copy->out;
    if (threads < 2 || !copy_together(&s, threads, &kept))
        kept = copy_in_one_thread(copy, s.streamed);
    return kept;
}

uint64_t winnow__host_count_if(const winnow__host_task *task) {
    const unsigned threads = count_threads(task);
    shared s = cut(task, log2_size(task));
    return threads >= 2 &&
                   winnow__team_run(task->team, threads, count_chunks, &s)
               ? s.total
               : winnow__host_count_part(task, 0, task->n);
}
