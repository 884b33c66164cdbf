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
    /* Sort keys by their lowest bits, and values of 4 bytes with them unless
     * they are NULL. d_temp NULL: set *temp_bytes_p. NULL: it has no sort. */
    void (*sort)(winnow_type type, unsigned bits, void *d_temp,
                 size_t *temp_bytes_p, const void *d_keys, void *d_keys_out,
                 const void *d_values, void *d_values_out, uint64_t n,
                 winnow_stream stream);
} bench_peer;

/*
 * CUB and Thrust. In the program that is installed both are empty, with no bit:
 * they take minutes to compile.
 */
extern const bench_peer bench_gpu_peers[2];

/* NULL: this program lacks it. */
const bench_peer *bench_peer_find(unsigned bit);

#endif
