/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "peer.h"

#include "peer_calls.h"
#include "util.h"

#ifdef WINNOW_CUDA

#include <cuda_runtime_api.h>

static void check(int code, const char *what) {
    if (code != cudaSuccess)
        bench_fail("%s: %s", what, cudaGetErrorString((cudaError_t)code));
}

static bool gpu_offers(const bench_contender *contender) {
    if (contender->peer == BENCH_PEER_CUB)
        return contender->counting ||
               contender->cell->n <= bench_cub_most_items();
    /* Thrust allocates and waits, which cannot be captured. */
    return !contender->counting && contender->cell->launch == BENCH_PLAIN;
}

static const char *gpu_name(unsigned peer) {
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

static void gpu_open(bench_contender *contender) {
    if (contender->peer == BENCH_PEER_CUB)
        run_cub(contender, NULL, &contender->workspace_bytes,
                contender->run->platform.stream);
    else
        contender->count_on_host = true;
}

static void gpu_run(bench_contender *c, winnow_stream stream) {
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

#else

static bool gpu_offers(const bench_contender *contender) {
    (void)contender;
    return false;
}

static const char *gpu_name(unsigned peer) {
    (void)peer;
    return NULL;
}

static void gpu_open(bench_contender *contender) {
    (void)contender;
}

static void gpu_run(bench_contender *contender, winnow_stream stream) {
    (void)contender;
    (void)stream;
}

#endif

#ifdef WINNOW_BENCH_STD

static bool std_offers(const bench_contender *contender) {
    return bench_std_offers(contender->cell->type);
}

static void std_run(bench_contender *c) {
    c->host_count =
        bench_std_run(c->cell->type, &c->cell->data.threshold, c->run->d_in,
                      c->cell->n, c->counting ? NULL : c->run->d_out);
}

#else

static bool std_offers(const bench_contender *contender) {
    (void)contender;
    return false;
}

static void std_run(bench_contender *contender) {
    (void)contender;
}

#endif

bool bench_peer_offers(const bench_contender *contender) {
    const bool on_host = contender->run->platform.ordinal == WINNOW_DEVICE_HOST;
    if (on_host != (contender->peer == BENCH_PEER_STD))
        return false;
    return on_host ? std_offers(contender) : gpu_offers(contender);
}

const char *bench_peer_name(unsigned peer) {
    return peer == BENCH_PEER_STD ? "std" : gpu_name(peer);
}

void bench_peer_open(bench_contender *contender) {
    if (contender->peer == BENCH_PEER_STD)
        contender->count_on_host = true;
    else
        gpu_open(contender);
}

void bench_peer_run(void *state, winnow_stream stream) {
    bench_contender *c = state;
    if (c->peer == BENCH_PEER_STD)
        std_run(c);
    else
        gpu_run(c, stream);
}
