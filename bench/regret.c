/*
 * How much slower AUTO is than the best strategy, cell by cell.
 *
 * The difference is a few per cent at most, so it is not taken from runs that
 * lie seconds apart: a first, short round finds the strategies that could be
 * the best, and a second one times those and AUTO in turn, run by run.
 *
 * AUTO is timed without a hint, with a true one and with a wrong one. What is
 * wanted of it holds for the first two; a wrong hint may cost what strategies
 * differ by.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "contender.h"

#include "util.h"

#include <stdlib.h>

#define FIRST_RUNS 3
/* Slower than the fastest by more than this in the first round: out. */
#define STILL_IN 1.5
/* A regret above this is measured again, for this much longer; what the longer
 * measurement finds is what counts. */
#define SUSPICIOUS 1.03
#define LONGER 8

/* The strategies that answer a call for `order`; stable ones answer both. */
static bool competes(const bench_contender *c, winnow_order order) {
    return c->peer == NULL && !bench_contender_is_auto(c) &&
           (order == WINNOW_UNORDERED || c->launch.order == WINNOW_STABLE);
}

static bool defends(const bench_contender *c, winnow_order order) {
    return bench_contender_is_auto(c) && c->launch.order == order;
}

/* The fastest strategy that answers a call for `order`. */
static unsigned fastest(bench_contender **entries, const bench_times *times,
                        unsigned count, winnow_order order) {
    unsigned best = BENCH_CONTENDERS;
    for (unsigned i = 0; i < count; i++)
        if (competes(entries[i], order) &&
            (best == BENCH_CONTENDERS ||
             times[i].midmean < times[best].midmean))
            best = i;
    if (best == BENCH_CONTENDERS)
        bench_fail("regret needs strategies to compare AUTO with");
    return best;
}

static double worst_regret(bench_contender **entries, const bench_times *times,
                           unsigned count, winnow_order order, unsigned best) {
    double worst = 0;
    for (unsigned i = 0; i < count; i++)
        if (defends(entries[i], order) &&
            entries[i]->hint != BENCH_HINT_WRONG &&
            times[i].midmean > worst * times[best].midmean)
            worst = times[i].midmean / times[best].midmean;
    return worst;
}

/* One row for all that AUTO did in a cell: the first hint's, with the best
 * strategy's time and those of the other hints beside it. */
static void report(bench_run *run, bench_contender **entries,
                   const bench_times *times, unsigned count, winnow_order order,
                   unsigned best, const bench_baseline *baseline) {
    unsigned first = count;
    double hinted[3] = {-1, -1, -1};
    for (unsigned i = 0; i < count; i++) {
        if (!defends(entries[i], order)) {
            if (!entries[i]->right)
                bench_contender_report(entries[i], &times[i], baseline, -1);
            continue;
        }
        hinted[entries[i]->hint] = times[i].midmean;
        if (first == count)
            first = i;
    }
    if (first == count)
        bench_fail("regret: AUTO was not measured; --strategies leaves it out");
    bench_row row =
        bench_contender_row(entries[first], &times[first], baseline, -1);
    row.op = "regret";
    row.best = winnow_strategy_name(entries[best]->launch.strategy);
    row.best_s = times[best].midmean;
    row.hint_true_s = hinted[BENCH_HINT_TRUE];
    row.hint_wrong_s = hinted[BENCH_HINT_WRONG];
    bench_report_row(&run->report, &row);
}

/* One order: time the finalists and AUTO in turn. */
static void second_round(bench_run *run, const bench_cell *cell,
                         bench_contender **entries, unsigned count,
                         winnow_order order, const bench_baseline *baseline) {
    bench_job jobs[BENCH_CONTENDERS];
    bench_times times[BENCH_CONTENDERS];
    for (unsigned i = 0; i < count; i++)
        jobs[i] = entries[i]->job;
    bench_measure(&run->platform, jobs, count, cell->cold, run->options.seconds,
                  BENCH_FEWEST_RUNS, times);
    unsigned best = fastest(entries, times, count, order);
    if (worst_regret(entries, times, count, order, best) > SUSPICIOUS) {
        bench_measure(&run->platform, jobs, count, cell->cold,
                      LONGER * run->options.seconds, BENCH_FEWEST_RUNS, times);
        best = fastest(entries, times, count, order);
    }
    report(run, entries, times, count, order, best, baseline);
}

static void one_order(bench_run *run, const bench_cell *cell,
                      bench_contender *list, const double *first,
                      unsigned count, winnow_order order,
                      const bench_baseline *baseline) {
    bench_contender *entries[BENCH_CONTENDERS];
    unsigned entry_count = 0;
    double least = -1;
    for (unsigned i = 0; i < count; i++)
        if (competes(&list[i], order) && (least < 0 || first[i] < least))
            least = first[i];
    for (unsigned i = 0; i < count; i++)
        if (defends(&list[i], order) ||
            (competes(&list[i], order) && first[i] <= STILL_IN * least))
            entries[entry_count++] = &list[i];
    second_round(run, cell, entries, entry_count, order, baseline);
}

static void visit(bench_run *run, const bench_cell *cell, void *user) {
    const unsigned orders = *(const unsigned *)user;
    bench_contender *list = bench_alloc(BENCH_CONTENDERS * sizeof *list);
    double first[BENCH_CONTENDERS];
    const unsigned count = bench_contenders(run, cell, false, list);
    if (count == 0)
        bench_fail("regret has nothing to measure");
    const bench_baseline baseline =
        bench_baseline_of(run, cell, bench_contender_bytes(&list[0]));
    for (unsigned i = 0; i < count; i++) {
        bench_times times;
        bench_contender_prepare(&list[i]);
        bench_measure(&run->platform, &list[i].job, 1, cell->cold, 0,
                      FIRST_RUNS, &times);
        first[i] = times.midmean;
        /* It may not reach the second round, so it is reported here. */
        if (!list[i].right)
            bench_contender_report(&list[i], &times, &baseline, -1);
    }
    if (orders & BENCH_UNORDERED)
        one_order(run, cell, list, first, count, WINNOW_UNORDERED, &baseline);
    if (orders & BENCH_STABLE)
        one_order(run, cell, list, first, count, WINNOW_STABLE, &baseline);
    for (unsigned i = 0; i < count; i++)
        bench_contender_release(&list[i]);
    free(list);
}

void bench_run_regret(bench_run *run) {
    const bench_options options = run->options;
    unsigned orders = options.orders;
    /* Stable strategies compete in both orders; peers in neither. */
    run->options.orders = BENCH_UNORDERED | BENCH_STABLE;
    run->options.peers = 0;
    bench_run_each_cell(run, visit, &orders);
    run->options = options;
}
