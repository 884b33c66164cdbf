/*
 * How a tile's survivors are staged depends on how many there are, and on how
 * they lie: data that lead every way, and data that nobody has thought of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

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
                for (int cut = SMALL; cut < CUTS; cut++) {
                    cut_into(backend, (enum cut)cut);
                    MUST(cut_run(&trial, n, false, report));
                }
            }
        MUST(trial_close(&trial, report));
    }
}

/* The next of a row of random numbers. */
static uint64_t draw(uint64_t *drawn, uint64_t below) {
    return data_random(35, (*drawn)++) % below;
}

/* What nobody has thought of: any type, predicate, data, length, alignment,
 * capacity and kind of tile together. */
GPU_TEST(staging, at_random) {
    const unsigned trials = reduced_mode() ? 10 : 500;
    const uint64_t most = reduced_mode() ? 20000 : 150000;
    winnow__limits usual[WINNOW__SIZES];
    uint64_t drawn = 0;

    memcpy(usual, cut_context(backend)->limits, sizeof(usual));
    for (unsigned t = 0; t < trials; t++) {
        const unsigned cut = (unsigned)draw(&drawn, CUTS + 1);
        const winnow_type type = (winnow_type)draw(&drawn, ELEMENT_TYPES);
        struct pattern pattern = {"at random", PATTERN_RUNS, 1, 0};
        struct trial_call call = TRIAL_CALL_INIT;
        struct rule rules[RULES_KINDS];
        const struct rule *rule;
        struct trial trial;

        if (cut < CUTS)
            cut_into(backend, (enum cut)cut);
        else
            memcpy(cut_context(backend)->limits, usual, sizeof(usual));
        rules_kinds(type, rules);
        rule = &rules[draw(&drawn, RULES_KINDS)];
        pattern.run += draw(&drawn, UINT64_C(1) << draw(&drawn, 12));
        pattern.fraction = 1e-3 * (double)draw(&drawn, 1001);
        call.n = 1 + draw(&drawn, most);
        trial_open(&trial, backend, rule, &pattern, t, call.n,
                   (unsigned)draw(&drawn, TRIAL_OFFSETS));
        call.out_offset = (unsigned)draw(&drawn, TRIAL_OFFSETS);
        if (draw(&drawn, 4) == 0)
            call.capacity = draw(&drawn, call.n + 1);
        FOR_EACH_STRATEGY(row, true) {
            if (!cut_is_ours(row))
                continue;
            call.row = row;
            MUST(trial_run(&trial, &call, report));
        }
        MUST(trial_close(&trial, report));
    }
}
