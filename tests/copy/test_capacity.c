/*
 * Outputs too small: nothing is written at or past the capacity, and *d_count
 * is the true number all the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

static void run_capacity(struct trial *trial, uint64_t capacity, bool no_out) {
    FOR_EACH_STRATEGY(row, trial->backend->gpu) {
        struct trial_call call = TRIAL_CALL_INIT;
        call.row = row;
        call.n = trial->n;
        call.capacity = capacity;
        call.no_out = no_out;
        MUST(trial_run(trial, &call, report));
        if (row->order == WINNOW_STABLE && !no_out) {
            call.in_place = true;
            MUST(trial_run(trial, &call, report));
        }
    }
}

static void run_capacities(struct trial *trial) {
    const uint64_t kept = trial->kept[trial->n];

    run_capacity(trial, 0, true);
    run_capacity(trial, 0, false);
    run_capacity(trial, 1, false);
    run_capacity(trial, kept / 2, false);
    if (kept)
        run_capacity(trial, kept - 1, false);
    run_capacity(trial, kept, false);
    run_capacity(trial, kept + 1, false);
    run_capacity(trial, trial->n, false);
    run_capacity(trial, UINT64_C(1) << 31, false);
    run_capacity(trial, (UINT64_C(1) << 32) + 1, false); /* 1, in 32 bits */
    run_capacity(trial, UINT64_MAX - 1, false);
    run_capacity(trial, WINNOW_NO_LIMIT, false);
}

BACKEND_TEST(capacity, LONG(every_type)) {
    static const char *const names[] = {"uniform:0.5", "all", "none"};
    const uint64_t n = reduced_mode() ? 700 : 20011;

    FOR_EACH_TYPE(type) {
        const struct rule rule = rules_plain(type);

        for (size_t i = 0; i < 3; i++) {
            struct trial trial;

            trial_open(&trial, backend, &rule, pattern_named(names[i]), 8, n,
                       0);
            run_capacities(&trial);
            MUST(trial_close(&trial, report));
        }
    }
}

/* Every capacity of a small result, at every alignment of the output. */
BACKEND_TEST(capacity, every_cut) {
    const struct rule rule = rules_plain(WINNOW_UINT16);
    const uint64_t n = reduced_mode() ? 40 : 150;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 9, n, 1);
    for (uint64_t capacity = 0; capacity <= n; capacity++) {
        FOR_EACH_STRATEGY(row, backend->gpu) {
            struct trial_call call = TRIAL_CALL_INIT;
            call.row = row;
            call.n = n;
            call.capacity = capacity;
            call.out_offset = (unsigned)capacity % 8;
            MUST(trial_run(&trial, &call, report));
        }
    }
    MUST(trial_close(&trial, report));
}

BACKEND_TEST(capacity, large) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    const uint64_t n = reduced_mode() ? 3000 : 1000003;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("runs:1024"), 10, n, 0);
    run_capacities(&trial);
    MUST(trial_close(&trial, report));
}
