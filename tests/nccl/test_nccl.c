/*
 * libwinnow-nccl on the GPUs that there are, a thread each; or on so many of them
 * as the argument says. With `speed` before it, how fast it is: speed.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranked.h"
#include "speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void run(const char *name, ranked *all, winnow_nccl_way way,
                bool (*body)(ranked_rank *), const ranked_exchange *e) {
    const winnow_nccl_options options = {.size = sizeof options, .way = way};
    struct report report = {{0}};
    const bool passed = ranked_run_open(all, &options, body, e, &report);
    printf("%s - %s, %s, spread %d, wrong %d at rank %d%s%s\n",
           passed ? "ok" : "not ok", name,
           way == WINNOW_NCCL_PEER ? "peer" : "exact", (int)e->spread,
           (int)e->wrong, e->wrong_rank, passed ? "" : ": ", report.text);
    fflush(stdout);
    failed += !passed;
}

static void run_way(ranked *all, winnow_nccl_way way) {
    ranked_exchange e = {.way = way,
                         .seed = 5,
                         .columns = RANKED_COLUMNS,
                         .scale = 300,
                         .spare = 2,
                         .wrong_rank = -1};
    for (int spread = 0; spread < RANKED_SPREADS; spread++) {
        e.spread = (ranked_spread)spread;
        run("place", all, way, ranked_check_place, &e);
        run("exchange", all, way, ranked_check_exchange, &e);
        if (way == WINNOW_NCCL_PEER)
            run("graph", all, way, ranked_check_graph, &e);
        run("balance", all, way, ranked_check_balance, &e);
        run("balance in a graph", all, way, ranked_check_balance_graph, &e);
        run("reduce", all, way, ranked_check_reduce, &e);
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
        run("mistake", all, way, ranked_check_exchange, &e);
        run("mistake of a balance", all, way, ranked_check_balance, &e);
        if (wrong != RANKED_SHORT && wrong != RANKED_OVERLAP)
            run("mistake of a reduction", all, way, ranked_check_reduce, &e);
    }
}

int main(int argc, char **argv) {
    struct report report = {{0}};
    ranked all;
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
    const bool speed = argc > 1 && strcmp(argv[1], "speed") == 0;
    const char *const wanted = argv[speed ? 2 : 1];
    int ranks = wanted != NULL ? atoi(wanted) : devices;
    if (ranks < 1 || ranks > devices)
        return 2;
    ranks = ranks < RANKED_MOST ? ranks : RANKED_MOST;
    if (speed)
        return speed_main(ranks);
    if (!ranked_open(&all, ranks, &report)) {
        printf("not ok - %s\n", report.text);
        return 1;
    }
    run_way(&all, WINNOW_NCCL_EXACT);
    run_way(&all, WINNOW_NCCL_PEER);
    ranked_close(&all);
    printf("%d of %d GPUs, %d failed\n", ranks, devices, failed);
    return failed != 0;
}
