/*
 * Peers as contenders: CUB and Thrust on a GPU, in a build with CUDA; the C++
 * library on the host, in a build with a C++ compiler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PEER_H
#define WINNOW_BENCH_PEER_H

#include "contender.h"

/* Whether the peer does what this contender is to do, where it is to do it. */
bool bench_peer_offers(const bench_contender *contender);
const char *bench_peer_name(unsigned peer);
/* Sets contender->workspace_bytes and count_on_host. */
void bench_peer_open(bench_contender *contender);
/* Enqueue once; state is the contender. */
void bench_peer_run(void *state, winnow_stream stream);

#endif
