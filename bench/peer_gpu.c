/*
 * CUB and Thrust as peers, in the program that `make bench` builds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peer.h"

#include "peer_calls.h"
#include "util.h"

#include <cuda_runtime_api.h>

static void check(int code, const char *what) {
    if (code != cudaSuccess)
        bench_fail("%s: %s", what, cudaGetErrorString((cudaError_t)code));
}

static bool on_gpu(const bench_contender *c) {
    return c->run->platform.ordinal != WINNOW_DEVICE_HOST;
}

/* Its reduction of a struct over elements of one byte ends with a misaligned
 * address (CUB 3.0.1, H200; compute-sanitizer shows a load of 4 bytes by CUB at
 * an even address). Those of 2 bytes were not tried. */
static bool has_reduction(const bench_contender *c) {
    return winnow_type_size(c->cell->type) >= 4;
}

static bool cub_offers(const bench_contender *c) {
    if (c->op == BENCH_REDUCE_IF && !has_reduction(c))
        return false;
    return on_gpu(c) && c->op != BENCH_SELECT_IF &&
           c->op != BENCH_COMPACT_COLUMNS &&
           (c->op == BENCH_COUNT_IF || c->op == BENCH_REDUCE_IF ||
            c->cell->n <= bench_cub_most_items());
}

static void call_cub(bench_contender *c, void *d_temp, size_t *temp_bytes_p,
                     winnow_stream stream) {
    const bench_run *run = c->run;
    const bench_cell *cell = c->cell;
    const void *threshold = &cell->data.threshold;
    if (c->op == BENCH_COUNT_IF)
        check(bench_cub_count_if(cell->type, threshold, d_temp, temp_bytes_p,
                                 run->d_in, cell->n, run->d_count, stream),
              "cub::DeviceReduce::TransformReduce");
    else if (c->op == BENCH_REDUCE_IF)
        check(bench_cub_reduce_if(cell->type, threshold, d_temp, temp_bytes_p,
                                  run->d_in, cell->n, run->d_count, stream),
              "cub::DeviceReduce::TransformReduce");
    else if (c->op == BENCH_COPY_INDEX_IF)
        check(bench_cub_copy_index_if(cell->type, threshold, d_temp,
                                      temp_bytes_p, run->d_in, cell->n,
                                      run->d_out, run->d_count, stream),
              "cub::DeviceSelect::If over a counting iterator");
    else if (c->op == BENCH_COMPACT || c->op == BENCH_COPY_FLAGGED)
        check(bench_cub_flagged(cell->type, run->d_flags, d_temp, temp_bytes_p,
                                run->d_in, cell->n, run->d_out, run->d_count,
                                stream),
              "cub::DeviceSelect::Flagged");
    else if (c->op == BENCH_PARTITION_IF || c->op == BENCH_PARTITION_TWO)
        check(bench_cub_partition_if(cell->type, threshold, d_temp,
                                     temp_bytes_p, run->d_in, cell->n,
                                     run->d_out, run->d_count, stream),
              "cub::DevicePartition::If");
    else
        check(bench_cub_copy_if(cell->type, threshold, d_temp, temp_bytes_p,
                                run->d_in, cell->n, run->d_out, run->d_count,
                                stream),
              "cub::DeviceSelect::If");
}

/* The flags are there before anything is timed, as the selection is. */
static void cub_open(bench_contender *c) {
    if (c->op == BENCH_COMPACT)
        check(bench_cub_make_flags(c->cell->type, &c->cell->data.threshold,
                                   c->run->d_in, c->cell->n, c->run->d_flags,
                                   c->run->platform.stream),
              "making flags");
    call_cub(c, NULL, &c->workspace_bytes, c->run->platform.stream);
}

static void cub_run(void *state, winnow_stream stream) {
    bench_contender *c = state;
    size_t bytes = c->workspace_bytes;
    call_cub(c, c->run->d_workspace, &bytes, stream);
}

static void cub_sort(winnow_type type, unsigned bits, void *d_temp,
                     size_t *temp_bytes_p, const void *d_keys, void *d_keys_out,
                     const void *d_values, void *d_values_out, uint64_t n,
                     winnow_stream stream) {
    check(bench_cub_sort(type, bits, d_temp, temp_bytes_p, d_keys, d_keys_out,
                         d_values, d_values_out, n, stream),
          "cub::DeviceRadixSort");
}

/* Thrust allocates and waits, which cannot be captured. */
static bool thrust_offers(const bench_contender *c) {
    return on_gpu(c) && c->op == BENCH_COPY_IF &&
           c->cell->launch == BENCH_PLAIN;
}

static void thrust_open(bench_contender *c) {
    c->count_on_host = true;
}

static void thrust_run(void *state, winnow_stream stream) {
    bench_contender *c = state;
    check(bench_thrust_copy_if(c->cell->type, &c->cell->data.threshold,
                               c->run->d_in, c->cell->n, c->run->d_out,
                               &c->host_count, stream),
          "thrust::copy_if");
}

const bench_peer bench_gpu_peers[2] = {
    {BENCH_PEER_CUB, bench_cub_name, cub_offers, cub_open, cub_run, cub_sort},
    {BENCH_PEER_THRUST, bench_thrust_name, thrust_offers, thrust_open,
     thrust_run, NULL},
};
