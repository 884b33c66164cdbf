/*
 * How long the system's and the software atomic take, by the model of section V
 * of M. Elteir, H. Lin and W. Feng, "Performance Characterization and
 * Optimization of Atomic Operations on AMD GPUs" (2011). It assumes that every
 * thread of every block adds to the same number at the same time, and that a
 * block is one warp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SEEDS_MODEL_H
#define WINNOW_BENCH_SEEDS_MODEL_H

#include "seeds.h"

/* Seconds, as measured on the device. */
typedef struct seeds_model {
    double memory_s;        /* an access to global memory: their t_fast */
    double shared_atomic_s; /* an atomic on shared memory: their t_l */
    double global_atomic_s; /* an atomic on global memory: their t_comp */
} seeds_model;

seeds_model seeds_model_of(bench_lab *lab);
double seeds_model_system(const seeds_model *model, unsigned blocks,
                          unsigned threads);
double seeds_model_software(const seeds_model *model, unsigned blocks,
                            unsigned threads);

#endif
