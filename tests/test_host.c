/*
 * The host backend: the same for any number of threads, and bit for bit what a
 * GPU gives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

static const struct strategy_row *host_row(void) {
    FOR_EACH_STRATEGY(row, false)
    if (row->strategy == WINNOW_HOST && row->order == WINNOW_STABLE)
        return row;
    return NULL;
}

/* Without OpenMP there is one thread whatever is asked for. */
static void set_threads(int number) {
#ifdef _OPENMP
    omp_set_num_threads(number);
#else
    (void)number;
#endif
}

Test(host, any_number_of_threads, .timeout = SUITE_TIMEOUT) {
    static const int threads[] = {1, 2, 3, 4, 7, 16, 64, 300};
    static const winnow_type types[] = {WINNOW_INT8, WINNOW_BFLOAT16,
                                        WINNOW_FLOAT32, WINNOW_UINT64};
    const uint64_t n = reduced_mode() ? 40000 : 700001;
    struct backend backend;

    backend_open_host(&backend);
    for (size_t t = 0; t < 4; t++) {
        const struct rule rule = rules_plain(types[t]);
        struct trial trial;

        trial_open(&trial, &backend, &rule, pattern_named("runs:1024"), 91, n,
                   3);
        for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
            struct trial_call call = TRIAL_CALL_INIT;

            set_threads(threads[i]);
            call.row = host_row();
            call.n = n;
            MUST(trial_run(&trial, &call, report));
            call.capacity = n / 5;
            MUST(trial_run(&trial, &call, report));
            call.in_place = true;
            MUST(trial_run(&trial, &call, report));
            call.capacity = WINNOW_NO_LIMIT;
            MUST(trial_run(&trial, &call, report));
            call.in_place = false;
            call.operation = COUNT_IF;
            MUST(trial_run(&trial, &call, report));
        }
        MUST(trial_close(&trial, report));
    }
    backend_close(&backend);
}

/* The call works before it returns: there is no stream to wait for. */
Test(host, synchronous) {
    const uint16_t in[] = {5, 1, 4, 1, 5, 9, 2, 6};
    const uint16_t four = 4;
    uint16_t out[8] = {0};
    uint64_t count = 99;
    winnow_options options = WINNOW_OPTIONS_INIT;
    int32_t ran = 99;
    winnow_predicate *predicate;
    winnow_context *context;

    options.d_strategy = &ran;
    cr_assert_eq(winnow_context_create(&context, WINNOW_HOST), WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT16, WINNOW_GE, &four),
        WINNOW_OK);
    cr_assert_eq(winnow_copy_if(context, predicate, in, 8, out, &count,
                                &options, NULL, 0, NULL),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(count, 5);
    cr_assert_eq(ran, WINNOW_HOST);
    cr_assert(memcmp(out, (uint16_t[]){5, 4, 5, 9, 6, 0, 0, 0}, 16) == 0);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}

#ifdef WINNOW_CUDA
static void expect_equal(const struct trial *host, const struct trial *gpu,
                         size_t bytes, const char *what) {
    char rule[128];

    rule_describe(&host->rule, rule, sizeof(rule));
    cr_assert(memcmp(host->out.seen + REGION_GUARD,
                     gpu->out.seen + REGION_GUARD, bytes) == 0,
              "%s, n %zu, %s: the outputs differ", rule, (size_t)host->n, what);
}

/* The same call on both contexts: the bytes of the output and of the estimate,
 * which looks at the same sample everywhere. */
static void compare(const struct backend *host, const struct backend *gpu,
                    const struct rule *rule, const char *pattern, uint64_t n) {
    struct trial on_host, on_gpu;
    struct trial_call call = TRIAL_CALL_INIT;

    call.n = n;
    call.tolerance = 0.05;
    trial_open(&on_host, host, rule, pattern_named(pattern), 92, n, 0);
    trial_open(&on_gpu, gpu, rule, pattern_named(pattern), 92, n, 0);
    call.row = host_row();
    MUST(trial_run(&on_host, &call, report));
    FOR_EACH_STRATEGY(row, true) {
        if (row->stable) {
            call.row = row;
            MUST(trial_run(&on_gpu, &call, report));
            expect_equal(&on_host, &on_gpu, on_host.kept[n] * on_host.size,
                         winnow_strategy_name(row->strategy));
        }
    }
    call.operation = ESTIMATE;
    MUST(trial_run(&on_host, &call, report));
    MUST(trial_run(&on_gpu, &call, report));
    cr_assert(memcmp(trial_selectivity_seen(&on_host),
                     trial_selectivity_seen(&on_gpu), 8) == 0,
              "n %zu, %s: the estimates differ", (size_t)n, pattern);
    MUST(trial_close(&on_host, report));
    MUST(trial_close(&on_gpu, report));
}

GPU_TEST(host, equals_gpu) {
    static const uint64_t sizes[] = {0, 1, 1000, 65537, 400009};
    const size_t size_count = reduced_mode() ? 3 : 5;
    struct backend host;

    backend_open_host(&host);
    for (int type = 0; type < ELEMENT_TYPES; type++) {
        struct rule rules[RULES_KINDS];

        rules_kinds((winnow_type)type, rules);
        for (size_t s = 0; s < size_count; s++) {
            compare(&host, backend, &rules[s], "uniform:0.5", sizes[s]);
            compare(&host, backend, &rules[6], "runs:32", sizes[s]);
            compare(&host, backend, &rules[7], "runs:1024", sizes[s]);
        }
    }
    backend_close(&host);
}
#endif
