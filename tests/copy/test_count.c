/*
 * count_if and estimate_selectivity.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

/* How far an estimate of independent elements may be off: five standard
 * deviations of a sample of 65536 at one half. */
#define UNIFORM_TOLERANCE 0.01
/* In clusters, neighbours in the sample are alike: the sample is worth less. */
#define CLUSTER_TOLERANCE 0.05

static void run_both(struct trial *trial, uint64_t n, double tolerance) {
    struct trial_call call = TRIAL_CALL_INIT;

    call.n = n;
    call.tolerance = tolerance;
    for (int twice = 0; twice < 2; twice++) { /* with each kind of workspace */
        call.workspace = twice ? WORKSPACE_GIVEN : WORKSPACE_OF_CONTEXT;
        call.operation = COUNT_IF;
        MUST(trial_run(trial, &call, report));
        call.operation = ESTIMATE;
        MUST(trial_run(trial, &call, report));
    }
}

BACKEND_TEST(count, LONG(every_predicate)) {
    const uint64_t n = reduced_mode() ? 333 : 3001;

    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_MOST];
        const size_t count = rules_all(type, rules);

        for (size_t i = 0; i < count; i++) {
            struct trial trial;

            trial_open(&trial, backend, &rules[i], pattern_named("uniform:0.5"),
                       21, n, 0);
            run_both(&trial, n, 0);
            MUST(trial_close(&trial, report));
        }
    }
}

BACKEND_TEST(count, LONG(sizes)) {
    const uint64_t most = reduced_mode() ? 600 : 3 * 65536 / 2 + 2;
    static const winnow_type types[] = {WINNOW_INT8, WINNOW_UINT16,
                                        WINNOW_FLOAT32, WINNOW_INT64};

    for (size_t t = 0; t < 4; t++) {
        const struct rule rule = rules_plain(types[t]);

        for (unsigned offset = 0; offset < 16; offset += 5) {
            struct trial trial;

            trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 22,
                       most, offset);
            for (uint64_t n = 0; n <= 70 && n <= most; n++)
                run_both(&trial, n, 0);
            for (uint64_t edge = 256; edge < most;
                 edge += edge < 16384 ? 256 : 4096)
                for (uint64_t n = edge - 1; n <= edge + 1; n++)
                    run_both(&trial, n, UNIFORM_TOLERANCE);
            MUST(trial_close(&trial, report));
        }
    }
}

/* Exact up to 65536 elements, close beyond. */
BACKEND_TEST(count, LONG(around_the_sample)) {
    static const uint64_t sizes[] = {65535, 65536,  65537,
                                     65552, 131072, 200000};
    const size_t count = reduced_mode() ? 3 : 6;
    const struct rule rule = rules_plain(WINNOW_UINT16);

    for (size_t p = 0; p < PATTERNS; p++) {
        struct trial trial;

        trial_open(&trial, backend, &rule, &patterns[p], 23, sizes[count - 1],
                   1);
        for (size_t i = 0; i < count; i++)
            run_both(&trial, sizes[i], UNIFORM_TOLERANCE);
        MUST(trial_close(&trial, report));
    }
}

BACKEND_TEST(count, LONG(large_estimates)) {
    const uint64_t n = reduced_mode() ? 70000 : (1 << 23) + 7;
    const struct rule rule = rules_plain(WINNOW_INT32);

    for (size_t p = 0; p < PATTERNS; p++) {
        const bool clustered = patterns[p].kind == PATTERN_RUNS;
        struct trial trial;

        trial_open(&trial, backend, &rule, &patterns[p], 24, n, 0);
        run_both(&trial, n, clustered ? CLUSTER_TOLERANCE : UNIFORM_TOLERANCE);
        MUST(trial_close(&trial, report));
    }
}

/* The sample, by what sample.h says of it and in other arithmetic: one run of
 * 16 in each of 4096 equal parts, from an element whose distance from the
 * part's first is splitmix64's number. */
static uint64_t sampled(uint64_t n, unsigned part) {
    const uint64_t size = n / 4096, longer = n - 4096 * size;
    const uint64_t first = part < longer
                               ? part * (size + 1)
                               : longer * (size + 1) + (part - longer) * size;
    uint64_t hash = part + UINT64_C(0x9e3779b97f4a7c15);

    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    hash ^= hash >> 31;
    return first + hash % (size + (part < longer) - 15);
}

/* Exactly those elements that are to be looked at are: they pass, and no
 * others. */
BACKEND_TEST(count, the_sample) {
    static const uint64_t sizes[] = {65537, 65552, 69632, 70001, 200000};
    const size_t number = reduced_mode() ? 2 : 5;
    const uint8_t one = 1;
    winnow_predicate *predicate;
    struct region in, result;

    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT8, WINNOW_EQ, &one),
        WINNOW_OK);
    region_open(&in, backend, sizes[number - 1]);
    region_open(&result, backend, sizeof(double));
    for (size_t i = 0; i < number; i++) {
        const uint64_t n = sizes[i];
        unsigned char *const marks = calloc(n, 1);
        double seen;

        cr_assert_not_null(marks);
        for (unsigned part = 0; part < 4096; part++)
            memset(marks + sampled(n, part), 1, 16);
        for (int others = 0; others < 2; others++) {
            region_write(&in, 0, marks, n);
            cr_assert_eq(winnow_estimate_selectivity(
                             backend->context, predicate, WINNOW_UINT8, in.base,
                             n, (double *)(void *)result.base,
                             WINNOW_LAUNCH(.stream = backend->stream)),
                         WINNOW_OK, "%s", winnow_last_error());
            cr_assert_null(backend_wait(backend));
            backend_download(backend, &seen, result.base, sizeof(seen));
            cr_assert_eq(seen, others ? 0.0 : 1.0, "n %llu: %g",
                         (unsigned long long)n, seen);
            for (uint64_t x = 0; x < n; x++)
                marks[x] ^= 1;
        }
        free(marks);
    }
    region_close(&in);
    region_close(&result);
    winnow_predicate_destroy(predicate);
}

/* The same input gives the same estimate, bit for bit. */
BACKEND_TEST(count, estimates_repeat) {
    const uint64_t n = reduced_mode() ? 70000 : 3000001;
    const struct rule rule = rules_plain(WINNOW_FLOAT32);
    struct trial_call call = TRIAL_CALL_INIT;
    unsigned char first[8] = {0};
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("runs:1024"), 25, n, 0);
    call.operation = ESTIMATE;
    call.n = n;
    call.tolerance = CLUSTER_TOLERANCE;
    for (int i = 0; i < 10; i++) {
        unsigned char estimate[8];

        MUST(trial_run(&trial, &call, report));
        memcpy(estimate, trial_selectivity_seen(&trial), 8);
        if (i == 0)
            memcpy(first, estimate, 8);
        cr_assert(memcmp(first, estimate, 8) == 0,
                  "%s: estimate %d differs from the first", backend->name, i);
    }
    MUST(trial_close(&trial, report));
}
