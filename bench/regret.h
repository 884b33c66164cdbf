/*
 * AUTO's regrets, collected and summed up in a table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_REGRET_H
#define WINNOW_BENCH_REGRET_H

#include "contender.h"

typedef struct bench_regret {
    winnow_type type;
    uint64_t n;
    const char *pattern;
    double selectivity;
    const char *cache;
    bench_launch launch;
    winnow_order order;
    bench_hint hint;
    const char *chosen; /* by AUTO */
    winnow_strategy best;
    double auto_s;
    double best_s;
} bench_regret;

typedef struct bench_regrets {
    bench_regret *list;
    size_t count;
    size_t room;
} bench_regrets;

void bench_regrets_add(bench_regrets *regrets, const bench_cell *cell,
                       const char *cache, const bench_contender *defender,
                       double auto_s, const bench_contender *best,
                       double best_s);
void bench_regrets_print(const bench_regrets *regrets);
void bench_regrets_release(bench_regrets *regrets);

#endif
