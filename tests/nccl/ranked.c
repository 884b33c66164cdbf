/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranked.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(cudaError_t error, const char *call) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    abort();
}
#define CUDA(CALL) must(CALL, #CALL)

/* ------------------------------------------------------------------- ranks */

bool ranked_open(ranked *all, int ranks, struct report *report) {
    int devices[RANKED_MOST];
    for (int r = 0; r < ranks; r++)
        devices[r] = r;
    *all = (ranked){.ranks = ranks};
    const ncclResult_t result = ncclCommInitAll(all->comms, ranks, devices);
    return result == ncclSuccess || report_fail(report, "ncclCommInitAll: %s",
                                                ncclGetErrorString(result));
}

void ranked_close(ranked *all) {
    for (int r = 0; r < all->ranks; r++)
        ncclCommDestroy(all->comms[r]);
}

typedef struct thread {
    pthread_t id;
    ranked_rank rank;
    bool (*body)(ranked_rank *);
    const winnow_nccl_options *options;
    bool opens;
    struct report report;
    bool passed;
} thread;

/* Any but the rank's own, if there is one. */
static void leave_device(const ranked_rank *r) {
    CUDA(cudaSetDevice((r->rank + 1) % r->all->ranks));
}

static bool run_body(thread *t) {
    ranked_rank *const r = &t->rank;
    if (!t->opens)
        return t->body(r);
    if (winnow_nccl_create(&r->nccl, r->comm, t->options) != WINNOW_OK)
        return report_fail(r->report, "rank %d: create: %s", r->rank,
                           winnow_last_error());
    const bool passed = t->body(r);
    winnow_nccl_destroy(r->nccl);
    return passed;
}

static void *run(void *argument) {
    thread *const t = argument;
    ranked_rank *const r = &t->rank;
    int device;
    CUDA(cudaSetDevice(r->rank));
    CUDA(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    leave_device(r);
    t->passed = run_body(t);
    CUDA(cudaGetDevice(&device));
    if (device != (r->rank + 1) % r->all->ranks)
        t->passed = report_fail(&t->report, "rank %d: device %d is current",
                                r->rank, device);
    CUDA(cudaSetDevice(r->rank));
    ranked_wait(r);
    CUDA(cudaStreamDestroy(r->stream));
    return NULL;
}

static bool run_all(ranked *all, const thread *prototype,
                    struct report *report) {
    thread threads[RANKED_MOST];
    bool passed = true;
    for (int i = 0; i < all->ranks; i++) {
        threads[i] = *prototype;
        ranked_rank *const r = &threads[i].rank;
        r->all = all;
        r->rank = i;
        r->comm = all->comms[i];
        r->report = &threads[i].report;
        if (pthread_create(&threads[i].id, NULL, run, &threads[i]) != 0)
            abort();
    }
    for (int i = 0; i < all->ranks; i++) {
        pthread_join(threads[i].id, NULL);
        if (passed && !threads[i].passed)
            *report = threads[i].report;
        passed &= threads[i].passed;
    }
    return passed;
}

bool ranked_run(ranked *all, bool (*body)(ranked_rank *), const void *argument,
                struct report *report) {
    const thread prototype = {.rank = {.argument = argument}, .body = body};
    return run_all(all, &prototype, report);
}

bool ranked_run_open(ranked *all, const winnow_nccl_options *options,
                     bool (*body)(ranked_rank *), const void *argument,
                     struct report *report) {
    const thread prototype = {.rank = {.argument = argument},
                              .body = body,
                              .options = options,
                              .opens = true};
    return run_all(all, &prototype, report);
}

/* ------------------------------------------------------------------ memory */

void *ranked_alloc(const ranked_rank *r, size_t bytes) {
    void *memory;
    CUDA(cudaSetDevice(r->rank));
    CUDA(cudaMalloc(&memory, bytes + 1));
    leave_device(r);
    return memory;
}

void ranked_free(const ranked_rank *r, void *memory) {
    CUDA(cudaSetDevice(r->rank));
    CUDA(cudaFree(memory));
    leave_device(r);
}

void ranked_put(const ranked_rank *r, void *d_to, const void *from,
                size_t bytes) {
    CUDA(cudaSetDevice(r->rank));
    CUDA(cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, r->stream));
    ranked_wait(r);
    leave_device(r);
}

void ranked_get(const ranked_rank *r, void *to, const void *d_from,
                size_t bytes) {
    CUDA(cudaSetDevice(r->rank));
    CUDA(cudaMemcpyAsync(to, d_from, bytes, cudaMemcpyDeviceToHost, r->stream));
    ranked_wait(r);
    leave_device(r);
}

/* Asking lets other threads have their turn on the CPU device. */
void ranked_wait(const ranked_rank *r) {
    cudaError_t error;
    while ((error = cudaStreamQuery(r->stream)) == cudaErrorNotReady)
        ;
    must(error, "cudaStreamQuery");
}

/* ---------------------------------------------------------------- exchange */

static uint64_t hash(uint64_t a, uint64_t b) {
    uint64_t x = (a + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (b + 7);
    x ^= x >> 31;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

uint64_t ranked_count(const ranked_exchange *e, int ranks, int from, int to) {
    const uint64_t drawn = hash(e->seed, (uint64_t)(from * 64 + to));
    switch (e->spread) {
    case RANKED_EVEN:
        return 7 * e->scale;
    case RANKED_SKEWED:
        return from == 1 ? 0 : drawn % (10 * e->scale + 1);
    case RANKED_TO_ONE:
        return to == ranks / 2 ? drawn % (9 * e->scale) + 1 : 0;
    case RANKED_FROM_ONE:
        return from == ranks - 1 ? drawn % (9 * e->scale) + 1 : 0;
    case RANKED_TO_SELF:
        return from == to ? 5 * e->scale : 0;
    default:
        return 0;
    }
}

/* Byte b of element i of what goes from one rank to another. */
static unsigned char byte_of(const ranked_exchange *e, int from, int to,
                             unsigned column, uint64_t i, size_t b) {
    const uint64_t pair = (uint64_t)(from * 64 + to);
    return (unsigned char)(hash(hash(e->seed ^ pair << 8 ^ column, i), b / 8) >>
                           8 * (b % 8));
}

/* A rank's arrays. All arrays begin anywhere; the first `skipped` elements of
 * the inputs go nowhere. */
typedef struct arrays {
    uint64_t offsets[RANKED_MOST + 1], from[RANKED_MOST + 1];
    uint64_t skipped, room;
    winnow_move moves[RANKED_COLUMNS];
    size_t bytes[RANKED_COLUMNS];
    void *in[RANKED_COLUMNS], *out[RANKED_COLUMNS];
    unsigned columns;
    uint64_t *d_offsets, *d_from;
    uint64_t capacity;
} arrays;

static size_t place_of(uint64_t seed, unsigned column) {
    return hash(seed, column) % 19;
}

static void fill_input(const ranked_rank *r, const ranked_exchange *e,
                       arrays *a, unsigned column) {
    const size_t each = a->bytes[column];
    const uint64_t n = a->offsets[r->all->ranks];
    unsigned char *const host = calloc(n + 1, each);
    for (int to = 0; to < r->all->ranks; to++)
        for (uint64_t i = a->offsets[to]; i < a->offsets[to + 1]; i++)
            for (size_t b = 0; b < each; b++)
                host[i * each + b] =
                    byte_of(e, r->rank, to, column, i - a->offsets[to], b);
    const size_t at = place_of(e->seed + (uint64_t)r->rank, column);
    a->in[column] = ranked_alloc(r, n * each + at);
    a->moves[column].d_in = (unsigned char *)a->in[column] + at;
    ranked_put(r, (unsigned char *)a->in[column] + at, host, n * each);
    free(host);
}

static void make_output(const ranked_rank *r, const ranked_exchange *e,
                        arrays *a, unsigned column) {
    const size_t bytes = (a->room + RANKED_MARGIN) * a->bytes[column];
    const size_t at = place_of(e->seed * 3 + (uint64_t)r->rank, column);
    unsigned char *const host = malloc(bytes + at);
    memset(host, 0x5a, bytes + at);
    a->out[column] = ranked_alloc(r, bytes + at);
    a->moves[column].d_out = (unsigned char *)a->out[column] + at;
    ranked_put(r, a->out[column], host, bytes + at);
    free(host);
}

static void open_arrays(const ranked_rank *r, const ranked_exchange *e,
                        arrays *a) {
    const int ranks = r->all->ranks;
    *a = (arrays){.skipped = (uint64_t)r->rank * 3, .columns = e->columns};
    a->offsets[0] = a->skipped;
    for (int q = 0; q < ranks; q++) {
        a->offsets[q + 1] = a->offsets[q] + ranked_count(e, ranks, r->rank, q);
        a->from[q + 1] = a->from[q] + ranked_count(e, ranks, q, r->rank);
    }
    a->room = a->from[ranks] + e->spare;
    a->capacity = a->room;
    for (unsigned c = 0; c < e->columns; c++) {
        a->bytes[c] = c == 16 ? 40 : c + 1;
        a->moves[c].element_bytes = a->bytes[c];
        fill_input(r, e, a, c);
        make_output(r, e, a, c);
    }
    a->d_offsets = ranked_alloc(r, sizeof a->offsets);
    a->d_from = ranked_alloc(r, sizeof a->from);
    ranked_put(r, a->d_offsets, a->offsets, sizeof a->offsets);
    memset(a->from + ranks + 1, 0,
           sizeof a->from - ((size_t)ranks + 1) * sizeof *a->from);
}

static void close_arrays(const ranked_rank *r, arrays *a) {
    for (unsigned c = 0; c < a->columns; c++) {
        ranked_free(r, a->in[c]);
        ranked_free(r, a->out[c]);
    }
    ranked_free(r, a->d_offsets);
    ranked_free(r, a->d_from);
}

/* Elements from one on are as they were. */
static bool check_untouched(const ranked_rank *r, const arrays *a,
                            uint64_t from) {
    for (unsigned c = 0; c < a->columns; c++) {
        const size_t each = a->bytes[c];
        const uint64_t bytes = (a->room + RANKED_MARGIN - from) * each;
        const unsigned char *const out =
            (const unsigned char *)a->out[c] +
            ((const unsigned char *)a->moves[c].d_out -
             (const unsigned char *)a->out[c]);
        unsigned char *const host = malloc(bytes + 1);
        ranked_get(r, host, out + from * each, bytes);
        for (uint64_t i = 0; i < bytes; i++)
            if (host[i] != 0x5a) {
                free(host);
                return report_fail(r->report,
                                   "rank %d, column %u: byte %llu behind "
                                   "element %llu was written",
                                   r->rank, c, (unsigned long long)i,
                                   (unsigned long long)from);
            }
        free(host);
    }
    return true;
}

static bool check_column(const ranked_rank *r, const ranked_exchange *e,
                         const arrays *a, unsigned column) {
    const size_t each = a->bytes[column];
    const int ranks = r->all->ranks;
    unsigned char *const host = malloc(a->from[ranks] * each + 1);
    bool passed = true;
    ranked_get(r, host, a->moves[column].d_out, a->from[ranks] * each);
    for (int from = 0; from < ranks && passed; from++)
        for (uint64_t i = a->from[from]; i < a->from[from + 1] && passed; i++)
            for (size_t b = 0; b < each && passed; b++)
                if (host[i * each + b] !=
                    byte_of(e, from, r->rank, column, i - a->from[from], b))
                    passed = report_fail(
                        r->report,
                        "rank %d, column %u: byte %zu of element %llu, which "
                        "is %llu of rank %d, is wrong",
                        r->rank, column, b, (unsigned long long)i,
                        (unsigned long long)(i - a->from[from]), from);
    free(host);
    return passed;
}

static bool check_offsets(const ranked_rank *r, const arrays *a) {
    uint64_t got[RANKED_MOST + 1];
    const size_t number = (size_t)r->all->ranks + 1;
    ranked_get(r, got, a->d_from, number * sizeof *got);
    for (size_t i = 0; i < number; i++)
        if (got[i] != a->from[i])
            return report_fail(r->report,
                               "rank %d: d_from_offsets[%zu] is %llu, not %llu",
                               r->rank, i, (unsigned long long)got[i],
                               (unsigned long long)a->from[i]);
    return true;
}

/* What the rank that does it hands over; *status_p: what all return. */
static void do_wrong(const ranked_exchange *e, const ranked_rank *r, arrays *a,
                     winnow_launch *launch, winnow_status *status_p) {
    static winnow_plan plan;
    const bool mine = r->rank == e->wrong_rank;
    winnow_move *const last = &a->moves[a->columns - 1];
    *status_p = WINNOW_ERR_ARGUMENT;
    switch (e->wrong) {
    case RANKED_SHORT:
        a->capacity -= mine;
        break;
    case RANKED_DESCENDING:
        if (mine) {
            a->offsets[0] = a->offsets[1] + 1;
            ranked_put(r, a->d_offsets, a->offsets, sizeof a->offsets);
        }
        break;
    case RANKED_NULL_IN:
        last->d_in = mine ? NULL : last->d_in;
        break;
    case RANKED_NULL_OUT:
        last->d_out = mine ? NULL : last->d_out;
        break;
    case RANKED_OVERLAP:
        last->d_in = mine ? (unsigned char *)last->d_out + 1 : last->d_in;
        break;
    case RANKED_OTHER_SIZE:
        last->element_bytes -= mine;
        break;
    case RANKED_FEWER:
        a->columns -= mine;
        break;
    case RANKED_BITS:
        last->type = mine ? WINNOW_BIT : WINNOW_OPAQUE;
        *status_p = WINNOW_ERR_UNSUPPORTED;
        break;
    case RANKED_UNALIGNED:
        if (mine)
            a->d_offsets =
                (uint64_t *)(void *)((unsigned char *)a->d_offsets + 4);
        break;
    default:
        launch->plan = mine ? &plan : NULL;
        *status_p = WINNOW_ERR_UNSUPPORTED;
    }
}

static bool run_wrong(ranked_rank *r, const ranked_exchange *e,
                      const arrays *whole) {
    arrays a = *whole;
    winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    winnow_status wanted;
    do_wrong(e, r, &a, &launch, &wanted);
    const winnow_status status =
        winnow_nccl_exchange(r->nccl, a.d_offsets, a.moves, a.columns,
                             a.capacity, a.d_from, &launch);
    if (status != wanted)
        return report_fail(r->report, "rank %d, wrong %d: %s instead of %s",
                           r->rank, (int)e->wrong, winnow_status_name(status),
                           winnow_status_name(wanted));
    if (winnow_last_error()[0] == '\0')
        return report_fail(r->report, "rank %d: no detail", r->rank);
    ranked_wait(r);
    ranked_put(r, whole->d_offsets, whole->offsets, sizeof whole->offsets);
    return check_untouched(r, whole, 0) &&
           (e->wrong != RANKED_SHORT || check_offsets(r, whole));
}

static bool run_right(ranked_rank *r, const ranked_exchange *e,
                      const arrays *a) {
    winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    if (winnow_nccl_exchange(r->nccl, a->d_offsets, a->moves, a->columns,
                             a->capacity, a->d_from, &launch) != WINNOW_OK)
        return report_fail(r->report, "rank %d: exchange: %s", r->rank,
                           winnow_last_error());
    ranked_wait(r);
    for (unsigned c = 0; c < a->columns; c++)
        if (!check_column(r, e, a, c))
            return false;
    return check_offsets(r, a) && check_untouched(r, a, a->from[r->all->ranks]);
}

/* After a wrong call the same one, done right, has to work. */
bool ranked_check_exchange(ranked_rank *r) {
    const ranked_exchange *const e = r->argument;
    arrays a;
    open_arrays(r, e, &a);
    const bool passed =
        (e->wrong_rank < 0 || run_wrong(r, e, &a)) && run_right(r, e, &a);
    close_arrays(r, &a);
    return passed;
}

/* ------------------------------------------------------------------- place */

bool ranked_check_place(ranked_rank *r) {
    const ranked_exchange *const e = r->argument;
    uint64_t first = 0, total = 0, got[2];
    uint64_t *const d_numbers = ranked_alloc(r, 3 * sizeof *d_numbers);
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    bool passed = true;
    for (int q = 0; q < r->all->ranks; q++) {
        const uint64_t count = ranked_count(e, r->all->ranks, q, 0);
        first += q < r->rank ? count : 0;
        total += count;
    }
    const uint64_t own = ranked_count(e, r->all->ranks, r->rank, 0);
    ranked_put(r, d_numbers, &own, sizeof own);
    if (winnow_nccl_place(r->nccl, d_numbers, d_numbers + 1, d_numbers + 2,
                          &launch) != WINNOW_OK)
        passed = report_fail(r->report, "rank %d: place: %s", r->rank,
                             winnow_last_error());
    if (passed) {
        ranked_get(r, got, d_numbers + 1, sizeof got);
        if (got[0] != first || got[1] != total)
            passed = report_fail(
                r->report,
                "rank %d: place %llu of %llu, not %llu of "
                "%llu",
                r->rank, (unsigned long long)got[0], (unsigned long long)got[1],
                (unsigned long long)first, (unsigned long long)total);
    }
    ranked_free(r, d_numbers);
    return passed;
}
