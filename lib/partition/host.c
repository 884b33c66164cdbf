/*
 * partition_by_key on the host. Each thread counts the parts of a chunk; the
 * caller's thread turns the counts into offsets; threads scatter the chunks.
 * The order is stable.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "core/round.h"
#include "host/task.h"

#include <string.h>

enum {
    /* Keys whose places are computed together, before any column is moved. */
    STEP = 1024,
    /* Fewer keys are not worth a second thread or another chunk. */
    LEAST_BYTES = 1 << 20,
    CHUNKS_PER_THREAD = 4,
    /* A chunk has several times as many keys as there are parts, since it has a count
     * for each. */
    LEAST_KEYS_PER_PART = 8,
    /* For all chunks and parts together. */
    MOST_COUNTS = 1 << 23
};

typedef struct shared {
    const winnow__call *call;
    const winnow__partition *partition;
    uint64_t n;
    void *keys_out;
    uint64_t mask;
    uint64_t chunks, size; /* keys of a chunk */
    uint64_t *counts;      /* for each chunk and part; later offsets */
    winnow__turns turns;
} shared;

/* The part of key i. A number from `parts` on, or all ones: none. */
static uint64_t part_of(const shared *s, uint64_t i) {
    const uint64_t key = s->call->query.type->size == 4
                             ? ((const uint32_t *)s->call->in)[i]
                             : ((const uint64_t *)s->call->in)[i];
    return key >> s->partition->shift & s->mask;
}

/* ------------------------------------------------------------------ chunks */

static uint64_t end_of(const shared *s, uint64_t chunk) {
    return chunk + 1 < s->chunks ? (chunk + 1) * s->size : s->n;
}

static uint64_t *counts_of(const shared *s, uint64_t chunk) {
    return s->counts + chunk * s->partition->parts;
}

static void count_chunks(void *argument, unsigned char *buffer) {
    shared *const s = argument;
    uint64_t chunk;
    (void)buffer;
    while (winnow__take_turn(&s->turns, &chunk)) {
        uint64_t *const counts = counts_of(s, chunk);
        const uint64_t end = end_of(s, chunk);
        memset(counts, 0, s->partition->parts * sizeof *counts);
        for (uint64_t i = chunk * s->size; i < end; i++) {
            const uint64_t part = part_of(s, i);
            if (part < s->partition->parts)
                counts[part]++;
        }
    }
}

/* Compute where each chunk's keys of each part begin, where each part begins, and the
 * end. */
static void sum_up(const shared *s, uint64_t *offsets) {
    const winnow_blocks *const blocks = s->partition->blocks;
    uint64_t offset = 0;
    for (uint32_t part = 0; part < s->partition->parts; part++) {
        offsets[part] = offset;
        for (uint64_t chunk = 0; chunk < s->chunks; chunk++) {
            uint64_t *const entry = &counts_of(s, chunk)[part];
            const uint64_t count = *entry;
            *entry = offset;
            offset += count;
        }
        if (blocks != NULL && blocks->d_counts != NULL)
            blocks->d_counts[part] = offset - offsets[part];
        if (blocks != NULL)
            offset = winnow__round_up(offset, blocks->align);
    }
    offsets[s->partition->parts] = offset;
}

#define NOWHERE UINT64_MAX

#define MOVE(BYTES)                                                            \
    for (unsigned i = 0; i < n; i++)                                           \
        if (to[i] != NOWHERE)                                                  \
    memcpy(out + to[i] * (BYTES), in + i * (BYTES), (BYTES))

static void move(const void *from, uint64_t start, void *d_out, size_t bytes,
                 const uint64_t *to, unsigned n) {
    const unsigned char *const in = (const unsigned char *)from + start * bytes;
    unsigned char *const out = d_out;
    switch (bytes) {
    case 1:
        MOVE(1);
        break;
    case 2:
        MOVE(2);
        break;
    case 4:
        MOVE(4);
        break;
    case 8:
        MOVE(8);
        break;
    default:
        MOVE(16);
    }
}

/* Without an input, write the items' numbers. */
static void number(uint64_t start, void *d_out, size_t bytes,
                   const uint64_t *to, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (to[i] != NOWHERE && bytes == 4)
            ((uint32_t *)d_out)[to[i]] = (uint32_t)(start + i);
        else if (to[i] != NOWHERE)
            ((uint64_t *)d_out)[to[i]] = start + i;
}

static void scatter_step(const shared *s, uint64_t start, unsigned n,
                         uint64_t *offsets) {
    const winnow__partition *const p = s->partition;
    uint64_t to[STEP];
    for (unsigned i = 0; i < n; i++) {
        const uint64_t part = part_of(s, start + i);
        to[i] = part < p->parts ? offsets[part]++ : NOWHERE;
    }
    if (s->keys_out != NULL)
        move(s->call->in, start, s->keys_out, s->call->query.type->size, to, n);
    for (uint32_t c = 0; c < p->column_count; c++)
        if (p->columns[c]->d_in == NULL)
            number(start, p->columns[c]->d_out, p->columns[c]->element_bytes,
                   to, n);
        else
            move(p->columns[c]->d_in, start, p->columns[c]->d_out,
                 p->columns[c]->element_bytes, to, n);
}

static void scatter_chunks(void *argument, unsigned char *buffer) {
    shared *const s = argument;
    uint64_t chunk;
    (void)buffer;
    while (winnow__take_turn(&s->turns, &chunk)) {
        const uint64_t end = end_of(s, chunk);
        for (uint64_t i = chunk * s->size; i < end; i += STEP)
            scatter_step(s, i, end - i < STEP ? (unsigned)(end - i) : STEP,
                         counts_of(s, chunk));
    }
}

/* ----------------------------------------------------------------- blocks */

static void fill(const winnow__partition *p, uint64_t begin, uint64_t end) {
    for (unsigned m = 0; m < p->move_count; m++) {
        const size_t bytes = p->moves[m].element_bytes;
        unsigned char *const out = p->moves[m].d_out;
        for (uint64_t i = begin; p->blocks->fills[m] != NULL && i < end; i++)
            memcpy(out + i * bytes, p->blocks->fills[m], bytes);
    }
}

/* Fill the space after each part, up to the next, and store each block's part.
 * The last chunk's items of a part end where the part ends. */
static void finish_blocks(const shared *s, const uint64_t *offsets) {
    const winnow__partition *const p = s->partition;
    const winnow_blocks *const blocks = p->blocks;
    const uint64_t *const ends = counts_of(s, s->chunks - 1);
    for (uint32_t part = 0; part < p->parts; part++) {
        if (blocks->fills != NULL)
            fill(p, ends[part], offsets[part + 1]);
        for (uint64_t i = offsets[part];
             blocks->d_block_parts != NULL && i < offsets[part + 1];
             i += blocks->align)
            blocks->d_block_parts[i / blocks->align] = part;
    }
}

/* ------------------------------------------------------------------- call */

static void run(shared *s, unsigned threads, const winnow__host_task *task,
                winnow__work *work) {
    s->turns = winnow__begin_turns(s->chunks);
    winnow__team_work(task->team, threads, work, s, NULL);
}

static unsigned most_threads(const winnow__query *query, uint64_t n) {
    const uint64_t most = n * query->type->size / LEAST_BYTES;
    return most < WINNOW__MOST_THREADS ? (unsigned)most : WINNOW__MOST_THREADS;
}

static uint64_t chunks_for(uint64_t n, uint64_t parts, unsigned threads) {
    const uint64_t wanted = threads < 2 ? 1 : threads * CHUNKS_PER_THREAD;
    const uint64_t most = n / (parts * LEAST_KEYS_PER_PART) + 1;
    const uint64_t room = MOST_COUNTS / parts;
    const uint64_t chunks = wanted < most ? wanted : most;
    return chunks < room ? chunks : room;
}

/* Bytes for the counts, with the most threads. */
size_t winnow__host_partition_bytes(const winnow__query *query) {
    const winnow__partition *const partition = query->details;
    return chunks_for(query->n, partition->parts,
                      most_threads(query, query->n)) *
           partition->parts * sizeof(uint64_t);
}

winnow_status winnow__host_partition(const winnow__call *call,
                                     const winnow__host_task *task) {
    const winnow__partition *const partition = call->query.details;
    const winnow__partition_memory *const memory = call->memory;
    const unsigned most = most_threads(&call->query, task->n);
    const unsigned threads =
        most < 2 ? 1 : winnow__team_threads(task->team, most);
    shared s = {.call = call,
                .partition = partition,
                .n = task->n,
                .keys_out = memory->keys_out,
                .mask = winnow__partition_mask(partition),
                .chunks = chunks_for(task->n, partition->parts, threads),
                .counts = task->memory};
    s.size = s.n / s.chunks;
    run(&s, threads, task, count_chunks);
    sum_up(&s, memory->offsets);
    run(&s, threads, task, scatter_chunks);
    if (partition->blocks != NULL)
        finish_blocks(&s, memory->offsets);
    return WINNOW_OK;
}
