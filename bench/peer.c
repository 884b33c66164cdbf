/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "peer.h"

#ifdef WINNOW_BENCH_STD

#include "peer_calls.h"

static const char *std_name(void) {
    return "std";
}

static bool std_offers(const bench_contender *c) {
    return c->run->platform.ordinal == WINNOW_DEVICE_HOST &&
           (c->op == BENCH_COPY_IF || c->op == BENCH_COUNT_IF) &&
           bench_std_offers(c->cell->type);
}

static void std_open(bench_contender *c) {
    c->count_on_host = true;
}

static void std_run(void *state, winnow_stream stream) {
    bench_contender *c = state;
    (void)stream;
    if (c->op == BENCH_REDUCE_IF) {
        bench_std_reduce(c->cell->type, &c->cell->data.threshold, c->run->d_in,
                         c->cell->n, &c->host_reduced.count,
                         &c->host_reduced.sum);
        c->host_count = c->host_reduced.count;
        return;
    }
    c->host_count = bench_std_run(
        c->cell->type, &c->cell->data.threshold, c->run->d_in, c->cell->n,
        c->op == BENCH_COUNT_IF ? NULL : c->run->d_out);
}

static const bench_peer std_peer = {BENCH_PEER_STD, std_name, std_offers,
                                    std_open,       std_run,  NULL};

#else

static const bench_peer std_peer;

#endif

const bench_peer *bench_peer_find(unsigned bit) {
    const bench_peer *const peers[] = {&bench_gpu_peers[0], &bench_gpu_peers[1],
                                       &std_peer};
    for (unsigned i = 0; i < sizeof peers / sizeof peers[0]; i++)
        if (peers[i]->bit == bit)
            return peers[i];
    return NULL;
}
