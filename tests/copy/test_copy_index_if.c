/*
 * winnow_copy_index_if: every strategy, type and kind of predicate, lengths
 * around the tiles' edges, both sizes of indices, capacities, capture in a
 * graph, and what it refuses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include <stdint.h>
#include <string.h>

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "strategies.h"
#include "suite.h"
#include "trial.h"

static void run(struct trial *trial, const struct trial_call *call) {
    struct trial_call again = *call;

    again.operation = COPY_INDEX;
    for (int wide = 0; wide <= 1; wide++) {
        again.wide = wide != 0;
        MUST(trial_run(trial, &again, report));
    }
}

static void run_strategies(struct trial *trial, const struct trial_call *call) {
    struct trial_call again = *call;

    FOR_EACH_STRATEGY(row, trial->backend->gpu) {
        again.row = row;
        run(trial, &again);
    }
}

/* Every type, every kind of test, at every alignment of the output. */
BACKEND_TEST(copy_index_if, LONG(types_and_rules)) {
    const uint64_t n = reduced_mode() ? 3000 : 70001;

    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_KINDS];

        rules_kinds(type, rules);
        for (size_t i = 0; i < RULES_KINDS; i++) {
            struct trial_call call = TRIAL_CALL_INIT;
            struct trial trial;

            call.n = n;
            call.out_offset = (unsigned)(i % 4);
            trial_open(&trial, backend, &rules[i], pattern_named("uniform:0.5"),
                       60 + i, n, (unsigned)i % 3);
            run_strategies(&trial, &call);
            MUST(trial_close(&trial, report));
        }
    }
}

/* Around tiles, for each size of elements, and sizes that other shapes take. */
BACKEND_TEST(copy_index_if, LONG(sizes)) {
    static const uint64_t sizes[] = {0,     1,     31,     257,    2047,
                                     2048,  2049,  8191,   8193,   16384,
                                     16385, 65537, 100003, 300001, 2500001};
    const size_t number =
        reduced_mode() ? 10 : sizeof(sizes) / sizeof(sizes[0]);
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_FLOAT16,
                                        WINNOW_INT32, WINNOW_FLOAT64};

    for (size_t t = 0; t < 4; t++) {
        const struct rule rule = rules_plain(types[t]);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("runs:32"), 61,
                   sizes[number - 1], 1);
        for (size_t i = 0; i < number; i++) {
            struct trial_call call = TRIAL_CALL_INIT;

            call.n = sizes[i];
            run_strategies(&trial, &call);
        }
        MUST(trial_close(&trial, report));
    }
}

/* Nothing, everything, few: what decides how indices are staged. */
BACKEND_TEST(copy_index_if, patterns) {
    static const char *const names[] = {"none", "all", "uniform:0.01",
                                        "uniform:0.99", "prefix"};
    const uint64_t n = reduced_mode() ? 9000 : 200003;
    const struct rule rule = rules_plain(WINNOW_UINT16);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct trial_call call = TRIAL_CALL_INIT;
        struct trial trial;

        call.n = n;
        trial_open(&trial, backend, &rule, pattern_named(names[i]), 62, n, 0);
        run_strategies(&trial, &call);
        MUST(trial_close(&trial, report));
    }
}

BACKEND_TEST(copy_index_if, capacities) {
    const uint64_t n = reduced_mode() ? 5000 : 150001;
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 63, n, 0);
    for (uint64_t capacity = 0; capacity < n; capacity = 3 * capacity + 1) {
        struct trial_call call = TRIAL_CALL_INIT;

        call.n = n;
        call.capacity = capacity;
        call.no_out = capacity == 0;
        run_strategies(&trial, &call);
    }
    MUST(trial_close(&trial, report));
}

/* ----------------------------------------------------------------- refusals */

struct wrong {
    winnow_type type;
    uint64_t n;
    unsigned misaligned;
    const char *detail;
};

/* Before anything is written. */
Test(copy_index_if, wrong_arguments) {
    static const struct wrong cases[] = {
        {WINNOW_INT32, 4, 0, "index_type"},
        {WINNOW_FLOAT64, 4, 0, "index_type"},
        {(winnow_type)99, 4, 0, "index_type"},
        {WINNOW_UINT32, (UINT64_C(1) << 32) + 1, 0, "indices do not fit"},
        {WINNOW_UINT64, UINT64_C(1) << 61, 0, "address space"},
        {WINNOW_UINT32, 4, 2, "d_indices"},
        {WINNOW_UINT64, 4, 4, "d_indices"}};
    _Alignas(16) unsigned char out[64];
    const uint8_t zero = 0, in[4] = {1, 0, 1, 1};
    winnow_predicate *predicate;
    winnow_context *context;
    uint64_t count = 77;
    winnow_plan plan = {.size = sizeof(plan)};
    const winnow_launch planned = {.size = sizeof(planned), .plan = &plan};

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT8, WINNOW_GT, &zero),
        WINNOW_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(winnow_copy_index_if(context, predicate, WINNOW_UINT8, in,
                                          cases[i].n, cases[i].type,
                                          out + cases[i].misaligned,
                                          WINNOW_NO_LIMIT, &count, NULL),
                     WINNOW_ERR_ARGUMENT, "case %zu", i);
        cr_assert_not_null(strstr(winnow_last_error(), cases[i].detail),
                           "case %zu: %s", i, winnow_last_error());
        if (cases[i].misaligned == 0)
            cr_assert_eq(winnow_copy_index_if(context, predicate, WINNOW_UINT8,
                                              NULL, cases[i].n, cases[i].type,
                                              NULL, WINNOW_NO_LIMIT, NULL,
                                              &planned),
                         WINNOW_ERR_ARGUMENT, "case %zu", i);
    }
    cr_assert_eq(count, 77u);
    /* As many as there are of 4 bytes: the size is no error. */
    cr_assert_eq(winnow_copy_index_if(context, predicate, WINNOW_UINT8, NULL,
                                      UINT64_C(1) << 32, WINNOW_UINT32, NULL,
                                      WINNOW_NO_LIMIT, NULL, &planned),
                 WINNOW_OK);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}

/* Indices may not overwrite the input, in either order. */
Test(copy_index_if, not_in_place) {
    uint32_t memory[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    winnow_predicate *predicate;
    winnow_context *context;
    uint64_t count = 77;
    const uint32_t two = 2;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_GT, &two),
        WINNOW_OK);
    cr_assert_eq(winnow_copy_index_if(context, predicate, WINNOW_UINT32, memory,
                                      8, WINNOW_UINT32, memory, 8, &count,
                                      WINNOW_LAUNCH(.order = WINNOW_STABLE)),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(), "d_in and d_indices overlap");
    cr_assert_eq(memory[0], 1u);
    cr_assert_eq(count, 77u);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}
