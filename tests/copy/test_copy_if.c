/*
 * What copy_if keeps: every strategy and order, on every type, with every kind
 * of predicate, held against the oracle.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

/* Every strategy on one input. */
static void run_strategies(const struct backend *backend,
                           const struct rule *rule,
                           const struct pattern *pattern, uint64_t n) {
    struct trial trial;

    trial_open(&trial, backend, rule, pattern, 1, n, 0);
    FOR_EACH_STRATEGY(row, backend->gpu) {
        struct trial_call call = TRIAL_CALL_INIT;
        call.row = row;
        call.n = n;
        MUST(trial_run(&trial, &call, report));
    }
    MUST(trial_close(&trial, report));
}

BACKEND_TEST(copy_if, LONG(every_predicate)) {
    const uint64_t n = reduced_mode() ? 333 : 3001;

    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_MOST];
        const size_t count = rules_all(type, rules);

        for (size_t i = 0; i < count; i++)
            run_strategies(backend, &rules[i], pattern_named("uniform:0.5"), n);
    }
}

BACKEND_TEST(copy_if, every_pattern) {
    const uint64_t n = reduced_mode() ? 2049 : 200003;

    FOR_EACH_TYPE(type) {
        const struct rule rule = rules_plain(type);

        for (size_t i = 0; i < PATTERNS; i++)
            run_strategies(backend, &rule, &patterns[i], n);
    }
}

/* A range and a bit test have kernels of their own; so may !=. */
BACKEND_TEST(copy_if, LONG(every_kind)) {
    const uint64_t n = reduced_mode() ? 1025 : 70001;

    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_KINDS];

        rules_kinds(type, rules);
        for (size_t i = 0; i < RULES_KINDS; i++) {
            run_strategies(backend, &rules[i], pattern_named("runs:32"), n);
            run_strategies(backend, &rules[i], pattern_named("uniform:0.01"),
                           n);
        }
    }
}

/* A hint never changes the result, however wrong it is. */
BACKEND_TEST(copy_if, every_hint) {
    static const double hints[] = {0, 1e-300, 0.01, 0.5, 0.99, 1};
    const uint64_t n = reduced_mode() ? 1025 : 150001;

    for (size_t p = 0; p < PATTERNS; p++) {
        const struct rule rule = rules_plain(WINNOW_INT32);
        struct trial trial;

        trial_open(&trial, backend, &rule, &patterns[p], 2, n, 0);
        FOR_EACH_STRATEGY(row, backend->gpu) {
            for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
                struct trial_call call = TRIAL_CALL_INIT;
                call.row = row;
                call.n = n;
                call.hint = hints[i];
                MUST(trial_run(&trial, &call, report));
            }
        }
        MUST(trial_close(&trial, report));
    }
}

/* Also for the default stream's work. */
static const char *wait_for_all(const struct backend *backend) {
#ifdef WINNOW_CUDA
    if (backend->gpu)
        GPU_MUST(cudaDeviceSynchronize());
#endif
    return backend_wait(backend);
}

/* A launch of zeros, and none: AUTO, unordered, on the default stream. */
static void run_defaults(const struct backend *backend,
                         const winnow_launch *launch) {
    const int64_t zero = 0;
    int64_t in[1000], out[1000], sum = 0;
    uint64_t count = 0;
    winnow_predicate *predicate;
    winnow_status status;
    void *d_in = backend_alloc(backend, sizeof(in));
    void *d_out = backend_alloc(backend, sizeof(out));
    uint64_t *d_count = backend_alloc(backend, sizeof(count));
    const char *error;

    for (int i = 0; i < 1000; i++)
        in[i] = i % 2 ? i : -i; /* odd ones pass; their sum is 250000 */
    backend_upload(backend, d_in, in, sizeof(in));
    status =
        winnow_predicate_compare(&predicate, WINNOW_INT64, WINNOW_GT, &zero);
    cr_assert_eq(status, WINNOW_OK, "%s", winnow_last_error());
    status = winnow_copy_if(backend->context, predicate, WINNOW_INT64, d_in,
                            1000, d_out, WINNOW_NO_LIMIT, d_count, launch);
    /* The predicate may go as soon as the call has returned. */
    winnow_predicate_destroy(predicate);
    cr_assert_eq(status, WINNOW_OK, "%s", winnow_last_error());
    error = wait_for_all(backend);
    cr_assert_null(error, "%s", error);
    backend_download(backend, &count, d_count, sizeof(count));
    cr_assert_eq(count, 500);
    backend_download(backend, out, d_out, 500 * sizeof(out[0]));
    for (int i = 0; i < 500; i++) {
        cr_assert_gt(out[i], 0);
        sum += out[i];
    }
    cr_assert_eq(sum, 250000);
    backend_free(backend, d_in);
    backend_free(backend, d_out);
    backend_free(backend, d_count);
}

BACKEND_TEST(copy_if, defaults) {
    const winnow_launch zeros = {.size = sizeof(zeros)};

    run_defaults(backend, NULL);
    run_defaults(backend, &zeros);
}
