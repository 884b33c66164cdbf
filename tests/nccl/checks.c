/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "checks.h"

#include <stdio.h>
#include <string.h>

static int run(const char *name, ranked *all, winnow_nccl_way way,
               bool (*body)(ranked_rank *), const ranked_exchange *e) {
    const winnow_nccl_options options = {.size = sizeof options, .way = way};
    struct report report = {{0}};
    const bool passed = ranked_run_open(all, &options, body, e, &report);
    if (passed && all->first != 0)
        return 0; /* the first process says so */
    printf("%s - %s, %s, spread %d, wrong %d at rank %d%s%s\n",
           passed ? "ok" : "not ok", name,
           way == WINNOW_NCCL_PEER ? "peer" : "exact", (int)e->spread,
           (int)e->wrong, e->wrong_rank, passed ? "" : ": ", report.text);
    fflush(stdout);
    return !passed;
}

int checks_run(ranked *all, winnow_nccl_way way) {
    int failed = 0;
    ranked_exchange e = {.way = way,
                         .seed = 5,
                         .columns = RANKED_COLUMNS,
                         .scale = 300,
                         .spare = 2,
                         .wrong_rank = -1};
    for (int spread = 0; spread < RANKED_SPREADS; spread++) {
        e.spread = (ranked_spread)spread;
        failed += run("place", all, way, ranked_check_place, &e);
        failed += run("exchange", all, way, ranked_check_exchange, &e);
        if (way == WINNOW_NCCL_PEER)
            failed += run("graph", all, way, ranked_check_graph, &e);
        failed += run("balance", all, way, ranked_check_balance, &e);
        failed +=
            run("balance in a graph", all, way, ranked_check_balance_graph, &e);
        failed += run("reduce", all, way, ranked_check_reduce, &e);
        failed +=
            run("reduce in a graph", all, way, ranked_check_reduce_graph, &e);
    }
    e.spread = RANKED_EVEN;
    e.spare = 0;
    e.wrong_rank = all->ranks - 1;
    for (int wrong = 0; wrong < RANKED_WRONGS; wrong++) {
        /* Of one rank nothing differs. */
        if (all->ranks == 1 &&
            (wrong == RANKED_OTHER_SIZE || wrong == RANKED_FEWER))
            continue;
        memcpy(&e.wrong, &wrong, sizeof wrong);
        failed += run("mistake", all, way, ranked_check_exchange, &e);
        failed +=
            run("mistake of a balance", all, way, ranked_check_balance, &e);
        if (ranked_is_of_reductions(wrong))
            failed += run("mistake of a reduction", all, way,
                          ranked_check_reduce, &e);
    }
    return failed;
}
