/*
 * What a call comes after: other calls, whose output it reads, other streams,
 * and the branches of a graph. Kernels of ours may begin before the one ahead
 * of them has ended, and must not be seen to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "gate.h"
#include "reduced.h"
#include "strategies.h"
#include "suite.h"

/* Element i, from a number that tells inputs apart: all are different, and tell
 * which they are. */
#define STEP 2654435761u
#define BACK 244002641u /* STEP * BACK == 1, modulo 2^32 */

static uint32_t element(uint32_t i, uint32_t salt) {
    return (i ^ salt) * STEP;
}

static uint32_t number_of(uint32_t x, uint32_t salt) {
    return x * BACK ^ salt;
}

/* The predicates of the first call and of the second: each keeps about half. */
static bool first_keeps(uint32_t x) {
    return x < 0x80000000u;
}

static bool second_keeps(uint32_t x) {
    return (x & 0x100) != 0;
}

struct chain {
    const struct backend *backend;
    uint64_t n;
    uint32_t salt; /* of the input */
    uint64_t kept; /* by the first call */
    uint32_t *host;
    unsigned char *seen;
    uint32_t *in, *between, *out;
    uint64_t *counts; /* of each call, and of one that is apart */
    winnow_predicate *first, *second;
};

static void fill(struct chain *chain, uint32_t salt) {
    chain->salt = salt;
    chain->kept = 0;
    for (uint32_t i = 0; i < chain->n; i++) {
        chain->host[i] = element(i, salt);
        chain->kept += first_keeps(chain->host[i]);
    }
}

static void open_chain(struct chain *chain, const struct backend *backend,
                       uint64_t n) {
    const uint32_t half = 0x80000000u;

    *chain = (struct chain){.backend = backend, .n = n};
    chain->host = must_alloc(n * 4);
    chain->seen = must_alloc(n);
    chain->in = gpu_alloc(n * 4);
    chain->between = gpu_alloc(n * 4);
    chain->out = gpu_alloc(n * 4);
    chain->counts = gpu_alloc(3 * 8);
    cr_assert_eq(winnow_predicate_compare(&chain->first, WINNOW_UINT32,
                                          WINNOW_LT, &half),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_bits(&chain->second, WINNOW_UINT32, 0x100, 0x100),
        WINNOW_OK);
    fill(chain, 1);
    gpu_copy(chain->in, chain->host, n * 4, backend->stream);
}

static void close_chain(struct chain *chain) {
    winnow_predicate_destroy(chain->first);
    winnow_predicate_destroy(chain->second);
    gpu_free(chain->in);
    gpu_free(chain->between);
    gpu_free(chain->out);
    gpu_free(chain->counts);
    free(chain->host);
    free(chain->seen);
}

static void enqueue(const struct chain *chain,
                    const winnow_predicate *predicate, const uint32_t *in,
                    uint64_t n, uint32_t *out, unsigned count,
                    const struct strategy_row *row, cudaStream_t stream) {
    winnow_launch launch = {.size = sizeof(launch),
                            .stream = stream,
                            .order = row->order,
                            .strategy = row->strategy};

    cr_assert_eq(winnow_copy_if(chain->backend->context, predicate,
                                WINNOW_UINT32, in, n, out, WINNOW_NO_LIMIT,
                                chain->counts + count, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
}

/* From `in` to `between` to `out`; and perhaps a call in the middle that has to
 * do with neither, but reads the input, too. */
static void enqueue_both(const struct chain *chain,
                         const struct strategy_row *first,
                         const struct strategy_row *second, bool apart,
                         cudaStream_t stream) {
    enqueue(chain, chain->first, chain->in, chain->n, chain->between, 0, first,
            stream);
    if (apart)
        cr_assert_eq(winnow_count_if(chain->backend->context, chain->second,
                                     WINNOW_UINT32, chain->in, chain->n / 100,
                                     chain->counts + 2,
                                     WINNOW_LAUNCH(.stream = stream)),
                     WINNOW_OK);
    enqueue(chain, chain->second, chain->between, chain->kept, chain->out, 1,
            second, stream);
}

static void poison(const struct chain *chain, cudaStream_t stream) {
    GPU_MUST(cudaMemsetAsync(chain->between, 0xff, chain->n * 4, stream));
    GPU_MUST(cudaMemsetAsync(chain->out, 0xff, chain->n * 4, stream));
    GPU_MUST(cudaMemsetAsync(chain->counts, 0xff, 3 * 8, stream));
}

/* Both predicates' survivors, each once. */
static void expect_both(struct chain *chain, const char *what) {
    const cudaStream_t stream = chain->backend->stream;
    uint64_t counts[3], wanted = 0;

    gpu_copy(counts, chain->counts, sizeof(counts), stream);
    gpu_copy(chain->host, chain->out, chain->n * 4, stream);
    for (uint32_t i = 0; i < chain->n; i++) {
        const uint32_t x = element(i, chain->salt);

        chain->seen[i] = first_keeps(x) && second_keeps(x);
        wanted += chain->seen[i];
    }
    cr_assert_eq(counts[0], chain->kept, "%s: first count", what);
    cr_assert_eq(counts[1], wanted, "%s: second count", what);
    for (uint64_t k = 0; k < wanted; k++) {
        const uint32_t i = number_of(chain->host[k], chain->salt);

        if (i >= chain->n || !chain->seen[i])
            cr_assert_fail("%s: wrong at %llu", what, (unsigned long long)k);
        chain->seen[i] = 0;
    }
}

static void run_pair(struct chain *chain, const struct strategy_row *first,
                     const struct strategy_row *second) {
    const cudaStream_t stream = chain->backend->stream;
    char what[128];

    for (int apart = 0; apart < 2; apart++) {
        cudaGraphExec_t exec;
        cudaGraph_t graph;

        snprintf(what, sizeof(what), "%s, %s, n %llu, apart %d",
                 winnow_strategy_name(first->strategy),
                 winnow_strategy_name(second->strategy),
                 (unsigned long long)chain->n, apart);
        poison(chain, stream);
        enqueue_both(chain, first, second, apart != 0, stream);
        expect_both(chain, what);

        GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        enqueue_both(chain, first, second, apart != 0, stream);
        GPU_MUST(cudaStreamEndCapture(stream, &graph));
        GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
        poison(chain, stream);
        GPU_MUST(cudaGraphLaunch(exec, stream));
        expect_both(chain, what);
        GPU_MUST(cudaGraphExecDestroy(exec));
        GPU_MUST(cudaGraphDestroy(graph));
    }
}

/* What one call writes, the next reads. */
static void run_chain(const struct backend *backend, uint64_t n) {
    struct chain chain;

    open_chain(&chain, backend, n);
    FOR_EACH_STRATEGY(first, true)
    FOR_EACH_STRATEGY(second, true)
    run_pair(&chain, first, second);
    close_chain(&chain);
}

GPU_TEST(order, LONG(chained_small)) {
    run_chain(backend, 1000);
    run_chain(backend, reduced_mode() ? 10000 : 40000);
}

GPU_TEST(order, LONG(chained_large)) {
    run_chain(backend, reduced_mode() ? 3000 : 700000);
}

/* The output has each survivor of the first call once, in the order of the upper
 * bits. */
static void expect_parts(struct chain *chain, const char *what) {
    const cudaStream_t stream = chain->backend->stream;
    uint32_t before = 0;

    gpu_copy(chain->host, chain->out, chain->kept * 4, stream);
    for (uint32_t i = 0; i < chain->n; i++)
        chain->seen[i] = first_keeps(element(i, chain->salt));
    for (uint64_t k = 0; k < chain->kept; k++) {
        const uint32_t i = number_of(chain->host[k], chain->salt);

        if (i >= chain->n || !chain->seen[i] || chain->host[k] >> 27 < before)
            cr_assert_fail("%s: wrong at %llu", what, (unsigned long long)k);
        before = chain->host[k] >> 27;
        chain->seen[i] = 0;
    }
}

/* A partition in one launch reads what a call before it writes. */
GPU_TEST(order, before_a_partition) {
    const winnow_digit digit = {.bits = 4, .shift = 27, .parts = 16};
    uint64_t *const offsets = gpu_alloc(17 * 8);

    for (uint64_t n = 1000; n <= 20000; n *= 20) {
        struct chain chain;

        open_chain(&chain, backend, n);
        FOR_EACH_STRATEGY(row, true) {
            const winnow_in keys = {.type = WINNOW_UINT32,
                                    .d_base = chain.between};
            const winnow_move move = {
                .element_bytes = 4, .d_in = chain.between, .d_out = chain.out};

            poison(&chain, backend->stream);
            enqueue(&chain, chain.first, chain.in, n, chain.between, 0, row,
                    backend->stream);
            cr_assert_eq(winnow_partition_by_key(
                             backend->context, &keys, chain.kept, &digit, &move,
                             1, offsets,
                             WINNOW_LAUNCH(.stream = backend->stream)),
                         WINNOW_OK, "%s", winnow_last_error());
            expect_parts(&chain, winnow_strategy_name(row->strategy));
        }
        close_chain(&chain);
    }
    gpu_free(offsets);
}

/* Another stream writes the input, while this one is busy with other calls and
 * then waits for the other's event. */
GPU_TEST(order, after_an_event) {
    const uint64_t n = reduced_mode() ? 3000 : 700000;
    const cudaStream_t other = gpu_stream_create();
    uint32_t *const source = gpu_alloc(n * 4);
    struct chain chain, before;
    cudaEvent_t written;
    uint32_t salt = 1;

    GPU_MUST(cudaEventCreateWithFlags(&written, cudaEventDisableTiming));
    open_chain(&chain, backend, n);
    open_chain(&before, backend, n);
    FOR_EACH_STRATEGY(row, true) {
        struct gate gate;

        enqueue_both(&chain, row, row, false, backend->stream); /* allocates */
        fill(&chain, ++salt);
        gpu_copy(source, chain.host, n * 4, other);
        poison(&chain, backend->stream);
        poison(&before, backend->stream);
        gpu_wait(backend->stream);

        gate_close(&gate, other);
        GPU_MUST(cudaMemcpyAsync(chain.in, source, n * 4,
                                 cudaMemcpyDeviceToDevice, other));
        GPU_MUST(cudaEventRecord(written, other));
        enqueue_both(&before, row, row, false, backend->stream);
        GPU_MUST(cudaStreamWaitEvent(backend->stream, written, 0));
        enqueue_both(&chain, row, row, false, backend->stream);
        gate_open(&gate);
        gpu_wait(backend->stream);
        cr_assert(!atomic_load(&gate.impatient));
        expect_both(&chain, winnow_strategy_name(row->strategy));
        expect_both(&before, winnow_strategy_name(row->strategy));
    }
    close_chain(&chain);
    close_chain(&before);
    gpu_free(source);
    GPU_MUST(cudaEventDestroy(written));
    gpu_stream_destroy(other);
}

/*
 * A graph that divides and joins: the input is copied in one branch, a call
 * runs in the other, and a call after the join follows both.
 */
static cudaGraphExec_t capture_branches(const struct chain *chain,
                                        const struct chain *before,
                                        const uint32_t *source,
                                        const struct strategy_row *row,
                                        cudaStream_t other) {
    const cudaStream_t stream = chain->backend->stream;
    cudaEvent_t fork, join;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    GPU_MUST(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    GPU_MUST(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    GPU_MUST(cudaEventRecord(fork, stream));
    GPU_MUST(cudaStreamWaitEvent(other, fork, 0));
    GPU_MUST(cudaMemcpyAsync(chain->in, source, chain->n * 4,
                             cudaMemcpyDeviceToDevice, other));
    enqueue(chain, chain->first, chain->in, chain->n, chain->between, 0, row,
            other);
    GPU_MUST(cudaEventRecord(join, other));
    enqueue_both(before, row, row, false, stream);
    GPU_MUST(cudaStreamWaitEvent(stream, join, 0));
    enqueue(chain, chain->second, chain->between, chain->kept, chain->out, 1,
            row, stream);
    GPU_MUST(cudaStreamEndCapture(stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    GPU_MUST(cudaGraphDestroy(graph));
    GPU_MUST(cudaEventDestroy(fork));
    GPU_MUST(cudaEventDestroy(join));
    return exec;
}

GPU_TEST(order, after_a_join) {
    const uint64_t n = reduced_mode() ? 3000 : 700000;
    const cudaStream_t stream = backend->stream, other = gpu_stream_create();
    uint32_t *const source = gpu_alloc(n * 4);
    struct chain chain, before;

    open_chain(&chain, backend, n);
    open_chain(&before, backend, n);
    gpu_copy(source, chain.host, n * 4, stream);
    FOR_EACH_STRATEGY(row, true) {
        const cudaGraphExec_t exec =
            capture_branches(&chain, &before, source, row, other);

        for (int round = 0; round < 5; round++) {
            GPU_MUST(cudaMemsetAsync(chain.in, 0xff, n * 4, stream));
            poison(&chain, stream);
            poison(&before, stream);
            GPU_MUST(cudaGraphLaunch(exec, stream));
            expect_both(&chain, winnow_strategy_name(row->strategy));
            expect_both(&before, winnow_strategy_name(row->strategy));
        }
        GPU_MUST(cudaGraphExecDestroy(exec));
    }
    close_chain(&chain);
    close_chain(&before);
    gpu_free(source);
    gpu_stream_destroy(other);
}
