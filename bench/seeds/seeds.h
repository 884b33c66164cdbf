/*
 * winnow-bench seeds: the experiments of the five documents that the library
 * grew from, made again. bench/SEEDS.md says what each of them is.
 *
 * An experiment is a .c file, which makes inputs and looks at results, and a
 * .cu file with its kernels (kernels.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SEEDS_H
#define WINNOW_BENCH_SEEDS_H

#include "../lab.h"

/* Enqueue: bytes to 0. */
void seeds_clear(void *d_memory, size_t bytes, winnow_stream stream);
/* End the program unless a launch of kernels.h went well. */
void seeds_must(int error);

/* The experiments. */
void seeds_filter(bench_lab *lab);
void seeds_particles(bench_lab *lab);
void seeds_minimum(bench_lab *lab);
void seeds_prefix_sums(bench_lab *lab);
void seeds_copy_atomic(bench_lab *lab);
void seeds_atomic_impact(bench_lab *lab);
void seeds_atomic_add(bench_lab *lab);
void seeds_atomic_add_write(bench_lab *lab);
void seeds_matrix_product(bench_lab *lab);
void seeds_k_means(bench_lab *lab);
void seeds_scalar_product(bench_lab *lab);
void seeds_string_match(bench_lab *lab);

#endif
