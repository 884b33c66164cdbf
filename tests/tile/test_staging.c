/*
 * How a tile's survivors are staged depends on how many there are, and on
 * whether they lie together: data that lead every way.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "cut.h"
#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"

GPU_TEST(staging, every_way) {
    static const double fractions[] = {0.02, 0.2, 0.9, 0.97, 0.99, 0.999};
    static const uint64_t lengths[] = {1, 16, 32, 1024};
    const uint64_t n = reduced_mode() ? 20000 : 100001;
    const size_t step = reduced_mode() ? 3 : 1;

    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const struct rule rule = rules_plain((winnow_type)type);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 32, n,
                   1);
        for (size_t f = 0; f < sizeof(fractions) / sizeof(fractions[0]);
             f += step)
            for (size_t r = 0; r < sizeof(lengths) / sizeof(lengths[0]); r++) {
                const struct pattern runs = {"runs", PATTERN_RUNS, lengths[r],
                                             fractions[f]};

                trial_reload(&trial, &runs, 33 + f);
                FOR_EACH_STAGED_CUT(cut) {
                    cut_into(backend, cut);
                    MUST(cut_run(&trial, n, false, report));
                }
            }
        MUST(trial_close(&trial, report));
    }
}
