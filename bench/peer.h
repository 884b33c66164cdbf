/*
 * Peers: what users would call instead, as contenders.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PEER_H
#define WINNOW_BENCH_PEER_H

#include "contender.h"

typedef struct bench_peer {
    unsigned bit; /* BENCH_PEER_ */
    /* With its version. */
    const char *(*name)(void);
    /* Whether it does what this contender is to do, where it is to do it. */
    bool (*offers)(const bench_contender *contender);
    /* Sets contender->workspace_bytes and count_on_host. */
    void (*open)(bench_contender *contender);
    /* Enqueue once; state is the contender. */
    void (*run)(void *state, winnow_stream stream);
} bench_peer;

/*
 * CUB and Thrust. In the program that is installed both are empty, with no bit:
 * they take minutes to compile.
 */
extern const bench_peer bench_gpu_peers[2];

/* NULL: this program lacks it. */
const bench_peer *bench_peer_find(unsigned bit);

#endif
