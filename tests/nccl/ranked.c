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
    *all = (ranked){.ranks = ranks, .devices = ranks, .end = ranks};
    const ncclResult_t result = ncclCommInitAll(all->comms, ranks, devices);
    return result == ncclSuccess || report_fail(report, "ncclCommInitAll: %s",
                                                ncclGetErrorString(result));
}

void ranked_close(ranked *all) {
    for (int r = all->first; r < all->end; r++)
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

static void enter_device(const ranked_rank *r) {
    CUDA(cudaSetDevice(r->rank % r->all->devices));
}

/* Any but the rank's own, if there is one. */
static int other_device(const ranked_rank *r) {
    return (r->rank + 1) % r->all->devices;
}

static void leave_device(const ranked_rank *r) {
    CUDA(cudaSetDevice(other_device(r)));
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
    enter_device(r);
    CUDA(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    leave_device(r);
    t->passed = run_body(t);
    CUDA(cudaGetDevice(&device));
    if (device != other_device(r))
        t->passed = report_fail(&t->report, "rank %d: device %d is current",
                                r->rank, device);
    enter_device(r);
    ranked_wait(r);
    CUDA(cudaStreamDestroy(r->stream));
    return NULL;
}

void *ranked_plain(void) {
    static uint64_t plain[1024];
    return plain;
}

static void open_elsewhere(ranked_rank *r) {
    r->elsewhere = ranked_plain();
    if (r->all->devices == 1)
        return;
    leave_device(r);
    CUDA(cudaMalloc(&r->elsewhere, 4096));
    CUDA(cudaMemset(r->elsewhere, 0, 4096));
}

static void close_elsewhere(const ranked_rank *r) {
    if (r->all->devices > 1)
        CUDA(cudaFree(r->elsewhere));
}

/* What may wait for a device is done where no rank waits for another. */
static bool run_all(ranked *all, const thread *prototype,
                    struct report *report) {
    thread threads[RANKED_MOST];
    bool passed = true;
    for (int i = all->first; i < all->end; i++) {
        threads[i] = *prototype;
        ranked_rank *const r = &threads[i].rank;
        r->all = all;
        r->rank = i;
        r->comm = all->comms[i];
        r->report = &threads[i].report;
        open_elsewhere(r);
    }
    for (int i = all->first; i < all->end; i++)
        if (pthread_create(&threads[i].id, NULL, run, &threads[i]) != 0)
            abort();
    for (int i = all->first; i < all->end; i++) {
        pthread_join(threads[i].id, NULL);
        if (passed && !threads[i].passed)
            *report = threads[i].report;
        passed &= threads[i].passed;
        close_elsewhere(&threads[i].rank);
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
    enter_device(r);
    CUDA(cudaMalloc(&memory, bytes + 1));
    leave_device(r);
    return memory;
}

void ranked_free(const ranked_rank *r, void *memory) {
    enter_device(r);
    CUDA(cudaFree(memory));
    leave_device(r);
}

void ranked_put(const ranked_rank *r, void *d_to, const void *from,
                size_t bytes) {
    enter_device(r);
    CUDA(cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, r->stream));
    ranked_wait(r);
    leave_device(r);
}

void ranked_get(const ranked_rank *r, void *to, const void *d_from,
                size_t bytes) {
    enter_device(r);
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

uint64_t ranked_random(uint64_t a, uint64_t b) {
    return hash(a, b);
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
    void *in[RANKED_COLUMNS];
    unsigned char *out[RANKED_COLUMNS]; /* begins at d_out */
    void *memory;                       /* of all outputs */
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

/* Where a column's output begins, and ends, in the memory of all outputs. */
static size_t output_start(const ranked_rank *r, const ranked_exchange *e,
                           const arrays *a, unsigned column) {
    size_t at = 0;
    for (unsigned c = 0; c <= column; c++) {
        at += place_of(e->seed * 3 + (uint64_t)r->rank, c);
        if (c < column)
            at += (a->room + RANKED_MARGIN) * a->bytes[c];
    }
    return at;
}

static size_t outputs_bytes(const ranked_rank *r, const ranked_exchange *e,
                            const arrays *a) {
    const unsigned last = a->columns - 1;
    return output_start(r, e, a, last) +
           (a->room + RANKED_MARGIN) * a->bytes[last];
}

/* Nothing has been written to them. */
static void clear_outputs(const ranked_rank *r, const ranked_exchange *e,
                          const arrays *a) {
    const size_t bytes = outputs_bytes(r, e, a);
    unsigned char *const host = malloc(bytes);
    memset(host, 0x5a, bytes);
    ranked_put(r, a->memory, host, bytes);
    free(host);
}

static bool make_outputs(const ranked_rank *r, const ranked_exchange *e,
                         arrays *a) {
    const size_t bytes = outputs_bytes(r, e, a);
    if (e->way == WINNOW_NCCL_EXACT)
        a->memory = ranked_alloc(r, bytes);
    else if (winnow_nccl_alloc(r->nccl, bytes, &a->memory) != WINNOW_OK)
        return report_fail(r->report, "rank %d: alloc: %s", r->rank,
                           winnow_last_error());
    for (unsigned c = 0; c < a->columns; c++) {
        a->out[c] = (unsigned char *)a->memory + output_start(r, e, a, c);
        a->moves[c].d_out = a->out[c];
    }
    clear_outputs(r, e, a);
    return true;
}

static bool open_arrays(const ranked_rank *r, const ranked_exchange *e,
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
    }
    a->d_offsets = ranked_alloc(r, sizeof a->offsets);
    a->d_from = ranked_alloc(r, sizeof a->from);
    ranked_put(r, a->d_offsets, a->offsets, sizeof a->offsets);
    return make_outputs(r, e, a);
}

static void close_arrays(const ranked_rank *r, const ranked_exchange *e,
                         arrays *a) {
    for (unsigned c = 0; c < a->columns; c++)
        ranked_free(r, a->in[c]);
    if (e->way == WINNOW_NCCL_EXACT)
        ranked_free(r, a->memory);
    ranked_free(r, a->d_offsets);
    ranked_free(r, a->d_from);
}

/* Elements from one on are as they were. */
static bool check_untouched(const ranked_rank *r, const arrays *a,
                            uint64_t from) {
    for (unsigned c = 0; c < a->columns; c++) {
        const size_t each = a->bytes[c];
        const uint64_t bytes = (a->room + RANKED_MARGIN - from) * each;
        unsigned char *const host = malloc(bytes + 1);
        ranked_get(r, host, a->out[c] + from * each, bytes);
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
                         const arrays *a, unsigned column, uint64_t end) {
    const size_t each = a->bytes[column];
    const int ranks = r->all->ranks;
    unsigned char *const host = malloc(a->from[ranks] * each + 1);
    bool passed = true;
    ranked_get(r, host, a->out[column], a->from[ranks] * each);
    for (int from = 0; from < ranks && passed; from++)
        for (uint64_t i = a->from[from];
             i < a->from[from + 1] && i < end && passed; i++)
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

bool ranked_is_of_reductions(int wrong) {
    return wrong != RANKED_SHORT && wrong != RANKED_OVERLAP &&
           wrong != RANKED_OUTPUTS && wrong != RANKED_FOREIGN;
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
    case RANKED_OUTPUTS:
        if (mine)
            last->d_out = (unsigned char *)last[-1].d_out + 1;
        break;
    case RANKED_FOREIGN:
        if (mine)
            last->d_out =
                e->way == WINNOW_NCCL_EXACT ? r->elsewhere : a->d_from;
        break;
    case RANKED_PLAIN:
        last->d_in = mine ? ranked_plain() : last->d_in;
        break;
    case RANKED_ELSEWHERE:
        a->d_offsets = mine ? r->elsewhere : a->d_offsets;
        break;
    default:
        launch->plan = mine ? &plan : NULL;
        *status_p = WINNOW_ERR_UNSUPPORTED;
    }
}

static winnow_status call(ranked_rank *r, const void *argument,
                          const winnow_launch *launch) {
    const arrays *const a = argument;
    return winnow_nccl_exchange(r->nccl, a->d_offsets, a->moves, a->columns,
                                a->capacity, a->d_from, launch);
}

/* What came is right, up to element `end`; what is behind it is as it was. */
static bool check_all(const ranked_rank *r, const ranked_exchange *e,
                      const arrays *a, uint64_t end) {
    for (unsigned c = 0; c < a->columns; c++)
        if (!check_column(r, e, a, c, end))
            return false;
    return check_offsets(r, a) && check_untouched(r, a,
                                                  end < a->from[r->all->ranks]
                                                      ? end
                                                      : a->from[r->all->ranks]);
}

static bool expect(const ranked_rank *r, const ranked_exchange *e,
                   winnow_status got, winnow_status wanted) {
    return got == wanted ||
           report_fail(r->report, "rank %d, wrong %d: %s instead of %s: %s",
                       r->rank, (int)e->wrong, winnow_status_name(got),
                       winnow_status_name(wanted), winnow_last_error());
}

/* Every rank returns the error. */
static bool check_wrong_exact(ranked_rank *r, const ranked_exchange *e,
                              const arrays *whole, winnow_status got,
                              winnow_status wanted) {
    if (!expect(r, e, got, wanted))
        return false;
    if (winnow_last_error()[0] == '\0')
        return report_fail(r->report, "rank %d: no detail", r->rank);
    return check_untouched(r, whole, 0) &&
           (e->wrong != RANKED_SHORT || check_offsets(r, whole));
}

/* A rank hears of it at once, where the host can tell; all hear of it later. */
static bool check_wrong_peer(ranked_rank *r, const ranked_exchange *e,
                             const arrays *whole, const arrays *a,
                             winnow_status got, winnow_status wanted) {
    const bool at_once =
        e->wrong == RANKED_NULL_OUT || e->wrong == RANKED_BITS ||
        e->wrong == RANKED_UNALIGNED || e->wrong >= RANKED_PLANNED;
    const uint64_t none = UINT64_MAX;
    uint64_t offset = 0;
    if (!expect(r, e, got,
                at_once && r->rank == e->wrong_rank ? wanted : WINNOW_OK))
        return false;
    if (e->wrong == RANKED_SHORT)
        return expect(r, e, winnow_nccl_async_error(r->nccl), WINNOW_OK) &&
               check_all(r, e, whole, a->capacity);
    if (!expect(r, e, winnow_nccl_async_error(r->nccl), wanted) ||
        !expect(r, e, winnow_nccl_async_error(r->nccl), WINNOW_OK) ||
        !check_untouched(r, whole, 0))
        return false;
    if (at_once && r->rank == e->wrong_rank)
        return true; /* its offsets are not written */
    ranked_get(r, &offset, a->d_from + r->all->ranks, sizeof offset);
    return offset == none ||
           report_fail(r->report, "rank %d: offsets are written", r->rank);
}

static bool run_wrong(ranked_rank *r, const ranked_exchange *e,
                      const arrays *whole) {
    arrays a = *whole;
    winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    winnow_status wanted;
    do_wrong(e, r, &a, &launch, &wanted);
    const winnow_status status = call(r, &a, &launch);
    if (e->wrong == RANKED_PLANNED || e->wrong == RANKED_UNALIGNED)
        a.d_from = whole->d_from;
    ranked_wait(r);
    ranked_put(r, whole->d_offsets, whole->offsets, sizeof whole->offsets);
    return e->way == WINNOW_NCCL_EXACT
               ? check_wrong_exact(r, e, whole, status, wanted)
               : check_wrong_peer(r, e, whole, &a, status, wanted);
}

static bool run_right(ranked_rank *r, const ranked_exchange *e,
                      const arrays *a) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    if (call(r, a, &launch) != WINNOW_OK)
        return report_fail(r->report, "rank %d: exchange: %s", r->rank,
                           winnow_last_error());
    ranked_wait(r);
    return check_all(r, e, a, UINT64_MAX);
}

/* After a wrong call the same one, done right, has to work. */
bool ranked_check_exchange(ranked_rank *r) {
    const ranked_exchange *const e = r->argument;
    arrays a;
    if (!open_arrays(r, e, &a))
        return false;
    const bool passed =
        (e->wrong_rank < 0 || run_wrong(r, e, &a)) && run_right(r, e, &a);
    close_arrays(r, e, &a);
    return passed;
}

/* ------------------------------------------------------------------- graph */

winnow_status ranked_capture(ranked_rank *r, ranked_call *enqueue,
                             const void *argument, cudaGraphExec_t *exec_p) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    cudaGraph_t graph;
    enter_device(r);
    CUDA(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal));
    const winnow_status status = enqueue(r, argument, &launch);
    CUDA(cudaStreamEndCapture(r->stream, &graph));
    if (status == WINNOW_OK)
        CUDA(cudaGraphInstantiateWithFlags(exec_p, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    leave_device(r);
    return status;
}

void ranked_graph_free(cudaGraphExec_t exec) {
    CUDA(cudaGraphExecDestroy(exec));
}

void ranked_replay(const ranked_rank *r, cudaGraphExec_t exec) {
    enter_device(r);
    CUDA(cudaGraphLaunch(exec, r->stream));
    ranked_wait(r);
    leave_device(r);
}

/* The offsets that a graph reads are those of its run: nobody sends anything in
 * the last one. */
bool ranked_check_graph(ranked_rank *r) {
    const ranked_exchange *const e = r->argument;
    arrays a;
    if (!open_arrays(r, e, &a))
        return false;
    cudaGraphExec_t exec;
    const bool captured = ranked_capture(r, call, &a, &exec) == WINNOW_OK;
    bool passed = captured || report_fail(r->report, "rank %d: graph: %s",
                                          r->rank, winnow_last_error());
    for (int run = 0; run < 3 && passed; run++) {
        ranked_replay(r, exec);
        passed = check_all(r, e, &a, UINT64_MAX);
        clear_outputs(r, e, &a);
    }
    memset(a.offsets, 0, sizeof a.offsets);
    memset(a.from, 0, sizeof a.from);
    ranked_put(r, a.d_offsets, a.offsets, sizeof a.offsets);
    if (passed) {
        ranked_replay(r, exec);
        passed = check_all(r, e, &a, UINT64_MAX) && run_right(r, e, &a);
    }
    if (captured)
        ranked_graph_free(exec);
    close_arrays(r, e, &a);
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
