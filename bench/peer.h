/*
 * Peers as contenders. In a build without CUDA there are none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PEER_H
#define WINNOW_BENCH_PEER_H

#include "contender.h"

/* Whether the peer does what this contender is to do. */
bool bench_peer_offers(const bench_contender *contender);
const char *bench_peer_name(unsigned peer);
/* Sets contender->workspace_bytes and count_on_host. */
void bench_peer_open(bench_contender *contender);
/* Enqueue once; state is the contender. */
void bench_peer_run(void *state, winnow_stream stream);

#endif
