/*
 * d_out == d_in, which WINNOW_STABLE defines: the survivors come first and the
 * rest of the array stays as it was.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

static void run_in_place(struct trial *trial, uint64_t n, unsigned offset) {
    FOR_EACH_STRATEGY(row, trial->backend->gpu) {
        if (row->order == WINNOW_STABLE) {
            struct trial_call call = TRIAL_CALL_INIT;
            call.row = row;
            call.n = n;
            call.out_offset = offset;
            call.in_place = true;
            MUST(trial_run(trial, &call, report));
        }
    }
}

BACKEND_TEST(in_place, every_type_and_pattern) {
    const uint64_t n = reduced_mode() ? 1500 : 100003;

    FOR_EACH_TYPE(type) {
        const struct rule rule = rules_plain(type);

        for (size_t p = 0; p < PATTERNS; p++) {
            struct trial trial;

            trial_open(&trial, backend, &rule, &patterns[p], 11, n, 0);
            run_in_place(&trial, n, 0);
            run_in_place(&trial, n - 1, 1);
            MUST(trial_close(&trial, report));
        }
    }
}

BACKEND_TEST(in_place, small) {
    const struct rule rule = rules_plain(WINNOW_UINT8);
    const uint64_t most = reduced_mode() ? 40 : 300;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 12, most,
               0);
    for (uint64_t n = 0; n <= most; n++)
        run_in_place(&trial, n, (unsigned)n % TRIAL_OFFSETS);
    MUST(trial_close(&trial, report));
}

/* Many tiles in flight at once, over input that others have yet to read. */
BACKEND_TEST(in_place, large) {
    static const char *const names[] = {"uniform:0.99", "uniform:0.01",
                                        "runs:65536", "all"};
    const uint64_t large = backend->gpu ? 1 << 23 : 1 << 21;
    const uint64_t n = reduced_mode() ? 20000 : large;

    for (size_t i = 0; i < 4; i++) {
        const struct rule rule = rules_plain(WINNOW_INT32);
        const int repeats = reduced_mode() ? 1 : 3;
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named(names[i]), 13, n, 0);
        for (int repeat = 0; repeat < repeats; repeat++)
            run_in_place(&trial, n, 0);
        MUST(trial_close(&trial, report));
    }
}
