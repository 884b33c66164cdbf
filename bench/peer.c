/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "peer.h"

#include "util.h"

#ifdef WINNOW_CUDA

#include "peer_calls.h"

#include <cuda_runtime_api.h>

static void check(int code, const char *what) {
    if (code != cudaSuccess)
        bench_fail("%s: %s", what, cudaGetErrorString((cudaError_t)code));
}

bool bench_peer_offers(const bench_contender *contender) {
    if (contender->peer == BENCH_PEER_CUB)
        return contender->counting ||
               contender->cell->n <= bench_cub_most_items();
    /* Thrust allocates and waits, which cannot be captured. */
    return !contender->counting && contender->cell->launch == BENCH_PLAIN;
}

const char *bench_peer_name(unsigned peer) {
    return peer == BENCH_PEER_CUB ? bench_cub_name() : bench_thrust_name();
}

static void run_cub(bench_contender *c, void *d_temp, size_t *temp_bytes_p,
                    winnow_stream stream) {
    const bench_run *run = c->run;
    const bench_cell *cell = c->cell;
    const void *threshold = &cell->data.threshold;
    if (c->counting)
        check(bench_cub_count_if(cell->type, threshold, d_temp, temp_bytes_p,
                                 run->d_in, cell->n, run->d_count, stream),
              "cub::DeviceReduce::TransformReduce");
    else
        check(bench_cub_copy_if(cell->type, threshold, d_temp, temp_bytes_p,
                                run->d_in, cell->n, run->d_out, run->d_count,
                                stream),
              "cub::DeviceSelect::If");
}

void bench_peer_open(bench_contender *contender) {
    if (contender->peer == BENCH_PEER_CUB)
        run_cub(contender, NULL, &contender->workspace_bytes,
                contender->run->platform.stream);
    else
        contender->count_on_host = true;
}

void bench_peer_run(void *state, winnow_stream stream) {
    bench_contender *c = state;
    if (c->peer == BENCH_PEER_CUB) {
        size_t bytes = c->workspace_bytes;
        run_cub(c, c->run->d_workspace, &bytes, stream);
    } else {
        check(bench_thrust_copy_if(c->cell->type, &c->cell->data.threshold,
                                   c->run->d_in, c->cell->n, c->run->d_out,
                                   &c->host_count, stream),
              "thrust::copy_if");
    }
}

#else /* built without CUDA: never reached, see bench_contenders() */

bool bench_peer_offers(const bench_contender *contender) {
    (void)contender;
    return false;
}

const char *bench_peer_name(unsigned peer) {
    (void)peer;
    return NULL;
}

void bench_peer_open(bench_contender *contender) {
    (void)contender;
}

void bench_peer_run(void *state, winnow_stream stream) {
    (void)state;
    (void)stream;
}

#endif
