/*
 * The model of seed 004's section V.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model.h"

#include "kernels.h"

#define SHORT 100
#define LONG 1100

typedef struct chain {
    seeds_chain kind;
    unsigned length;
    seeds_count *d_word;
} chain;

static void run(void *state, winnow_stream stream) {
    const chain *c = state;
    seeds_must(seeds_gpu_chain(c->kind, c->length, c->d_word, stream));
}

/* Seconds of one access: of a long chain, less a short one, so that the launch
 * does not count. */
static double seconds_of(bench_lab *lab, seeds_chain kind,
                         seeds_count *d_word) {
    chain chains[] = {{kind, SHORT, d_word}, {kind, LONG, d_word}};
    const bench_job jobs[] = {{run, &chains[0], 1}, {run, &chains[1], 1}};
    bench_times times[2];
    seeds_clear(d_word, sizeof *d_word, lab->run->platform.stream);
    bench_measure(&lab->run->platform, jobs, 2, false,
                  lab->run->options.seconds, BENCH_FEWEST_RUNS, times);
    const double more = times[1].midmean - times[0].midmean;
    return more > 0 ? more / (LONG - SHORT) : 0;
}

seeds_model seeds_model_of(bench_lab *lab) {
    seeds_count *const d_word = lab_device(lab, sizeof *d_word);
    return (seeds_model){
        .memory_s = seconds_of(lab, SEEDS_CHAIN_MEMORY, d_word),
        .shared_atomic_s = seconds_of(lab, SEEDS_CHAIN_SHARED_ATOMIC, d_word),
        .global_atomic_s = seconds_of(lab, SEEDS_CHAIN_GLOBAL_ATOMIC, d_word),
    };
}

/* (1): the threads' atomics come one after the other. */
double seeds_model_system(const seeds_model *model, unsigned blocks,
                          unsigned threads) {
    return (double)blocks * threads * model->global_atomic_s;
}

/* (3): two atomics on shared memory for each thread of a block, one for each
 * block and a comparison with half of them by the coordinator, and nine
 * accesses to global memory. */
double seeds_model_software(const seeds_model *model, unsigned blocks,
                            unsigned threads) {
    return (2.0 * threads + 1.5 * blocks) * model->shared_atomic_s +
           9 * model->memory_s;
}
