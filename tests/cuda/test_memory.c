/*
 * Memory of every kind that a device can reach.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "mapping.h"
#include "multiset.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

struct results {
    uint64_t count;
    double selectivity;
    int32_t strategy;
    int32_t poison;
};

static void run_results(const struct backend *backend, struct trial *trial,
                        struct results *results, const char *kind) {
    FOR_EACH_STRATEGY(row, true) {
        winnow_launch launch = {.size = sizeof(launch),
                                .stream = backend->stream,
                                .order = row->order,
                                .strategy = row->strategy,
                                .d_strategy = &results->strategy};
        winnow_status status;

        *results = (struct results){77, 77, 77, 77};
        status =
            winnow_copy_if(backend->context, trial->predicate, trial->rule.type,
                           trial->in.base, trial->n, trial->out.base,
                           WINNOW_NO_LIMIT, &results->count, &launch);
        cr_assert_eq(status, WINNOW_OK, "%s: %s", kind, winnow_last_error());
        status = winnow_estimate_selectivity(
            backend->context, trial->predicate, trial->rule.type,
            trial->in.base, trial->n, &results->selectivity,
            WINNOW_LAUNCH(.stream = backend->stream));
        cr_assert_eq(status, WINNOW_OK, "%s: %s", kind, winnow_last_error());
        cr_assert_null(backend_wait(backend));
        cr_assert_eq(results->count, trial->kept[trial->n], "%s, %s: %zu", kind,
                     winnow_strategy_name(row->strategy),
                     (size_t)results->count);
        cr_assert(results->selectivity > 0 && results->selectivity < 1,
                  "%s: selectivity %g", kind, results->selectivity);
        if (row->strategy != WINNOW_AUTO)
            cr_assert_eq(results->strategy, (int32_t)row->strategy, "%s", kind);
        cr_assert_eq(results->poison, 77, "%s", kind);

        results->count = 77;
        status = winnow_count_if(backend->context, trial->predicate,
                                 trial->rule.type, trial->in.base, trial->n,
                                 &results->count,
                                 WINNOW_LAUNCH(.stream = backend->stream));
        cr_assert_eq(status, WINNOW_OK, "%s: %s", kind, winnow_last_error());
        cr_assert_null(backend_wait(backend));
        cr_assert_eq(results->count, trial->kept[trial->n], "%s", kind);
    }
}

GPU_TEST(memory, LONG(results_in_host_and_managed_memory)) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct results *pinned, *managed;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 102, 50000,
               0);
    GPU_MUST(
        cudaHostAlloc((void **)&pinned, sizeof(*pinned), cudaHostAllocDefault));
    run_results(backend, &trial, pinned, "pinned host memory");
    GPU_MUST(cudaFreeHost(pinned));
    GPU_MUST(cudaMallocManaged((void **)&managed, sizeof(*managed),
                               cudaMemAttachGlobal));
    run_results(backend, &trial, managed, "managed memory");
    GPU_MUST(cudaFree(managed));
    MUST(trial_close(&trial, report));
}

/* Memory of some kind for a call's input, output and count. */
struct memory {
    uint16_t *in, *out;
    uint64_t *count;
};

static void run_calls(const struct backend *backend, const struct memory *m,
                      const struct rule *rule, uint64_t n,
                      const uint16_t *expected, uint64_t kept,
                      const char *kind) {
    uint64_t *const sorted = multiset_sort(rule->type, expected, kept);
    uint16_t *const seen = must_alloc(n * sizeof(*seen));
    const uint64_t poison = 77;
    winnow_predicate *predicate;

    cr_assert_eq(rule_create(rule, &predicate), WINNOW_OK);
    FOR_EACH_STRATEGY(row, true) {
        const char *name = winnow_strategy_name(row->strategy);
        winnow_launch launch = {.size = sizeof(launch),
                                .stream = backend->stream,
                                .order = row->order,
                                .strategy = row->strategy};
        uint64_t *got, count = poison;
        winnow_status status;

        memset(seen, 0, n * sizeof(*seen));
        gpu_copy(m->out, seen, n * sizeof(*seen), backend->stream);
        gpu_copy(m->count, &poison, sizeof(poison), backend->stream);
        status = winnow_copy_if(backend->context, predicate, rule->type, m->in,
                                n, m->out, WINNOW_NO_LIMIT, m->count, &launch);
        cr_assert_eq(status, WINNOW_OK, "%s, %s: %s", kind, name,
                     winnow_last_error());
        cr_assert_null(backend_wait(backend));
        gpu_copy(&count, m->count, sizeof(count), backend->stream);
        gpu_copy(seen, m->out, n * sizeof(*seen), backend->stream);
        cr_assert_eq(count, kept, "%s, %s", kind, name);
        got = multiset_sort(rule->type, seen, kept);
        cr_assert(multiset_contains(sorted, kept, got, kept),
                  "%s, %s: the survivors are wrong", kind, name);
        free(got);
        if (row->order == WINNOW_STABLE)
            cr_assert_eq(memcmp(seen, expected, kept * sizeof(*seen)), 0,
                         "%s, %s: the order is wrong", kind, name);
    }
    winnow_predicate_destroy(predicate);
    free(sorted);
    free(seen);
}

/* All of a call in one kind of memory, input and output as well. */
static void run_memory(const struct backend *backend, const struct memory *m,
                       uint64_t n, const char *kind) {
    const struct rule rule = rules_plain(WINNOW_UINT16);
    uint32_t *kept = must_alloc((n + 1) * sizeof(*kept));
    uint16_t *expected = must_alloc(n * sizeof(*expected));
    uint16_t *in = must_alloc(n * sizeof(*in));

    data_fill(&rule, pattern_named("uniform:0.5"), 103, n, in);
    oracle_filter(&rule, in, n, expected, kept);
    gpu_copy(m->in, in, n * sizeof(*in), backend->stream);
    run_calls(backend, m, &rule, n, expected, kept[n], kind);
    free(kept);
    free(expected);
    free(in);
}

static uint64_t many(void) {
    return reduced_mode() ? 4001 : 4000001;
}

static void run_pinned(const struct backend *backend, uint64_t n) {
    struct memory m;

    GPU_MUST(cudaHostAlloc((void **)&m.in, n * 2, cudaHostAllocDefault));
    GPU_MUST(cudaHostAlloc((void **)&m.out, n * 2, cudaHostAllocDefault));
    GPU_MUST(cudaHostAlloc((void **)&m.count, 8, cudaHostAllocDefault));
    run_memory(backend, &m, n, "pinned host memory");
    GPU_MUST(cudaFreeHost(m.in));
    GPU_MUST(cudaFreeHost(m.out));
    GPU_MUST(cudaFreeHost(m.count));
}

/* One tile, and as many as exchange their counts, which takes long over the
 * bus. */
GPU_TEST(memory, pinned) {
    run_pinned(backend, 1001);
    run_pinned(backend, 4001);
    if (!reduced_mode())
        run_pinned(backend, 300001);
    run_pinned(backend, many());
}

GPU_TEST(memory, registered) {
    const uint64_t n = many();
    const size_t bytes = n * sizeof(uint16_t);
    struct memory m = {must_alloc(bytes), must_alloc(bytes), must_alloc(8)};

    GPU_MUST(cudaHostRegister(m.in, bytes, cudaHostRegisterDefault));
    GPU_MUST(cudaHostRegister(m.out, bytes, cudaHostRegisterDefault));
    GPU_MUST(cudaHostRegister(m.count, 8, cudaHostRegisterDefault));
    run_memory(backend, &m, n, "registered host memory");
    GPU_MUST(cudaHostUnregister(m.in));
    GPU_MUST(cudaHostUnregister(m.out));
    GPU_MUST(cudaHostUnregister(m.count));
    free(m.in);
    free(m.out);
    free(m.count);
}

GPU_TEST(memory, managed) {
    const uint64_t n = many();
    struct memory m;

    GPU_MUST(cudaMallocManaged((void **)&m.in, n * 2, cudaMemAttachGlobal));
    GPU_MUST(cudaMallocManaged((void **)&m.out, n * 2, cudaMemAttachGlobal));
    GPU_MUST(cudaMallocManaged((void **)&m.count, 8, cudaMemAttachGlobal));
    run_memory(backend, &m, n, "managed memory");
    GPU_MUST(cudaFree(m.in));
    GPU_MUST(cudaFree(m.out));
    GPU_MUST(cudaFree(m.count));
}

GPU_TEST(memory, of_a_pool) {
    const cudaStream_t stream = backend->stream;
    const uint64_t n = many();
    struct memory m;

    GPU_MUST(cudaMallocAsync((void **)&m.in, n * 2, stream));
    GPU_MUST(cudaMallocAsync((void **)&m.out, n * 2, stream));
    GPU_MUST(cudaMallocAsync((void **)&m.count, 8, stream));
    run_memory(backend, &m, n, "memory of a pool");
    GPU_MUST(cudaFreeAsync(m.in, stream));
    GPU_MUST(cudaFreeAsync(m.out, stream));
    GPU_MUST(cudaFreeAsync(m.count, stream));
}

/* Two pieces, side by side in the address space. */
GPU_TEST(memory, mapped_together) {
    struct mapping in, out;
    struct memory m;
    uint64_t n;

    if (!mapping_open(&in, 2, true))
        cr_skip_test("the driver maps no memory");
    cr_assert(mapping_open(&out, 2, true));
    n = in.bytes / sizeof(uint16_t);
    m = (struct memory){in.start, out.start, gpu_alloc(8)};
    run_memory(backend, &m, n, "two pieces of memory");
    gpu_free(m.count);
    mapping_close(&in);
    mapping_close(&out);
}

/* A stable call for the elements that are 0, which all are. */
static void keep_zeros(const struct backend *backend, const struct memory *m,
                       uint64_t n, winnow_status wanted) {
    const uint16_t zero = 0;
    winnow_launch launch = {.size = sizeof(launch),
                            .stream = backend->stream,
                            .order = WINNOW_STABLE};
    winnow_predicate *predicate;

    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT16, WINNOW_EQ, &zero),
        WINNOW_OK);
    cr_assert_eq(winnow_copy_if(backend->context, predicate, WINNOW_UINT16,
                                m->in, n, m->out, WINNOW_NO_LIMIT, m->count,
                                &launch),
                 wanted, "%s", winnow_last_error());
    winnow_predicate_destroy(predicate);
}

/* End the capture, launch it twice, and see what it counts. */
static void run_capture(cudaStream_t stream, uint64_t *count, uint64_t wanted) {
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    GPU_MUST(cudaStreamEndCapture(stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        uint64_t seen = 77;

        gpu_copy(count, &seen, sizeof(seen), stream);
        GPU_MUST(cudaGraphLaunch(exec, stream));
        gpu_copy(&seen, count, sizeof(seen), stream);
        cr_assert_eq(seen, wanted, "%zu", (size_t)seen);
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
}

GPU_TEST(memory, mapped_together_captured) {
    uint64_t *const count = gpu_alloc(8);
    struct mapping in, out;
    uint64_t n;

    if (!mapping_open(&in, 2, true))
        cr_skip_test("the driver maps no memory");
    cr_assert(mapping_open(&out, 2, true));
    GPU_MUST(cudaMemset(in.start, 0, in.bytes));
    n = in.bytes / sizeof(uint16_t);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    keep_zeros(backend, &(struct memory){in.start, out.start, count}, n,
               WINNOW_OK);
    run_capture(backend->stream, count, n);
    mapping_close(&in);
    mapping_close(&out);
    gpu_free(count);
}

/* Memory that is there while the graph runs, and not when it is captured. */
GPU_TEST(memory, allocated_in_a_capture) {
    const cudaStream_t stream = backend->stream;
    const uint64_t n = many();
    uint64_t *const count = gpu_alloc(8), *const written = gpu_alloc(8);
    uint64_t seen = 77;
    struct memory m;

    GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    GPU_MUST(cudaMallocAsync((void **)&m.in, n * 2, stream));
    GPU_MUST(cudaMallocAsync((void **)&m.out, n * 2, stream));
    GPU_MUST(cudaMallocAsync((void **)&m.count, 8, stream));
    GPU_MUST(cudaMemsetAsync(m.in, 0, n * 2, stream));
    GPU_MUST(cudaMemsetAsync(m.out, 255, n * 2, stream));
    keep_zeros(backend, &m, n + (UINT64_C(1) << 22), WINNOW_ERR_ARGUMENT);
    keep_zeros(backend, &m, n, WINNOW_OK);
    keep_zeros(backend, &(struct memory){m.out, m.in, written}, n, WINNOW_OK);
    GPU_MUST(
        cudaMemcpyAsync(count, m.count, 8, cudaMemcpyDeviceToDevice, stream));
    GPU_MUST(cudaFreeAsync(m.in, stream));
    GPU_MUST(cudaFreeAsync(m.out, stream));
    GPU_MUST(cudaFreeAsync(m.count, stream));
    run_capture(stream, count, n);
    gpu_copy(&seen, written, sizeof(seen), stream);
    cr_assert_eq(seen, n, "%zu", (size_t)seen);
    gpu_free(count);
    gpu_free(written);
}

/* Mapped, but out of the device's reach. */
GPU_TEST(memory, mapped_without_access) {
    const uint64_t zero = 0;
    uint64_t *const count = gpu_alloc(8);
    winnow_predicate *predicate;
    struct mapping in;

    if (!mapping_open(&in, 1, false))
        cr_skip_test("the driver maps no memory");
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT64, WINNOW_EQ, &zero),
        WINNOW_OK);
    cr_assert_eq(winnow_count_if(backend->context, predicate, WINNOW_UINT64,
                                 in.start, 10, count,
                                 WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), "d_in"), "%s", winnow_last_error());
    winnow_predicate_destroy(predicate);
    mapping_close(&in);
    gpu_free(count);
}

/* As many bytes as there are, and one element more: of an allocation, whether
 * another one is right behind it or not, and of mapped memory. */
GPU_TEST(memory, too_short) {
    const uint64_t zero = 0, n = UINT64_C(1) << 20;
    winnow_launch launch = {.size = sizeof(launch),
                            .stream = backend->stream,
                            .order = WINNOW_STABLE};
    uint64_t *const in = gpu_alloc(n * 8), *const out = gpu_alloc(n * 8);
    uint64_t *const count = gpu_alloc(8), seen = 77;
    winnow_predicate *predicate;
    struct mapping mapping;

    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT64, WINNOW_EQ, &zero),
        WINNOW_OK);
    GPU_MUST(cudaMemset(in, 0, n * 8));
    gpu_copy(count, &seen, sizeof(seen), backend->stream);
    cr_assert_eq(winnow_copy_if(backend->context, predicate, WINNOW_UINT64, in,
                                n + 1, in, WINNOW_NO_LIMIT, count, &launch),
                 WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), "d_in") &&
                  strstr(winnow_last_error(), "8388608"),
              "%s", winnow_last_error());
    cr_assert_eq(winnow_copy_if(backend->context, predicate, WINNOW_UINT64, in,
                                n, out + 1, WINNOW_NO_LIMIT, count, &launch),
                 WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), "d_out"), "%s", winnow_last_error());
    gpu_copy(&seen, count, sizeof(seen), backend->stream);
    cr_assert_eq(seen, 77);

    cr_assert_eq(winnow_copy_if(backend->context, predicate, WINNOW_UINT64, in,
                                n, out + 1, n - 1, count, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
    gpu_copy(&seen, count, sizeof(seen), backend->stream);
    cr_assert_eq(seen, n);

    if (mapping_open(&mapping, 2, true)) {
        const uint64_t all = mapping.bytes / 8;

        GPU_MUST(cudaMemset(mapping.start, 0, mapping.bytes));
        for (uint64_t k = all; k <= all + 1; k++)
            cr_assert_eq(
                winnow_count_if(backend->context, predicate, WINNOW_UINT64,
                                mapping.start, k, count,
                                WINNOW_LAUNCH(.stream = backend->stream)),
                k == all ? WINNOW_OK : WINNOW_ERR_ARGUMENT);
        gpu_copy(&seen, count, sizeof(seen), backend->stream);
        cr_assert_eq(seen, all);
        mapping_close(&mapping);
    }
    winnow_predicate_destroy(predicate);
    gpu_free(in);
    gpu_free(out);
    gpu_free(count);
}
