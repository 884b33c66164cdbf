/*
 * libwinnow-nccl's kernels: of two or three ranks, over NCCL's double, each of which
 * is a thread. So a seed does not repeat a run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include "nccl/ranked.h"
#include "simt/simt.h"

static bool (*const bodies[])(ranked_rank *) = {
    ranked_check_place, ranked_check_exchange, ranked_check_balance,
    ranked_check_reduce};

static bool run_ranks(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    const bool by_peers = number % 2 != 0;
    const winnow_nccl_options options = {.size = sizeof(options),
                                         .way = by_peers ? WINNOW_NCCL_PEER
                                                         : WINNOW_NCCL_EXACT};
    const ranked_exchange e = {
        .spread = (ranked_spread)soak_draw(seed, 40, RANKED_SPREADS),
        .seed = seed,
        .way = options.way,
        .columns = 1 + (unsigned)soak_draw(seed, 41, 3),
        .scale = 1 + soak_draw(seed, 42, 3),
        .spare = soak_draw(seed, 43, 3),
        .wrong_rank = -1};
    const int ranks = 2 + (int)soak_draw(seed, 44, 2);
    ranked all;
    bool ok;

    (void)backend;
    simt_settings.devices = ranks;
    simt_settings.multiprocessors = 4; /* few blocks push */
    ok = ranked_open(&all, ranks, report) &&
         ranked_run_open(&all, &options, bodies[number / 2], &e, report);
    ranked_close(&all);
    return ok;
}

void soak_ranks(void) {
    static const char *const names[] = {"place", "exchange", "balance",
                                        "reduce"};

    for (unsigned i = 0; i < 8; i++)
        soak_add(SOAK_USUAL, run_ranks, i, "ranks: %s%s", names[i / 2],
                 i % 2 ? " by peers" : "");
}
