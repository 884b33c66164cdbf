/*
 * Exchanges of equal parts, and NCCL's all-to-all of the same bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "speed.h"

#include <stdio.h>
#include <string.h>

/* The calls that are compared, in the table's order. */
enum {
    BY_NCCL,
    BY_EXACT,
    BY_PEER,
    BY_GRAPH, /* PEER, captured */
    CALLS
};

/* Of a size. */
typedef struct pair {
    uint64_t n; /* elements of 8 bytes for each pair of ranks */
    cudaGraphExec_t graph;
} pair;

/* ------------------------------------------------------------------- calls */

#if NCCL_VERSION_CODE >= 22800
static const char base_name[] = "ncclAlltoAll";
#else
static const char base_name[] = "grouped ncclSend and ncclRecv";
#endif

static void call_nccl(const speed_rank *s, const void *argument) {
    const pair *const p = argument;
    const size_t bytes = p->n * 8;
    unsigned char *const d_out = s->d_out[WINNOW_NCCL_EXACT];
#if NCCL_VERSION_CODE >= 22800
    SPEED_NCCL(s, ncclAlltoAll(s->d_in, d_out, bytes, ncclUint8, s->r->comm,
                               s->stream));
#else
    SPEED_NCCL(s, ncclGroupStart());
    for (int r = 0; r < s->ranks; r++) {
        const size_t at = (size_t)r * bytes;
        SPEED_NCCL(s, ncclSend(s->d_in + at, bytes, ncclUint8, r, s->r->comm,
                               s->stream));
        SPEED_NCCL(s, ncclRecv(d_out + at, bytes, ncclUint8, r, s->r->comm,
                               s->stream));
    }
    SPEED_NCCL(s, ncclGroupEnd());
#endif
}

static void call_way(const speed_rank *s, const pair *p, winnow_nccl_way way) {
    const winnow_move move = {
        .d_in = s->d_in, .d_out = s->d_out[way], .element_bytes = 8};
    const winnow_launch launch = {.size = sizeof launch, .stream = s->stream};
    SPEED_WINNOW(winnow_nccl_exchange(s->nccl[way], s->d_offsets, &move, 1,
                                      p->n * (uint64_t)s->ranks, s->d_from,
                                      &launch));
}

static void call_exact(const speed_rank *s, const void *argument) {
    call_way(s, argument, WINNOW_NCCL_EXACT);
}

static void call_peer(const speed_rank *s, const void *argument) {
    call_way(s, argument, WINNOW_NCCL_PEER);
}

static void call_graph(const speed_rank *s, const void *argument) {
    const pair *const p = argument;
    SPEED_CUDA(cudaGraphLaunch(p->graph, s->stream));
}

static void (*const calls[CALLS])(const speed_rank *, const void *) = {
    call_nccl, call_exact, call_peer, call_graph};

static void capture(const speed_rank *s, pair *p) {
    cudaGraph_t graph;
    SPEED_CUDA(
        cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal));
    call_peer(s, p);
    SPEED_CUDA(cudaStreamEndCapture(s->stream, &graph));
    SPEED_CUDA(cudaGraphInstantiateWithFlags(&p->graph, graph, 0));
    SPEED_CUDA(cudaGraphDestroy(graph));
    SPEED_CUDA(cudaGraphUpload(p->graph, s->stream));
    speed_wait(s);
}

/* ------------------------------------------------------------------ checks */

/* Element i of a rank is the same for all sizes. */
static void fill(const speed_rank *s) {
    const uint64_t all = (uint64_t)s->ranks * SPEED_MOST_PAIR / 8;
    uint64_t *const staging = (uint64_t *)(void *)s->staging;
    for (uint64_t at = 0; at < all; at += SPEED_STAGING / 8) {
        for (uint64_t i = 0; i < SPEED_STAGING / 8; i++)
            staging[i] = speed_mix(speed_name(s->rank, at + i));
        speed_put(s, s->d_in + at * 8, SPEED_STAGING);
    }
}

/* What came from a rank is what that has for this one. */
static void check_from(const speed_rank *s, const pair *p, int from,
                       const unsigned char *d_out, int call) {
    const uint64_t *const staging = (const uint64_t *)(void *)s->staging;
    const uint64_t first = (uint64_t)s->rank * p->n;
    uint64_t m;
    for (uint64_t at = 0; at < p->n; at += m) {
        m = p->n - at < SPEED_STAGING / 8 ? p->n - at : SPEED_STAGING / 8;
        speed_get(s, d_out + ((uint64_t)from * p->n + at) * 8, m * 8);
        for (uint64_t i = 0; i < m; i++)
            if (staging[i] != speed_mix(speed_name(from, first + at + i)))
                speed_stop("call %d, rank %d: element %llu of rank %d is wrong",
                           call, s->rank, (unsigned long long)(at + i), from);
    }
}

/* Once, with all that is written cleared before. */
static void check(const speed_rank *s, const pair *p, int call) {
    unsigned char *const d_out =
        s->d_out[call >= BY_PEER ? WINNOW_NCCL_PEER : WINNOW_NCCL_EXACT];
    uint64_t offsets[RANKED_MOST + 1];
    const size_t number = (size_t)s->ranks + 1;
    SPEED_CUDA(
        cudaMemsetAsync(d_out, 0xff, (size_t)s->ranks * p->n * 8, s->stream));
    SPEED_CUDA(cudaMemsetAsync(s->d_from, 0xff, number * sizeof offsets[0],
                               s->stream));
    speed_wait(s);
    speed_meet(s);
    calls[call](s, p);
    speed_wait(s);
    speed_meet(s);
    speed_check_late(s);
    for (int from = 0; from < s->ranks; from++)
        check_from(s, p, from, d_out, call);
    speed_get_numbers(s, offsets, s->d_from, number);
    for (size_t r = 0; r < number && call != BY_NCCL; r++)
        if (offsets[r] != r * p->n)
            speed_stop("call %d, rank %d: offset %zu is %llu", call, s->rank, r,
                       (unsigned long long)offsets[r]);
}

/* ------------------------------------------------------------------- table */

typedef struct size {
    const char *name;
    uint64_t bytes;
    unsigned batch, runs;
} size;

static void print_row(const speed_rank *s, const size *z, const speed_case *c) {
    const double base = c[BY_NCCL].taken;
    /* What leaves a GPU, by PEER. */
    const double rate =
        (double)z->bytes * (s->ranks - 1) / c[BY_PEER].taken * 1e-9;
    printf("%-8s %-7s %10.1f", z->name,
           c[BY_NCCL].batch != 0 ? "stream" : "waits", base * 1e6);
    for (int i = BY_EXACT; i < CALLS; i++)
        printf(" %10.1f %5.2f", c[i].taken * 1e6, base / c[i].taken);
    printf(" %7.1f\n", rate);
    fflush(stdout);
}

static void measure(const speed_rank *s, const size *z, const pair *p,
                    unsigned batch) {
    speed_case cases[CALLS];
    for (int i = 0; i < CALLS; i++)
        cases[i] =
            (speed_case){.call = calls[i], .argument = p, .batch = batch};
    speed_run(s, cases, CALLS, z->runs);
    if (s->rank == 0)
        print_row(s, z, cases);
}

static void measure_size(const speed_rank *s, const size *z) {
    pair p = {.n = z->bytes / 8};
    uint64_t offsets[RANKED_MOST + 1];
    for (int r = 0; r <= s->ranks; r++)
        offsets[r] = (uint64_t)r * p.n;
    speed_put_numbers(s, s->d_offsets, offsets, (size_t)s->ranks + 1);
    capture(s, &p);
    speed_meet(s);
    for (int i = 0; i < CALLS; i++)
        check(s, &p, i);
    measure(s, z, &p, z->batch);
    measure(s, z, &p, 0);
    speed_meet(s);
    SPEED_CUDA(cudaGraphExecDestroy(p.graph));
}

void speed_exchange(const speed_rank *s) {
    static const size sizes[] = {{"8 B", 8, 100, 51},
                                 {"64 KiB", SPEED_MIB / 16, 100, 51},
                                 {"1 MiB", SPEED_MIB, 50, 51},
                                 {"64 MiB", 64 * SPEED_MIB, 10, 15},
                                 {"512 MiB", SPEED_MOST_PAIR, 4, 9}};
    speed_enter(s, "exchange");
    fill(s);
    if (s->rank == 0)
        printf("\nexchange, us a call, and %s's time over it: at least 0.9 "
               "EXACT, 1.05 PEER;\n"
               "of 8 B 60 us EXACT with its wait, 15 us PEER in a stream\n"
               "%-8s %-7s %10s %10s %5s %10s %5s %10s %5s %7s\n",
               base_name, "a pair", "", "NCCL", "EXACT", "", "PEER", "",
               "in a graph", "", "GB/s");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        measure_size(s, &sizes[i]);
}
