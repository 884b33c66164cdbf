/*
 * The ranks of the measurements: their memory, and how they are timed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "speed.h"

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_SECONDS = 90 /* of all; then something hangs */
};

const uint32_t speed_bounds[2] = {42949673u, 2147483648u};

/* ------------------------------------------------------------------ errors */

static const char *volatile phase_now = "set-up";

void speed_stop(const char *format, ...) {
    va_list arguments;
    flockfile(stdout); /* for good: the first error is the one that is said */
    printf("not ok - speed, %s: ", phase_now);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    _exit(1);
}

void speed_cuda(cudaError_t error, const char *call) {
    if (error != cudaSuccess)
        speed_stop("%s: %s", call, cudaGetErrorString(error));
}

void speed_nccl(const speed_rank *s, ncclResult_t result, const char *call) {
    if (result != ncclSuccess)
        speed_stop("rank %d: %s: %s: %s", s->rank, call,
                   ncclGetErrorString(result), ncclGetLastError(s->r->comm));
}

void speed_winnow(winnow_status status, const char *call) {
    if (status != WINNOW_OK)
        speed_stop("%s: %s: %s", call, winnow_status_name(status),
                   winnow_last_error());
}

static void say(const char *text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(3);
}

/* Not by stdio: a thread that hangs may have its lock. */
static void give_up(int signal_number) {
    (void)signal_number;
    say("not ok - speed: it hangs, or is too slow: ");
    say(phase_now);
    say("\n");
    _exit(2);
}

/* ------------------------------------------------------------------- ranks */

static atomic_uint arrived, generation;

/* Ranks spin, so that they leave within a microsecond. */
void speed_meet(const speed_rank *s) {
    const unsigned mine = atomic_load(&generation);
    if (atomic_fetch_add(&arrived, 1) + 1 == (unsigned)s->ranks) {
        atomic_store(&arrived, 0);
        atomic_fetch_add(&generation, 1);
        return;
    }
    while (atomic_load(&generation) == mine) {
    }
}

double speed_slowest(const speed_rank *s, double own) {
    static double of[RANKED_MOST];
    double slowest = 0;
    of[s->rank] = own;
    speed_meet(s);
    for (int r = 0; r < s->ranks; r++)
        slowest = of[r] > slowest ? of[r] : slowest;
    speed_meet(s); /* and all have read it */
    return slowest;
}

void speed_wait(const speed_rank *s) {
    SPEED_CUDA(cudaStreamSynchronize(s->front));
    SPEED_CUDA(cudaStreamSynchronize(s->stream));
}

void speed_enter(const speed_rank *s, const char *phase) {
    speed_wait(s);
    speed_meet(s);
    if (s->rank == 0)
        phase_now = phase;
    speed_meet(s);
}

void speed_check_late(const speed_rank *s) {
    for (int way = 0; way < SPEED_WAYS; way++)
        SPEED_WINNOW(winnow_nccl_async_error(s->nccl[way]));
}

void speed_put(const speed_rank *s, void *d_to, size_t bytes) {
    SPEED_CUDA(cudaMemcpyAsync(d_to, s->staging, bytes, cudaMemcpyHostToDevice,
                               s->stream));
    SPEED_CUDA(cudaStreamSynchronize(s->stream));
}

void speed_get(const speed_rank *s, const void *d_from, size_t bytes) {
    SPEED_CUDA(cudaMemcpyAsync(s->staging, d_from, bytes,
                               cudaMemcpyDeviceToHost, s->stream));
    SPEED_CUDA(cudaStreamSynchronize(s->stream));
}

void speed_put_numbers(const speed_rank *s, uint64_t *d_to,
                       const uint64_t *from, size_t number) {
    memcpy(s->staging, from, number * sizeof *from);
    speed_put(s, d_to, number * sizeof *from);
}

void speed_get_numbers(const speed_rank *s, uint64_t *to,
                       const uint64_t *d_from, size_t number) {
    speed_get(s, d_from, number * sizeof *to);
    memcpy(to, s->staging, number * sizeof *to);
}

/* ------------------------------------------------------------ measurements */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double time_batch(const speed_rank *s, const speed_case *c) {
    float milliseconds;
    c->call(s, c->argument);
    SPEED_CUDA(cudaEventRecord(s->begin, s->stream));
    for (unsigned i = 0; i < c->batch; i++)
        c->call(s, c->argument);
    SPEED_CUDA(cudaEventRecord(s->end, s->stream));
    speed_wait(s);
    SPEED_CUDA(cudaEventElapsedTime(&milliseconds, s->begin, s->end));
    return 1e-3 * (double)milliseconds / c->batch;
}

static double time_single(const speed_rank *s, const speed_case *c) {
    const double begin = now();
    c->call(s, c->argument);
    SPEED_CUDA(cudaStreamSynchronize(s->stream));
    return now() - begin;
}

static double time_case(const speed_rank *s, const speed_case *c) {
    double own = 0;
    speed_meet(s);
    if (!c->alone || s->rank == 0)
        own = c->batch != 0 ? time_batch(s, c) : time_single(s, c);
    return speed_slowest(s, own);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void speed_run(const speed_rank *s, speed_case *cases, unsigned number,
               unsigned runs) {
    for (unsigned run = 0; run < runs; run++)
        for (unsigned c = 0; c < number; c++)
            cases[c].runs[run] = time_case(s, &cases[c]);
    for (unsigned c = 0; c < number; c++) {
        qsort(cases[c].runs, runs, sizeof cases[c].runs[0], compare);
        cases[c].taken = cases[c].runs[runs / 2];
    }
    speed_check_late(s);
}

/* ------------------------------------------------------------------ memory */

static void *take(size_t bytes) {
    void *memory;
    SPEED_CUDA(cudaMalloc(&memory, bytes));
    return memory;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Of copy_if, and of the partition of a piece. */
static size_t find_workspace(const speed_rank *s) {
    winnow_plan plan = {.size = sizeof plan};
    const winnow_launch launch = {.size = sizeof launch, .plan = &plan};
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = s->d_in};
    const winnow_digit digit = {.parts = (uint32_t)s->ranks, .bits = 3};
    const winnow_move moves[2] = {
        {.d_in = s->d_in, .d_out = s->d_parts, .element_bytes = 4},
        {.d_in = s->d_in + SPEED_ITEMS * 4,
         .d_out = s->d_parts + SPEED_ITEMS * 4,
         .element_bytes = 8}};
    size_t most = 16;
    for (int k = 0; k < 2; k++) {
        SPEED_WINNOW(winnow_copy_if(s->context, s->kept[k], WINNOW_UINT32,
                                    s->d_in, SPEED_FILTERED, s->d_parts,
                                    WINNOW_NO_LIMIT, s->d_count, &launch));
        most = larger(most, plan.workspace_bytes);
    }
    SPEED_WINNOW(winnow_partition_by_key(s->context, &keys, SPEED_PIECE, &digit,
                                         moves, 2, s->d_offsets, &launch));
    return larger(most, plan.workspace_bytes);
}

static void take_streams(speed_rank *s) {
    int low, high;
    SPEED_CUDA(cudaDeviceGetStreamPriorityRange(&low, &high));
    SPEED_CUDA(
        cudaStreamCreateWithPriority(&s->stream, cudaStreamNonBlocking, high));
    SPEED_CUDA(
        cudaStreamCreateWithPriority(&s->front, cudaStreamNonBlocking, low));
    SPEED_CUDA(cudaEventCreate(&s->begin));
    SPEED_CUDA(cudaEventCreate(&s->end));
    SPEED_CUDA(cudaEventCreateWithFlags(&s->ready, cudaEventDisableTiming));
    for (int p = 0; p < SPEED_PIECES; p++)
        SPEED_CUDA(
            cudaEventCreateWithFlags(&s->done[p], cudaEventDisableTiming));
}

/* While no rank waits for another on its GPU: an allocation may wait for all
 * GPUs that reach it. */
static void take_memory(speed_rank *s) {
    const size_t pairs = (size_t)s->ranks * SPEED_MOST_PAIR;
    const size_t rows = (SPEED_PIECES + 1) * SPEED_ROW * sizeof(uint64_t);
    const size_t out = larger(pairs, SPEED_PIECES * SPEED_ROOM * 12);
    void *d_out, *staging;
    s->d_in = take(larger(pairs, SPEED_ITEMS * 12));
    s->d_parts = take(SPEED_ITEMS * 12);
    s->d_out[WINNOW_NCCL_EXACT] = take(out);
    s->d_offsets = take(rows);
    s->d_from = take(rows);
    s->d_count = take(SPEED_ROW * sizeof(uint64_t));
    SPEED_CUDA(cudaMallocHost(&staging, SPEED_STAGING));
    s->staging = staging;
    SPEED_WINNOW(winnow_context_create(&s->context, s->rank));
    for (int k = 0; k < 2; k++)
        SPEED_WINNOW(winnow_predicate_compare(&s->kept[k], WINNOW_UINT32,
                                              WINNOW_LT, &speed_bounds[k]));
    s->workspace_bytes = find_workspace(s);
    s->d_workspace = take(s->workspace_bytes);
    speed_meet(s);
    for (int way = 0; way < SPEED_WAYS; way++) {
        const winnow_nccl_options options = {.size = sizeof options,
                                             .way = (winnow_nccl_way)way};
        SPEED_WINNOW(winnow_nccl_create(&s->nccl[way], s->r->comm, &options));
        speed_meet(s);
    }
    SPEED_WINNOW(winnow_nccl_alloc(s->nccl[WINNOW_NCCL_PEER], out, &d_out));
    s->d_out[WINNOW_NCCL_PEER] = d_out;
}

static void give_memory(speed_rank *s) {
    speed_wait(s);
    speed_meet(s);
    for (int way = 0; way < SPEED_WAYS; way++) {
        winnow_nccl_destroy(s->nccl[way]);
        speed_meet(s);
    }
    for (int k = 0; k < 2; k++)
        winnow_predicate_destroy(s->kept[k]);
    winnow_context_destroy(s->context);
    void *const memory[] = {s->d_in,   s->d_parts, s->d_out[0],   s->d_offsets,
                            s->d_from, s->d_count, s->d_workspace};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        SPEED_CUDA(cudaFree(memory[i]));
    SPEED_CUDA(cudaFreeHost(s->staging));
    for (int p = 0; p < SPEED_PIECES; p++)
        SPEED_CUDA(cudaEventDestroy(s->done[p]));
    SPEED_CUDA(cudaEventDestroy(s->ready));
    SPEED_CUDA(cudaEventDestroy(s->begin));
    SPEED_CUDA(cudaEventDestroy(s->end));
    SPEED_CUDA(cudaStreamDestroy(s->front));
    SPEED_CUDA(cudaStreamDestroy(s->stream));
}

/* --------------------------------------------------------------------- all */

static void say_where(const speed_rank *s) {
    struct cudaDeviceProp device;
    int version = 0;
    SPEED_CUDA(cudaGetDeviceProperties(&device, s->rank));
    SPEED_NCCL(s, ncclGetVersion(&version));
    if (s->rank == 0)
        printf("%d of %s, NCCL %d; medians, at the slowest GPU\n", s->ranks,
               device.name, version);
}

static bool body(ranked_rank *r) {
    speed_rank s = {.r = r, .rank = r->rank, .ranks = r->all->ranks};
    SPEED_CUDA(cudaSetDevice(s.rank));
    take_streams(&s);
    take_memory(&s);
    say_where(&s);
    speed_exchange(&s);
    speed_filter(&s);
    speed_partition(&s);
    speed_enter(&s, "the end");
    give_memory(&s);
    /* As ranked_run() has it. */
    SPEED_CUDA(cudaSetDevice((s.rank + 1) % s.ranks));
    return true;
}

int speed_main(int ranks) {
    struct report report = {{0}};
    ranked all;
    if (ranks < 2) {
        printf("skipped: speed is of 2 GPUs or more\n");
        return 77;
    }
    const double begin = now();
    (void)signal(SIGALRM, give_up);
    alarm(MOST_SECONDS);
    if (!ranked_open(&all, ranks, &report) ||
        !ranked_run(&all, body, NULL, &report)) {
        printf("not ok - %s\n", report.text);
        return 1;
    }
    ranked_close(&all);
    printf("all results were right; %.1f s\n", now() - begin);
    return 0;
}
